package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// against returns a plot of a metric against a quantity, with a line for
// each group of cells that agree in some parameters. Cells of a group that
// share a value of the quantity are averaged. A group that does not use the
// quantity has the same value everywhere.
func (d *Data) against(f *Figure, x, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	title := d.metricTitle(f, &d.Experiment.Metrics[m])
	p := newPlot(f.title, d.paramTitle(f, x), title)
	f.note = "mean and 95 % confidence limits %n"
	if len(f.X) > 1 {
		kept, settings := d.balanced(m, cells, x, f.Colour)
		cells = kept
		f.settings = max(f.settings, settings)
		f.note = fmt.Sprintf("means over %s, 95 %% confidence limits %%n", f.settings)
	}
	scale := d.scaleX(p, f, x)
	groups := d.groupBy(cells, f.Colour)
	lines := d.lines(groups, f.Colour)
	for i, g := range groups {
		one := &lines[i]
		one.marks = true
		for _, at := range d.groupBy(g, []string{x}) {
			mean, margin := d.mean(m, at)
			v := d.value(at[0], x)
			if v.IsNull() {
				one.marks = false
				one.points = []point{
					pointAt(p.X.Min, mean, margin),
					pointAt(p.X.Max, mean, margin),
				}
				break
			}
			one.points = append(one.points, pointAt(scale(v.Float()), mean, margin))
		}
	}
	first := p.X.Min
	last := p.X.Max
	if bound, ok := f.boundOf(metric, first, last); ok {
		lines = append(lines, bound)
	}
	f.addLines(p, lines)
	p.X.Min = first - 0.03*(last-first)
	p.X.Max = last
	return p
}

// scaleX gives a plot the scale and the ticks of a quantity. It returns the
// scale: a logarithm, or the identity.
func (d *Data) scaleX(p *plot.Plot, f *Figure, x string) (scale func(float64) float64) {
	var values []float64
	for _, v := range d.values(f.cells, x) {
		if !v.IsNull() {
			values = append(values, v.Float())
		}
	}
	scale = identity
	if f.isLog(experiment.XAxis) || f.mayBeLog() && isGeometric(values) {
		f.logarithmic = append(f.logarithmic, &p.X)
		scale = logarithm
		p.X.Tick.Marker = decades
		values = slices.DeleteFunc(values, func(x float64) bool { return x <= 0 })
	}
	shown := 0
	for _, v := range values {
		if f.isWithin(v) {
			shown++
		}
	}
	const maxTicks = 8 // more values are not all labelled
	if len(values) <= maxTicks && (shown > 1 || shown == len(values)) {
		var ticks plot.ConstantTicks
		for _, v := range values {
			tick := plot.Tick{Value: scale(v), Label: threeDigits(v)}
			ticks = append(ticks, tick)
		}
		p.X.Tick.Marker = ticks
	}
	if len(values) > 0 {
		p.X.Min = scale(values[0])
		p.X.Max = scale(values[len(values)-1])
	}
	return scale
}

// againstMetric returns a plot of a metric against another one, with a point
// for each cell. Lines join those that Colour and Panels do not tell apart, or
// that differ in Along only.
func (d *Data) againstMetric(f *Figure, below, metric string, cells []int) *plot.Plot {
	x := d.Experiment.Metric(below)
	y := d.Experiment.Metric(metric)
	p := newPlot(f.title, d.metricTitle(f, &d.Experiment.Metrics[x]),
		d.metricTitle(f, &d.Experiment.Metrics[y]))
	f.note = "means, with the 95 % confidence limits %n of what is on the vertical axis"
	scale := identity
	if f.isLog(experiment.XAxis) {
		scale = logarithm
		p.X.Tick.Marker = decades
	}
	along := f.Along
	if along == nil {
		along = without(d.axes, slices.Concat(f.Colour, f.Panels)...)
	}
	groups := d.groupBy(cells, f.Colour)
	lines := d.lines(groups, f.Colour)
	all := none
	for i, g := range groups {
		one := &lines[i]
		one.marks = true
		for _, at := range d.groupBy(g, along) {
			left, _ := d.mean(x, at)
			mean, margin := d.mean(y, at)
			point := pointAt(scale(left), mean, margin)
			if math.IsNaN(point.x) {
				continue
			}
			one.points = append(one.points, point)
			all.add(point.x)
		}
	}
	if bound, ok := f.boundOf(metric, all.low, all.high); ok {
		lines = append(lines, bound)
	}
	f.addLines(p, lines)
	if all.low <= all.high {
		margin := 0.03 * (all.high - all.low)
		p.X.Min = all.low - margin
		p.X.Max = all.high + margin
	}
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
		points: []point{pointAt(from, value, math.NaN()), pointAt(to, value, math.NaN())},
	}
	return l, ok && f.Kind != experiment.Distribution
}
