package results

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"

	"sweep/experiment"
	"sweep/grid"
)

// An Archive is the directory of a sweep and of its shards, read by what
// their logs say of themselves. Neither its spec nor its experiment need be
// known: it may be the output of another version of the model.
type Archive struct {
	// Experiment has the names, kinds and units of parameters, metrics and
	// series, and the model version; but no ranges, choices or sources, and
	// no Run.
	Experiment *experiment.Experiment

	logs   []*log
	places []archived // of each run, once
}

// archived is where a record of an Archive is.
type archived struct {
	log    *log
	at     int64
	length int
	ok     bool
}

// OpenArchive opens a directory. A *DataError tells of one that is not a
// sweep's, or has no run yet.
func OpenArchive(dir string) (*Archive, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	a, err := archiveOf(d)
	return a, errors.Join(err, d.close())
}

func archiveOf(d disk) (a *Archive, err error) {
	a = &Archive{}
	if a.logs, err = openLogs(d); err != nil {
		return nil, err
	}
	type run struct {
		cell grid.ID
		seed int64
	}
	known := map[run]int{}
	for _, l := range slices.Backward(a.logs) {
		err := l.scan(a.Experiment, func(r *record) error {
			here, id := archived{l, r.at, len(r.line), r.ok}, run{r.cell, r.seed}
			if i, ok := known[id]; !ok {
				known[id] = len(a.places)
				a.places = append(a.places, here)
			} else if !a.places[i].ok { // of several failures the last counts
				a.places[i] = here
			}
			return nil
		})
		if err == nil && a.Experiment == nil && len(l.headers) > 0 {
			a.Experiment, err = l.headers[0].declared(l.path)
		}
		if err != nil {
			closeLogs(a.logs)
			return nil, err
		}
	}
	if len(a.places) == 0 || a.Experiment == nil {
		closeLogs(a.logs)
		return nil, &DataError{Path: d.path("."), Message: "no run has finished yet, or this is not the output of a sweep"}
	}
	return a, nil
}

// declared returns what a header tells of the experiment.
func (h *header) declared(path string) (*experiment.Experiment, error) {
	e := &experiment.Experiment{Name: h.Experiment, Version: h.Version}
	kinds := []experiment.Kind{experiment.Bool, experiment.Int, experiment.Float, experiment.String}
	for _, c := range h.Columns {
		at := slices.IndexFunc(kinds, func(k experiment.Kind) bool { return k.String() == c.Kind })
		if at < 0 {
			return nil, &DataError{Path: path, Message: fmt.Sprintf("the column %q is of kind %q", c.Name, c.Kind)}
		}
		m := experiment.Metric{Name: c.Name, Kind: kinds[at], Unit: c.Unit, Meaning: c.Meaning}
		switch {
		case c.Role == "parameter":
			e.Params = append(e.Params, experiment.Param{Name: c.Name, Kind: m.Kind, Unit: c.Unit, Meaning: c.Meaning})
		case c.Role == "metric":
			e.Metrics = append(e.Metrics, m)
		case c.Role == "series" && e.Series.Axis.Name == "":
			e.Series.Axis = m
		case c.Role == "series":
			e.Series.Columns = append(e.Series.Columns, m)
		}
	}
	return e, nil
}

// Runs yields every run that is there once, with its series; Index is -1.
// A row is valid until the next one. An error is the last thing yielded; its row
// is nil.
func (a *Archive) Runs() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		var r record
		for _, p := range a.places {
			row, err := (*Row)(nil), p.log.read(&r, p.at, p.length)
			if err == nil {
				if row, err = r.decode(a.Experiment); err != nil {
					err = r.wrong(err)
				}
			}
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

// decode reads a record, its parameters as JSON.
func (r *record) decode(e *experiment.Experiment) (*Row, error) {
	var run struct{ Parameters map[string]json.RawMessage }
	if json.Unmarshal(r.line, &run) != nil {
		return nil, errRecord
	}
	row := &Row{Index: -1, Point: experiment.Point{Experiment: e, Seed: r.seed, Values: make([]experiment.Value, len(e.Params))}}
	for i, p := range e.Params {
		text, ok := run.Parameters[p.Name]
		if !ok {
			continue
		}
		var err error
		switch v := &row.Point.Values[i]; p.Kind {
		case experiment.Bool:
			*v, err = decoded(text, experiment.BoolValue)
		case experiment.Int:
			*v, err = decoded(text, experiment.IntValue)
		case experiment.Float:
			*v, err = decoded(text, experiment.FloatValue)
		default:
			*v, err = decoded(text, experiment.StringValue)
		}
		if err != nil {
			return nil, errRecord
		}
	}
	row.ID = grid.Identify(row.Point)
	return row, r.fill(row, true, new([]byte)) // the hash has the ID in it
}

func decoded[T any](text []byte, value func(T) experiment.Value) (experiment.Value, error) {
	var x T
	err := json.Unmarshal(text, &x)
	return value(x), err
}
