package results

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// A stopping rule looks at the outcomes alone, not at the order in which they
// came: a cell is judged at a checkpoint by all its seeds up to there.

// A cellState is what a stopping rule knows of one cell.
type cellState struct {
	values  []float64 // by number of the seed; NaN: not defined, or the run failed; +Inf: not there
	judged  bool      // since the last change
	needed  int64     // seeds, as far as the records tell
	decided bool      // needed will not grow
}

// absent marks a run that is not there: no metric is infinite.
var absent = math.Inf(1)

// observe takes the rule's metric of run i, NaN if it is not defined or the
// run failed.
func (r *Reader) observe(i int64, x float64) {
	cell, seed := i%r.Plan.Cells(), i/r.Plan.Cells()
	c := r.cells[cell]
	if c == nil {
		c = &cellState{}
		r.cells[cell] = c
	}
	for int64(len(c.values)) <= seed {
		c.values = append(c.values, absent)
	}
	c.values[seed], c.judged = x, false
}

// needs reports whether run i is needed, as far as the records tell.
func (r *Reader) needs(i int64) bool {
	if r.Plan.Stop() == nil {
		return true
	}
	seeds, _ := r.Needed(i % r.Plan.Cells())
	return i/r.Plan.Cells() < seeds
}

// Needed returns how many seeds a cell of the plan needs. It is not decided
// while a stopping rule may come to ask for more; the cell is then judged
// when it has so many.
func (r *Reader) Needed(cell int64) (seeds int64, decided bool) {
	if r.Plan.Stop() == nil {
		return r.Plan.Seeds(), true
	}
	c := r.cells[cell]
	if c == nil {
		return r.Plan.Stop().Min, false
	}
	if c.judged {
		return c.needed, c.decided
	}
	c.judged = true
	there := int64(0) // seeds before the first that is not there
	for there < int64(len(c.values)) && c.values[there] != absent {
		there++
	}
	for _, c.needed = range r.Plan.Stop().Checkpoints() { // at last Max
		c.decided = c.needed <= there
		if !c.decided || r.enough(c.values[:c.needed]) {
			break
		}
	}
	return c.needed, c.decided
}

// enough reports whether the mean is known well enough by these values, at
// least Min of which must be defined.
func (r *Reader) enough(values []float64) bool {
	rule, defined := r.Plan.Stop(), slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if int64(len(defined)) < rule.Min {
		return false
	}
	m := inference.Describe(defined)
	width := rule.HalfWidth
	if rule.Relative {
		width = float64(width * math.Abs(m.Mean))
	}
	return inference.StudentFactor(float64(m.N-1), rule.Confidence)*m.SE() <= width
}

// unsure returns how many cells have all their seeds, and still a wider
// interval than the rule asks for.
func (r *Reader) unsure() (n int64) {
	for cell, c := range r.cells {
		if seeds, decided := r.Needed(cell); decided && seeds == r.Plan.Stop().Max && !r.enough(c.values[:seeds]) {
			n++
		}
	}
	return n
}
