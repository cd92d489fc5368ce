package grid

import (
	"cmp"
	"errors"
	"slices"

	"sweep/experiment"
	"sweep/internal/document"
)

// parametersKey is the key of a spec that describes the parameters of an
// experiment that declares itself (experiment.Experiment.Declare).
const parametersKey = "parameters"

// declare returns the declaration that an experiment makes of the spec.
func (s *Spec) declare(root *document.Node, e *experiment.Experiment) *experiment.Experiment {
	if e.Declare == nil {
		return e
	}
	table, params := root.Entry(e.Name), root.Entry(parametersKey)
	for _, n := range []*document.Node{table, params} {
		if n != nil {
			s.want(n.Kind == document.Table, n, "a table such as [%s]", n.Key)
		}
	}
	named, place := s.named(root.Entry("grid"), params)
	request := &experiment.Request{
		File:       s.File,
		Table:      table,
		Parameters: params,
		Grid:       named,
		Place:      place,
		Read: func(at *document.Node, name string, in *experiment.Input) experiment.Value {
			return s.input(at.Key, in, at, name)
		},
	}
	declared, err := e.Declare(request)
	if err == nil {
		err = declared.Validate()
	}
	if err == nil {
		return declared
	}
	fault, ok := errors.AsType[*document.Fault](err)
	if !ok {
		fault = &document.Fault{Message: err.Error()}
	}
	panic(s.at(cmp.Or(fault.At, table, root).Pos, "%s\nhint: %s", fault.Message, fault.Hint))
}

// symbols returns the names of parameters by the symbols that [parameters] gives them.
func symbols(params *document.Node) map[string]string {
	names := map[string]string{}
	if params != nil {
		for _, p := range params.Entries {
			if s := p.Entry("symbol"); s != nil {
				names[experiment.ValueOf(s.Value).Text()] = p.Key
			}
		}
	}
	return names
}

// named returns what the blocks of a grid name, with kinds that follow from
// the values: integers among which is another number are numbers, and so are
// ranges that give their count. place is that of experiment.Request.
func (s *Spec) named(grid, params *document.Node) (
	list []experiment.Param, place func(name string) (*document.Node, bool),
) {
	spelled, first := symbols(params), map[string]*document.Node{}
	add := func(n *document.Node, axis bool) (name string) {
		name = cmp.Or(spelled[n.Key], n.Key)
		i := slices.IndexFunc(list, func(p experiment.Param) bool { return p.Name == name })
		if i < 0 {
			i, list, first[name] = len(list), append(list, experiment.Param{Name: name}), n
		}
		p := &list[i]
		for _, v := range s.samples(n, axis) {
			switch {
			case p.Default.IsNull():
				p.Default, p.Kind = v, v.Kind()
			case p.Kind == experiment.Int && v.Kind() == experiment.Float:
				p.Kind = experiment.Float
			}
			if text := v.Text(); v.Kind() == experiment.String && !slices.Contains(p.Choices, text) {
				p.Choices = append(p.Choices, text)
			}
		}
		return name
	}
	blocks, counts := blocksOf(grid), map[string]int{}
	for _, b := range blocks {
		for _, e := range b.Entries {
			switch e.Key {
			case zipKey, whereKey:
			case excludeKey, includeKey:
				for _, point := range e.Elements {
					for _, v := range point.Entries {
						add(v, false)
					}
				}
			default:
				name := add(e, true)
				_, _, span := interval(experiment.ValueOf(e.Value).Text())
				left := func(point *document.Node) bool { // an include without a value of the axis
					return (span || e.Kind != document.Scalar) && !slices.ContainsFunc(point.Entries,
						func(v *document.Node) bool { return cmp.Or(spelled[v.Key], v.Key) == name })
				}
				if include := b.Entry(includeKey); include == nil || !slices.ContainsFunc(include.Elements, left) {
					counts[name]++
				}
			}
		}
	}
	for i, p := range list {
		if p.Kind == experiment.Float {
			list[i].Default = experiment.FloatValue(p.Default.Float())
		}
	}
	return list, func(name string) (*document.Node, bool) { return first[name], counts[name] == len(blocks) }
}

// samples returns values by which the kind of a parameter is known: what is
// sampled, or counted, is a number. Only an axis may be a range such as "1..12".
func (s *Spec) samples(n *document.Node, axis bool) (values []experiment.Value) {
	for _, e := range slices.Concat(n.Elements, n.Entries) {
		if n.Kind == document.Array || slices.Contains([]string{"from", "to", "step", "factor"}, e.Key) {
			values = append(values, s.samples(e, false)...)
		}
	}
	switch v := experiment.ValueOf(n.Value); {
	case n.Kind == document.Table:
		sampled := s.plan.Design != nil && n.Entry("step") == nil && n.Entry("factor") == nil
		if sampled || n.Entry("count") != nil {
			values = append(values, experiment.FloatValue(0))
		}
	case v.Kind() == experiment.String:
		if first, _, ok := interval(v.Text()); ok && axis {
			v = experiment.IntValue(first)
		}
		fallthrough
	case !v.IsNull():
		values = append(values, v)
	}
	return values
}
