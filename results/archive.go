package results

import (
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

	logs []*log
}

// errEnough ends a scan.
var errEnough = fmt.Errorf("the caller has enough")

// OpenArchive opens a directory. A *DataError tells of one that is not a
// sweep's, or has no run yet.
func OpenArchive(dir string) (*Archive, error) {
	d, err := openDisk(dir)
	if err != nil {
		return nil, err
	}
	defer d.close()
	a := &Archive{}
	if a.logs, err = openParts(d); err != nil {
		return nil, err
	}
	for _, l := range slices.Backward(a.logs) { // up to the first run
		err = l.scan(func(*record, int64, int) error { return errEnough })
		if err == errEnough && len(l.headers) > 0 {
			a.Experiment, err = l.headers[0].declared(l.path)
			return a, err
		}
		if err != nil && err != errEnough {
			return nil, err
		}
	}
	closeLogs(a.logs)
	return nil, &DataError{Path: dir, Message: "no run has finished yet, or this is not the output of a sweep"}
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
// The order is that of the logs, with those that failed last. A row is valid
// until the next one. An error is the last thing yielded; its row is nil.
func (a *Archive) Runs() iter.Seq2[*Row, error] {
	return func(yield func(*Row, error) bool) {
		seen, failed := map[grid.ID]bool{}, []*Row(nil)
		err := a.scan(func(row *Row) error {
			switch {
			case row.Status == Failed:
				kept := *row
				failed = append(failed, &kept)
			case !seen[row.ID]:
				seen[row.ID] = true
				if !yield(row, nil) {
					return errEnough
				}
			}
			return nil
		})
		for _, row := range slices.Backward(failed) { // of several failures, the last
			if err == nil && !seen[row.ID] {
				seen[row.ID] = true
				if !yield(row, nil) {
					return
				}
			}
		}
		if err != nil && err != errEnough {
			yield(nil, err)
		}
	}
}

// scan visits all records.
func (a *Archive) scan(visit func(*Row) error) error {
	row, scratch := &Row{Index: -1, Point: experiment.Point{Experiment: a.Experiment}}, []byte(nil)
	for _, l := range a.logs {
		l.experiment = a.Experiment
		err := l.scan(func(r *record, at int64, _ int) (err error) {
			row.Point.Seed = r.seed
			if row.Point.Values, err = r.values(a.Experiment); err == nil {
				row.ID = grid.Identify(row.Point)
				err = r.fill(row, true, &scratch)
			}
			if err != nil {
				return recordError(l, at, err)
			}
			return visit(row)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
