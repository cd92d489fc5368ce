package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// wholeWidth is a width that panels need which show a whole series, and
// wholeNote the beginning of their notes.
const (
	wholeWidth = 12 * vg.Centimeter
	wholeNote  = "means %n"
)

// areasPlot returns a plot of columns of the series of a cell, one on top of
// another: the upper edge is their sum. What is not defined counts as nothing.
func (d *Data) areasPlot(f *Figure, cells []int) *plot.Plot {
	axis := &d.Experiment.Series[0]
	p := newPlot(f.title, d.metricTitle(f, axis), d.sumTitle(f))
	f.note = wholeNote + ": one column on top of another, from " + d.areaName(f, f.Y[0]) +
		" at the bottom to " + d.areaName(f, f.Y[len(f.Y)-1])
	rows := d.cells[cells[0]].series
	below := make([]float64, len(rows))
	var named []line // at the middles of their ends, if they are few
	for i, y := range f.Y {
		at, _ := d.column(y)
		above := make([]float64, len(rows))
		isEmpty := true
		for k, row := range rows {
			above[k] = below[k]
			if x := row[at].average(); x > 0 {
				above[k] += x
				isEmpty = false
			}
		}
		if !isEmpty {
			of := grey(i, len(f.Y))
			p.Add(areaBetween(rows, below, above, of))
			last := len(rows) - 1
			middle := (below[last] + above[last]) / 2
			one := line{name: broken(d.areaName(f, y), longName), color: of}
			one.points = []point{pointAt(rows[last][0].mean, middle, math.NaN())}
			named = append(named, one)
		}
		below = above
	}
	if len(f.Y) <= maxLines {
		p.Add(annotations{lines: named})
	}
	d.scaleTime(f, p)
	p.Y.Min = 0
	f.height = max(f.height, 6*vg.Centimeter)
	f.width = max(f.width, wholeWidth)
	f.note += d.ends(f)
	return p
}

// areaName is the name of the area of a column. Labels of a figure of the spec
// name areas; those of an experiment's own figures are titles of axes.
func (d *Data) areaName(f *Figure, column string) string {
	if f.OfSpec {
		return d.rowName(f, column)
	}
	return d.label(column)
}

// sumTitle is the title of an axis for the sum of columns of the series: that
// of one alone, or their sum with the unit of all. An experiment's own figure
// may have a label for it, that of the first column.
func (d *Data) sumTitle(f *Figure) string {
	_, first := d.column(f.Y[0])
	if len(f.Y) == 1 {
		return d.metricTitle(f, first)
	}
	unit := first.Unit
	for _, y := range f.Y {
		_, other := d.column(y)
		if other.Unit != unit {
			unit = ""
		}
	}
	labelled := first.Name
	if f.OfSpec {
		labelled = "" // labels name the areas
	}
	return f.axisTitle(labelled, "sum", unit)
}

// areaBetween returns the area between two edges over the rows of a series.
func areaBetween(rows [][]moments, below, above []float64, of color.Color) *plotter.Polygon {
	var edge plotter.XYs
	for k := range rows {
		edge = append(edge, plotter.XY{X: rows[k][0].mean, Y: above[k]})
	}
	for k := len(rows) - 1; k >= 0; k-- {
		edge = append(edge, plotter.XY{X: rows[k][0].mean, Y: below[k]})
	}
	return &plotter.Polygon{
		XYs:   []plotter.XYs{edge},
		Color: of,
	}
}

// grey returns the grey of the i-th of n areas: from dark to light, and each
// unlike its neighbours.
func grey(i, n int) color.NRGBA {
	const unlike = 0.22
	share := float64(i) / float64(max(1, n-1)) * (1 - unlike)
	if i%2 == 1 {
		share += unlike
	}
	return greyAt(1 - share)
}

// greyAt returns one of nine greys for a share of a range, from light to dark.
func greyAt(share float64) color.NRGBA {
	const (
		steps    = 8
		darkest  = 0x20
		lightest = 0xe0
	)
	step := math.Round(steps * min(1, max(0, share)))
	level := uint8(lightest - (lightest-darkest)*step/steps)
	return color.NRGBA{level, level, level, 0xff}
}
