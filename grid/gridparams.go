package grid

import (
	"cmp"
	"slices"

	"sweep/experiment"
	"sweep/internal/document"
)

// A gridParams gathers what the blocks tell about the parameters of an
// experiment that declares itself.
type gridParams struct {
	symbols    map[string]string // names by symbols
	params     []experiment.GridParam
	everywhere map[string]int // by name, the blocks in which all points have it
}

// gridParams returns the parameters that the blocks name. Their kinds follow
// from the values: integers are floats if one of the values is not whole, or
// if a range gives its count.
func (r *reader) gridParams(blocks []*Block, params *document.Node) []experiment.GridParam {
	in := &gridParams{
		symbols:    symbols(params),
		everywhere: map[string]int{},
	}
	for _, b := range blocks {
		for _, m := range b.mentions() {
			in.add(m.node, r.samples(m.node, m.mayBeAxis))
		}
		for _, s := range b.settings {
			if in.givesAll(b, s.node) {
				in.everywhere[in.name(s.node)]++
			}
		}
	}
	for i := range in.params {
		p := &in.params[i]
		p.Everywhere = in.everywhere[p.Name] == len(blocks)
		if p.Kind == experiment.Float {
			p.Default = experiment.FloatValue(p.Default.Float())
		}
	}
	return in.params
}

// A mention is a node that names a parameter.
type mention struct {
	node      *document.Node
	mayBeAxis bool
}

// mentions returns all that a block has, in the order of the document.
func (b *Block) mentions() (list []mention) {
	for _, s := range b.settings {
		list = append(list, mention{s.node, true})
	}
	for _, e := range slices.Concat(b.excludes, b.includes) {
		for _, s := range e.settings {
			list = append(list, mention{s.node, false})
		}
	}
	slices.SortStableFunc(list, func(a, b mention) int {
		return cmp.Compare(a.node.KeyPos, b.node.KeyPos)
	})
	return list
}

// name returns the name of the parameter that a node names, or gives the
// symbol of.
func (in *gridParams) name(n *document.Node) string {
	return cmp.Or(in.symbols[n.Key], n.Key)
}

// add notes a node that names a parameter, and values that tell its kind.
func (in *gridParams) add(n *document.Node, values []experiment.Value) {
	name := in.name(n)
	i := slices.IndexFunc(in.params, func(p experiment.GridParam) bool {
		return p.Name == name
	})
	if i < 0 {
		i = len(in.params)
		in.params = append(in.params, experiment.GridParam{
			Param: experiment.Param{Name: name},
			At:    shown(n),
		})
	}
	p := &in.params[i]
	for _, v := range values {
		switch {
		case p.Default.IsNull():
			p.Default = v
			p.Kind = v.Kind()
		case p.Kind == experiment.Int && v.Kind() == experiment.Float:
			p.Kind = experiment.Float
		}
		if v.Kind() == experiment.String && !slices.Contains(p.Choices, v.Text()) {
			p.Choices = append(p.Choices, v.Text())
		}
	}
}

// givesAll reports whether a setting gives a value to all points of its
// block. An axis gives none to included points, which must set the parameter
// themselves.
func (in *gridParams) givesAll(b *Block, n *document.Node) bool {
	text, _ := n.Value.(string)
	_, _, isRange := interval(text)
	if !isRange && n.Kind == document.Scalar {
		return true
	}
	for _, e := range b.includes {
		names := slices.ContainsFunc(e.settings, func(s setting) bool {
			return in.name(s.node) == in.name(n)
		})
		if !names {
			return false
		}
	}
	return true
}

// samples returns values that tell the kind of a parameter: a sampled range,
// or one with a count, has a float. Only an axis may be a range such as
// "1..12".
func (r *reader) samples(n *document.Node, isAxis bool) (values []experiment.Value) {
	switch n.Kind {
	case document.Array:
		for _, e := range n.Elements {
			values = append(values, r.samples(e, false)...)
		}
		return values
	case document.Table:
		isNumber := r.design != nil
		for _, e := range n.Entries {
			switch e.Key {
			case "step", "factor":
				isNumber = false
				values = append(values, r.samples(e, false)...)
			case "from", "to":
				values = append(values, r.samples(e, false)...)
			}
		}
		if isNumber || n.Entry("count") != nil {
			values = append(values, experiment.FloatValue(0))
		}
		return values
	}
	text, _ := n.Value.(string)
	first, _, isRange := interval(text)
	v := experiment.ValueOf(n.Value)
	switch {
	case isRange && isAxis:
		values = append(values, experiment.IntValue(first))
	case !v.IsNull():
		values = append(values, v)
	}
	return values
}

// symbols returns the names of parameters by the symbols that [parameters]
// gives them.
func symbols(params *document.Node) map[string]string {
	names := map[string]string{}
	if params == nil {
		return names
	}
	for _, p := range params.Entries {
		symbol := p.Entry("symbol")
		if symbol == nil {
			continue
		}
		if text, isText := symbol.Value.(string); isText {
			names[text] = p.Key
		}
	}
	return names
}
