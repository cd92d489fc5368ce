package results

import (
	"errors"
	"fmt"
	"slices"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
)

// A header says what the records below it are.
type header struct {
	Format     string   `json:"format"`
	Sweep      string   `json:"sweep"` // the spec's name
	Experiment string   `json:"experiment"`
	Version    int      `json:"model_version"`
	SpecSHA256 string   `json:"spec_sha256"`
	Columns    []Column `json:"columns"`        // of runs.parquet and series.parquet
	Host       string   `json:"host,omitempty"` // that computed the records below

	// Corrupt is the number of corrupt bytes before the header when it was
	// written. They stay where they are. Its writer reported them and computed
	// their runs again.
	Corrupt int64 `json:"corrupt_bytes,omitempty"`

	at int64 // its offset
}

// line returns the header as a line.
func (h header) line() []byte {
	text := asJSON(h)
	return sealLine([]byte(text[:len(text)-1]), 0)
}

// recordColumns are those of runs.parquet and series.parquet, each once.
func recordColumns(e *experiment.Experiment) []Column {
	runs, series, _ := Columns(e)
	if !hasSeries(e) {
		return runs
	}
	return append(runs, series[len(seriesStart):]...)
}

// useAnother is the advice on a directory with runs of another kind.
const useAnother = "use another directory"

// fits refuses a log whose records are of another experiment or model version.
func (h *header) fits(e *experiment.Experiment, path string) error {
	there := fmt.Sprintf("%s, model version %d", h.Experiment, h.Version)
	here := fmt.Sprintf("%s, model version %d", e.Name, e.Version)
	if there != here {
		return disk.Refuse(path, useAnother,
			"the runs are of %s, and here those of %s, are expected", there, here)
	}
	return nil
}

// A columnsError refuses runs that have measured something else.
type columnsError struct{ *DataError }

// Unwrap returns the DataError.
func (e columnsError) Unwrap() error { return e.DataError }

// HasOtherColumns reports whether an error is about a directory whose runs have
// other metrics or series than those that are asked for.
func HasOtherColumns(err error) bool { return errors.As(err, new(columnsError)) }

// measures returns an error if the records below the header have other metrics
// or series than those of an experiment as it is declared now. The parameters
// may differ: a record holds its own.
func (h *header) measures(e *experiment.Experiment, path string) error {
	declared := measured(recordColumns(e))
	for i, column := range measured(h.Columns) {
		wanted := declared[i]
		if column == wanted {
			continue
		}
		fault := column + " where " + wanted + " is expected"
		switch {
		case column == noMore:
			fault = "no " + wanted + ", which the spec asks for"
		case wanted == noMore:
			fault = column + ", which the spec does not ask for"
		}
		return columnsError{disk.Refuse(path, useAnother, "the runs have measured %s", fault)}
	}
	return nil
}

// noMore ends a list of columns.
const noMore = "no more"

// measured describes the columns that are no parameters. The last description
// says that no more follow, so that lists of two lengths differ within the
// shorter one.
func measured(columns []Column) (list []string) {
	for _, c := range columns {
		if c.Role == "parameter" {
			continue
		}
		text := c.Name + " (" + c.Kind + ")"
		if c.From != "" {
			text += " from " + c.From
		}
		list = append(list, text)
	}
	return append(list, noMore)
}

// sameColumns reports whether two specs ask for the same metrics and series.
func sameColumns(a, b *grid.Spec) bool {
	ours := measured(recordColumns(a.Experiment))
	theirs := measured(recordColumns(b.Experiment))
	return slices.Equal(ours, theirs)
}
