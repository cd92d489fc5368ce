package results

import (
	"math"

	"sweep/grid"
	"sweep/internal/inference"
)

// A stoppingRule tells how many seeds each cell of a plan needs. It looks
// at the outcomes alone, not at the order in which they came: a cell is
// judged at a checkpoint by all its seeds up to there.
type stoppingRule struct {
	rule        *grid.Stop
	checkpoints []int64
	cells       int64
	known       map[int64]*cellState // by cell
}

// A cellState is what is known of one cell.
type cellState struct {
	values  []float64 // by number of the seed; NaN: not defined, or the run failed; +Inf: not there
	judged  bool      // since the last change
	needed  int64     // seeds, as far as the records tell
	decided bool      // needed will not grow
}

// absent marks a run that is not there: no metric is infinite.
var absent = math.Inf(1)

// newStoppingRule returns nil without a rule.
func newStoppingRule(rule *grid.Stop, cells int64) *stoppingRule {
	if rule == nil {
		return nil
	}
	return &stoppingRule{rule, rule.Checkpoints(), cells, map[int64]*cellState{}}
}

// record takes the rule's metric of run i, NaN if it is not defined or the
// run failed.
func (s *stoppingRule) record(i int64, x float64) {
	c := s.known[i%s.cells]
	if c == nil {
		c = &cellState{}
		s.known[i%s.cells] = c
	}
	seed := i / s.cells
	for int64(len(c.values)) <= seed {
		c.values = append(c.values, absent)
	}
	c.values[seed], c.judged = x, false
}

// needs reports whether run i is needed, as far as the records tell.
func (s *stoppingRule) needs(i int64) bool {
	seeds, _ := s.needed(i % s.cells)
	return i/s.cells < seeds
}

// needed returns how many seeds the cell needs. If that is not decided yet,
// it is the number at which the cell will be judged next.
func (s *stoppingRule) needed(cell int64) (seeds int64, decided bool) {
	c := s.known[cell]
	if c == nil {
		return s.checkpoints[0], false
	}
	if !c.judged {
		c.needed, c.decided = s.judge(c.values)
		c.judged = true
	}
	return c.needed, c.decided
}

func (s *stoppingRule) judge(values []float64) (seeds int64, decided bool) {
	there := int64(0) // seeds before the first that is not there
	for there < int64(len(values)) && values[there] != absent {
		there++
	}
	for _, n := range s.checkpoints {
		if n > there {
			return n, false
		}
		if s.enough(values[:n]) {
			return n, true
		}
	}
	return s.rule.Max, true
}

// enough reports whether the mean is known well enough by these values, at
// least Min of which must be defined.
func (s *stoppingRule) enough(values []float64) bool {
	var defined []float64
	for _, x := range values {
		if !math.IsNaN(x) {
			defined = append(defined, x)
		}
	}
	if int64(len(defined)) < s.rule.Min {
		return false
	}
	m := inference.Describe(defined)
	width := s.rule.HalfWidth
	if s.rule.Relative {
		width = float64(width * math.Abs(m.Mean))
	}
	return inference.StudentFactor(float64(m.N-1), s.rule.Confidence)*m.SE() <= width
}

// unsure returns how many cells have all their seeds, and still a wider
// interval than the rule asks for.
func (s *stoppingRule) unsure() int64 {
	n := int64(0)
	for cell, c := range s.known {
		if seeds, decided := s.needed(cell); decided && seeds == s.rule.Max && !s.enough(c.values[:seeds]) {
			n++
		}
	}
	return n
}
