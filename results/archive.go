package results

import (
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
	Dir  string
	Name string // the spec's name

	// Experiment has the names, kinds and units of parameters, metrics and
	// series, and the model version; but no ranges, choices or sources, and
	// no Run.
	Experiment *experiment.Experiment

	logs []*log
	runs map[runKey]place
}

// A runKey tells runs of one model version apart.
type runKey struct {
	cell grid.ID
	seed int64
}

// OpenArchive opens a directory. A *DataError tells of one that is not a
// sweep's, or has no run yet.
func OpenArchive(dir string) (*Archive, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	a := &Archive{Dir: dir, runs: map[runKey]place{}}
	a.logs, err = openParts(d, false)
	if err = errors.Join(err, d.close()); err != nil {
		return nil, err
	}
	if err := a.load(); err != nil {
		closeLogs(a.logs)
		return nil, err
	}
	return a, nil
}

func (a *Archive) load() error {
	for number, l := range a.logs {
		err := l.scan(func(r *record, at int64, length int) error {
			key := runKey{r.cell, r.seed}
			if old := a.runs[key]; r.ok || !old.ok {
				a.runs[key] = place{log: uint16(1 + number), ok: r.ok, length: uint32(length), at: at}
			}
			return nil
		})
		if err == nil && a.Experiment == nil && len(l.headers) > 0 {
			h := l.headers[len(l.headers)-1]
			a.Name, a.Experiment = h.Sweep, &experiment.Experiment{Name: h.Experiment, Version: h.Version}
			err = declare(a.Experiment, h.Columns, l.path)
		}
		if err == nil && a.Experiment != nil {
			err = l.fits(a.Experiment)
		}
		if err != nil {
			return err
		}
	}
	if a.Experiment == nil || len(a.runs) == 0 {
		return &DataError{Path: a.Dir, Message: "no run has finished yet, or this is not the output of a sweep"}
	}
	return nil
}

// declare adds what columns tell to an experiment.
func declare(e *experiment.Experiment, columns []column, path string) error {
	kinds := []experiment.Kind{experiment.Bool, experiment.Int, experiment.Float, experiment.String}
	for _, c := range columns {
		at := slices.IndexFunc(kinds, func(k experiment.Kind) bool { return k.String() == c.Kind })
		if at < 0 {
			return &DataError{Path: path, Message: fmt.Sprintf("the column %q is of kind %q", c.Name, c.Kind)}
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

// Runs yields every run that is there once, with its series; Index is -1.
// The order is that of the logs. A row is valid until the next one. An error
// is the last thing yielded; its row is nil.
func (a *Archive) Runs() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		row, scratch := &Row{Index: -1, Point: experiment.Point{Experiment: a.Experiment}}, []byte(nil)
		broken := errors.New("the caller has enough")
		for number, l := range a.logs {
			err := l.scan(func(r *record, at int64, _ int) (err error) {
				if p := a.runs[runKey{r.cell, r.seed}]; p.at != at || p.log != uint16(1+number) {
					return nil
				}
				row.Point.Seed = r.seed
				if row.Point.Values, err = r.values(a.Experiment); err == nil {
					row.ID = grid.Identify(row.Point)
					err = r.fill(row, allOfRun, &scratch)
				}
				if err != nil {
					return recordError(l, at, err)
				}
				if !yield(row, nil) {
					return broken
				}
				return nil
			})
			if err == broken {
				return
			}
			if err != nil {
				yield(nil, err)
				return
			}
		}
	}
}
