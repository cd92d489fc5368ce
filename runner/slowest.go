package runner

import (
	"cmp"
	"slices"

	"sweep/grid"
	"sweep/results"
)

// A SlowCell is a cell whose runs take long. Its JSON is part of the interface.
type SlowCell struct {
	Cell    string  `json:"cell"`
	Runs    int64   `json:"runs"`
	Seconds float64 `json:"mean_seconds"`
}

// Slowest finds the cells whose runs take the longest.
type Slowest struct {
	plan  *grid.Plan
	cells []cost
}

// NewSlowest returns a Slowest without runs of a plan.
func NewSlowest(plan *grid.Plan) *Slowest {
	return &Slowest{plan: plan, cells: make([]cost, plan.Cells())}
}

// Add adds a run.
func (s *Slowest) Add(run *results.Row) { s.cells[run.Index%s.plan.Cells()].add(run.Seconds) }

// List returns at most n cells, those of the highest mean first.
func (s *Slowest) List(n int) (list []SlowCell) {
	var highest []int64 // cells, in that order
	for c := range s.plan.Cells() {
		if s.cells[c].runs == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(highest, c, func(a, b int64) int {
			if s.cells[a].mean() != s.cells[b].mean() {
				return cmp.Compare(s.cells[b].mean(), s.cells[a].mean())
			}
			return cmp.Compare(a, b)
		})
		if at < n {
			highest = slices.Insert(highest, at, c)
			highest = highest[:min(n, len(highest))]
		}
	}
	for _, c := range highest {
		list = append(list, SlowCell{
			Cell:    s.plan.DescribeCell(s.plan.Point(c).Values),
			Runs:    int64(s.cells[c].runs),
			Seconds: s.cells[c].mean(),
		})
	}
	return list
}
