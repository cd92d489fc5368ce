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

// A line goes through means. Any two of colour, dashes and marker tell it apart
// from others.
type line struct {
	name   string // put at its end; may be empty
	color  color.NRGBA
	dashes []vg.Length // in points; nil: solid
	marker draw.GlyphDrawer
	marks  bool // whether a mark, and a bar for the limits, is at each point

	// points are means Y with the margins Z of their limits; NaN: not defined.
	// On a logarithmic axis, numbers are their decimal logarithms: gonum's
	// LogScale makes wrong room for the titles of axes.
	points plotter.XYZs
}

func (l *line) stroke() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: lineWidth, Dashes: l.dashes}
}

func (l *line) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: markRadius, Shape: l.marker}
}

// addLines draws lines into a plot of the figure, above the limits of all.
func (f *Figure) addLines(p *plot.Plot, lines []line) {
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faded, Width: thinWidth}})
	for _, l := range lines {
		l.addLimits(p)
	}
	for _, l := range lines {
		for _, xys := range segments(l.points, 0) {
			p.Add(&plotter.Line{XYs: xys, LineStyle: l.stroke()})
			if l.marks || len(xys) == 1 { // a point alone would not be seen
				p.Add(&plotter.Scatter{XYs: xys, GlyphStyle: l.glyph()})
			}
		}
	}
	var named []line
	height := vg.Length(0)
	for _, l := range lines {
		if l.name == "" || math.IsNaN(l.end()) {
			continue
		}
		l.name = broken(l.name, longName)
		height += l.height()
		named = append(named, l)
	}
	slices.SortStableFunc(named, byEnd)
	p.Add(annotations{lines: named})
	f.height = max(f.height, 5*vg.Centimeter, 2*vg.Centimeter+height)
}

// addLimits draws the limits: as bars at marks, or else as a band.
func (l *line) addLimits(p *plot.Plot) {
	lower := segments(l.points, -1)
	upper := segments(l.points, 1)
	for i, edge := range lower {
		if !l.marks && len(edge) > 1 {
			slices.Reverse(upper[i])
			band := &plotter.Polygon{Color: translucent(l.color, 0.22)}
			band.XYs = []plotter.XYs{append(edge, upper[i]...)}
			p.Add(band)
			continue
		}
		bars := &plotter.YErrorBars{
			XYs:       edge,
			YErrors:   make(plotter.YErrors, len(edge)),
			CapWidth:  3,
			LineStyle: draw.LineStyle{Color: l.color, Width: lineWidth * 0.7},
		}
		for k := range edge {
			bars.YErrors[k].High = upper[i][k].Y - edge[k].Y
		}
		p.Add(bars)
	}
}

// segments returns the points of a line moved by a number of margins, broken
// where they are not defined.
func segments(points plotter.XYZs, margins float64) (all []plotter.XYs) {
	broken := true
	for _, p := range points {
		y := p.Y
		if margins != 0 {
			y += margins * p.Z
		}
		if math.IsNaN(y) {
			broken = true
			continue
		}
		if broken {
			all = append(all, nil)
			broken = false
		}
		last := &all[len(all)-1]
		*last = append(*last, plotter.XY{X: p.X, Y: y})
	}
	return all
}

// timePlot returns a plot of a column of the series, with a line for each
// group of cells that agree in some parameters; a group is one cell.
func (d *Data) timePlot(f *Figure, column string, cells []int) *plot.Plot {
	at, m := d.column(column)
	axis := &d.Experiment.Series[0]
	p := newPlot(f.title, d.metricTitle(f, axis), d.metricTitle(f, m))
	f.note = "mean and 95 % confidence band %n"
	groups := d.groupBy(cells, f.Colour)
	lines := d.lines(groups, f.Colour)
	end := 0.0
	low := math.Inf(1) // of what is from ScaleFrom on
	high := math.Inf(-1)
	for i, g := range groups {
		for _, row := range d.cells[g[0]].series {
			x := row[0].mean
			mean, margin := row[at].limits()
			point := plotter.XYZ{X: x, Y: mean, Z: margin}
			lines[i].points = append(lines[i].points, point)
			end = max(end, x)
			if x >= f.ScaleFrom && !math.IsNaN(margin) {
				low = min(low, mean-2*margin)
				high = max(high, mean+2*margin)
			}
		}
	}
	f.addLines(p, lines)
	if p.X.Min < 0.1*end { // time begins at 0
		p.X.Min = min(0, p.X.Min)
	}
	if axis.Unit == "h" && end > 72 {
		p.X.Label.Text = "time [days]"
		p.X.Tick.Marker = numbers(24)
	}
	if f.ScaleFrom > 0 && low < high {
		p.Y.Min = low
		p.Y.Max = high
		from := threeDigits(f.ScaleFrom)
		f.note += fmt.Sprintf("; scaled to what is from %s %s on", from, axis.Name)
	}
	if f.Marks != "" {
		every := d.value(cells[0], f.Marks)
		f.note += "; dashed: " + d.valueName(f.Marks, every)
		p.Add(annotations{every: every.Float(), end: end})
	}
	return p
}

// column returns a column of the series and its position; the axis is the
// first.
func (d *Data) column(name string) (at int, m *experiment.Metric) {
	for at := range d.Experiment.Series {
		m := &d.Experiment.Series[at]
		if m.Name == name {
			return at, m
		}
	}
	panic("plots: no column " + name)
}

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
			point := plotter.XYZ{X: p.X.Min}
			point.Y, point.Z = d.mean(m, at)
			v := d.value(at[0], x)
			if v.IsNull() {
				one.marks = false
				other := point
				other.X = p.X.Max
				one.points = plotter.XYZs{point, other}
				break
			}
			point.X = scale(v.Float())
			one.points = append(one.points, point)
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
	scale = func(x float64) float64 { return x }
	if isGeometric(values) {
		scale = math.Log10
		p.X.Tick.Marker = decades
	}
	const maxTicks = 8 // more values are not all labelled
	if len(values) <= maxTicks {
		var ticks plot.ConstantTicks
		for _, v := range values {
			tick := plot.Tick{Value: scale(v), Label: threeDigits(v)}
			ticks = append(ticks, tick)
		}
		p.X.Tick.Marker = ticks
	}
	p.X.Min = scale(values[0])
	p.X.Max = scale(values[len(values)-1])
	return scale
}
