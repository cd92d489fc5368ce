package grid

import (
	"sweep/experiment"
	"sweep/grid/internal/tuples"
)

// A spread finds out which parameters take more than one value in a plan.
type spread struct {
	model  *model
	seen   []bool             // by parameter: whether first is set
	first  []experiment.Value // the first value seen
	varies []bool
	order  []int // parameters in the order in which the document names them
}

func newSpread(m *model) spread {
	n := len(m.experiment.Params)
	return spread{model: m, seen: make([]bool, n), first: make([]experiment.Value, n), varies: make([]bool, n)}
}

// varying returns the parameters that vary: in document order, then those
// that the document does not name.
func (s *spread) varying() []int {
	listed := make([]bool, len(s.varies))
	var indices []int
	add := func(i int) {
		if s.varies[i] && !listed[i] {
			listed[i] = true
			indices = append(indices, i)
		}
	}
	for _, i := range s.order {
		add(i)
	}
	for i := range s.varies {
		add(i)
	}
	return indices
}

func (s *spread) note(param int, v experiment.Value) {
	if !s.seen[param] {
		s.seen[param], s.first[param] = true, v
	} else if s.first[param] != v {
		s.varies[param] = true
	}
}

// point adds one point's values.
func (s *spread) point(values []experiment.Value) {
	for i, v := range values {
		s.note(i, v)
	}
}

// product adds the points of one variant that a block's tuples yield.
func (s *spread) product(b *block, v *variant, set *tuples.Set) {
	if set == nil {
		return
	}
	for i := range b.base {
		p := b.place[i]
		if !v.uses[i] {
			s.note(i, experiment.Value{})
			continue
		}
		if p.group < 0 {
			s.note(i, b.base[i])
			continue
		}
		values := b.axis(i).values
		runs := set.Level(p.group)
		if i != s.model.selector && values.Distinct() && (len(runs) > 1 || runs[0].First < runs[0].Last) {
			s.varies[i] = true
			continue
		}
		// One index, or a list.
		for _, run := range runs {
			for k := run.First; k <= run.Last; k++ {
				s.note(i, values.At(k))
			}
		}
	}
}
