package grid

import (
	"fmt"
	"math"
	"strconv"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// An axis is a parameter that a block walks through.
type axis struct {
	param  int
	node   *document.Node
	values []experiment.Value
	group  int // index into the block's groups

	ends *ends // of what is sampled; nil otherwise
}

// isAxis reports whether a parameter of a block is an axis: a list, a range,
// or integers written as "1..12".
func isAxis(p *experiment.Param, n *document.Node) bool {
	_, text := n.Value.(string)
	return n.Kind != document.Scalar || p.Kind == experiment.Int && text
}

// axis reads the values of an axis.
func (r *reader) axis(p *experiment.Param, n *document.Node) []experiment.Value {
	switch n.Kind {
	case document.Scalar: // integers such as "1..12", which are { from = 1, to = 12 }
		first, last, ok := interval(n.Value.(string))
		r.want(ok, n, "%s, or a range such as \"1..12\"", p.Accepts())
		return r.span(p, document.NewTable(n.Pos,
			&document.Node{Key: "from", Pos: n.Pos, Value: first}, &document.Node{Key: "to", Pos: n.Pos, Value: last}))
	case document.Table:
		return r.span(p, n)
	}
	r.must(len(n.Elements) > 0, n.Pos, "%s has no values, want at least one", p.Name)
	values := make([]experiment.Value, len(n.Elements))
	for i, e := range n.Elements {
		values[i] = r.value(p, e)
	}
	return values
}

// numeric reports whether a parameter is a number.
func numeric(p *experiment.Param) bool { return p.Kind == experiment.Int || p.Kind == experiment.Float }

// span reads { from, to, step | factor | count [, scale] }. Integers may do
// without the third.
func (r *reader) span(p *experiment.Param, n *document.Node) []experiment.Value {
	r.must(numeric(p), n.Pos, "%s is a table, want %s, or a list", p.Name, p.Accepts())
	r.table(n, "a range", "from", "to", "step", "factor", "count", "scale")
	from, to := r.end(p, n, "from"), r.end(p, n, "to")
	var by *document.Node
	for _, key := range [3]string{"step", "factor", "count"} {
		if e := n.Entry(key); e != nil && by != nil {
			panic(r.at(e.KeyPos, "the range of %s has both %q and %q, want one of step, factor, count", p.Name, by.Key, key))
		} else if e != nil {
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
	log := r.logScale(n)
	if scale := n.Entry("scale"); scale != nil && by.Key != "count" {
		panic(r.at(scale.KeyPos, "scale needs a count, but the range has a %s", by.Key))
	}
	amount, reason := 0.0, error(nil)
	count, whole := by.Value.(int64)
	if by.Key == "count" {
		r.want(whole, by, "an integer of at least 1")
	} else {
		amount = r.number(by)
	}
	var numbers []float64
	switch {
	case log:
		numbers, reason = logarithmic(p.Kind, from, to, count)
	case by.Key == "count":
		numbers, reason = spaced(from, to, count)
	case by.Key == "step":
		numbers, reason = steps(from, to, amount)
	default:
		numbers, reason = factors(from, to, amount)
	}
	values := make([]experiment.Value, len(numbers))
	for i, x := range numbers {
		if values[i] = experiment.FloatValue(x); p.Kind == experiment.Int {
			if values[i] = experiment.IntValue(int64(x)); x != math.Trunc(x) {
				reason = fmt.Errorf("%v is not whole, want integers", x)
				break
			}
		}
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
	r.must(v.Kind() != experiment.Int || exact(v.Int()), e.Pos, "%s is %s, too large for a range, want at most 2^53", p.Name, v)
	return v.Float()
}

// logScale reads the scale of a range.
func (r *reader) logScale(n *document.Node) bool {
	scale := n.Entry("scale")
	if scale == nil {
		return false
	}
	r.want(scale.Value == "log" || scale.Value == "linear", scale, `"log" or "linear"`)
	return scale.Value == "log"
}

// value reads a scalar as a value of a parameter.
func (r *reader) value(p *experiment.Param, n *document.Node) experiment.Value {
	v := valueOf(n)
	if i, whole := n.Value.(int64); whole && p.Kind == experiment.Float {
		r.must(exact(i), n.Pos, "%s is %d, which a 64-bit float cannot hold exactly", p.Name, i)
		v = experiment.FloatValue(float64(i))
	}
	if x, is := n.Value.(float64); is {
		r.must(x-x == 0, n.Pos, "%s is %v, want %s", p.Name, x, p.Accepts())
	}
	r.must(v.Kind() == p.Kind, n.Pos, "%s is %s, want %s", p.Name, found(n), p.Accepts())
	if p.Input != nil {
		return r.input(p, n, v.Text())
	}
	if err := p.Check(v); err != nil {
		panic(r.at(n.Pos, "%v", err).meant(v.Text(), p.Choices))
	}
	return v
}

// valueOf returns a scalar as a value of its own kind; null for all else.
func valueOf(n *document.Node) experiment.Value {
	switch x := n.Value.(type) {
	case bool:
		return experiment.BoolValue(x)
	case int64:
		return experiment.IntValue(x)
	case float64:
		if x-x == 0 { // finite
			return experiment.FloatValue(x)
		}
	case string:
		return experiment.StringValue(x)
	}
	return experiment.Value{}
}

// number reads a finite number.
func (r *reader) number(n *document.Node) float64 {
	v := valueOf(n)
	ok := v.Kind() == experiment.Float || v.Kind() == experiment.Int && exact(v.Int())
	r.want(ok, n, "a finite number")
	return v.Float()
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
