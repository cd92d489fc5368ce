package results

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// A stopping rule depends only on the outcomes, not on the order in which the
// runs ended: at a checkpoint, it judges a cell by all seeds up to there.

// absent marks a run that is not there: no metric is infinite.
var absent = math.Inf(1)

// observe takes the rule's metric of run i, NaN if it is not defined or the
// run failed.
func (r *Reader) observe(i int64, x float64) {
	cell := i % r.Plan.Cells()
	seed := i / r.Plan.Cells()
	values := r.ruled[cell]
	for int64(len(values)) <= seed {
		values = append(values, absent)
	}
	values[seed] = x
	r.ruled[cell] = values
	delete(r.needed, cell)
}

// Needs reports whether run i is needed, judged by the records that are there.
func (r *Reader) Needs(i int64) bool {
	if r.Plan.IsEven() {
		return true
	}
	cell := i % r.Plan.Cells()
	seed := i / r.Plan.Cells()
	if r.Plan.Stop() == nil {
		first, end := r.Plan.Window(cell)
		return first <= seed && seed < end
	}
	return seed < r.seeds(cell)
}

// seeds returns the number of seeds that a cell needs.
func (r *Reader) seeds(cell int64) int64 {
	seeds, judged := r.needed[cell]
	if !judged {
		seeds, _ = r.Needed(cell)
		r.needed[cell] = seeds
	}
	return seeds
}

// Needed returns the number of seeds that a cell of the plan needs. It is not
// decided while a stopping rule may still ask for more: the rule judges the
// cell again when it has that many.
func (r *Reader) Needed(cell int64) (seeds int64, decided bool) {
	if r.Plan.Stop() == nil {
		first, end := r.Plan.Window(cell)
		return end - first, true
	}
	values := r.ruled[cell]
	there := slices.Index(values, absent) // seeds before the first that is not there
	if there < 0 {
		there = len(values)
	}
	for _, seeds = range r.Plan.Stop().Checkpoints() { // at last Max
		decided = seeds <= int64(there)
		if !decided || r.enough(values[:seeds]) {
			break
		}
	}
	return seeds, decided
}

// Ended returns how many seeds of a cell, from the first, have a run that is
// there, even if it failed.
func (r *Reader) Ended(cell int64) (seeds int64) {
	for seeds < r.Plan.Seeds() && r.Status(cell+seeds*r.Plan.Cells()) != "" {
		seeds++
	}
	return seeds
}

// enough reports whether these values give the mean as exactly as the rule
// asks, by limits that hold at all checkpoints together. At least Min of them
// must be defined.
func (r *Reader) enough(values []float64) bool {
	rule := r.Plan.Stop()
	defined := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if int64(len(defined)) < rule.Min {
		return false
	}
	m := inference.Describe(defined)
	width := rule.HalfWidth
	if rule.Relative {
		width = float64(width * math.Abs(m.Mean))
	}
	level := inference.Simultaneous(rule.Confidence, len(rule.Checkpoints()))
	return inference.StudentFactor(float64(m.N-1), level)*m.SE() <= width
}

// unsure returns the number of cells that have all their seeds and still a
// wider interval than the rule asks for.
func (r *Reader) unsure() (n int64) {
	for cell, values := range r.ruled {
		seeds, decided := r.Needed(cell)
		if decided && seeds == r.Plan.Stop().Max && !r.enough(values[:seeds]) {
			n++
		}
	}
	return n
}
