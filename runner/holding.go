package runner

import (
	"errors"
	"io/fs"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// A Holding is what a directory holds of a plan. Its JSON is part of the
// interface.
type Holding struct {
	Dir        string `json:"dir"`
	Done       int64  `json:"done"`
	Failed     int64  `json:"failed"`
	Missing    int64  `json:"missing"`       // with a stopping rule, as far as is known
	NotAsked   int64  `json:"not_asked_for"` // runs there that the spec does not ask for
	Difference string `json:"difference"`    // of the two specs; empty if there is none

	// OtherColumns tells that the runs there have other metrics or series than
	// the spec asks for, and so are missing; empty if they have not. Of those
	// that are missing or failed, Kept have answers that can be read again.
	OtherColumns string `json:"other_columns,omitempty"`
	Kept         int64  `json:"kept,omitempty"`

	// Damage tells what is corrupt there: its runs are missing.
	Damage []string `json:"damage,omitempty"`

	// Seconds is the time for missing and failed runs on one processor; null if
	// unknown.
	Seconds *float64 `json:"seconds"`
}

// Held returns what a directory, which need not exist, holds of a spec's plan.
// The experiments are those that the spec there may name.
func Held(dir string, spec *grid.Spec, experiments []*experiment.Experiment) (*Holding, error) {
	reader, err := results.OpenReaderFor(spec, dir)
	otherColumns := ""
	if results.HasOtherColumns(err) {
		otherColumns = err.Error()
		reader, err = results.OpenOtherReader(spec, dir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &Holding{Dir: dir, Missing: spec.Plan().Runs()}, nil
	}
	if err != nil {
		return nil, err
	}
	seconds, err := remaining(reader)
	if err != nil {
		return nil, err
	}
	held := &Holding{
		Dir:     dir,
		Done:    reader.OK(),
		Failed:  reader.Failed(),
		Missing: reader.Missing(),
		Seconds: seconds,

		OtherColumns: otherColumns,
	}
	before, err := results.OpenReader(dir, experiments)
	if errors.As(err, new(*grid.Error)) {
		return held, nil // the spec that was run there is not valid any longer
	}
	if errors.As(err, new(*results.DataError)) {
		held.Damage = []string{err.Error()}
		return held, nil
	}
	if err != nil {
		return nil, err
	}
	for _, d := range before.Damage {
		held.Damage = append(held.Damage, d.Error())
	}
	held.Difference = before.Plan.Difference(reader.Plan)
	for row, err := range before.Runs(false) {
		if err != nil {
			return nil, err
		}
		cell := before.Plan.CellID(row.Index % before.Plan.Cells())
		if _, ok := reader.Plan.Find(cell, row.Point.Seed); !ok {
			held.NotAsked++
		}
	}
	return held, nil
}

// remaining estimates the time, in seconds, that the runs without success will
// take: each as long as the mean of its cell or, if the cell has none, of all
// runs. It is nil if there are no runs.
func remaining(reader *results.Reader) (*float64, error) {
	cells := make([]cost, reader.Plan.Cells())
	var all cost
	for row, err := range reader.Runs(false) {
		if err != nil {
			return nil, err
		}
		cells[row.Index%reader.Plan.Cells()].add(row.Seconds)
		all.add(row.Seconds)
	}
	if all.runs == 0 {
		return nil, nil
	}
	total := all.mean() * float64(reader.Failed())
	for c, own := range cells {
		mean := all.mean()
		if own.runs > 0 {
			mean = own.mean()
		}
		needed, _ := reader.Needed(int64(c))
		total += mean * (float64(needed) - own.runs)
	}
	return &total, nil
}

// A cost is the time that some runs took.
type cost struct{ runs, seconds float64 }

func (c *cost) add(seconds float64) {
	c.runs++
	c.seconds += seconds
}

func (c *cost) mean() float64 { return c.seconds / c.runs }
