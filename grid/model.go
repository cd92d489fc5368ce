package grid

import "sweep/internal/schema"

// A model is what an experiment's declaration says about nulls.
type model struct {
	experiment *schema.Experiment
	selector   int // index of the parameter schema.Algorithm, or -1

	// algorithms are the selector's choices. An experiment without a
	// selector has one algorithm, without a name, that uses everything.
	algorithms []algorithm
}

type algorithm struct {
	name   string
	uses   []bool // by parameter
	unused []int  // the parameters it does not use
}

func newModel(e *schema.Experiment) *model {
	p, selector := e.Param(schema.Algorithm)
	m := &model{experiment: e, selector: selector}
	names := []string{""}
	if p != nil {
		names = p.Choices
	}
	for _, name := range names {
		a := algorithm{name: name, uses: make([]bool, len(e.Params))}
		for i := range e.Params {
			if a.uses[i] = e.Params[i].Uses(name); !a.uses[i] {
				a.unused = append(a.unused, i)
			}
		}
		m.algorithms = append(m.algorithms, a)
	}
	return m
}

// algorithm returns the algorithm of a point with the given values, or nil
// if there is none.
func (m *model) algorithm(values []schema.Value) *algorithm {
	if m.selector < 0 {
		return &m.algorithms[0]
	}
	return m.named(values[m.selector].Text())
}

func (m *model) named(name string) *algorithm {
	for i := range m.algorithms {
		if m.algorithms[i].name == name {
			return &m.algorithms[i]
		}
	}
	return nil
}

// canonical makes the parameters null that the values' algorithm does not
// use.
func (m *model) canonical(values []schema.Value) {
	for _, i := range m.algorithm(values).unused {
		values[i] = schema.Value{}
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
