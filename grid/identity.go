package grid

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"

	"sweep/experiment"
)

// ID is an identity: of a run, what is run, not where it stands; of a cell,
// what its runs have in common. Two runs, of one sweep or of two, have the
// same ID exactly if they are the same experiment, model version, canonical
// parameters and seed.
type ID [16]byte

// String returns the identity as 32 hexadecimal digits.
func (id ID) String() string { return hex.EncodeToString(id[:]) }

// idFormat heads the text that is hashed. Whoever changes the text below
// must change it, and thereby every ID.
const idFormat = "sweep run 1\n"

// Identify returns the identity of a point: the first 16 bytes of the
// SHA-256 of a text such as
//
//	sweep run 1
//	experiment foraging 3
//	alpha=0.1
//	algorithm="RL"
//	seed 7
//
// with the name and version of the experiment and then the parameters that
// are not null, sorted by name, defaults included. Numbers are written as
// the shortest decimals that read back as themselves, strings as Go quotes
// them. The seed has no equals sign, so it cannot be mistaken for a
// parameter.
func Identify(p experiment.Point) ID {
	return digest(appendSeed(appendCell(nil, p.Experiment, byName(p.Experiment), p.Values), p.Seed))
}

func digest(text []byte) ID {
	sum := sha256.Sum256(text)
	return ID(sum[:len(ID{})])
}

// byName returns the indices of the parameters, sorted by name.
func byName(e *experiment.Experiment) []int {
	names := e.ParamNames()
	slices.Sort(names)
	return e.Places(names)
}

// appendCell appends the text of a point without its seed.
func appendCell(text []byte, e *experiment.Experiment, byName []int, values []experiment.Value) []byte {
	text = append(append(append(text, idFormat...), "experiment "...), e.Name...)
	text = append(strconv.AppendInt(append(text, ' '), int64(e.Version), 10), '\n')
	for _, i := range byName {
		if !values[i].IsNull() {
			text = append(append(text, e.Params[i].Name...), '=')
			if values[i].Kind() == experiment.String {
				text = strconv.AppendQuote(text, values[i].Text())
			} else {
				text = values[i].Append(text)
			}
			text = append(text, '\n')
		}
	}
	return text
}

func appendSeed(text []byte, seed int64) []byte {
	return append(strconv.AppendInt(append(text, "seed "...), seed, 10), '\n')
}

// appendCell appends the text of a cell.
func (p *Plan) appendCell(text []byte, c int64) []byte {
	var buffer [64]experiment.Value // saves an allocation, too
	values := append(buffer[:0], p.cells[c].base...)
	p.Cell(c, values)
	return appendCell(text, p.experiment, p.byName, values)
}

// CellID returns the identity of cell 0 ≤ c < Cells(): that of its points
// without the seed.
func (p *Plan) CellID(c int64) ID {
	var buffer [2048]byte
	return digest(p.appendCell(buffer[:0], c))
}

// ID returns the identity of run 0 ≤ i < Runs().
func (p *Plan) ID(i int64) ID {
	var buffer [2048]byte // saves an allocation for all but very large declarations
	return digest(appendSeed(p.appendCell(buffer[:0], i%p.Cells()), p.Seed(i/p.Cells())))
}

// Find returns the run of a cell with a seed. It is false if the plan has no
// such run.
func (p *Plan) Find(cell ID, seed int64) (run int64, ok bool) {
	c, isCell := p.index().cells[cell]
	run, ok = p.runOf(c, seed)
	return run, isCell && ok
}

// FindNext is Find for who has found run last before, and is sooner done if it is the
// next cell's.
func (p *Plan) FindNext(last int64, cell ID, seed int64) (run int64, ok bool) {
	if c := (last + 1) % p.Cells(); p.index().ids[c] == cell {
		return p.runOf(c, seed)
	}
	return p.Find(cell, seed)
}

// runOf returns the run of cell c with a seed, 0 and false if the plan has not
// the seed.
func (p *Plan) runOf(c, seed int64) (run int64, ok bool) {
	k, isSeed := seed-p.first, seed >= p.first // seeds are not negative, so the difference cannot overflow
	if p.list != nil {
		k, isSeed = p.where[seed]
	}
	if !isSeed || k >= p.count {
		return 0, false
	}
	return k*p.Cells() + c, true
}

// A cellIndex has the cells by their identities, and those in the order of the plan.
type cellIndex struct {
	cells map[ID]int64
	ids   []ID
}

func (p *Plan) makeIndex() cellIndex {
	index := cellIndex{make(map[ID]int64, p.Cells()), make([]ID, p.Cells())}
	for c := range p.Cells() {
		index.ids[c] = p.CellID(c)
		index.cells[index.ids[c]] = c
	}
	return index
}
