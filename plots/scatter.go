package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// The number of dots in all panels of a figure, which keeps its file small, and
// the number of dots that each panel has at least.
const (
	maxDots    = 6000
	leastShown = 300
)

// dotsOfPanel returns how many dots each panel of a figure may have.
func (d *Data) dotsOfPanel(f *Figure) int {
	panels := len(d.groupBy(f.cells, f.Panels)) * len(f.Y) * len(f.X)
	return max(leastShown, maxDots/panels)
}

// A cloud is the dots of a panel.
type cloud struct {
	data   *Data
	figure *Figure
	below  string // the parameter or metric on the horizontal axis
	metric int
	scaleX func(float64) float64
	means  bool // whether a dot is the mean of a cell, not a single run
}

// scatterPlot returns a plot of single runs or, if they are too many, of the
// means of cells: a dot for each, of a metric against a parameter or another
// metric, and a smooth line through each colour.
func (d *Data) scatterPlot(f *Figure, x, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	title := ""
	if below := d.Experiment.Metric(x); below >= 0 {
		title = d.metricTitle(f, &d.Experiment.Metrics[below])
	} else {
		title = d.paramTitle(f, x)
	}
	p := newPlot(f.title, title, d.metricTitle(f, &d.Experiment.Metrics[m]))
	if f.isLog(experiment.YAxis) {
		p.Y.Tick.Marker = decades
	}
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faded, Width: thinWidth}})
	runs := 0
	for _, c := range cells {
		runs += d.cells[c].runs
	}
	limit := d.dotsOfPanel(f)
	dots := &cloud{
		data:   d,
		figure: f,
		below:  x,
		metric: m,
		scaleX: d.scatterX(f, p, x, cells),
		means:  runs > limit,
	}
	f.note = "dots: single ones"
	if dots.means {
		f.note = "dots: means %n"
	}
	if len(cells) > limit {
		f.note += fmt.Sprintf(", about %d of %d", limit, len(cells))
	}
	shades := ""
	groups := d.groupBy(cells, f.Colour)
	if len(groups) > maxLines {
		shades = dots.shaded(p, cells, groups, limit)
	} else {
		share := min(1, float64(limit)/float64(max(1, len(cells))))
		dots.coloured(p, groups, share)
	}
	if f.smooth { // in this panel or one before
		of := ""
		if f.isLog(experiment.YAxis) {
			of = " of logarithms"
		}
		f.note += "; lines: smooth means" + of + ", local least squares over the nearest quarter"
	}
	f.note += shades
	return p
}

// coloured draws a share of the dots of each group in a colour of its own, with
// a line.
func (c *cloud) coloured(p *plot.Plot, groups [][]int, share float64) {
	lines := c.data.lines(groups, c.figure.Colour)
	for i, g := range groups {
		one := &lines[i]
		dots := c.of(g)
		addDots(p, thinned(dots, share), translucent(one.color, 0.5), one.marker)
		one.points = smooth(dots)
		if one.points != nil {
			c.figure.smooth = true
		} else if len(dots) > 0 { // its name needs a place
			last := slices.MaxFunc(dots, byX)
			one.points = []point{pointAt(last.X, last.Y, math.NaN())}
			one.marks = true
		}
	}
	c.figure.drawLines(p, lines)
}

// shaded draws the dots of so many groups, darker in their order, and a line
// through all cells. It returns what the shades mean.
func (c *cloud) shaded(p *plot.Plot, cells []int, groups [][]int, limit int) (note string) {
	d := c.data
	count := min(limit, len(groups))
	for i := range count {
		k := i * len(groups) / count
		addDots(p, c.of(groups[k]), darker(k, len(groups)), draw.CircleGlyph{})
	}
	lost := c.figure.lost
	one := line{color: ink, marker: draw.CircleGlyph{}, points: smooth(c.of(cells))}
	c.figure.lost = lost // they are counted
	if one.points != nil {
		c.figure.smooth = true
	}
	c.figure.drawLines(p, []line{one})
	colour := c.figure.Colour
	return "; dots from light to dark: " + d.name(colour, groups[0]) + " to " +
		d.name(colour, groups[len(groups)-1])
}

// of returns the dots of cells, those that have a place.
func (c *cloud) of(cells []int) (dots plotter.XYs) {
	for _, i := range cells {
		for _, at := range c.data.pairs(i, c.below, c.metric, c.means) {
			dot := plotter.XY{X: c.scaleX(at.X), Y: at.Y}
			if c.figure.isLog(experiment.YAxis) {
				dot.Y = logarithm(at.Y)
			}
			if math.IsNaN(dot.X) || math.IsNaN(dot.Y) {
				c.figure.lost++
				continue
			}
			dots = append(dots, dot)
		}
	}
	return dots
}

// scatterX returns the scale of the horizontal axis, to which it gives ticks: a
// logarithm if the figure asks for it, or if values of a parameter suggest it.
func (d *Data) scatterX(f *Figure, p *plot.Plot, x string, cells []int) func(float64) float64 {
	isLog := f.isLog(experiment.XAxis)
	if f.mayBeLog() && d.Experiment.Metric(x) < 0 {
		var values []float64
		for _, c := range cells {
			if v := d.value(c, x); !v.IsNull() {
				values = append(values, v.Float())
			}
		}
		slices.Sort(values)
		isLog = isSkewed(values)
	}
	if !isLog {
		return identity
	}
	f.logarithmic = append(f.logarithmic, &p.X)
	p.X.Tick.Marker = decades
	return logarithm
}

// isSkewed reports whether ascending values that fill a range are better seen
// on a logarithmic scale: whether most of them are in its lowest part.
func isSkewed(values []float64) bool {
	single := slices.Compact(slices.Clone(values))
	if len(single) <= maxLines {
		return isGeometric(single)
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

// thinned returns about a share of dots. Which ones follows from their numbers
// in a way that no order of dots repeats: the steps of MurmurHash3's finalizer
// (Appleby, 2011).
func thinned(dots plotter.XYs, share float64) (some plotter.XYs) {
	for i, dot := range dots {
		h := uint32(i + 1)
		h ^= h >> 16
		h *= 0x85ebca6b
		h ^= h >> 13
		h *= 0xc2b2ae35
		h ^= h >> 16
		if float64(h) < share*(1<<32) {
			some = append(some, dot)
		}
	}
	return some
}

// addDots draws dots, smaller ones if they are many.
func addDots(p *plot.Plot, dots plotter.XYs, of color.Color, shape draw.GlyphDrawer) {
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
