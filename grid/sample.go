package grid

import (
	"math"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
	"sweep/internal/detmath"
	"sweep/internal/document"
)

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

// Design returns how the cells sample ranges, nil if they do not.
func (p *Plan) Design() *Design { return p.design }

// sample reads the [sample] table.
func (r *reader) sample(n *document.Node) {
	if n == nil {
		return
	}
	r.table(n, "a table such as [sample] with the keys design and points", "design", "points", "seed")
	for _, key := range []string{"design", "points"} {
		r.must(n.Entry(key) != nil, n.Pos, "the sample has no %s, want a design, one of %s, and how many base points it has",
			key, strings.Join(design.Names(), ", "))
	}
	e := n.Entry("points")
	d := &Design{Name: design.Names()[r.choose(n.Entry("design"), design.Names())], Points: int(r.integer(e, 1)), Seed: 1}
	r.must(d.Points <= mostBase, e.Pos, "points is %d, want at most %d", d.Points, mostBase)
	if e = n.Entry("seed"); e != nil {
		d.Seed = r.integer(e, 0)
	}
	r.design = d
}

// sampled gives the sampled axes of a block their values, and makes them walk
// together: as a zip whose number no other has.
func (r *reader) sampled(b *Block) {
	d := r.design
	var axes []*Axis
	for _, a := range b.Axes {
		if a.at != nil {
			a.Zip = -1
			axes = append(axes, a)
		}
	}
	if axes == nil {
		return
	}
	first := axes[0].node
	r.must(d.Params == nil, first.KeyPos, "%s is sampled, but an earlier [[grid]] has sampled ranges: a sample serves one block", first.Key)
	most := design.Most(d.Name)
	r.must(len(axes) <= most, first.KeyPos, "%d ranges are sampled, want at most %d for %s", len(axes), most, d.Name)
	n, blockSize := design.Rows(d.Name, d.Points, len(axes))
	r.must(n <= mostCells, b.table.Pos, "the design has %d points, want at most %d", n, mostCells)
	d.Block, d.Rows = blockSize, make([][]experiment.Value, n)
	for row, x := range design.Points(d.Name, d.Points, len(axes), d.Seed) {
		for k, a := range axes {
			v := a.at(x[k])
			d.Rows[row] = append(d.Rows[row], v)
			a.values = append(a.values, v)
		}
	}
	for _, a := range axes {
		d.Params = append(d.Params, a.param)
	}
}

// sampledDigits is to how many significant digits values are rounded, so that
// they can be read and repeated by hand.
const sampledDigits = 9

// sampling returns the value of a range at a share of the way, 0 to 1.
// Integers have equal shares of it.
func sampling(kind experiment.Kind, from, to float64, log bool) func(share float64) experiment.Value {
	return func(share float64) experiment.Value {
		end := to
		if kind == experiment.Int {
			end++
		}
		x := from + float64(share*(end-from))
		if log {
			low := detmath.Log(from)
			x = detmath.Exp(low + float64(share*(detmath.Log(end)-low)))
		}
		if kind == experiment.Int {
			return experiment.IntValue(int64(min(max(math.Floor(x), from), to)))
		}
		return experiment.FloatValue(min(max(rounded(x, sampledDigits), from), to))
	}
}
