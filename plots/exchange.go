package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// exchangePlot returns a plot of a metric against the figure's other one, with
// a point for each cell, and lines through those that differ in X only.
func (d *Data) exchangePlot(f *Figure, metric string, cells []int) *plot.Plot {
	x := d.Experiment.Metric(f.Against)
	y := d.Experiment.Metric(metric)
	p := newPlot(f.title, d.metricTitle(f, &d.Experiment.Metrics[x]),
		d.metricTitle(f, &d.Experiment.Metrics[y]))
	f.note = "means, with the 95 % confidence limits %n of what is on the vertical axis"
	groups := d.groupBy(cells, f.Colour)
	lines := d.lines(groups, f.Colour)
	low := math.Inf(1)
	high := math.Inf(-1)
	for i, g := range groups {
		one := &lines[i]
		one.marks = true
		for _, at := range d.groupBy(g, f.X) {
			var point plotter.XYZ
			point.X, _ = d.mean(x, at)
			point.Y, point.Z = d.mean(y, at)
			if math.IsNaN(point.X) {
				continue
			}
			one.points = append(one.points, point)
			low = min(low, point.X)
			high = max(high, point.X)
		}
	}
	if bound, ok := f.boundOf(metric, low, high); ok {
		lines = append(lines, bound)
	}
	f.addLines(p, lines)
	margin := 0.03 * (high - low)
	p.X.Min = low - margin
	p.X.Max = high + margin
	return p
}

// boundOf returns the line of the value that a metric cannot exceed, if the
// figure has one.
func (f *Figure) boundOf(metric string, from, to float64) (l line, ok bool) {
	value, ok := f.Bounds[metric]
	l = line{
		name:   "largest possible",
		color:  ink,
		dashes: []vg.Length{2, 2},
		points: plotter.XYZs{{X: from, Y: value}, {X: to, Y: value}},
	}
	return l, ok && f.Kind != experiment.Strips
}
