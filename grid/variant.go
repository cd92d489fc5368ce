package grid

import (
	"slices"

	"sweep/experiment"
)

// A model is what an experiment's declaration says about nulls.
type model struct {
	experiment *experiment.Experiment
	selector   int // index of the parameter experiment.Algorithm, or -1
	replacer   int // index of the parameter that replaces others, or -1

	// variants are the selector's choices; with a replacer each of them
	// twice. An experiment without a selector has one algorithm, without a
	// name, that uses everything.
	variants []*variant
}

// A variant is the points that use the same parameters: those of one
// algorithm in which the replacer is null, or those in which it is not.
type variant struct {
	number    int // in model.variants
	algorithm string
	replaced  bool
	uses      []bool // by parameter
}

func newModel(e *experiment.Experiment) *model {
	m := &model{experiment: e, replacer: -1}
	algorithms := []string{""}
	var p *experiment.Param
	if p, m.selector = e.Param(experiment.Algorithm); p != nil {
		algorithms = p.Choices
	}
	cases := []bool{false}
	for i := range e.Params {
		if e.Params[i].Replaces != nil {
			m.replacer, cases = i, []bool{false, true}
		}
	}
	for _, algorithm := range algorithms {
		for _, replaced := range cases {
			v := &variant{number: len(m.variants), algorithm: algorithm, replaced: replaced}
			for i := range e.Params {
				p := &e.Params[i]
				v.uses = append(v.uses, p.Uses(algorithm) && !(replaced && m.replaces(p)))
			}
			m.variants = append(m.variants, v)
		}
	}
	return m
}

// replaces reports whether the replacer takes the place of a parameter.
func (m *model) replaces(p *experiment.Param) bool {
	return m.replacer >= 0 && slices.Contains(m.experiment.Params[m.replacer].Replaces, p.Name)
}

// variant returns the variant of a point with the given values.
func (m *model) variant(values []experiment.Value) *variant {
	for _, v := range m.variants {
		if (m.selector < 0 || m.allows(v, m.selector, values[m.selector])) &&
			(m.replacer < 0 || m.allows(v, m.replacer, values[m.replacer])) {
			return v
		}
	}
	return nil
}

// allows reports whether a parameter can have the given value in points of
// the variant: it always can, unless it is the selector or the replacer.
func (m *model) allows(v *variant, param int, value experiment.Value) bool {
	switch param {
	case m.selector:
		return value.Text() == v.algorithm
	case m.replacer:
		return value.IsNull() != v.replaced
	}
	return true
}

// canonical makes the parameters null that the variant does not use.
func (v *variant) canonical(values []experiment.Value) {
	for i, used := range v.uses {
		if !used {
			values[i] = experiment.Value{}
		}
	}
}

// vary finds the variants that occur in a block.
func (m *model) vary(b *block) {
	for _, v := range m.variants {
		occurs := true
		for _, i := range [2]int{m.selector, m.replacer} {
			if i >= 0 && b.axes[i] == nil {
				occurs = occurs && m.allows(v, i, b.base[i])
			}
		}
		for g := range b.groups {
			fresh := m.fresh(&b.groups[g], v)
			b.groups[g].fresh = append(b.groups[g].fresh, fresh)
			occurs = occurs && len(fresh) > 0
		}
		if occurs {
			b.variants = append(b.variants, v)
		}
	}
}

// fresh returns the indices of a group at which points of the variant differ
// from those at all earlier indices.
func (m *model) fresh(g *group, v *variant) []int {
	if i := g.axes[0].param; len(g.axes) == 1 && !g.axes[0].sampled && v.uses[i] && i != m.selector && i != m.replacer {
		return g.indices // no value occurs twice
	}
	var fresh []int
	seen := map[string]bool{}
	var key []byte
	for _, k := range g.indices {
		key = key[:0]
		fits := true
		for _, a := range g.axes {
			fits = fits && m.allows(v, a.param, a.values[k])
			if v.uses[a.param] {
				key = appendKey(key, a.values[k])
			}
		}
		if fits && !seen[string(key)] {
			seen[string(key)] = true
			fresh = append(fresh, k)
		}
	}
	return fresh
}
