package grid

import (
	"errors"
	"slices"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// parametersKey is the key of a spec that describes the parameters of an
// experiment that declares itself (experiment.Experiment.Declare).
const parametersKey = "parameters"

// declare returns the declaration that an experiment makes of the spec.
func (r *reader) declare(root *document.Node, e *experiment.Experiment) *experiment.Experiment {
	if e.Declare == nil {
		return e
	}
	table := root.Entry(e.Name)
	spelled := map[string]string{}
	if n := root.Entry(parametersKey); n != nil {
		for _, p := range n.Entries {
			if s := p.Entry("symbol"); s != nil {
				symbol, _ := s.Value.(string)
				spelled[symbol] = p.Key
			}
		}
	}
	r.spell(root.Entry("grid"), spelled)
	request := &experiment.Request{
		File:       r.file,
		Table:      r.settings(table),
		Parameters: r.settings(root.Entry(parametersKey)),
		Grid:       r.names(root.Entry("grid")),
		Read: func(key, name string, in *experiment.Input) experiment.Value {
			return r.input(&experiment.Param{Name: key, Input: in}, textNode(table.Entry(key), name))
		},
	}
	declared, err := e.Declare(request)
	if err == nil {
		err = declared.Validate()
	}
	if err == nil {
		return declared
	}
	if fault, ok := errors.AsType[*experiment.SettingError](err); ok {
		panic(r.at(settingPos(root, fault.Path), "%s", fault.Message).hint("%s", fault.Hint))
	}
	panic(r.at(settingPos(root, []string{e.Name}), "%v", err))
}

// settings returns a table as experiments see it; nil if there is none.
func (r *reader) settings(n *document.Node) experiment.Settings {
	if n == nil {
		return nil
	}
	if n.Kind != document.Table {
		panic(r.at(n.Pos, "%s is %s, want a table such as [%s]", n.Key, found(n), n.Key))
	}
	return setting(n).(experiment.Settings)
}

func setting(n *document.Node) any {
	switch n.Kind {
	case document.Table:
		s := experiment.Settings{}
		for _, e := range n.Entries {
			s = append(s, experiment.Setting{Key: e.Key, Value: setting(e)})
		}
		return s
	case document.Array:
		list := []any{}
		for _, e := range n.Elements {
			list = append(list, setting(e))
		}
		return list
	}
	return n.Value
}

// textNode returns the node of a table, or below it, that is a text.
func textNode(n *document.Node, text string) *document.Node {
	if n.Kind == document.Scalar {
		if n.Value == text {
			return n
		}
		return nil
	}
	for _, c := range slices.Concat(n.Entries, n.Elements) {
		if c := textNode(c, text); c != nil {
			return c
		}
	}
	return nil
}

// settingPos returns where the value of the last of some keys stands, as far
// as they are there.
func settingPos(n *document.Node, path []string) document.Pos {
	pos := start
	for _, key := range path {
		next := n.Entry(key)
		for _, e := range n.Elements {
			if next == nil {
				next = e.Entry(key)
			}
		}
		if next == nil {
			break
		}
		n, pos = next, next.Pos
	}
	return pos
}

// names returns what the blocks of a grid name, with kinds that follow from
// the values: integers among which is another number are numbers, and so are
// ranges that give their count.
func (r *reader) names(n *document.Node) []experiment.Named {
	blocks := blocksOf(n)
	var list []experiment.Named
	for _, b := range blocks {
		for _, e := range b.Entries {
			switch e.Key {
			case zipKey, whereKey:
			case excludeKey, includeKey:
				for _, point := range e.Elements {
					for _, v := range point.Entries {
						list = named(list, v, false)
					}
				}
			default:
				list = named(list, e, r.design != nil)
			}
		}
	}
	for i := range list {
		p := &list[i]
		p.First = asKind(p.First, p.Kind)
		p.Everywhere = !slices.ContainsFunc(blocks, func(b *document.Node) bool { return b.Entry(p.Name) == nil })
	}
	return list
}

// named adds the values of a node to what is known of the parameter.
func named(list []experiment.Named, n *document.Node, sampled bool) []experiment.Named {
	i := slices.IndexFunc(list, func(p experiment.Named) bool { return p.Name == n.Key })
	if i < 0 {
		i = len(list)
		list = append(list, experiment.Named{Name: n.Key})
	}
	p := &list[i]
	for _, v := range nodeValues(n, sampled) {
		switch {
		case p.First.IsNull():
			p.First, p.Kind = v, v.Kind()
		case p.Kind == experiment.Int && v.Kind() == experiment.Float:
			p.Kind = experiment.Float
		}
		if text := v.Text(); v.Kind() == experiment.String && !slices.Contains(p.Choices, text) {
			p.Choices = append(p.Choices, text)
		}
	}
	return list
}

// nodeValues returns values by which the kind of a parameter is known: what is
// sampled is a number.
func nodeValues(n *document.Node, sampled bool) (values []experiment.Value) {
	switch {
	case n.Kind == document.Table:
		for _, key := range []string{"from", "to", "step", "factor"} {
			if e := n.Entry(key); e != nil {
				values = append(values, nodeValues(e, sampled)...)
			}
		}
		if n.Entry("count") != nil || sampled && n.Entry("step") == nil && n.Entry("factor") == nil {
			values = append(values, experiment.FloatValue(0))
		}
		return values
	case n.Kind == document.Array:
		for _, e := range n.Elements {
			values = append(values, nodeValues(e, sampled)...)
		}
		return values
	}
	switch x := n.Value.(type) {
	case bool:
		return []experiment.Value{experiment.BoolValue(x)}
	case int64:
		return []experiment.Value{experiment.IntValue(x)}
	case float64:
		if x-x == 0 { // finite
			return []experiment.Value{experiment.FloatValue(x)}
		}
	case string:
		if first, _, ok := interval(x); ok {
			return []experiment.Value{experiment.IntValue(first)}
		}
		return []experiment.Value{experiment.StringValue(x)}
	}
	return nil
}

// asKind returns an integer as a number if that is the kind.
func asKind(v experiment.Value, k experiment.Kind) experiment.Value {
	if k == experiment.Float && v.Kind() == experiment.Int {
		return experiment.FloatValue(v.Float())
	}
	return v
}
