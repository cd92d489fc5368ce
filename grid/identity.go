package grid

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
)

// ID is a run's identity: what is run, not where it stands. Two runs, of
// one sweep or of two, have the same ID exactly if they are the same
// experiment, model version, canonical parameters and seed.
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
	var buffer [2048]byte // saves an allocation for all but very large declarations
	return identityOf(appendSeed(appendCell(buffer[:0], p), p.Seed))
}

// IdentityText returns the text that Identify hashes, for people who ask
// why two runs are not the same.
func IdentityText(p experiment.Point) string {
	return string(appendSeed(appendCell(nil, p), p.Seed))
}

func identityOf(text []byte) ID {
	sum := sha256.Sum256(text)
	return ID(sum[:len(ID{})])
}

// appendSeed appends the last line of the text, which is the seed.
func appendSeed(text []byte, seed int64) []byte {
	return append(strconv.AppendInt(append(text, "seed "...), seed, 10), '\n')
}

// appendCell appends the text without the seed.
func appendCell(text []byte, p experiment.Point) []byte {
	params := p.Experiment.Params
	var buffer [128]int // saves an allocation, as in Identify
	order := buffer[:0]
	for i := range params {
		if !p.Values[i].IsNull() {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return strings.Compare(params[i].Name, params[j].Name) })
	text = append(text, idFormat...)
	text = append(text, "experiment "...)
	text = append(text, p.Experiment.Name...)
	text = append(text, ' ')
	text = strconv.AppendInt(text, int64(p.Experiment.Version), 10)
	text = append(text, '\n')
	for _, i := range order {
		text = append(text, params[i].Name...)
		text = append(text, '=')
		if v := p.Values[i]; v.Kind() == experiment.String {
			text = strconv.AppendQuote(text, v.Text())
		} else {
			text = v.Append(text)
		}
		text = append(text, '\n')
	}
	return text
}

// ID returns the identity of run 0 ≤ i < Runs().
func (p *Plan) ID(i int64) ID { return Identify(p.Point(i)) }

// CellID returns the identity of cell 0 ≤ c < Cells(): what its runs have in
// common. It is made as that of a run, without the line of the seed.
func (p *Plan) CellID(c int64) ID {
	var buffer [2048]byte
	return identityOf(appendCell(buffer[:0], p.Point(c)))
}

// FindCell is the inverse of CellID. It is false if the plan has no such
// cell.
func (p *Plan) FindCell(id ID) (c int64, ok bool) {
	p.indexing.Do(func() {
		p.index = make(map[ID]int64, p.Cells())
		for c := range p.Cells() {
			p.index[p.CellID(c)] = c
		}
	})
	c, ok = p.index[id]
	return c, ok
}
