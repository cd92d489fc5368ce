package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
	"sweep/internal/detmath"
	"sweep/internal/document"
	"sweep/internal/lists"
)

// An Axis is one parameter that a block walks through. What is exported is for
// people and JSON.
type Axis struct {
	Name   string `json:"name"`
	Values string `json:"values"` // for example "0.5, 0.6, 0.7, 0.8, 0.9"; long axes are cut
	Len    int64  `json:"len"`
	Zip    int    `json:"zip,omitempty"` // axes of one block with equal Zip > 0 are walked together

	param  int
	node   *document.Node
	values []experiment.Value
	at     func(share float64) experiment.Value // of what is sampled; nil otherwise
}

// axis reads an axis: a list, a range, or integers written as "1..12". It
// returns nil if the node is one value.
func (s *Spec) axis(p *experiment.Param, i int, n *document.Node) *Axis {
	a := &Axis{Name: p.Name, param: i, node: n}
	switch text, is := n.Value.(string); {
	case n.Kind == document.Table:
		s.span(a, p, n)
	case n.Kind == document.Array:
		s.must(len(n.Elements) > 0, n.Pos, "%s has no values, want at least one", p.Name)
		a.values = lists.Map(n.Elements, func(e *document.Node) experiment.Value { return s.value(p, e) })
	case is && p.Kind == experiment.Int: // which is { from = 1, to = 12, step = 1 }
		first, last, ok := interval(text)
		s.want(ok && first <= last, n, "%s, or a range such as \"1..12\"", p.Accepts())
		key := func(key string, value int64) *document.Node {
			return &document.Node{Key: key, Pos: n.Pos, Value: value}
		}
		s.span(a, p, document.NewTable(n.Pos, key("from", first), key("to", last), key("step", 1)))
	default:
		return nil
	}
	return a
}

// span reads { from, to, step | factor | count [, scale] }. Integers may do
// without the third, and so may what is sampled.
func (s *Spec) span(a *Axis, p *experiment.Param, n *document.Node) {
	s.must(p.Kind == experiment.Int || p.Kind == experiment.Float, n.Pos,
		"%s is a table, want %s, or a list", p.Name, p.Accepts())
	s.table(n, "a range", "from", "to", "step", "factor", "count", "scale")
	from, to, by, scale := s.end(p, n, "from"), s.end(p, n, "to"), s.by(p, n), n.Entry("scale")
	log := scale != nil && scale.Value == "log"
	if scale != nil {
		s.want(log || scale.Value == "linear", scale, `"log" or "linear"`)
	}
	switch {
	case by != nil:
	case s.plan.Design != nil:
		s.sampling(a, p, from, to, log)
		return
	default:
		s.must(p.Kind == experiment.Int, n.Pos, "the range of %s has none of step, factor, count, want one\n"+
			"hint: a range without them is sampled if there is a table [sample]", p.Name)
		by = &document.Node{Key: "step", Pos: n.Pos, Value: int64(1)}
		if to < from {
			by.Value = int64(-1)
		}
	}
	if scale != nil && by.Key != "count" {
		panic(s.at(scale.KeyPos, "scale needs a count, but the range has a %s", by.Key))
	}
	numbers, err := s.numbers(p.Kind, from, to, by, log)
	s.must(err == nil, by.Pos, "%s: %v", p.Name, err)
	for _, x := range numbers {
		if p.Kind == experiment.Int && x != math.Trunc(x) {
			panic(s.at(by.Pos, "%s: %v is not whole, want integers", p.Name, x))
		}
		v := experiment.FloatValue(x)
		if p.Kind == experiment.Int {
			v = experiment.IntValue(int64(x))
		}
		a.values = append(a.values, v)
	}
}

// by returns the entry that says how the values of a range follow one another;
// nil if there is none.
func (s *Spec) by(p *experiment.Param, n *document.Node) (by *document.Node) {
	for _, key := range [3]string{"step", "factor", "count"} {
		switch e := n.Entry(key); {
		case e != nil && by != nil:
			panic(s.at(e.KeyPos, "the range of %s has both %q and %q, want one of step, factor, count",
				p.Name, by.Key, key))
		case e != nil:
			by = e
		}
	}
	return by
}

// numbers lists the values of a range.
func (s *Spec) numbers(k experiment.Kind, from, to float64, by *document.Node, log bool) ([]float64, error) {
	switch {
	case by.Key == "step":
		return steps(from, to, s.number(by))
	case by.Key == "factor":
		return factors(from, to, s.number(by))
	case log:
		return logarithmic(k, from, to, s.integer(by, 1))
	}
	return spaced(from, to, s.integer(by, 1))
}

// end reads the from or the to of a range.
func (s *Spec) end(p *experiment.Param, n *document.Node, key string) float64 {
	e := n.Entry(key)
	s.must(e != nil, n.Pos, "the range of %s has no %q\n"+
		"hint: a range is, for example, { from = 1, to = 9, step = 2 }", p.Name, key)
	v := s.value(p, e)
	s.must(p.Kind != experiment.Int || exact(v.Int()), e.Pos,
		"%s is %s, too large for a range, want at most 2^53", p.Name, v)
	return v.Float()
}

// value reads a scalar as a value of a parameter.
func (s *Spec) value(p *experiment.Param, n *document.Node) experiment.Value {
	v := experiment.ValueOf(n.Value)
	if i, whole := n.Value.(int64); whole && p.Kind == experiment.Float {
		s.must(exact(i), n.Pos, "%s is %d, which a 64-bit float cannot hold exactly", p.Name, i)
		v = experiment.FloatValue(float64(i))
	}
	if x, is := n.Value.(float64); is {
		s.must(x-x == 0, n.Pos, "%s is %v, want %s", p.Name, x, p.Accepts())
	}
	s.must(v.Kind() == p.Kind || p.Kind != experiment.String, n.Pos,
		"%s is %s, want %s\nhint: a text needs quotation marks", p.Name, n.Found(), p.Accepts())
	s.must(v.Kind() == p.Kind, n.Pos, "%s is %s, want %s", p.Name, n.Found(), p.Accepts())
	if p.Input != nil {
		return s.input(p.Name, p.Input, n, v.Text())
	}
	if err := p.Check(v); err != nil {
		panic(s.at(n.Pos, "%v", err).Suggest(v.Text(), p.Choices))
	}
	return v
}

// number reads a finite number.
func (s *Spec) number(n *document.Node) float64 {
	v := experiment.ValueOf(n.Value)
	ok := v.Kind() == experiment.Float || v.Kind() == experiment.Int && exact(v.Int())
	s.want(ok, n, "a finite number")
	return v.Float()
}

// exact reports whether a float64 holds the integer exactly.
func exact(i int64) bool {
	f := float64(i)
	return f < 1<<63 && int64(f) == i
}

// Outline describes values in a few words: at most four, and the last.
func Outline(values []experiment.Value) string {
	const head = 4
	texts := lists.Map(values[:min(len(values), head+1)], experiment.Value.String)
	if len(values) > len(texts) {
		return fmt.Sprintf("%s … %s", strings.Join(texts[:head], ", "), values[len(values)-1])
	}
	return strings.Join(texts, ", ")
}

// sampleKey is the key of a spec that says how ranges without a step are
// sampled.
const sampleKey = "sample"

// mostBase bounds the base points of a design.
const mostBase = 1 << 20

// A Design is how a plan's cells sample the ranges of a block: the [sample]
// table of a spec.
type Design struct {
	Name   string // of package design, for example saltelli
	Points int    // base points
	Seed   int64

	Params []int                // those sampled, in the order of the document
	Block  int                  // rows that belong to one base point
	Rows   [][]experiment.Value // values of Params, block by block
}

// sample reads the [sample] table.
func (s *Spec) sample(n *document.Node) {
	if n == nil {
		return
	}
	s.table(n, "a table such as [sample] with the keys design and points", "design", "points", "seed")
	names := design.Names()
	for _, key := range []string{"design", "points"} {
		s.must(n.Entry(key) != nil, n.Pos,
			"the sample has no %s, want a design, one of %s, and how many base points it has",
			key, strings.Join(names, ", "))
	}
	d := &Design{Name: names[s.choose(n.Entry("design"), names)], Seed: 1}
	e := n.Entry("points")
	points := s.integer(e, 1)
	s.must(points <= mostBase, e.Pos, "points is %d, want at most %d", points, mostBase)
	d.Points = int(points)
	if e = n.Entry("seed"); e != nil {
		d.Seed = s.integer(e, 0)
	}
	s.plan.Design = d
}

// sampled gives the sampled axes of a block their values, and makes them walk
// together: as a zip whose number no other has.
func (s *Spec) sampled(b *Block) {
	axes := slices.DeleteFunc(slices.Clone(b.Axes), func(a *Axis) bool { return a.at == nil })
	if len(axes) == 0 {
		return
	}
	d, first := s.plan.Design, axes[0].node
	s.must(d.Params == nil, first.KeyPos,
		"%s is sampled, but an earlier [[grid]] has sampled ranges: a sample serves one block", first.Key)
	most := design.Most(d.Name)
	s.must(len(axes) <= most, first.KeyPos,
		"%d ranges are sampled, want at most %d for %s", len(axes), most, d.Name)
	n, blockSize := design.Rows(d.Name, d.Points, len(axes))
	s.must(n <= mostCells, b.table.Pos, "the design has %d points, want at most %d", n, mostCells)
	d.Block, d.Rows = blockSize, make([][]experiment.Value, n)
	points := design.Points(d.Name, d.Points, len(axes), d.Seed)
	for k, a := range axes {
		a.Zip = -1
		d.Params = append(d.Params, a.param)
		for row, x := range points {
			v := a.at(x[k])
			d.Rows[row] = append(d.Rows[row], v)
			a.values = append(a.values, v)
		}
	}
}

// sampledDigits is to how many significant digits values are rounded, so that
// they can be read and repeated by hand.
const sampledDigits = 9

// sampling gives an axis the value of a range at a share of the way, 0 to 1.
// Integers have equal shares of it.
func (s *Spec) sampling(a *Axis, p *experiment.Param, from, to float64, log bool) {
	want := "a larger \"to\", less than 1.8e308 away"
	if log {
		want = "two positive numbers, the first the smaller"
	}
	s.must(from < to && to-from <= math.MaxFloat64 && !(log && from <= 0), a.node.Pos,
		"%s is sampled from %v to %v, want %s", p.Name, from, to, want)
	end := to
	if p.Kind == experiment.Int {
		end++
	}
	a.at = func(share float64) experiment.Value {
		x := from + float64(share*(end-from))
		if log {
			low := detmath.Log(from)
			x = detmath.Exp(low + float64(share*(detmath.Log(end)-low)))
		}
		if p.Kind == experiment.Int {
			return experiment.IntValue(int64(min(max(math.Floor(x), from), to)))
		}
		return experiment.FloatValue(min(max(detmath.Round(x, sampledDigits), from), to))
	}
}
