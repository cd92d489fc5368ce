package grid

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"sweep/experiment"
)

// ID identifies a run, or the cell that several runs belong to. Two runs have
// the same ID, also in different sweeps, exactly if they agree in experiment,
// model version, canonical parameters and seed.
type ID [16]byte

// String returns the identity as 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// idFormat is the first line of the text that is hashed. A change to the rest
// of the text must change this line, and thereby every ID.
const idFormat = "sweep run 1\n"

// Identify returns the identity of a point: the first 16 bytes of the SHA-256
// of a text such as
//
//	sweep run 1
//	experiment foraging 3
//	alpha=0.1
//	algorithm="RL"
//	seed 7
//
// with the name and version of the experiment and then all parameters that
// are not null, sorted by name. Numbers are written as the shortest decimals
// that read back as the same number, strings as Go quotes them. The seed has
// no equals sign, so that it cannot be mistaken for a parameter.
func Identify(p experiment.Point) ID {
	text := appendCellText(nil, p.Experiment, byName(p.Experiment), p.Values)
	return digest(appendSeed(text, p.Seed))
}

func digest(text []byte) ID {
	sum := sha256.Sum256(text)
	return ID(sum[:len(ID{})])
}

// byName returns the indices of the parameters, sorted by name.
func byName(e *experiment.Experiment) []int {
	indices := make([]int, len(e.Params))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(i, j int) int {
		return cmp.Compare(e.Params[i].Name, e.Params[j].Name)
	})
	return indices
}

// appendCellText appends the text of a point without its seed.
func appendCellText(
	text []byte, e *experiment.Experiment, byName []int, values []experiment.Value,
) []byte {
	text = append(text, idFormat...)
	text = append(text, "experiment "...)
	text = append(text, e.Name...)
	text = append(text, ' ')
	text = strconv.AppendInt(text, int64(e.Version), 10)
	text = append(text, '\n')
	for _, i := range byName {
		v := values[i]
		if v.IsNull() {
			continue
		}
		text = append(text, e.Params[i].Name...)
		text = append(text, '=')
		if v.Kind() == experiment.String {
			text = strconv.AppendQuote(text, v.Text())
		} else {
			text = v.Append(text)
		}
		text = append(text, '\n')
	}
	return text
}

func appendSeed(text []byte, seed int64) []byte {
	text = append(text, "seed "...)
	text = strconv.AppendInt(text, seed, 10)
	return append(text, '\n')
}

// maxTexts bounds the cells whose texts a plan keeps.
const maxTexts = 1 << 12

// makeTexts returns the texts of all cells, or nil if these are many.
func (p *Plan) makeTexts() [][]byte {
	if p.Cells() > maxTexts {
		return nil
	}
	texts := make([][]byte, p.Cells())
	for c := range texts {
		texts[c] = p.makeCellText(nil, int64(c))
	}
	return texts
}

// appendCell appends the text of a cell, kept or made now.
func (p *Plan) appendCell(text []byte, c int64) []byte {
	if kept := p.texts(); kept != nil {
		return append(text, kept[c]...)
	}
	return p.makeCellText(text, c)
}

// makeCellText appends the text of a cell without looking at the kept ones.
func (p *Plan) makeCellText(text []byte, c int64) []byte {
	var buffer [64]experiment.Value // saves an allocation, too
	values := append(buffer[:0], p.cells[c].base...)
	p.Cell(c, values)
	return appendCellText(text, p.experiment, p.byName, values)
}

// CellID returns the identity of cell 0 ≤ c < Cells(): that of its points
// without the seed.
func (p *Plan) CellID(c int64) ID { return p.index().ids[c] }

// ID returns the identity of run 0 ≤ i < Runs().
func (p *Plan) ID(i int64) ID {
	var buffer [2048]byte // saves an allocation for all but very large declarations
	cell := i % p.Cells()
	seed := p.Seed(i / p.Cells())
	text := p.appendCell(buffer[:0], cell)
	return digest(appendSeed(text, seed))
}

// Find returns the run of a cell with a seed; ok is false if the plan has no
// such run.
func (p *Plan) Find(cell ID, seed int64) (run int64, ok bool) {
	c, isCell := p.index().find(cell)
	if !isCell {
		return 0, false
	}
	return p.runOf(c, seed)
}

// FindNext is Find for a caller that found the run last before. It is faster
// if the run asked for belongs to the next cell.
func (p *Plan) FindNext(last int64, cell ID, seed int64) (run int64, ok bool) {
	next := (last + 1) % p.Cells()
	if p.index().ids[next] == cell {
		return p.runOf(next, seed)
	}
	return p.Find(cell, seed)
}

// runOf returns the run of cell c with a seed; ok is false if the plan does
// not have the seed.
func (p *Plan) runOf(c, seed int64) (run int64, ok bool) {
	k, ok := p.seeds.find(seed)
	if !ok {
		return 0, false
	}
	return k*p.Cells() + c, true
}

// A cellIndex holds the identities of the cells in the order of the plan, and
// finds cells by them.
type cellIndex struct {
	ids []ID

	// table is an open hash table: at the place of an identity, or the next
	// ones, it has the cell's number from 1. Zero ends a search.
	table []uint32
}

func (p *Plan) makeIndex() *cellIndex {
	size := 1
	for int64(size) < 2*p.Cells() {
		size *= 2
	}
	index := &cellIndex{
		ids:   make([]ID, p.Cells()),
		table: make([]uint32, size),
	}
	var text []byte
	for c := range index.ids {
		text = p.appendCell(text[:0], int64(c))
		id := digest(text)
		index.ids[c] = id
		at := index.place(id)
		for index.table[at] != 0 {
			at = index.next(at)
		}
		index.table[at] = uint32(c + 1)
	}
	return index
}

// find returns the cell of an identity, and whether there is one.
func (x *cellIndex) find(id ID) (c int64, ok bool) {
	for at := x.place(id); x.table[at] != 0; at = x.next(at) {
		c = int64(x.table[at] - 1)
		if x.ids[c] == id {
			return c, true
		}
	}
	return 0, false
}

// place returns where an identity stands in the table, unless others do.
func (x *cellIndex) place(id ID) int {
	return int(binary.LittleEndian.Uint32(id[:4])) & (len(x.table) - 1)
}

func (x *cellIndex) next(at int) int { return (at + 1) & (len(x.table) - 1) }
