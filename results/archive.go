package results

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
)

// An Archive is the directory of a sweep and of its shards, read by what
// their logs say of themselves. Neither its spec nor its experiment need be
// known: it may be the output of another version of the model.
type Archive struct {
	// Experiment has the model version and the names and kinds of parameters,
	// metrics and series, and nothing else.
	Experiment *experiment.Experiment

	Keys []RunKey // of the runs that are there, in the order of the logs

	logs   []*log
	places map[RunKey]place
}

// A RunKey tells runs of one experiment and model version apart.
type RunKey struct {
	Cell grid.ID
	Seed int64
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
	a = &Archive{places: map[RunKey]place{}}
	if a.logs, err = openLogs(d); err != nil {
		return nil, err
	}
	for i, l := range a.logs {
		err = errors.Join(err, l.scan(a.Experiment, func(r *record) error {
			key := RunKey{r.cell, r.seed}
			old, known := a.places[key]
			if !known {
				a.Keys = append(a.Keys, key)
			}
			if !old.ok { // of several failures the last counts
				a.places[key] = place{r.at, uint32(len(r.line)), uint16(i), r.ok, r.hash}
			}
			return nil
		}))
		if a.Experiment == nil && len(l.headers) > 0 {
			a.Experiment = l.headers[0].declared()
		}
	}
	if err == nil && (len(a.Keys) == 0 || a.Experiment == nil) {
		err = &DataError{Path: d.path("."), Message: "no run has finished yet, or this is not the output of a sweep"}
	}
	if err != nil {
		closeLogs(a.logs)
		return nil, err
	}
	return a, nil
}

// declared returns what a header tells of the experiment.
func (h *header) declared() *experiment.Experiment {
	e := &experiment.Experiment{Name: h.Experiment, Version: h.Version}
	kinds := []string{"null", "bool", "int", "float", "string"}
	for _, c := range h.Columns {
		kind := experiment.Kind(max(0, slices.Index(kinds, c.Kind)))
		switch m := (experiment.Metric{Name: c.Name, Kind: kind}); {
		case c.Role == "parameter":
			e.Params = append(e.Params, experiment.Param{Name: c.Name, Kind: kind})
		case c.Role == "metric":
			e.Metrics = append(e.Metrics, m)
		case c.Role == "series" && e.Series.Axis.Name == "":
			e.Series.Axis = m
		case c.Role == "series":
			e.Series.Columns = append(e.Series.Columns, m)
		}
	}
	return e
}

// Hash returns the hash of a run's outcome; ok tells whether it is there.
func (a *Archive) Hash(key RunKey) (h Hash, ok bool) {
	p, ok := a.places[key]
	return p.hash, ok
}

// Run returns a run without its series; its parameters are texts.
func (a *Archive) Run(key RunKey) (*Row, error) {
	var r record
	p := a.places[key]
	if err := a.logs[p.log].read(&r, p.at, int(p.length)); err != nil {
		return nil, err
	}
	var run struct {
		Status, Error string
		Parameters    map[string]json.RawMessage
		Metrics       map[string]*float64
	}
	if json.Unmarshal(r.line, &run) != nil {
		return nil, r.wrong(errRecord)
	}
	e := a.Experiment
	row := &Row{Status: run.Status, Error: run.Error, Point: experiment.Point{Experiment: e, Seed: r.seed, Values: make([]experiment.Value, len(e.Params))}}
	for i, p := range e.Params {
		if text, ok := run.Parameters[p.Name]; ok {
			row.Point.Values[i] = experiment.StringValue(strings.Trim(string(text), `"`))
		}
	}
	for _, m := range e.Metrics {
		x := math.NaN()
		if number := run.Metrics[m.Name]; number != nil {
			x = *number
		}
		row.Result.Metrics = append(row.Result.Metrics, x)
	}
	return row, nil
}
