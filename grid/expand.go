package grid

import (
	"encoding/binary"
	"iter"
	"math/big"
	"slices"

	"sweep/experiment"
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

// A cellList holds points without their seeds. It keeps a number for each
// cell and each parameter that varies.
type cellList struct {
	n       int64
	columns []column // by parameter
}

// A column is the values of one parameter.
type column struct {
	values []experiment.Value // each once, in the order of the cells
	ids    []uint32           // by cell an index into values; nil if there is one value only
}

// fill writes the values of a cell.
func (l *cellList) fill(cell int64, values []experiment.Value) {
	for i := range l.columns {
		values[i] = l.columns[i].at(cell)
	}
}

func (c *column) at(cell int64) experiment.Value {
	if c.ids == nil {
		return c.values[0]
	}
	return c.values[c.ids[cell]]
}

// An expansion lists the cells of blocks, each once.
type expansion struct {
	*reader
	cells  cellList
	blocks []Block
	listed *big.Int // points so far, excluded and repeated ones too

	index []map[experiment.Value]uint32 // columns[i].values by value
	row   []uint32                      // the cell added last, an index into each column's values
	seen  map[string]bool               // the cells; nil if none can be repeated
	key   []byte
}

// expand lists the cells of the blocks.
func (r *reader) expand(blocks []*block) *expansion {
	n := len(r.model.experiment.Params)
	x := &expansion{
		reader: r,
		cells:  cellList{columns: make([]column, n)},
		listed: new(big.Int),
		index:  make([]map[experiment.Value]uint32, n),
		row:    make([]uint32, n),
	}
	if len(blocks) > 1 || len(blocks[0].includes) > 0 {
		x.seen = map[string]bool{}
	}
	for _, b := range blocks { // all, before any is expanded
		x.describe(b)
	}
	for i, b := range blocks {
		x.addBlock(b, &x.blocks[i])
	}
	if x.cells.n == 0 {
		panic(r.at(blocks[0].table.Pos, "no points are left, all are excluded"))
	}
	return x
}

// addBlock adds the cells of one block, and their numbers to its description.
func (x *expansion) addBlock(b *block, d *Block) {
	rules := x.rules(b)
	matched := make([]bool, len(b.excludes))
	values := make([]experiment.Value, len(b.base))
	for tuple, v := range b.tuples() {
		b.fill(values, tuple, v)
		switch {
		case b.excluded(values, matched) || !b.where.meets(values):
			d.Excluded++
		case !x.add(values):
			d.Repeated++
		default:
			rules.check(x.row, values, b.table, tuple)
		}
	}
	if b.where != nil && !b.where.failed {
		panic(x.at(b.where.node.Pos, "where drops nothing: every point of this block meets it"))
	}
	if i := slices.Index(matched, false); i >= 0 {
		panic(x.nothing(b, &b.excludes[i]))
	}
	for _, in := range b.includes {
		d.Included++
		if x.add(in.values) {
			rules.check(x.row, in.values, in.node, nil)
		} else {
			d.Repeated++
		}
	}
	d.Cells = d.Combinations - d.Nulled - d.Excluded - d.Repeated + d.Included
	rules.judge()
}

// describe adds what is known of a block before it is expanded, and refuses
// one that is too large to be.
func (x *expansion) describe(b *block) {
	distinct := new(big.Int)
	for _, v := range b.variants {
		product := big.NewInt(1)
		for _, g := range b.groups {
			product.Mul(product, big.NewInt(int64(len(g.fresh[v.number]))))
		}
		distinct.Add(distinct, product)
	}
	if x.listed.Add(x.listed, distinct).Cmp(big.NewInt(mostCells)) > 0 {
		panic(x.at(b.table.Pos, "the grid has %s cells up to here, want at most %d", x.listed, mostCells).
			hint("a cell is one combination of values, whatever its seeds: use shorter axes, zip, or several sweeps"))
	}
	combinations := big.NewInt(1)
	zips := map[int]int{} // number of a zip by group
	for g := range b.groups {
		combinations.Mul(combinations, big.NewInt(int64(len(b.groups[g].indices))))
		if len(b.groups[g].axes) > 1 {
			zips[g] = len(zips) + 1
		}
	}
	if !combinations.IsInt64() {
		panic(x.at(b.table.Pos, "the block has %s combinations of values, want at most 2^63-1", combinations).
			hint("give each algorithm a [[grid]] of its own, with the axes that it uses"))
	}
	d := Block{Line: b.table.Pos.Line, Axes: []Axis{}, Combinations: combinations.Int64()}
	d.Nulled = d.Combinations - distinct.Int64()
	for _, i := range b.named {
		if a := b.axes[i]; a != nil {
			d.Axes = append(d.Axes, Axis{Name: a.node.Key, Values: outline(a.values), Len: int64(len(a.values)), Zip: zips[a.group]})
		}
	}
	x.blocks = append(x.blocks, d)
}

// tuples yields, in lexicographic order, tuples of one index for each group
// and the variant of their points: of the tuples that make equal points the
// first.
func (b *block) tuples() iter.Seq2[[]int, *variant] {
	return func(yield func([]int, *variant) bool) {
		tuple := make([]int, len(b.groups))
		// possible[g] are the variants that the indices of groups before g allow.
		possible := make([][]*variant, len(b.groups)+1)
		possible[0] = b.variants
		var descend func(g int) bool
		descend = func(g int) bool {
			if g == len(tuple) {
				return yield(tuple, possible[g][0])
			}
			// Merge what is fresh for any of the variants.
			next := make([]int, len(possible[g])) // positions in the lists
			for {
				least := len(b.groups[g].indices)
				for i, v := range possible[g] {
					if fresh := b.groups[g].fresh[v.number]; next[i] < len(fresh) {
						least = min(least, fresh[next[i]])
					}
				}
				if least == len(b.groups[g].indices) {
					return true
				}
				tuple[g], possible[g+1] = least, possible[g+1][:0]
				for i, v := range possible[g] {
					if fresh := b.groups[g].fresh[v.number]; next[i] < len(fresh) && fresh[next[i]] == least {
						possible[g+1] = append(possible[g+1], v)
						next[i]++
					}
				}
				if !descend(g + 1) {
					return false
				}
			}
		}
		descend(0)
	}
}

// fill writes the canonical values of a tuple of a variant.
func (b *block) fill(values []experiment.Value, tuple []int, v *variant) {
	copy(values, b.base)
	for g := range b.groups {
		for _, a := range b.groups[g].axes {
			values[a.param] = a.values[tuple[g]]
		}
	}
	v.canonical(values)
}

// excluded reports whether an exclude matches a point, and notes which do.
func (b *block) excluded(values []experiment.Value, matched []bool) (is bool) {
	for k := range b.excludes {
		if b.excludes[k].matches(values) {
			is, matched[k] = true, true
		}
	}
	return is
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
		name, v := x.model.experiment.Params[i].Name, p.values[k]
		if a := b.axes[i]; a == nil {
			if v != b.base[i] {
				return fault.hint("%s is %s in this block, never %s", name, b.base[i], v)
			}
		} else if !slices.Contains(a.values, v) {
			return fault.hint("%s takes the values %s in this block, never %s", name, outline(a.values), v)
		}
	}
	return fault.hint("no point of this block has, and uses, all these values together")
}

// add appends a cell, unless it is there already.
func (x *expansion) add(values []experiment.Value) bool {
	x.key = x.key[:0]
	for i, v := range values {
		id := x.id(i, v)
		x.row[i] = id
		if id > 0 { // what most parameters have needs no place in the key
			x.key = binary.AppendUvarint(binary.AppendUvarint(x.key, uint64(i)), uint64(id))
		}
	}
	if x.seen[string(x.key)] {
		return false
	}
	if x.seen != nil {
		x.seen[string(x.key)] = true
	}
	for i, id := range x.row {
		c := &x.cells.columns[i]
		if id > 0 && c.ids == nil {
			c.ids = make([]uint32, x.cells.n)
		}
		if c.ids != nil {
			c.ids = append(c.ids, id)
		}
	}
	x.cells.n++
	return true
}

// id returns the index of a parameter's value in its column.
func (x *expansion) id(param int, v experiment.Value) uint32 {
	c := &x.cells.columns[param]
	if n := x.row[param]; len(c.values) > 0 && c.values[n] == v {
		return n // as in the cell before
	}
	n, ok := x.index[param][v]
	if !ok {
		if x.index[param] == nil {
			x.index[param] = map[experiment.Value]uint32{}
		}
		n = uint32(len(c.values))
		x.index[param][v] = n
		c.values = append(c.values, v)
	}
	return n
}

// varying returns the parameters that vary: in document order, then those
// that the document does not name.
func (x *expansion) varying(blocks []*block) []int {
	var order []int
	for _, b := range blocks {
		order = append(order, b.named...)
	}
	for i := range x.cells.columns {
		order = append(order, i)
	}
	var varying []int
	for _, i := range order {
		if x.cells.columns[i].ids != nil && !slices.Contains(varying, i) {
			varying = append(varying, i)
		}
	}
	return varying
}
