package results

import (
	"sweep/experiment"
	"sweep/grid"
)

// The statuses of a run.
const (
	OK     = "ok"
	Failed = "failed"
)

// Row is the outcome of one run.
type Row struct {
	Index  int64 // position in the plan
	ID     grid.ID
	Point  experiment.Point
	Status string            // OK or Failed
	Error  string            // empty unless failed
	Result experiment.Result // Metrics and Series; ignored if failed
}

// Plan is what the package needs to know of a sweep's points; *grid.Plan
// has it. Run i belongs to cell i % Cells.
type Plan interface {
	Experiment() *experiment.Experiment
	Runs() int64
	Cells() int64

	// Cell fills values with the canonical parameters of cell c.
	Cell(c int64, values []experiment.Value)

	// Find returns the index of the run with these canonical parameters
	// and this seed.
	Find(values []experiment.Value, seed int64) (i int64, ok bool)

	// Stop returns the rule by which cells get fewer seeds than there are;
	// nil if there is none.
	Stop() *grid.Stop

	// Varying returns the indices of the parameters that take more than
	// one value in the plan.
	Varying() []int
}

var _ Plan = (*grid.Plan)(nil)
