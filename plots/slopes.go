package plots

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// distribution returns a plot of the share that each value of the series' axis
// has, all runs of a cell taken together, with the slopes measured. Both axes
// are logarithmic.
func (d *Data) distribution(f *Figure, cells []int) *plot.Plot {
	var lines []line
	var said []string
	_, first := d.column(f.Slopes[0].Y)
	axis := &d.Experiment.Series[0]
	p := newPlot(f.title, d.metricTitle(f, axis), d.metricTitle(f, first))
	p.X.Tick.Marker = decades
	p.Y.Tick.Marker = decades
	for i, s := range f.Slopes {
		at, _ := d.column(s.Y)
		said = append(said, withMinus(fmt.Sprintf("%s %v", s.Label, s.Paper)))
		shares, bins := shares(d.cells[cells[0]].series, at)
		if len(bins) == 0 {
			continue
		}
		slope, _ := d.mean(d.Experiment.Metric(s.Metric), cells)
		one := sequence(i)
		one.name = s.Label + ": " + withMinus(fmt.Sprintf("%.2f", slope))
		one.points = fitted(bins, slope)
		dots := &plotter.Scatter{XYs: shares}
		dots.Color = translucent(one.color, 0.5)
		dots.Radius = markRadius / 3
		dots.Shape = draw.CircleGlyph{}
		p.Add(dots, &plotter.Scatter{XYs: bins, GlyphStyle: one.glyph()})
		lines = append(lines, one)
	}
	f.addLines(p, lines)
	f.note = "small dots: each value; marks: bins that double; lines: mean slope %n; " +
		"the paper's slopes: " + strings.Join(said, ", ")
	return p
}

// fitted returns the ends of a line with a slope through the middle of points,
// as a line of least squares has it.
func fitted(points plotter.XYs, slope float64) (ends []point) {
	var mx, my moments
	for _, p := range points {
		mx.add(p.X)
		my.add(p.Y)
	}
	first := points[0]
	last := points[len(points)-1]
	for _, x := range []float64{first.X, last.X} {
		y := my.mean + float64(slope*(x-mx.mean))
		ends = append(ends, pointAt(x, y, math.NaN()))
	}
	return ends
}

// shares returns the values above zero that occur, and the share that each has
// of all that are above zero. It also returns the points to which slopes are
// fitted, one for each bin from a power of two to the next that is not empty:
// its geometric middle, and its share over the number of values in it. All are
// decimal logarithms.
func shares(series [][]moments, column int) (each, bins plotter.XYs) {
	total := 0.0
	for _, row := range series {
		if row[0].mean > 0 {
			total += row[column].sum()
		}
	}
	from := 1.0 // of the bin
	sum := 0.0  // of its shares
	flush := func() {
		if sum > 0 {
			middle := math.Log10(from*(2*from-1)) / 2
			bins = append(bins, plotter.XY{X: middle, Y: math.Log10(sum / from)})
		}
		from *= 2
		sum = 0
	}
	for _, row := range series {
		x := row[0].mean
		share := row[column].sum() / total
		if x <= 0 || share <= 0 {
			continue
		}
		for x >= 2*from {
			flush()
		}
		sum += share
		each = append(each, plotter.XY{X: math.Log10(x), Y: math.Log10(share)})
	}
	flush()
	return each, bins
}

func (m moments) sum() float64 { return float64(m.mean * float64(m.n)) }
