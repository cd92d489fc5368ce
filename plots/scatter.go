package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// maxDots is the number of dots in a panel that a person can tell from a cloud,
// and a reader of SVG draws at once.
const maxDots = 3000

// scatterPlot returns a plot of single runs or, if they are too many, of the
// means of cells: a dot for each, of a metric against a parameter or another
// metric, and a smooth line through each colour.
func (d *Data) scatterPlot(f *Figure, x, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	below := d.Experiment.Metric(x)
	title := ""
	if below >= 0 {
		title = d.metricTitle(f, &d.Experiment.Metrics[below])
	} else {
		title = d.paramTitle(f, x)
	}
	p := newPlot(f.title, title, d.metricTitle(f, &d.Experiment.Metrics[m]))
	scaleX := d.scatterX(f, p, x, cells)
	runs := 0
	for _, c := range cells {
		runs += d.cells[c].runs
	}
	f.note = "dots: single ones; lines: smooth means, local least squares over the nearest quarter"
	if runs > maxDots {
		f.note = "dots: means %n; lines: smooth, local least squares over the nearest quarter"
	}
	dotsOf := func(group []int) plotter.XYs {
		var dots plotter.XYs
		for _, c := range group {
			for _, at := range d.pairs(c, x, m, runs > maxDots) {
				dot := plotter.XY{X: scaleX(at.X), Y: at.Y}
				if f.isLog(experiment.YAxis) {
					dot.Y = logarithm(at.Y)
				}
				if math.IsNaN(dot.X) || math.IsNaN(dot.Y) {
					f.lost++
					continue
				}
				dots = append(dots, dot)
			}
		}
		return dots
	}
	if f.isLog(experiment.YAxis) {
		p.Y.Tick.Marker = decades
	}
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faded, Width: thinWidth}})
	groups := d.groupBy(cells, f.Colour)
	lines := d.lines(groups, f.Colour)
	if len(groups) > maxLines { // darker in their order, and one line
		for i, g := range groups {
			addDots(p, dotsOf(g), darker(i, len(groups)), draw.CircleGlyph{})
		}
		ends := d.name(f.Colour, groups[0]) + " to " + d.name(f.Colour, groups[len(groups)-1])
		f.note += "; dots from light to dark: " + ends
		lines = []line{{color: ink, marker: draw.CircleGlyph{}}}
		lines[0].points = smooth(dotsOf(cells))
	} else {
		for i, g := range groups {
			dots := dotsOf(g)
			addDots(p, dots, translucent(lines[i].color, 0.5), lines[i].marker)
			lines[i].points = smooth(dots)
			if lines[i].points == nil && len(dots) > 0 { // its name needs a place
				last := slices.MaxFunc(dots, byX)
				lines[i].points = []point{pointAt(last.X, last.Y, math.NaN())}
				lines[i].marks = true
			}
		}
	}
	f.drawLines(p, lines)
	return p
}

// scatterX returns the scale of the horizontal axis, to which it gives ticks: a
// logarithm if the figure asks for it, or if values of a parameter suggest it.
func (d *Data) scatterX(f *Figure, p *plot.Plot, x string, cells []int) func(float64) float64 {
	isLog := f.isLog(experiment.XAxis)
	if f.Log == nil && d.Experiment.Metric(x) < 0 {
		var values []float64
		for _, v := range d.values(cells, x) {
			if !v.IsNull() {
				values = append(values, v.Float())
			}
		}
		isLog = isSkewed(values)
	}
	if !isLog {
		return identity
	}
	p.X.Tick.Marker = decades
	return logarithm
}

// isSkewed reports whether ascending values that fill a range are better seen
// on a logarithmic scale: whether most of them are in its lowest part.
func isSkewed(values []float64) bool {
	if len(values) <= maxLines {
		return isGeometric(values)
	}
	first := values[0]
	last := values[len(values)-1]
	middle := values[len(values)/2]
	const part = 0.25 // of the range
	return first > 0 && middle-first < part*(last-first)
}

// pairs returns what the replicates of a cell, or their mean, have of a
// parameter or metric and of another metric. What is not defined is left out.
func (d *Data) pairs(of int, x string, metric int, mean bool) (pairs plotter.XYs) {
	c := &d.cells[of]
	if c.runs == 0 {
		return nil
	}
	below := d.Experiment.Metric(x)
	xs := make([]float64, len(c.values[metric]))
	if below >= 0 {
		xs = c.values[below]
	} else if v := d.value(of, x); !v.IsNull() {
		for i := range xs {
			xs[i] = v.Float()
		}
	} else {
		return nil
	}
	if mean {
		var mx, my moments
		mx.add(xs...)
		my.add(c.values[metric]...)
		pairs = plotter.XYs{{X: mx.average(), Y: my.average()}}
	} else {
		for i, y := range c.values[metric] {
			pairs = append(pairs, plotter.XY{X: xs[i], Y: y})
		}
	}
	return slices.DeleteFunc(pairs, func(p plotter.XY) bool {
		return math.IsNaN(p.X) || math.IsNaN(p.Y)
	})
}

// addDots draws dots, smaller ones if they are many: at most maxDots of them,
// evenly chosen.
func addDots(p *plot.Plot, dots plotter.XYs, of color.Color, shape draw.GlyphDrawer) {
	if len(dots) > maxDots {
		var some plotter.XYs
		for i := range maxDots {
			some = append(some, dots[i*len(dots)/maxDots])
		}
		dots = some
	}
	if len(dots) == 0 {
		return
	}
	const many = 200
	radius := markRadius * 0.8
	if len(dots) > many {
		radius = markRadius * 0.5
	}
	p.Add(&plotter.Scatter{
		XYs:        dots,
		GlyphStyle: draw.GlyphStyle{Color: of, Radius: vg.Length(radius), Shape: shape},
	})
}

// darker returns the i-th of n colours from light to dark.
func darker(i, n int) color.Color {
	const lightest = 3 // of the palette that is seen on white
	colors := blues{}.Colors()[lightest:]
	return colors[i*len(colors)/n]
}
