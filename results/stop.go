package results

import (
	"math"
	"slices"

	"sweep/internal/inference"
)

// A stopping rule looks at the outcomes alone, not at the order in which they
// came: a cell is judged at a checkpoint by all its seeds up to there.

// absent marks a run that is not there: no metric is infinite.
var absent = math.Inf(1)

// observe takes the rule's metric of run i, NaN if it is not defined or the
// run failed.
func (r *Reader) observe(i int64, x float64) {
	cell, seed := i%r.Plan.Cells(), i/r.Plan.Cells()
	values := r.ruled[cell]
	for int64(len(values)) <= seed {
		values = append(values, absent)
	}
	values[seed], r.ruled[cell] = x, values
	delete(r.needed, cell)
}

// needs reports whether run i is needed, as far as the records tell.
func (r *Reader) needs(i int64) bool {
	return r.Plan.Stop() == nil || i/r.Plan.Cells() < r.seeds(i%r.Plan.Cells())
}

// seeds returns how many seeds a cell needs, if there is a stopping rule.
func (r *Reader) seeds(cell int64) int64 {
	seeds, judged := r.needed[cell]
	if !judged {
		seeds, _ = r.Needed(cell)
		r.needed[cell] = seeds
	}
	return seeds
}

// Needed returns how many seeds a cell of the plan needs. It is not decided
// while a stopping rule may come to ask for more; the cell is then judged
// when it has so many.
func (r *Reader) Needed(cell int64) (seeds int64, decided bool) {
	if r.Plan.Stop() == nil {
		return r.Plan.Seeds(), true
	}
	values := r.ruled[cell]
	there := len(values) // seeds before the first that is not there
	if first := slices.Index(values, absent); first >= 0 {
		there = first
	}
	for _, seeds = range r.Plan.Stop().Checkpoints() { // at last Max
		decided = seeds <= int64(there)
		if !decided || r.enough(values[:seeds]) {
			break
		}
	}
	return seeds, decided
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
	for cell, values := range r.ruled {
		seeds, decided := r.Needed(cell)
		if decided && seeds == r.Plan.Stop().Max && !r.enough(values[:seeds]) {
			n++
		}
	}
	return n
}
