package plots

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

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

	// On a logarithmic axis, numbers are their decimal logarithms: gonum's
	// LogScale makes wrong room for the titles of axes.
	points []point
}

// A point of a line is a mean with its limits; NaN: not defined.
type point struct{ x, y, low, high float64 }

// pointAt returns a point with limits at a margin from it.
func pointAt(x, y, margin float64) point {
	return point{x: x, y: y, low: y - margin, high: y + margin}
}

// onLog moves the points of a line onto a logarithmic axis Y, and returns how
// many have no place there, and at how many others limits have none, which are
// not drawn.
func (l *line) onLog() (lost, bare int) {
	for i := range l.points {
		p := &l.points[i]
		switch {
		case p.y <= 0:
			lost++
		case p.low <= 0:
			bare++
		}
		p.y = logarithm(p.y)
		p.low = logarithm(p.low)
		p.high = logarithm(p.high)
	}
	return lost, bare
}

// logarithm returns the decimal logarithm, NaN for numbers that have none.
func logarithm(x float64) float64 {
	if x <= 0 {
		return math.NaN()
	}
	return math.Log10(x)
}

func (l *line) stroke() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: lineWidth, Dashes: l.dashes}
}

func (l *line) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: markRadius, Shape: l.marker}
}

// addLines draws lines into a plot of the figure, above the limits of all.
func (f *Figure) addLines(p *plot.Plot, lines []line) {
	if f.isLog(experiment.YAxis) {
		p.Y.Tick.Marker = decades
		for i := range lines {
			lost, bare := lines[i].onLog()
			f.lost += lost
			f.bare += bare
		}
	}
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faded, Width: thinWidth}})
	f.drawLines(p, lines)
}

// drawLines draws lines whose points are in the units of the axes.
func (f *Figure) drawLines(p *plot.Plot, lines []line) {
	for _, l := range lines {
		l.addLimits(p)
	}
	for _, l := range lines {
		for _, xys := range segments(l.points, (*point).mean) {
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
	lower := segments(l.points, (*point).lower)
	upper := segments(l.points, (*point).upper)
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
		p.Add(limitBars{bars})
	}
}

// limitBars are bars of limits. Unlike those of gonum they are not drawn
// outside a plot, where a figure with limits of its horizontal axis has points.
type limitBars struct{ *plotter.YErrorBars }

func (b limitBars) Plot(c draw.Canvas, p *plot.Plot) {
	shown := *b.YErrorBars
	shown.XYs = nil
	shown.YErrors = nil
	for i, at := range b.XYs {
		if isOn(&p.X, at.X) {
			shown.XYs = append(shown.XYs, at)
			shown.YErrors = append(shown.YErrors, b.YErrors[i])
		}
	}
	shown.Plot(c, p)
}

func (p *point) mean() float64 { return p.y }

// lower and upper return the limits; NaN unless both are defined.
func (p *point) lower() float64 { return p.low + 0*p.high }
func (p *point) upper() float64 { return p.high + 0*p.low }

// segments returns what is asked of the points of a line, broken where it is
// not defined.
func segments(points []point, of func(*point) float64) (all []plotter.XYs) {
	broken := true
	for i := range points {
		y := of(&points[i])
		if math.IsNaN(y) {
			broken = true
			continue
		}
		if broken {
			all = append(all, nil)
			broken = false
		}
		last := &all[len(all)-1]
		*last = append(*last, plotter.XY{X: points[i].x, Y: y})
	}
	return all
}

// timePlot returns a plot of a column of the series, with a line for each
// group of cells that agree in some parameters; a group is one cell.
func (d *Data) timePlot(f *Figure, column string, cells []int) *plot.Plot {
	_, m := d.column(column)
	axis := &d.Experiment.Series[0]
	p := newPlot(f.title, d.metricTitle(f, axis), d.metricTitle(f, m))
	f.note = "mean and 95 % confidence band %n"
	if f.Right != "" { // bands of two lines would hide each other
		f.note = wholeNote
		f.width = max(f.width, wholeWidth)
	}
	if f.isLog(experiment.XAxis) {
		p.X.Tick.Marker = decades
	}
	lines, settled := d.timeLines(f, column, cells)
	if f.Right != "" {
		for i := range lines {
			lines[i].color = blue
			lines[i].dashes = nil
		}
	}
	lines = append(lines, f.meansOf(lines)...)
	f.addLines(p, lines)
	d.scaleTime(f, p)
	if f.ScaleFrom > 0 && settled.low < settled.high {
		p.Y.Min = settled.low
		p.Y.Max = settled.high
		from := threeDigits(f.ScaleFrom)
		f.note += fmt.Sprintf("; scaled to what is from %s %s on", from, axis.Name)
	}
	f.note += d.ends(f)
	if f.Right != "" {
		d.addRight(f, p, cells)
	}
	if f.Marks != "" {
		every := d.value(cells[0], f.Marks)
		f.note += "; dashed: " + d.valueName(f.Marks, every)
		p.Add(annotations{every: every.Float(), end: p.X.Max})
	}
	return p
}

// timeLines returns the lines of a column of the series, and the span of what
// is from ScaleFrom on.
func (d *Data) timeLines(f *Figure, column string, cells []int) (lines []line, settled span) {
	at, _ := d.column(column)
	groups := d.groupBy(cells, f.Colour)
	lines = d.lines(groups, f.Colour)
	scale := identity
	if f.isLog(experiment.XAxis) {
		scale = logarithm
	}
	settled = none
	for i, g := range groups {
		for _, row := range d.cells[g[0]].series {
			x := row[0].mean
			mean, margin := row[at].limits()
			if f.Right != "" {
				margin = math.NaN()
			}
			point := pointAt(scale(x), mean, margin)
			if math.IsNaN(point.x) {
				f.lost++
				continue
			}
			lines[i].points = append(lines[i].points, point)
			if x < f.ScaleFrom {
				continue
			}
			settled.add(mean, mean-2*margin, mean+2*margin)
		}
	}
	return lines, settled
}

// meansOf returns horizontal lines at the means of lines over the figure's
// spans.
func (f *Figure) meansOf(lines []line) (means []line) {
	for _, l := range lines {
		for _, span := range f.Means {
			var m moments
			for _, p := range l.points {
				if span[0] <= p.x && p.x <= span[1] {
					m.add(p.y)
				}
			}
			level := line{color: l.color, marker: l.marker}
			for _, x := range span {
				level.points = append(level.points, pointAt(x, m.average(), math.NaN()))
			}
			means = append(means, level)
		}
	}
	return means
}

// scaleTime gives a plot of the series its horizontal axis.
func (d *Data) scaleTime(f *Figure, p *plot.Plot) {
	if f.isLog(experiment.XAxis) {
		return
	}
	axis := &d.Experiment.Series[0]
	if p.X.Min < 0.1*p.X.Max { // time begins at 0
		p.X.Min = min(0, p.X.Min)
	}
	if axis.Unit == "h" && p.X.Max > 72 {
		p.X.Label.Text = "time [days]"
		p.X.Tick.Marker = numbers(24)
	}
}

// ends says how many replicates of a figure go on how far, if their series do
// not all have the same rows.
func (d *Data) ends(f *Figure) string {
	var ends []float64
	isUneven := false
	for _, i := range f.cells {
		c := &d.cells[i]
		isUneven = isUneven || c.uneven
		for _, last := range c.last {
			ends = append(ends, last[0])
		}
	}
	if !isUneven {
		return ""
	}
	slices.Sort(ends)
	axis := &d.Experiment.Series[0]
	var parts []string
	var before float64
	for quarter := range 5 {
		x := ends[(len(ends)-1)*quarter/4]
		if quarter > 0 && x == before {
			continue
		}
		before = x
		first, _ := slices.BinarySearch(ends, x)
		parts = append(parts, fmt.Sprintf("%d to %s", len(ends)-first, threeDigits(x)))
	}
	parts[0] = strings.Replace(parts[0], " to ", " go on to "+spaced(axis.Name)+" ", 1)
	text := fmt.Sprintf("; of %d %s %s", len(ends), d.replicates(), strings.Join(parts, ", "))
	if f.Hold {
		return text + "; those that have ended keep their last values"
	}
	return text + "; means are over those that go on"
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
