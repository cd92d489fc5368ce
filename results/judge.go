package results

import (
	"math"

	"sweep/grid"
	"sweep/internal/inference"
)

// A judge tells how many seeds each cell of a plan with a stopping rule
// needs. Its judgement depends on the rows alone, not on the order in which
// they came: a cell is judged at a checkpoint by the rows of all its seeds
// up to there.
type judge struct {
	rule        *grid.Stop
	checkpoints []int64
	cells       int64
	of          map[int64]*docket
}

// A docket is what a judge knows of one cell.
type docket struct {
	values  []float64 // by number of the seed; NaN: not defined, or the run failed; +Inf: no row
	judged  bool      // since the last row
	needed  int64     // seeds, as far as the rows tell
	decided bool      // needed will not grow
}

// absent marks a run without a row: no metric is infinite.
var absent = math.Inf(1)

// newJudge returns the judge of a plan, nil if the plan has no rule.
func newJudge(rule *grid.Stop, cells int64) *judge {
	if rule == nil {
		return nil
	}
	return &judge{
		rule:        rule,
		checkpoints: rule.Checkpoints(),
		cells:       cells,
		of:          map[int64]*docket{},
	}
}

// record takes the rule's metric of run i, NaN if it failed. A later row of
// the same run replaces an earlier one, but a failure no success: the two
// may come from two directories, of which either may be read first.
func (j *judge) record(i int64, x float64) {
	d := j.of[i%j.cells]
	if d == nil {
		d = &docket{}
		j.of[i%j.cells] = d
	}
	seed := i / j.cells
	for int64(len(d.values)) <= seed {
		d.values = append(d.values, absent)
	}
	if math.IsNaN(x) && d.values[seed] != absent {
		return
	}
	d.values[seed] = x
	d.judged = false
}

// run returns the number of the run of a cell with a seed, counted from 0.
func (j *judge) run(cell, seed int64) int64 { return seed*j.cells + cell }

// needs reports whether run i is needed, as far as the rows tell.
func (j *judge) needs(i int64) bool {
	seeds, _ := j.needed(i % j.cells)
	return i/j.cells < seeds
}

// missing returns how many needed runs of the plan have no row, or of a
// part of it that has all runs of its cells.
func (j *judge) missing(plan Plan, part *grid.Shard) int64 {
	cells, cell := plan.Cells(), func(c int64) int64 { return c }
	if part != nil {
		cells, cell = part.Runs()/(plan.Runs()/plan.Cells()), part.Run // those of the first seed
	}
	n := int64(0)
	for c := range cells {
		seeds, _ := j.needed(cell(c))
		n += seeds
		if d := j.of[cell(c)]; d != nil {
			for _, x := range d.values[:min(seeds, int64(len(d.values)))] {
				if x != absent {
					n--
				}
			}
		}
	}
	return n
}

// superfluous returns how many rows there are that the rule does not ask
// for, and how many seeds the cell has that has most.
func (j *judge) superfluous() (rows, most int64) {
	for cell, d := range j.of {
		seeds, _ := j.needed(cell)
		for k := seeds; k < int64(len(d.values)); k++ {
			if d.values[k] != absent {
				rows++
				most = max(most, k+1)
			}
		}
	}
	return rows, most
}

// unsure returns how many cells have all their seeds, and still a wider
// interval than the rule asks for.
func (j *judge) unsure() int64 {
	n := int64(0)
	for cell, d := range j.of {
		if seeds, decided := j.needed(cell); decided && seeds == j.rule.Max && !j.enough(d.values[:seeds]) {
			n++
		}
	}
	return n
}

// needed returns how many seeds the cell needs. If that is not decided yet,
// it is the number at which the cell will be judged next.
func (j *judge) needed(cell int64) (seeds int64, decided bool) {
	d := j.of[cell]
	if d == nil {
		return j.checkpoints[0], false
	}
	if !d.judged {
		d.needed, d.decided = j.judgement(d.values)
		d.judged = true
	}
	return d.needed, d.decided
}

func (j *judge) judgement(values []float64) (seeds int64, decided bool) {
	there := int64(0) // seeds before the first without a row
	for there < int64(len(values)) && values[there] != absent {
		there++
	}
	for _, n := range j.checkpoints {
		if n > there {
			return n, false
		}
		if j.enough(values[:n]) {
			return n, true
		}
	}
	return j.rule.Max, true
}

// enough reports whether the mean is known well enough by these values, at
// least Min of which must be defined.
func (j *judge) enough(values []float64) bool {
	var defined []float64
	for _, x := range values {
		if !math.IsNaN(x) {
			defined = append(defined, x)
		}
	}
	if int64(len(defined)) < j.rule.Min {
		return false
	}
	m := inference.Describe(defined)
	width := j.rule.HalfWidth
	if j.rule.Relative {
		width = float64(width * math.Abs(m.Mean))
	}
	return inference.StudentFactor(float64(m.N-1), j.rule.Confidence)*m.SE() <= width
}
