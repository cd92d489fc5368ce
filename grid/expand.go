package grid

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/lists"
)

// mostCells bounds the cells that the blocks of a spec have together, those
// counted that are excluded or repeated. They are listed in memory; the
// seeds are not.
const mostCells = 1 << 22

// A product is the points of a block that use the same parameters, or the one
// point that an include names.
type product struct {
	node  *document.Node     // the block or the include
	base  []experiment.Value // of what no loop sets; null what is not used
	loops [][]*Axis
	fresh [][]int // by loop, the indices of values that make other points than all before
	uses  []bool  // by parameter
}

// A pattern is what an exclude or an include says of a point: values of some
// parameters.
type pattern struct {
	node    *document.Node
	named   []int              // the parameters, in the order of the document
	values  []experiment.Value // by parameter
	matched bool               // a point of the block has the values
}

// A cell is a point without its seed.
type cell struct {
	*product
	place int64 // among all combinations of the loops' values, the last loop fastest
}

// fill writes the cell's values.
func (c cell) fill(values []experiment.Value) {
	copy(values, c.base)
	for _, loop := range slices.Backward(c.loops) {
		n := int64(len(loop[0].values))
		for _, a := range loop {
			if c.uses[a.param] {
				values[a.param] = a.values[c.place%n]
			}
		}
		c.place /= n
	}
}

// product returns points of a kind: what they do not use is null. Their algorithm
// decides that, if there are several, and whether a file takes the place of others.
func (s *Spec) product(n *document.Node, base []experiment.Value, algorithm string, replaced bool) *product {
	p := &product{node: n, base: slices.Clone(base), uses: make([]bool, len(base))}
	for i := range base {
		param := &s.Experiment.Params[i]
		if p.uses[i] = param.Uses(algorithm) && !(replaced && s.replaces(param)); !p.uses[i] {
			p.base[i] = experiment.Value{}
		}
	}
	return p
}

// replaces reports whether a file may take the place of a parameter.
func (s *Spec) replaces(p *experiment.Param) bool {
	return s.replacer >= 0 && slices.Contains(s.Experiment.Params[s.replacer].Replaces, p.Name)
}

// products finds the points of each kind in a block.
func (s *Spec) products(b *Block) {
	algorithms := []string{""}
	if s.selector >= 0 {
		algorithms = s.Experiment.Params[s.selector].Choices
	}
	for _, algorithm := range algorithms {
		for _, replaced := range []bool{false, true} {
			if replaced && s.replacer < 0 {
				continue
			}
			p := s.product(b.table, b.base, algorithm, replaced)
			p.loops = b.loops
			fits := func(param int, v experiment.Value) bool {
				return (param != s.selector || v.Text() == algorithm) &&
					(param != s.replacer || v.IsNull() != replaced)
			}
			empty := false
			for i, v := range b.base {
				empty = empty || b.axis(i) == nil && !fits(i, v)
			}
			for _, loop := range b.loops {
				if !empty {
					p.fresh = append(p.fresh, p.list(loop, fits))
					empty = p.fresh[len(p.fresh)-1] == nil
				}
			}
			if !empty {
				b.products = append(b.products, p)
			}
		}
	}
}

// list returns the indices of a loop's values that fit and make other points
// than all before.
func (p *product) list(loop []*Axis, fits func(param int, v experiment.Value) bool) (list []int) {
	once := len(loop) == 1 && loop[0].at == nil // no value occurs twice
	seen := map[string]bool{}
	for k := range loop[0].values {
		var key []byte
		all := true
		for _, a := range loop {
			all = all && fits(a.param, a.values[k])
			if p.uses[a.param] {
				key = appendKey(key, a.values[k])
			}
		}
		if all && !seen[string(key)] {
			if list = append(list, k); !once || len(key) == 0 {
				seen[string(key)] = true
			}
		}
	}
	return list
}

// describe tells what is known of a block before it is expanded, and refuses
// one that is too large to be.
func (s *Spec) describe(b *Block) {
	for _, p := range b.products {
		size := 1.0
		for _, fresh := range p.fresh {
			size *= float64(len(fresh))
		}
		s.combined += size
	}
	s.must(s.combined <= mostCells, b.table.Pos, "the grid has %.0f cells up to here, want at most %d\n"+
		"hint: a cell is one combination of values, whatever its seeds: use shorter axes, zip, or several sweeps",
		s.combined, mostCells)
	combinations, zips := 1.0, 0
	for _, loop := range b.loops {
		combinations *= float64(len(loop[0].values))
		zip := 0
		if len(loop) > 1 {
			zips++
			zip = zips
		}
		for _, a := range loop {
			a.Zip, a.Values, a.Len = zip, Outline(a.values), int64(len(a.values))
		}
	}
	s.must(combinations <= 1<<53, b.table.Pos, "the block has %.2g combinations of values, want at most 2^53\n"+
		"hint: give each algorithm a [[grid]] of its own, with the axes that it uses",
		combinations)
	b.Combinations = int64(combinations)
}

// cells lists the points of a block in their order, of those that are equal
// the first, and then what it includes.
func (b *Block) cells() (all []cell) {
	for _, p := range b.products {
		places := []int64{0}
		for k, fresh := range p.fresh {
			n, longer := int64(len(b.loops[k][0].values)), make([]int64, 0, len(places)*len(fresh))
			for _, place := range places {
				for _, i := range fresh {
					longer = append(longer, place*n+int64(i))
				}
			}
			places = longer
		}
		all = slices.Grow(all, len(places))
		for _, place := range places {
			all = append(all, cell{p, place})
		}
	}
	slices.SortFunc(all, func(a, b cell) int { return cmp.Compare(a.place, b.place) })
	b.Nulled = b.Combinations - int64(len(all))
	b.Included = int64(len(b.includes))
	return append(all, b.includes...)
}

// expand lists the cells of the blocks, each once, and joins them with the
// seeds.
func (s *Spec) expand(seeds *document.Node) {
	p := s.plan
	p.experiment, p.byName, p.index = s.Experiment, byName(s.Experiment), sync.OnceValue(p.makeIndex)
	var seen map[ID]bool // nil if no cell can be repeated
	if len(s.Blocks) > 1 || len(s.Blocks[0].includes) > 0 {
		seen = map[ID]bool{}
	}
	for _, b := range s.Blocks {
		kept := slices.DeleteFunc(b.cells(), s.dropped(b, seen))
		p.cells, b.Cells = append(p.cells, kept...), int64(len(kept))
		s.effective(b)
	}
	s.must(len(p.cells) > 0, s.Blocks[0].table.Pos, "no points are left, all are excluded")
	s.check()
	if p.Cells() > math.MaxInt64/p.count {
		panic(s.at(seeds.Pos, "%d cells with %d seeds each are more than 2^63-1 runs", p.Cells(), p.count))
	}
}

// dropped returns what tells whether a cell of a block is excluded, or was seen
// before. It must be called once on each.
func (s *Spec) dropped(b *Block, seen map[ID]bool) func(c cell) bool {
	var key []byte
	values := make([]experiment.Value, len(s.Experiment.Params))
	return func(c cell) bool {
		c.fill(values)
		if c.node == b.table && b.drops(values) {
			b.Excluded++
			return true
		}
		if seen == nil {
			return false
		}
		key = appendCell(key[:0], s.Experiment, s.plan.byName, values)
		id := digest(key)
		if seen[id] {
			b.Repeated++
			return true
		}
		seen[id] = true
		return false
	}
}

// check finds which parameters vary, and cells that break a rule.
func (s *Spec) check() {
	var checks []func(cell, []experiment.Value)
	for i := range s.Experiment.Rules {
		checks = append(checks, s.checks(&s.Experiment.Rules[i]))
	}
	first := s.plan.Point(0).Values
	values, varies := slices.Clone(first), make([]bool, len(first))
	for _, c := range s.plan.cells {
		c.fill(values)
		for i, v := range values {
			varies[i] = varies[i] || v != first[i]
		}
		for _, check := range checks {
			check(c, values)
		}
	}
	s.plan.Varying = s.inOrder(varies)
}

// drops reports whether a point is excluded, or does not meet where.
func (b *Block) drops(values []experiment.Value) (drops bool) {
	for _, e := range b.excludes {
		differs := slices.ContainsFunc(e.named, func(i int) bool { return values[i] != e.values[i] })
		e.matched = e.matched || !differs
		drops = drops || !differs
	}
	if !drops && b.where != nil && !b.where(values) {
		b.fails, drops = true, true
	}
	return drops
}

// effective refuses a where or an exclude of an expanded block that drops
// nothing.
func (s *Spec) effective(b *Block) {
	if b.where != nil {
		s.must(b.fails, b.table.Entry(whereKey).Pos, "where drops nothing: every point of this block meets it")
	}
	for _, e := range b.excludes {
		hint := "no point of this block has, and uses, all these values together"
		for _, i := range slices.Backward(e.named) {
			if takes, v := b.takes(i), e.values[i]; !slices.Contains(takes, v) {
				name := s.Experiment.Params[i].Name
				hint = fmt.Sprintf("%s is %s in this block, never %s", name, Outline(takes), v)
			}
		}
		s.must(e.matched, e.node.Pos, "the exclude matches nothing\nhint: %s", hint)
	}
}

// checks returns what checks a rule on cells, once on the same values, unless
// one of its parameters is null.
func (s *Spec) checks(rule *experiment.Rule) func(c cell, values []experiment.Value) {
	params := s.Experiment.Places(rule.Params)
	var key []byte
	seen, warned := map[string]bool{}, false
	return func(c cell, values []experiment.Value) {
		key = key[:0]
		for _, i := range params {
			// A file that is not named is an empty value, unless others take its place.
			if p := &s.Experiment.Params[i]; values[i].IsNull() && (p.Input == nil || p.Replaces != nil) {
				return
			}
			key = appendKey(key, values[i])
		}
		if warned || seen[string(key)] {
			return
		}
		seen[string(key)] = true
		if err := rule.Check(experiment.Point{Experiment: s.Experiment, Values: values}); err != nil {
			fault := s.broken(c, params, values, err)
			if warned = rule.Warns; !warned {
				panic(fault)
			}
			s.Warnings = append(s.Warnings, fault)
		}
	}
}

// broken is the fault of a cell that breaks a rule on some parameters: where
// the first of them stands that is written. Axes of them may need to be kept
// apart.
func (s *Spec) broken(c cell, params []int, values []experiment.Value, fault error) *Error {
	var at *document.Node
	var apart []string
	for _, i := range params {
		n := s.entry(c.node, i)
		for _, a := range slices.Concat(c.loops...) {
			if a.param == i {
				value := values[i]
				if n.Kind == document.Array {
					n = n.Elements[slices.Index(a.values, value)]
					value = experiment.ValueOf(n.Value) // a file is its path
				}
				text, _ := value.MarshalJSON() // which is TOML, too
				apart = append(apart, fmt.Sprintf("%s = %s", s.Experiment.Params[i].Name, text))
			}
		}
		at = cmp.Or(at, n)
	}
	hint := ""
	if apart != nil {
		hint = fmt.Sprintf("\nhint: if only these must not meet: exclude = [{ %s }]", strings.Join(apart, ", "))
	}
	return s.at(cmp.Or(at, c.node).Pos, "%v%s", fault, hint)
}

// inOrder returns the parameters that vary: in document order, then those
// that the document does not name.
func (s *Spec) inOrder(varies []bool) (varying []int) {
	var order []int
	for _, b := range s.Blocks {
		order = append(order, b.named...)
	}
	for _, i := range append(order, lists.Indices(len(varies))...) {
		if varies[i] && !slices.Contains(varying, i) {
			varying = append(varying, i)
		}
	}
	return varying
}
