package grid

import (
	"math"

	"sweep/experiment"
	"sweep/internal/document"
)

// An Axis is one parameter that a block walks through. What is exported is for
// people and JSON.
type Axis struct {
	Name   string `json:"name"`
	Values string `json:"values"` // for example "0.5, 0.6, 0.7"; long axes are cut
	Len    int64  `json:"len"`

	// Zip is equal and above 0 in axes of one block that are walked together.
	Zip int `json:"zip,omitempty"`

	param  int
	node   *document.Node
	values []experiment.Value
	at     func(share float64) experiment.Value // value at a share of a sampled range; else nil
}

// axis reads an axis: a list, a range, or integers written as "1..12". It
// returns nil if the node is one value.
func (r *reader) axis(p *experiment.Param, i int, n *document.Node) *Axis {
	a := &Axis{Name: p.Name, param: i, node: n}
	accepts := p.Accepts()
	text, isText := n.Value.(string)
	switch {
	case n.Kind == document.Table:
		r.must(p.Kind.IsNumber(), n, "%s is a table, want %s, or a list", p.Name, accepts)
		r.span(a, p)
	case n.Kind == document.Array:
		r.must(len(n.Elements) > 0, n, "%s has no values, want at least one", p.Name)
		for _, e := range n.Elements {
			a.values = append(a.values, r.value(p, e))
		}
	case isText && p.Kind == experiment.Int:
		first, last, ok := interval(text)
		r.want(ok && first <= last, n, accepts+`, or a range such as "1..12"`)
		s := span{by: "step", change: 1}
		s.from = r.end(p, &document.Node{Pos: n.Pos, Value: first})
		s.to = r.end(p, &document.Node{Pos: n.Pos, Value: last})
		r.spread(a, p, s, n)
	default:
		return nil
	}
	return a
}

// span reads { from, to, step | factor | count [, scale] }. The third key may
// be left out for integers and for sampled ranges.
func (r *reader) span(a *Axis, p *experiment.Param) {
	n := a.node
	known := []string{"from", "to", "step", "factor", "count", "scale"}
	keys := r.table(n, "a range", known)
	for _, key := range []string{"from", "to"} {
		r.must(keys[key] != nil, n, "the range of %s has no %q\n"+
			"hint: a range is, for example, { from = 1, to = 9, step = 2 }", p.Name, key)
	}
	s := span{
		from: r.end(p, keys["from"]),
		to:   r.end(p, keys["to"]),
	}
	var by *document.Node
	for _, key := range []string{"step", "factor", "count"} {
		if keys[key] == nil {
			continue
		}
		if by != nil {
			r.fail(keyOf(keys[key]), "the range of %s has both %q and %q, "+
				"want one of step, factor, count", p.Name, by.Key, key)
		}
		by = keys[key]
	}
	scale := keys["scale"]
	if scale != nil {
		s.isLog = scale.Value == "log"
		r.want(s.isLog || scale.Value == "linear", scale, `"log" or "linear"`)
	}
	if by == nil && r.design != nil {
		r.sampled(a, p, s)
		return
	}
	if by == nil {
		isInt := p.Kind == experiment.Int
		r.must(isInt, n, "the range of %s has none of step, factor, count, want one\n"+
			"hint: a range without them is sampled if there is a table [sample]", p.Name)
		by = &document.Node{Key: "step", Pos: n.Pos, Value: int64(1)}
		if s.to < s.from {
			by.Value = int64(-1)
		}
	}
	if scale != nil && by.Key != "count" {
		r.fail(keyOf(scale), "scale needs a count, but the range has a %s", by.Key)
	}
	s.by = by.Key
	if s.by == "count" {
		s.count = r.integer(by, 1)
	} else {
		s.change = r.number(by)
	}
	r.spread(a, p, s, by)
}

// spread gives an axis the values of a span. Errors are at the given node.
func (r *reader) spread(a *Axis, p *experiment.Param, s span, at *document.Node) {
	numbers, err := s.numbers(p.Kind)
	r.must(err == nil, at, "%s: %v", p.Name, err)
	a.values = make([]experiment.Value, 0, len(numbers))
	for _, x := range numbers {
		if p.Kind == experiment.Int && x != math.Trunc(x) {
			r.fail(at, "%s: %v is not whole, want integers", p.Name, x)
		}
		a.values = append(a.values, numeric(p.Kind, x))
	}
}

// numeric returns a number as a value of a kind.
func numeric(kind experiment.Kind, x float64) experiment.Value {
	if kind == experiment.Int {
		return experiment.IntValue(int64(x))
	}
	return experiment.FloatValue(x)
}
