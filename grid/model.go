package grid

import "sweep/experiment"

// A model is what an experiment's declaration says about nulls.
type model struct {
	experiment *experiment.Experiment
	selector   int // index of the parameter experiment.Algorithm, or -1
	replacer   int // index of the parameter that replaces others, or -1

	// variants are the selector's choices; with a replacer each of them
	// twice. An experiment without a selector has one algorithm, without a
	// name, that uses everything.
	variants []variant
}

// A variant is the points that use the same parameters: those of one
// algorithm in which the replacer is null, or those in which it is not.
type variant struct {
	algorithm string
	replaced  bool
	uses      []bool // by parameter
	unused    []int  // the parameters it does not use
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
			v := variant{algorithm: algorithm, replaced: replaced, uses: make([]bool, len(e.Params))}
			for i := range e.Params {
				p := &e.Params[i]
				if v.uses[i] = p.Uses(algorithm) && !(replaced && m.replaces(p)); !v.uses[i] {
					v.unused = append(v.unused, i)
				}
			}
			m.variants = append(m.variants, v)
		}
	}
	return m
}

// replaces reports whether the replacer takes the place of a parameter.
func (m *model) replaces(p *experiment.Param) bool {
	return m.replacer >= 0 && contains(m.experiment.Params[m.replacer].Replaces, p.Name)
}

// variant returns the variant of a point with the given values, or nil if
// there is none.
func (m *model) variant(values []experiment.Value) *variant {
	for i := range m.variants {
		v := &m.variants[i]
		if (m.selector < 0 || m.decides(m.selector, values[m.selector], v)) &&
			(m.replacer < 0 || m.decides(m.replacer, values[m.replacer], v)) {
			return v
		}
	}
	return nil
}

// decides reports whether the selector or the replacer has the given value
// in points of the variant.
func (m *model) decides(param int, value experiment.Value, v *variant) bool {
	if param == m.selector {
		return value.Text() == v.algorithm
	}
	return value.IsNull() != v.replaced
}

// canonical makes the parameters null that the values' variant does not
// use.
func (m *model) canonical(values []experiment.Value) {
	for _, i := range m.variant(values).unused {
		values[i] = experiment.Value{}
	}
}

// names returns the names of the parameters.
func (m *model) names() []string {
	var names []string
	for i := range m.experiment.Params {
		names = append(names, m.experiment.Params[i].Name)
	}
	return names
}
