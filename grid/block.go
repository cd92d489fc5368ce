package grid

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/expr"
	"sweep/internal/lists"
	"sweep/internal/suggest"
)

// A Block is one [grid]: the products of its axes, without what it excludes,
// and the points that it includes. What is exported tells what it comes to, for
// people and as JSON.
// Cells = Combinations − Nulled − Excluded − Repeated + Included.
type Block struct {
	Line int     `json:"line"` // where the block begins
	Axes []*Axis `json:"axes"` // in the order of the document

	// Combinations is the product of the axes' lengths, zipped axes
	// counted once. Nulled of these are equal to an earlier one: the algorithm
	// does not use the parameters in which they differ, or trajectories meet.
	Combinations int64 `json:"combinations"`
	Nulled       int64 `json:"nulled"`

	Excluded int64 `json:"excluded"` // points dropped by exclude
	Included int64 `json:"included"` // points listed by include
	Repeated int64 `json:"repeated"` // points, included ones too, that the sweep already had
	Cells    int64 `json:"cells"`    // points that the block adds to the sweep

	table *document.Node

	// base holds the fixed values, and the defaults of all other
	// parameters, axes included.
	base  []experiment.Value
	named []int     // parameters in the order of the document
	loops [][]*Axis // in the order of the document; those of one are walked together

	products []*product                                   // whose union is the block
	excludes []*pattern                                   // points that have all these values
	where    func(values []experiment.Value) (meets bool) // nil without
	fails    bool                                         // a point does not meet where
	includes []cell
}

// mostBlocks bounds the blocks of a spec.
const mostBlocks = 256

// The keys of a block that are not parameters. The value of where is the
// condition that the block's points must meet, for example "beta * gamma < 1".
// Points in which a parameter that it names is null meet it.
const (
	zipKey     = "zip"
	whereKey   = "where"
	excludeKey = "exclude"
	includeKey = "include"
)

var directives = []string{zipKey, whereKey, excludeKey, includeKey}

// blocksOf returns the tables of a grid.
func blocksOf(n *document.Node) []*document.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == document.Array:
		return n.Elements
	}
	return []*document.Node{n}
}

// grid reads the grid key: one block or several. Without it there is one
// block without axes: the point of all defaults.
func (s *Spec) grid(n *document.Node) {
	if n == nil {
		n = document.NewTable(0)
	}
	tables := blocksOf(n)
	s.must(len(tables) > 0, n.Pos, "grid is an empty list, want at least one block")
	for i, t := range tables {
		s.must(i < mostBlocks, t.Pos, "grid has %d blocks, want at most %d", len(tables), mostBlocks)
		s.want(t.Kind == document.Table, t, "a table such as [grid]")
		s.Blocks = append(s.Blocks, s.block(t))
	}
}

func (s *Spec) block(table *document.Node) *Block {
	line, _ := s.place(table.Pos)
	b := &Block{Line: line, Axes: []*Axis{}, table: table, base: s.Experiment.Defaults()}
	for _, n := range table.Entries {
		if !slices.Contains(directives, n.Key) {
			p, i := s.param(n, b.named, directives...)
			b.named = append(b.named, i)
			if a := s.axis(p, i, n); a != nil {
				b.Axes = append(b.Axes, a)
			} else {
				b.base[i] = s.value(p, n)
			}
		}
	}
	s.zips(b, table.Entry(zipKey))
	s.sampled(b)
	b.loop()
	s.distinct(b)
	s.products(b)
	s.used(b)
	b.where = s.where(table.Entry(whereKey))
	b.excludes = s.patterns(table.Entry(excludeKey))
	for _, e := range b.excludes {
		s.must(e.named != nil, e.node.Pos,
			"an exclude without parameters drops every point, want at least one parameter")
	}
	for _, e := range s.patterns(table.Entry(includeKey)) {
		b.includes = append(b.includes, s.include(b, e))
	}
	s.describe(b)
	return b
}

// find returns the parameter that has a name, or alone has it as its symbol.
func find(e *experiment.Experiment, name string) (*experiment.Param, int) {
	if e == nil {
		return nil, -1
	} else if p, i := e.Param(name); p != nil || name == "" {
		return p, i
	}
	called := func(p experiment.Param) bool { return p.Symbol == name }
	k := slices.IndexFunc(e.Params, called)
	if k < 0 || slices.ContainsFunc(e.Params[k+1:], called) {
		return nil, -1
	}
	return &e.Params[k], k
}

// param returns the parameter that a key names, beside which the others are
// known; those before it in its table are others.
func (s *Spec) param(n *document.Node, before []int, others ...string) (*experiment.Param, int) {
	p, i := find(s.Experiment, n.Key)
	if p != nil {
		s.must(!slices.Contains(before, i), n.KeyPos, "%s is %s, which is there already", n.Key, p.Name)
		return p, i
	}
	hint := fmt.Sprintf("sweep params %s lists the parameters", s.Experiment.Name)
	if key := suggest.Nearest(n.Key, keys); key != "" {
		hint = key + " belongs above the first [grid]"
	}
	fault := s.at(n.KeyPos, "unknown key %.60q, %s has no such parameter\nhint: %s", n.Key, s.Experiment.Name, hint)
	panic(fault.Suggest(n.Key, append(s.Experiment.ParamNames(), others...)))
}

// entry returns the entry of a table that sets a parameter, nil if none does.
func (s *Spec) entry(table *document.Node, param int) *document.Node {
	for _, n := range table.Entries {
		if _, i := find(s.Experiment, n.Key); i == param {
			return n
		}
	}
	return nil
}

// loop makes loops of the axes, as zip demands. A loop stands where the first
// of its axes stands.
func (b *Block) loop() {
	for _, a := range b.Axes {
		k := slices.IndexFunc(b.loops, func(loop []*Axis) bool { return a.Zip != 0 && a.Zip == loop[0].Zip })
		if k < 0 {
			k, b.loops = len(b.loops), append(b.loops, nil)
		}
		b.loops[k] = append(b.loops[k], a)
	}
}

// zips reads the zip key: it numbers the lists from 1.
func (s *Spec) zips(b *Block, n *document.Node) {
	const accepted = `lists of axes, for example zip = [["alpha", "gamma"]]`
	if n == nil {
		return
	}
	s.want(n.Kind == document.Array, n, accepted)
	for z, list := range n.Elements {
		s.want(list.Kind == document.Array, list, accepted)
		s.must(len(list.Elements) >= 2, list.Pos, "zip of %d axes, want at least 2", len(list.Elements))
		first := s.zipped(b, list.Elements[0])
		for _, e := range list.Elements {
			a := s.zipped(b, e)
			s.must(a.at == nil, e.Pos, "zip names %q, which is sampled: all sampled ranges are walked together", e.Value)
			s.must(a.Zip == 0, e.Pos, "zip names %q twice", e.Value)
			s.must(len(a.values) == len(first.values), e.Pos,
				"zip of %d values of %s with %d of %s, want equal lengths",
				len(first.values), first.node.Key, len(a.values), a.node.Key)
			a.Zip = z + 1
		}
	}
}

// zipped returns the axis that an element of a zip names.
func (s *Spec) zipped(b *Block, n *document.Node) *Axis {
	name := s.text(n, "axes")
	if _, i := find(s.Experiment, name); b.axis(i) != nil {
		return b.axis(i)
	}
	names := lists.Map(b.Axes, func(a *Axis) string { return a.node.Key })
	panic(s.at(n.Pos, "zip names %q, which is no axis of this block, whose axes are: %s",
		name, cmp.Or(strings.Join(names, ", "), "none")).Suggest(name, names))
}

// distinct refuses values that an axis, or combinations that a zip, has
// twice.
func (s *Spec) distinct(b *Block) {
	for _, loop := range b.loops {
		if slices.ContainsFunc(loop, func(a *Axis) bool { return a.node.Kind != document.Array }) {
			continue // no value of a range occurs twice
		}
		a, seen := loop[0], map[string]*document.Node{}
		for k, n := range a.node.Elements {
			var key []byte
			for _, a := range loop {
				key = appendKey(key, a.values[k])
			}
			if first := seen[string(key)]; first != nil {
				line, column := s.place(first.Pos)
				s.must(len(loop) == 1, n.Pos,
					"the zip with %s has the same values at %d:%d already", a.node.Key, line, column)
				panic(s.at(n.Pos, "%s has the value %s twice, first at %d:%d", a.node.Key, a.values[k], line, column))
			}
			seen[string(key)] = n
		}
	}
}

// appendKey appends a form of v that differs for different values and ends
// itself.
func appendKey(key []byte, v experiment.Value) []byte {
	key = append(key, byte(v.Kind()))
	return append(v.Append(key), 0)
}

// used refuses an axis that no point of the block uses. Fixed values need no
// use: they may serve several blocks' worth of algorithms. But one that
// a file replaces throughout was meant to have an effect.
func (s *Spec) used(b *Block) {
	for _, i := range b.named {
		if slices.ContainsFunc(b.products, func(p *product) bool { return p.uses[i] }) {
			continue
		}
		p, at := &s.Experiment.Params[i], s.entry(b.table, i).KeyPos
		if s.replaces(p) && !slices.Contains(b.takes(s.replacer), experiment.Value{}) {
			panic(s.at(at, "%s has no effect: %s takes its place", p.Name, s.Experiment.Params[s.replacer].Name))
		} else if b.axis(i) != nil {
			panic(s.unused(at, p, "%s is an axis, but not used by %s", p.Name, Outline(b.takes(s.selector))))
		}
	}
}

// takes returns the values of a parameter in the block.
func (b *Block) takes(param int) []experiment.Value {
	if a := b.axis(param); a != nil {
		return a.values
	}
	return b.base[param : param+1]
}

// axis returns the axis of a parameter, nil if it has none.
func (b *Block) axis(param int) *Axis {
	for _, a := range b.Axes {
		if a.param == param {
			return a
		}
	}
	return nil
}

// unused is the fault of a parameter that others use.
func (s *Spec) unused(at int, p *experiment.Param, format string, args ...any) *Error {
	return s.at(at, format+"\nhint: %s is used by %s", append(args, p.Name, strings.Join(p.UsedBy, ", "))...)
}

// patterns reads the exclude or the include key: tables of parameters with
// one value each.
func (s *Spec) patterns(n *document.Node) (list []*pattern) {
	if n == nil {
		return nil
	}
	accepted := "a list of tables, for example " + n.Key + " = [{ alpha = 0.1 }]"
	s.want(n.Kind == document.Array, n, "%s", accepted)
	for _, table := range n.Elements {
		s.want(table.Kind == document.Table, table, "%s", accepted)
		e := &pattern{node: table, values: make([]experiment.Value, len(s.Experiment.Params))}
		for _, n := range table.Entries {
			p, i := s.param(n, e.named)
			e.values[i], e.named = s.value(p, n), append(e.named, i)
		}
		list = append(list, e)
	}
	return list
}

// include returns the point that an include names.
func (s *Spec) include(b *Block, e *pattern) cell {
	values := slices.Clone(b.base)
	for _, i := range e.named {
		values[i] = e.values[i]
	}
	algorithm, replaced := "", s.replacer >= 0 && !values[s.replacer].IsNull()
	if s.selector >= 0 {
		algorithm = values[s.selector].Text()
	}
	point := s.product(e.node, values, algorithm, replaced)
	for k, i := range e.named {
		n, p := e.node.Entries[k], &s.Experiment.Params[i]
		switch {
		case point.uses[i]:
		case replaced && s.replaces(p):
			panic(s.at(n.KeyPos, "this point includes %s, but %s takes its place",
				p.Name, s.Experiment.Params[s.replacer].Name))
		default:
			panic(s.unused(n.KeyPos, p, "this point includes %s, but its algorithm %s does not use it",
				p.Name, algorithm))
		}
	}
	return cell{product: point}
}

// where reads the where key, and returns whether a point meets it; nil without.
func (s *Spec) where(n *document.Node) (meets func(values []experiment.Value) bool) {
	if n == nil {
		return nil
	}
	root, err := expr.Parse(s.text(n, `a condition such as "beta * gamma < 1"`))
	check := func(err error) {
		if fault, is := errors.AsType[*document.Fault](err); is {
			panic(s.at(s.within(n, fault.At.Pos), "where: %s", fault.Message))
		}
	}
	check(err)
	params := map[string]int{} // that it names
	root.Walk(func(e *expr.Node) {
		if in := s.inputs[e.Text]; in != nil && e.Op == expr.String {
			e.Text = in.holds.Text() // points have what is in a file
		}
		if e.Op == expr.Compare && e.Args[1].Op == expr.String {
			s.doubt(n, e.Args[0], e.Args[1])
		}
		if e.Op != expr.Name || e.Text == "true" || e.Text == "false" {
			return
		}
		p, i := find(s.Experiment, e.Text)
		if p == nil {
			fault := s.at(s.within(n, e.Start), "where: %s has no parameter %q\n"+
				"hint: sweep params %[1]s lists the parameters; a text needs quotation marks", s.Experiment.Name, e.Text)
			panic(fault.Suggest(e.Text, s.Experiment.ParamNames()))
		}
		params[e.Text] = i
	})
	point := map[string]experiment.Value{}
	return func(values []experiment.Value) bool {
		for name, i := range params {
			if point[name] = values[i]; values[i].IsNull() {
				return true
			}
		}
		met, err := holds(root, point)
		check(err)
		return met
	}
}

// doubt warns of a text that the parameter to which where compares it never has.
func (s *Spec) doubt(where *document.Node, name, text *expr.Node) {
	if p, _ := find(s.Experiment, name.Text); p != nil && name.Op == expr.Name && p.Kind == experiment.String {
		err := p.Check(experiment.StringValue(text.Text))
		if p.Input != nil && s.inputs[text.Text] == nil {
			err = fmt.Errorf("%s is %q, want a file that the spec names", p.Name, text.Text)
		}
		if err != nil {
			fault := s.at(s.within(where, text.Start), "where: %v", err)
			s.Warnings = append(s.Warnings, fault.Suggest(text.Text, p.Choices))
		}
	}
}

// holds reports whether a condition is true of a point, by name. The error says
// what makes no sense.
func holds(n *expr.Node, point map[string]experiment.Value) (is bool, err error) {
	defer document.Catch[*document.Fault](&err)
	return truth(n, point), nil
}

// eval returns the value of an expression: a bool, float64 or string. It panics
// with a *document.Fault.
func eval(n *expr.Node, point map[string]experiment.Value) any {
	switch n.Op {
	case expr.String:
		return n.Text
	case expr.Name:
		switch v := point[n.Text]; v.Kind() {
		case experiment.Int, experiment.Float:
			return v.Float()
		case experiment.String:
			return v.Text()
		default: // true and false are no parameters
			return v.Bool() || n.Text == "true"
		}
	case "and", "or": // both sides are looked at, so that either may be wrong
		a, b := truth(n.Args[0], point), truth(n.Args[1], point)
		return a && b || (a || b) && n.Op == "or"
	case "not":
		return !truth(n.Args[0], point)
	case expr.Compare:
		return compared(n, eval(n.Args[0], point), eval(n.Args[1], point))
	case expr.Number, expr.Negate, "+", "-", "*", "/":
		return n.Arithmetic(func(leaf *expr.Node) float64 {
			x, ok := eval(leaf, point).(float64)
			if !ok {
				panic(document.FaultAt(leaf.Start, "found no number, want numbers beside + - * /"))
			}
			return x
		})
	}
	panic(document.FaultAt(n.Start, "want names of parameters, numbers and + - * /"))
}

func truth(n *expr.Node, point map[string]experiment.Value) bool {
	is, ok := eval(n, point).(bool)
	if !ok {
		panic(document.FaultAt(n.Start, "want comparisons, joined by and, or, not"))
	}
	return is
}

// compared returns the value of a comparison.
func compared(n *expr.Node, a, b any) bool {
	x, numbers := a.(float64)
	y, _ := b.(float64)
	if reflect.TypeOf(a) != reflect.TypeOf(b) || x != x || y != y || !numbers && n.Text != "=" && n.Text != "!=" {
		panic(document.FaultAt(n.Start, "want two numbers beside %s (0/0 is none), or two of a kind beside = and !=",
			n.Text))
	}
	if !numbers {
		return (a == b) == (n.Text == "=")
	}
	return expr.Holds(n.Text, cmp.Compare(x, y))
}
