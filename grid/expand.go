package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// mostCells bounds the cells that the blocks of a spec have together, those
// counted that are excluded or repeated. They are listed in memory; the
// seeds are not.
const mostCells = 1 << 22

// A Block tells what one [grid] block comes to, for people and as JSON.
// Cells = Combinations − Nulled − Excluded − Repeated + Included.
type Block struct {
	Line int    `json:"line"` // where the block begins
	Axes []Axis `json:"axes"` // in the order of the document

	// Combinations is the product of the axes' lengths, zipped axes
	// counted once. Nulled of these are equal to an earlier one, because
	// the algorithm does not use the parameters in which they differ.
	Combinations int64 `json:"combinations"`
	Nulled       int64 `json:"nulled"`

	Excluded int64 `json:"excluded"` // points dropped by exclude
	Included int64 `json:"included"` // points listed by include
	Repeated int64 `json:"repeated"` // points, included ones too, that the sweep already had
	Cells    int64 `json:"cells"`    // points that the block adds to the sweep
}

// An Axis is one parameter that a block walks through.
type Axis struct {
	Name   string `json:"name"`
	Values string `json:"values"` // for example "0.5, 0.6, 0.7, 0.8, 0.9"; long axes are cut
	Len    int64  `json:"len"`
	Zip    int    `json:"zip,omitempty"` // axes of one block with equal Zip > 0 are walked together
}

// A model is what an experiment's declaration says about nulls.
type model struct {
	params   []experiment.Param
	selector int // index of the parameter experiment.Algorithm, or -1
	replacer int // index of the parameter that replaces others, or -1
	variants []variant
}

// A variant is the points that use the same parameters: those of an
// algorithm in which the replacer is null, or is not.
type variant struct {
	algorithm string // empty without a selector
	replaced  bool   // whether the replacer is not null
	uses      []bool // by parameter
}

func newModel(e *experiment.Experiment) *model {
	m := &model{params: e.Params, selector: -1}
	algorithms := []string{""}
	if p, i := e.Param(experiment.Algorithm); p != nil && p.Choices != nil {
		m.selector, algorithms = i, p.Choices
	}
	m.replacer = slices.IndexFunc(e.Params, func(p experiment.Param) bool { return p.Replaces != nil })
	for _, algorithm := range algorithms {
		for _, replaced := range []bool{false, true}[:1+min(1, m.replacer+1)] {
			v := variant{algorithm: algorithm, replaced: replaced}
			for i := range e.Params {
				v.uses = append(v.uses, e.Params[i].Uses(algorithm) && !(replaced && m.replaces(&e.Params[i])))
			}
			m.variants = append(m.variants, v)
		}
	}
	return m
}

// replaces reports whether the replacer takes the place of a parameter.
func (m *model) replaces(p *experiment.Param) bool {
	return m.replacer >= 0 && slices.Contains(m.params[m.replacer].Replaces, p.Name)
}

// permits reports whether a parameter can have a value in the points of a
// variant.
func (m *model) permits(v *variant, param int, value experiment.Value) bool {
	return (param != m.selector || value.Text() == v.algorithm) && (param != m.replacer || value.IsNull() != v.replaced)
}

// canonical makes the parameters null that a point does not use, and returns
// its variant.
func (m *model) canonical(values []experiment.Value) *variant {
	k := 0
	for _, i := range []int{m.selector, m.replacer} {
		for i >= 0 && !m.permits(&m.variants[k], i, values[i]) {
			k++ // the variants of an algorithm stand together
		}
	}
	for i, used := range m.variants[k].uses {
		if !used {
			values[i] = experiment.Value{}
		}
	}
	return &m.variants[k]
}

// A product is the points of one variant in a block.
type product struct {
	*variant
	size  float64 // the number of points
	fresh [][]int // by group, the indices of values that make other points than all before
}

// products returns those of the variants that occur in a block.
func (m *model) products(b *block) (list []product) {
variants:
	for k := range m.variants {
		v := &m.variants[k]
		for i, a := range b.axes {
			if a == nil && !m.permits(v, i, b.base[i]) {
				continue variants
			}
		}
		p := product{variant: v, size: 1}
		for k, g := range b.groups {
			p.fresh = append(p.fresh, m.fresh(g, v))
			p.size *= float64(len(p.fresh[k]))
		}
		if p.size > 0 {
			list = append(list, p)
		}
	}
	return list
}

// fresh returns the indices of a group's values that make other points of a
// variant than all before.
func (m *model) fresh(g group, v *variant) (list []int) {
	once := len(g.axes) == 1 && g.axes[0].ends == nil // no value occurs twice
	seen := map[string]bool{}
	for k := range g.len {
		var key []byte
		fits := true
		for _, a := range g.axes {
			fits = fits && m.permits(v, a.param, a.values[k])
			if v.uses[a.param] {
				key = appendKey(key, a.values[k])
			}
		}
		if !fits || seen[string(key)] {
			continue
		}
		if list = append(list, k); !once || len(key) == 0 {
			seen[string(key)] = true
		}
	}
	return list
}

// tuples returns the points of a block, of those that are equal the first, in
// their order: each as the place of its values among all combinations of
// indices into the groups.
func (b *block) tuples() (all []int64) {
	for _, p := range b.products {
		list := []int64{0}
		for g, fresh := range p.fresh {
			longer := make([]int64, 0, len(list)*len(fresh))
			for _, place := range list {
				for _, k := range fresh {
					longer = append(longer, place*int64(b.groups[g].len)+int64(k))
				}
			}
			list = longer
		}
		all = append(all, list...)
	}
	slices.Sort(all)
	return all
}

// fill writes the values of a point, of which the place among all combinations
// of indices into the groups is given.
func (b *block) fill(place int64, values []experiment.Value) {
	copy(values, b.base)
	for _, group := range slices.Backward(b.groups) {
		for _, a := range group.axes {
			values[a.param] = a.values[place%int64(group.len)]
		}
		place /= int64(group.len)
	}
	b.model.canonical(values)
}

// A cell is a point without its seed: one of a block.
type cell struct {
	*block
	place int64 // see fill
}

// An expansion lists the cells of blocks, each once.
type expansion struct {
	*reader
	cells  []cell
	blocks []Block
	listed float64 // points so far, excluded and repeated ones too

	first  []experiment.Value // of the first cell
	varies []bool             // parameters that have other values in a later one
	seen   map[ID]bool        // digests of the cells; nil if none can be repeated
	key    []byte
	rules  []ruleState // by rule of the experiment
}

// A ruleState is what of a rule has been checked.
type ruleState struct {
	params []int
	seen   map[string]bool // combinations of values
	warned bool
}

// expand lists the cells of the blocks.
func (r *reader) expand(blocks []*block) *expansion {
	x := &expansion{reader: r, varies: make([]bool, len(r.experiment.Params))}
	for _, rule := range r.experiment.Rules {
		state := ruleState{seen: map[string]bool{}}
		for _, name := range rule.Params {
			_, i := r.experiment.Param(name)
			state.params = append(state.params, i)
		}
		x.rules = append(x.rules, state)
	}
	if len(blocks) > 1 || len(blocks[0].includes) > 0 {
		x.seen = map[ID]bool{}
	}
	for _, b := range blocks { // all, before any is expanded
		x.describe(b)
	}
	for i, b := range blocks {
		x.addBlock(b, &x.blocks[i])
	}
	r.must(len(x.cells) > 0, blocks[0].table.Pos, "no points are left, all are excluded")
	return x
}

// describe adds what is known of a block before it is expanded, and refuses
// one that is too large to be.
func (x *expansion) describe(b *block) {
	for _, p := range b.products {
		x.listed += p.size
	}
	if x.listed > mostCells {
		panic(x.at(b.table.Pos, "the grid has %.0f cells up to here, want at most %d", x.listed, mostCells).
			hint("a cell is one combination of values, whatever its seeds: use shorter axes, zip, or several sweeps"))
	}
	combinations := 1.0
	zips, number := map[int]int{}, 0 // of the zip by parameter
	for _, g := range b.groups {
		combinations *= float64(g.len)
		if len(g.axes) > 1 {
			number++
			for _, a := range g.axes {
				zips[a.param] = number
			}
		}
	}
	if combinations > 1<<53 {
		panic(x.at(b.table.Pos, "the block has %.2g combinations of values, want at most 2^53", combinations).
			hint("give each algorithm a [[grid]] of its own, with the axes that it uses"))
	}
	d := Block{Line: x.place(b.table.Pos).Line, Axes: []Axis{}, Combinations: int64(combinations)}
	for _, i := range b.named {
		if a := b.axes[i]; a != nil {
			d.Axes = append(d.Axes, Axis{Name: a.node.Key, Values: outline(a.values), Len: int64(len(a.values)), Zip: zips[i]})
		}
	}
	x.blocks = append(x.blocks, d)
}

// addBlock adds the cells of one block, and their numbers to its description.
func (x *expansion) addBlock(b *block, d *Block) {
	matched := make([]bool, len(b.excludes))
	values, tuples := make([]experiment.Value, len(b.base)), b.tuples()
	d.Nulled = d.Combinations - int64(len(tuples))
	for _, place := range tuples {
		b.fill(place, values)
		drop := false
		for k := range b.excludes {
			if b.excludes[k].matches(values) {
				drop, matched[k] = true, true
			}
		}
		switch {
		case drop || !b.where.meets(values):
			d.Excluded++
		case !x.add(cell{b, place}, values):
			d.Repeated++
		default:
			x.check(values, b, b.table)
		}
	}
	if b.where != nil {
		x.must(b.where.failed, b.where.node.Pos, "where drops nothing: every point of this block meets it")
	}
	if i := slices.Index(matched, false); i >= 0 {
		panic(x.nothing(b, &b.excludes[i]))
	}
	for _, in := range b.includes {
		d.Included++
		if x.add(cell{&block{model: b.model, base: in.values}, 0}, in.values) {
			x.check(in.values, b, in.node)
		} else {
			d.Repeated++
		}
	}
	d.Cells = d.Combinations - d.Nulled - d.Excluded - d.Repeated + d.Included
}

func (p *pattern) matches(values []experiment.Value) bool {
	for k, i := range p.params {
		if values[i] != p.values[k] {
			return false
		}
	}
	return true
}

// nothing is the fault of a pattern that no point of its block matches.
func (x *expansion) nothing(b *block, p *pattern) *Error {
	fault := x.at(p.node.Pos, "the exclude matches nothing")
	for k, i := range p.params {
		if takes := b.takes(i); !slices.Contains(takes, p.values[k]) {
			return fault.hint("%s is %s in this block, never %s", x.experiment.Params[i].Name, outline(takes), p.values[k])
		}
	}
	return fault.hint("no point of this block has, and uses, all these values together")
}

// add appends a cell with its values, unless it is there already.
func (x *expansion) add(c cell, values []experiment.Value) bool {
	if x.seen != nil {
		x.key = x.key[:0]
		for _, v := range values {
			x.key = appendKey(x.key, v)
		}
		id := digest(x.key)
		if x.seen[id] {
			return false
		}
		x.seen[id] = true
	}
	if x.cells = append(x.cells, c); len(x.cells) == 1 {
		x.first = slices.Clone(values)
	}
	for i, v := range values {
		x.varies[i] = x.varies[i] || v != x.first[i]
	}
	return true
}

// check checks the experiment's rules on the cell that was added last: of the
// block's product, or one that it includes, in which case table is the include.
func (x *expansion) check(values []experiment.Value, b *block, table *document.Node) {
	for k := range x.rules {
		rule, state := &x.experiment.Rules[k], &x.rules[k]
		if state.warned || !x.applies(state, values) {
			continue
		}
		err := rule.Check(experiment.Point{Experiment: x.experiment, Values: values})
		if err == nil {
			continue
		}
		fault := x.at(x.faulty(b, state.params, table, values), "%v", err)
		if table == b.table {
			x.separate(fault, b, state.params, values)
		}
		if !rule.Warns {
			panic(fault)
		}
		state.warned = true
		x.warnings = append(x.warnings, fault)
	}
}

// applies reports whether a rule is to be checked on the cell added last: not
// if one of its parameters is null, or these values were checked.
func (x *expansion) applies(state *ruleState, values []experiment.Value) bool {
	x.key = x.key[:0]
	for _, i := range state.params {
		// A file that is not named is an empty value, unless others take its place.
		if p := &x.experiment.Params[i]; values[i].IsNull() && (p.Input == nil || p.Replaces != nil) {
			return false
		}
		x.key = appendKey(x.key, values[i])
	}
	seen := state.seen[string(x.key)]
	state.seen[string(x.key)] = true
	return !seen
}

// faulty returns where the value of the first of some parameters stands that a
// table names.
func (x *expansion) faulty(b *block, params []int, table *document.Node, values []experiment.Value) int {
	for _, i := range params {
		n := table.Entry(x.experiment.Params[i].Name)
		if n != nil && n.Kind == document.Array {
			n = n.Elements[slices.Index(b.axes[i].values, values[i])]
		}
		if n != nil {
			return n.Pos
		}
	}
	return table.Pos
}

// separate adds how to keep axes apart that need not meet.
func (x *expansion) separate(fault *Error, b *block, params []int, values []experiment.Value) {
	var pattern []string
	for _, i := range params {
		if b.axes[i] == nil {
			continue
		}
		text := values[i].String()
		if values[i].Kind() == experiment.String {
			text = fmt.Sprintf("%q", text)
		}
		pattern = append(pattern, x.experiment.Params[i].Name+" = "+text)
	}
	if pattern != nil {
		fault.hint("if only these must not meet: exclude = [{ %s }]", strings.Join(pattern, ", "))
	}
}

// varying returns the parameters that vary: in document order, then those
// that the document does not name.
func (x *expansion) varying(blocks []*block) []int {
	var order []int
	for _, b := range blocks {
		order = append(order, b.named...)
	}
	for i := range x.varies {
		order = append(order, i)
	}
	var varying []int
	for _, i := range order {
		if x.varies[i] && !slices.Contains(varying, i) {
			varying = append(varying, i)
		}
	}
	return varying
}
