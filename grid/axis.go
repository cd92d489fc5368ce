package grid

import (
	"fmt"
	"math"
	"strconv"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/suggest"
)

// An axis is a parameter that a block walks through.
type axis struct {
	param  int
	node   *document.Node
	values []experiment.Value
	group  int // index into the block's groups

	sampled bool // between ends
	ends    ends
}

// isAxis reports whether a parameter of a block is an axis: a list, a range,
// or integers written as "1..12".
func isAxis(p *experiment.Param, n *document.Node) bool {
	if p.Kind == experiment.Int && n.Kind == document.Scalar {
		_, text := n.Value.(string)
		return text
	}
	return n.Kind != document.Scalar
}

// axis reads the values of an axis.
func (r *reader) axis(p *experiment.Param, n *document.Node) []experiment.Value {
	switch n.Kind {
	case document.Scalar:
		return r.interval(p, n)
	case document.Table:
		return r.span(p, n)
	}
	if len(n.Elements) == 0 {
		panic(r.at(n.Pos, "%s has no values, want at least one", p.Name))
	}
	values := make([]experiment.Value, len(n.Elements))
	for i, e := range n.Elements {
		values[i] = r.value(p, e)
	}
	return values
}

// interval reads integers such as "1..12" as { from = 1, to = 12 }.
func (r *reader) interval(p *experiment.Param, n *document.Node) []experiment.Value {
	first, last, ok := interval(n.Value.(string))
	if !ok {
		panic(r.at(n.Pos, "%s is %s, want %s, or a range such as \"1..12\"", p.Name, found(n), p.Accepts()))
	}
	return r.span(p, document.NewTable(n.Pos,
		&document.Node{Key: "from", Pos: n.Pos, Value: first}, &document.Node{Key: "to", Pos: n.Pos, Value: last}))
}

// span reads { from, to, step | factor | count [, scale] }. Integers may do
// without the third.
func (r *reader) span(p *experiment.Param, n *document.Node) []experiment.Value {
	if p.Kind != experiment.Int && p.Kind != experiment.Float {
		panic(r.at(n.Pos, "%s is a table, want %s, or a list", p.Name, p.Accepts()))
	}
	r.only(n, "from", "to", "step", "factor", "count", "scale")
	from, to := r.end(p, n, "from"), r.end(p, n, "to")
	var by *document.Node
	for _, key := range [3]string{"step", "factor", "count"} {
		e := n.Entry(key)
		if e != nil && by != nil {
			panic(r.at(e.KeyPos, "the range of %s has both %q and %q, want one of step, factor, count", p.Name, by.Key, key))
		}
		if e != nil {
			by = e
		}
	}
	if by == nil && p.Kind == experiment.Int {
		by = &document.Node{Key: "step", Pos: n.Pos, Value: int64(1)}
		if to < from {
			by.Value = int64(-1)
		}
	}
	if by == nil {
		panic(r.at(n.Pos, "the range of %s has none of step, factor, count, want one", p.Name).
			hint("a range without them is sampled if there is a table [sample] with the keys design and points"))
	}
	log := r.logScale(n.Entry("scale"), by)
	amount := r.number(by)
	var values []experiment.Value
	var reason error
	count, whole := by.Value.(int64)
	switch {
	case by.Key == "count" && !whole:
		panic(r.at(by.Pos, "count is %s, want an integer of at least 1", found(by)))
	case log:
		values, reason = logarithmic(p.Kind, from, to, count)
	case by.Key == "count":
		values, reason = spaced(p.Kind, from, to, count)
	case by.Key == "step":
		values, reason = steps(p.Kind, from, to, amount)
	default:
		values, reason = factors(p.Kind, from, to, amount)
	}
	if reason != nil {
		panic(r.at(by.Pos, "%s: %v", p.Name, reason))
	}
	return values
}

// end reads the from or the to of a range.
func (r *reader) end(p *experiment.Param, n *document.Node, key string) float64 {
	e := n.Entry(key)
	if e == nil {
		panic(r.at(n.Pos, "the range of %s has no %q", p.Name, key).
			hint("a range is, for example, { from = 1, to = 9, step = 2 }"))
	}
	v := r.value(p, e)
	if v.Kind() == experiment.Int && !exact(v.Int()) {
		panic(r.at(e.Pos, "%s is %d, too large for a range, want at most 2^53", p.Name, v.Int()))
	}
	return v.Float()
}

// logScale reads the scale of a range; it needs a count.
func (r *reader) logScale(n, by *document.Node) bool {
	if n == nil {
		return false
	}
	if n.Value != "log" && n.Value != "linear" {
		panic(r.at(n.Pos, "scale is %s, want \"log\" or \"linear\"", found(n)))
	}
	if by.Key != "count" {
		panic(r.at(n.KeyPos, "scale needs a count, but the range has a %s", by.Key))
	}
	return n.Value == "log"
}

// value reads a scalar as a value of a parameter.
func (r *reader) value(p *experiment.Param, n *document.Node) experiment.Value {
	var v experiment.Value
	switch x := n.Value.(type) {
	case bool:
		v = experiment.BoolValue(x)
	case int64:
		v = experiment.IntValue(x)
		if p.Kind == experiment.Float {
			// An integer is fine where a number is wanted, if a
			// float64 can hold it.
			if !exact(x) {
				panic(r.at(n.Pos, "%s is %d, which a 64-bit float cannot hold exactly", p.Name, x))
			}
			v = experiment.FloatValue(float64(x))
		}
	case float64:
		if math.IsNaN(x) || math.IsInf(x, 0) {
			panic(r.at(n.Pos, "%s is %v, want %s", p.Name, x, p.Accepts()))
		}
		v = experiment.FloatValue(x)
	case string:
		v = experiment.StringValue(x)
	}
	if v.Kind() != p.Kind {
		panic(r.at(n.Pos, "%s is %s, want %s", p.Name, found(n), p.Accepts()))
	}
	if p.Input != nil {
		return r.input(p, n)
	}
	if err := p.Check(v); err != nil {
		panic(r.at(n.Pos, "%v", err).meant(suggest.Nearest(v.Text(), p.Choices)))
	}
	return v
}

// number reads a finite number.
func (r *reader) number(n *document.Node) float64 {
	switch x := n.Value.(type) {
	case int64:
		if n.Key == "count" || exact(x) {
			return float64(x)
		}
	case float64:
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			return x
		}
	}
	panic(r.at(n.Pos, "%s is %s, want a finite number", n.Key, found(n)))
}

// exact reports whether a float64 holds the integer exactly.
func exact(i int64) bool {
	f := float64(i)
	return f < 1<<63 && int64(f) == i
}

// found describes a node for a message: what was found.
func found(n *document.Node) string {
	switch n.Kind {
	case document.Table:
		return "a table"
	case document.Array:
		return "a list"
	}
	switch v := n.Value.(type) {
	case bool:
		return "the boolean " + strconv.FormatBool(v)
	case int64:
		return "the integer " + strconv.FormatInt(v, 10)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		if len(v) > 40 {
			return "a long string"
		}
		return "the string " + strconv.Quote(v)
	}
	return "a date or time"
}

// outline describes values in a few words: at most four, and the last.
func outline(values []experiment.Value) string {
	const head = 4
	text := values[0].String()
	for i := 1; i < min(len(values), head); i++ {
		text += ", " + values[i].String()
	}
	switch {
	case len(values) == head+1:
		return text + ", " + values[head].String()
	case len(values) > head:
		return fmt.Sprintf("%s … %s", text, values[len(values)-1])
	}
	return text
}
