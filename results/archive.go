package results

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strconv"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
)

// An Archive is the directory of a sweep and of its shards, read by what
// their files say of themselves. Neither its spec nor its experiment need be known: it may be
// the output of another version of the model, or of this program, as long
// as the layout of the files is the same.
type Archive struct {
	Dir  string
	Name string // the spec's name in the files

	// Experiment has the names, kinds and units of parameters, metrics and
	// series, and the model version; but no ranges, choices or sources, and
	// no Run.
	Experiment *experiment.Experiment

	sources []source
}

// OpenArchive opens a directory. A *DataError tells of one that is not a
// sweep's, has no run yet, or is damaged.
func OpenArchive(dir string) (*Archive, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	a := &Archive{Dir: dir}
	var err error
	if a.sources, err = archived(dir); err != nil {
		return nil, err
	}
	if len(a.sources) == 0 {
		return nil, &DataError{Path: dir, Message: "no run has finished yet, or this is not the output of a sweep"}
	}
	first := &a.sources[len(a.sources)-1]
	if a.Name, a.Experiment, err = declaredBy(first.runs); err != nil {
		return nil, err
	}
	_, series, err := declaredBy(first.series)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		for i := range a.sources {
			a.sources[i].series = ""
		}
	case err != nil:
		return nil, err
	default:
		a.Experiment.Series = series.Series
	}
	return a, nil
}

// archived returns the sources of a directory's shards and after them its
// own, with their series if there are any.
func archived(dir string) ([]source, error) {
	shards, err := listShards(osDisk{}, dir)
	if err != nil {
		return nil, err
	}
	var all []source
	for _, place := range append(shards, shardEntry{dir: dir}) {
		inv, err := takeInventory(osDisk{}, place.dir, true)
		if err != nil {
			return nil, err
		}
		all = append(all, inv.sources...)
	}
	return all, nil
}

// declaredBy returns the name of the spec that a file was written for, and
// what its metadata tells of the experiment.
func declaredBy(path string) (spec string, e *experiment.Experiment, err error) {
	f, err := osDisk{}.open(path)
	if err != nil {
		return "", nil, err
	}
	defer f.Close()
	r := reader{path: path, file: f}
	e = &experiment.Experiment{}
	err = r.guard(func() error {
		size, err := f.Size()
		if err != nil {
			return err
		}
		p, err := parquet.OpenFile(&r, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
		if err != nil {
			return err
		}
		if found, _ := p.Lookup(keyFormat); found != format {
			return otherFormat(path, found)
		}
		spec, _ = p.Lookup(keySpec)
		e.Name, _ = p.Lookup(keyExperiment)
		version, _ := p.Lookup(keyVersion)
		if e.Version, err = strconv.Atoi(version); err != nil {
			return fmt.Errorf("the model version is %q: %w", version, err)
		}
		var columns []column
		described, _ := p.Lookup(keyColumns)
		if err := json.Unmarshal([]byte(described), &columns); err != nil {
			return fmt.Errorf("the columns are not described: %w", err)
		}
		return declare(e, columns)
	})
	return spec, e, err
}

// declare adds what columns tell to an experiment.
func declare(e *experiment.Experiment, columns []column) error {
	kinds := []experiment.Kind{experiment.Bool, experiment.Int, experiment.Float, experiment.String}
	for _, c := range columns {
		at := slices.IndexFunc(kinds, func(k experiment.Kind) bool { return k.String() == c.Kind })
		if at < 0 {
			return fmt.Errorf("the column %q is of kind %q", c.Name, c.Kind)
		}
		m := experiment.Metric{Name: c.Name, Kind: kinds[at], Unit: c.Unit, Meaning: c.Meaning}
		switch c.Role {
		case "parameter":
			e.Params = append(e.Params, experiment.Param{Name: c.Name, Kind: m.Kind, Unit: c.Unit, Meaning: c.Meaning})
		case "metric":
			e.Metrics = append(e.Metrics, m)
		case "series":
			if e.Series.Axis.Name == "" {
				e.Series.Axis = m
			} else {
				e.Series.Columns = append(e.Series.Columns, m)
			}
		}
	}
	return nil
}

// Runs yields every run that is there once, as its latest row has it, with
// its series. The order is that of the files, latest first; Index is -1. A
// row is valid until the next one. An error is the last thing yielded; its
// row is nil.
func (a *Archive) Runs() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		seen := map[grid.ID]bool{}
		for _, s := range slices.Backward(a.sources) {
			err := a.each(s, seen, func(r *Row) bool { return yield(r, nil) })
			if errors.Is(err, errEnough) {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}

// each visits the runs of one source that were not seen before.
func (a *Archive) each(s source, seen map[grid.ID]bool, visit func(*Row) bool) error {
	e := a.Experiment
	l := newLayouts(e, a.Name)
	runs, err := openRows(osDisk{}, s.runs, l.runs)
	if err != nil {
		return err
	}
	defer runs.close()
	var series *rowReader
	if s.series != "" {
		if series, err = openRows(osDisk{}, s.series, l.series); err != nil {
			return err
		}
		defer series.close()
	}
	to := newRowSink(a.Dir, e, visit)
	for ; runs.row() != nil; err = runs.next() {
		if err != nil {
			return err
		}
		text := bytes.Clone(runs.row()[idAt].ByteArray())
		var id grid.ID
		if len(text) != hex.EncodedLen(len(id)) {
			return &DataError{Path: s.runs, Message: "a run_id is damaged"}
		}
		if _, err := hex.Decode(id[:], text); err != nil {
			return &DataError{Path: s.runs, Message: "a run_id is damaged", Err: err}
		}
		known := seen[id]
		seen[id] = true
		if !known {
			if err := to.run(-1, runs.row()); err != nil {
				return err
			}
		}
		for series != nil && series.row() != nil && bytes.Equal(series.row()[idAt].ByteArray(), text) {
			if !known {
				if err := to.series(series.row()); err != nil {
					return err
				}
			}
			if err := series.next(); err != nil {
				return err
			}
		}
	}
	if err != nil {
		return err
	}
	if series != nil && series.row() != nil {
		return &DataError{Path: s.series, Message: "the series is of other runs than those beside it"}
	}
	return to.end()
}
