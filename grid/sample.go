package grid

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	"sweep/experiment"
	"sweep/grid/design"
	"sweep/internal/detmath"
	"sweep/internal/document"
)

// sampleKey is the key of a spec that says how ranges without a step are
// sampled.
const sampleKey = "sample"

// maxPoints bounds the base points of a design.
const maxPoints = 1 << 20

// A Design is the [sample] table of a spec. It tells how the cells of a plan
// sample the ranges of a block.
type Design struct {
	Name   string // of package design, for example saltelli
	Points int    // base points
	Seed   int64

	Params []int                // sampled ones, in the order of the document
	Block  int                  // rows that belong to one base point
	Rows   [][]experiment.Value // values of Params, block by block
}

// A Place says where a cell stands in a design.
type Place struct {
	Row   int    // from 0; −1 if the cell is not sampled
	Block int    // the base point or trajectory of the row, from 0
	Point string // which point of the block it is: see design.Label
}

// Places returns the places of all cells of a plan with a design. Of several
// rows that are one cell, it has the first. Where a cell does not use a
// parameter, rows with any value of it are the cell.
func (p *Plan) Places() []Place {
	d := p.Design
	var names []string
	for _, i := range d.Params {
		names = append(names, p.experiment.Params[i].Name)
	}
	rows := map[string]map[string]int{} // by which parameters are used, and their values
	var list []Place
	for cell := range p.CellValues() {
		isUsed := make([]bool, len(d.Params))
		var values []experiment.Value
		for k, i := range d.Params {
			isUsed[k] = !cell[i].IsNull()
			if isUsed[k] {
				values = append(values, cell[i])
			}
		}
		used := fmt.Sprint(isUsed)
		if rows[used] == nil {
			rows[used] = d.rowsBy(isUsed)
		}
		row, there := rows[used][fmt.Sprint(values)]
		if !there || len(values) == 0 {
			list = append(list, Place{Row: -1})
			continue
		}
		list = append(list, Place{
			Row:   row,
			Block: row / d.Block,
			Point: design.Label(d.Name, row%d.Block, names),
		})
	}
	return list
}

// rowsBy returns the first rows with their values of some parameters, by these
// values, printed.
func (d *Design) rowsBy(isUsed []bool) map[string]int {
	rows := map[string]int{}
	for i, row := range d.Rows {
		var values []experiment.Value
		for k, v := range row {
			if isUsed[k] {
				values = append(values, v)
			}
		}
		key := fmt.Sprint(values)
		if _, there := rows[key]; !there {
			rows[key] = i
		}
	}
	return rows
}

// sample reads the [sample] table; it returns nil if there is none.
func (r *reader) sample(n *document.Node) *Design {
	if n == nil {
		return nil
	}
	keys := r.table(n, "a table such as [sample] with the keys design and points",
		[]string{"design", "points", "seed"})
	names := design.Names()
	for _, key := range []string{"design", "points"} {
		r.must(keys[key] != nil, n,
			"the sample has no %s, want a design, one of %s, and how many base points it has",
			key, strings.Join(names, ", "))
	}
	d := &Design{Name: names[r.choose(keys["design"], names)], Seed: 1}
	points := r.integer(keys["points"], 1)
	r.must(points <= maxPoints, keys["points"],
		"points is %d, want at most %d", points, maxPoints)
	d.Points = int(points)
	if design.IsSequence(d.Name) && bits.OnesCount(uint(points)) != 1 {
		r.warnings = append(r.warnings, r.at(keys["points"],
			"points is %d: only %d, %d and other powers of two cover ranges evenly in %s",
			points, 1<<(bits.Len(uint(points))-1), 1<<bits.Len(uint(points)), d.Name))
	}
	if seed := keys["seed"]; seed != nil {
		d.Seed = r.integer(seed, 0)
	}
	return d
}

// sampledDigits is the number of significant digits to which sampled values
// are rounded, so that they can be read and repeated by hand.
const sampledDigits = 9

// sampled prepares an axis whose values are taken at shares of a span, 0 to
// 1. All integers of the span have equal shares.
func (r *reader) sampled(a *Axis, p *experiment.Param, s span) {
	ok := s.from < s.to && s.to-s.from <= math.MaxFloat64
	want := "a larger \"to\", less than 1.8e308 away"
	if s.isLog {
		ok = ok && s.from > 0
		want = "two positive numbers, the first the smaller"
	}
	if !ok {
		r.fail(a.node, "%s is sampled from %v to %v, want %s", p.Name, s.from, s.to, want)
	}
	end := s.to
	if p.Kind == experiment.Int {
		end++
	}
	a.at = func(share float64) experiment.Value {
		x := s.from + float64(share*(end-s.from))
		if s.isLog {
			low := detmath.Log(s.from)
			x = detmath.Exp(low + float64(share*(detmath.Log(end)-low)))
		}
		if p.Kind == experiment.Int {
			x = math.Floor(x)
		} else {
			x = detmath.Round(x, sampledDigits)
		}
		return numeric(p.Kind, min(max(x, s.from), s.to))
	}
}

// sampleAxes gives the sampled axes of a block their values and zips them,
// under a number that no other zip has.
func (r *reader) sampleAxes(b *Block) {
	var axes []*Axis
	for _, a := range b.Axes {
		if a.at != nil {
			axes = append(axes, a)
		}
	}
	if axes == nil {
		return
	}
	d := r.design
	first := axes[0].node
	r.must(d.Params == nil, keyOf(first),
		"%s is sampled, but an earlier [[grid]] has sampled ranges: a sample serves one block",
		first.Key)
	maxAxes := design.Most(d.Name)
	r.must(len(axes) <= maxAxes, keyOf(first),
		"%d ranges are sampled, want at most %d for %s", len(axes), maxAxes, d.Name)
	rows, blockSize := design.Rows(d.Name, d.Points, len(axes))
	r.must(rows <= maxCells, b.node, "the design has %d points, want at most %d", rows, maxCells)
	d.Block = blockSize
	d.Rows = make([][]experiment.Value, rows)
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
