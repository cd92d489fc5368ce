package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// A line goes through means.
type line struct {
	name   string // put at its end; may be empty
	look   look
	marks  bool // whether a mark, and a bar for the limits, is at each point
	points []point
	runs   [][]point // single runs, drawn faintly
}

// A point is a mean with the margin of its limits; y or the margin NaN: not
// defined. On a logarithmic axis, numbers are their decimal logarithms:
// gonum's LogScale makes wrong room for the titles of axes.
type point struct{ x, y, margin float64 }

// addLines draws lines into a plot: what is faint lies below what is not.
func addLines(p *plot.Plot, lines []line) {
	p.Add(&plotter.Grid{Horizontal: draw.LineStyle{Color: faded, Width: thinWidth}})
	for _, l := range lines {
		for _, run := range l.runs {
			stroke(p, run, draw.LineStyle{Color: translucent(l.look.color, 0.25), Width: thinWidth})
		}
		if len(l.runs) > 0 { // makes the line stand out
			stroke(p, l.points, draw.LineStyle{Color: translucent(paper, 0.8), Width: 2.5 * lineWidth})
		}
	}
	for _, l := range lines {
		l.addLimits(p)
	}
	for _, l := range lines {
		stroke(p, l.points, l.look.line())
		for _, xys := range segments(l.points, 0) {
			if l.marks || len(xys) == 1 { // a point alone would not be seen
				p.Add(&plotter.Scatter{XYs: xys, GlyphStyle: l.look.glyph()})
			}
		}
	}
	p.Add(endLabels(lines))
}

// stroke draws a line through points.
func stroke(p *plot.Plot, points []point, style draw.LineStyle) {
	for _, xys := range segments(points, 0) {
		p.Add(&plotter.Line{XYs: xys, LineStyle: style})
	}
}

// addLimits draws the limits: as bars at marks, or else as a band.
func (l *line) addLimits(p *plot.Plot) {
	lower, upper := segments(l.points, -1), segments(l.points, 1)
	for i, edge := range lower {
		if !l.marks && len(edge) > 1 {
			slices.Reverse(upper[i])
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(edge, upper[i]...)}, Color: translucent(l.look.color, 0.22)})
			continue
		}
		bars := &plotter.YErrorBars{XYs: edge, YErrors: make(plotter.YErrors, len(edge)), CapWidth: 3,
			LineStyle: draw.LineStyle{Color: l.look.color, Width: lineWidth * 0.7}}
		for k := range edge {
			bars.YErrors[k].High = upper[i][k].Y - edge[k].Y
		}
		p.Add(bars)
	}
}

// segments returns the points of a line, so many margins off it, broken where
// they are not defined.
func segments(points []point, margins float64) []plotter.XYs {
	var all []plotter.XYs
	open := false
	for _, p := range points {
		if margins != 0 {
			p.y += margins * p.margin
		}
		if math.IsNaN(p.y) {
			open = false
			continue
		}
		if !open {
			all, open = append(all, nil), true
		}
		all[len(all)-1] = append(all[len(all)-1], plotter.XY{X: p.x, Y: p.y})
	}
	return all
}

// endLabels is a Plotter of the names of lines: to the right of the plot,
// each after a sample of its line that leads from the line's end to the name.
type endLabels []line

const (
	nameGap    = vg.Length(2)
	sampleSize = vg.Length(13)
	nameHeight = tickSize * 1.15
	longName   = vg.Length(58)
)

// wrapped returns the name in lines.
func (l *line) wrapped() string { return strings.Join(wrap(l.name, longName), "\n") }

// end returns the last point that is defined.
func (l *line) end() (y float64, ok bool) {
	for _, p := range slices.Backward(l.points) {
		if !math.IsNaN(p.y) {
			return p.y, l.name != ""
		}
	}
	return 0, false
}

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room that names need.
func (ls endLabels) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	var boxes []plot.GlyphBox
	for _, l := range ls {
		if _, ok := l.end(); ok {
			width := 2*nameGap + sampleSize + textStyle(tickSize).Width(l.wrapped())
			boxes = append(boxes, plot.GlyphBox{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width}}})
		}
	}
	return boxes
}

// Plot implements plot.Plotter.
func (ls endLabels) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	var named []line
	var ends, heights []vg.Length
	for _, l := range ls {
		if y, ok := l.end(); ok {
			named, ends = append(named, l), append(ends, min(max(toY(y), c.Min.Y), c.Max.Y))
			heights = append(heights, nameHeight*vg.Length(1+strings.Count(l.wrapped(), "\n")))
		}
	}
	places := spread(ends, heights, c.Min.Y-nameHeight, c.Max.Y+nameHeight/3)
	left, style := c.Max.X+nameGap, textStyle(tickSize)
	for i, l := range named {
		c.StrokeLine2(l.look.line(), left, ends[i], left+sampleSize, places[i])
		if l.marks {
			c.DrawGlyphNoClip(l.look.glyph(), vg.Point{X: left + sampleSize/2, Y: (ends[i] + places[i]) / 2})
		}
		c.FillText(style, vg.Point{X: left + sampleSize + nameGap, Y: places[i] + style.FontExtents().Descent}, l.wrapped())
	}
}

// spread returns the middles of labels, near those wanted, so that none covers
// another and all are between low and high, as long as they have room there.
// It is halfway between moving labels only up and only down.
func spread(wanted, heights []vg.Length, low, high vg.Length) []vg.Length {
	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })
	up, down := slices.Clone(wanted), slices.Clone(wanted)
	raise := func(places []vg.Length, end vg.Length) {
		for _, i := range order {
			places[i] = max(places[i], end+heights[i]/2)
			end = places[i] + heights[i]/2
		}
	}
	lower := func(places []vg.Length, end vg.Length) {
		for _, i := range slices.Backward(order) {
			places[i] = min(places[i], end-heights[i]/2)
			end = places[i] - heights[i]/2
		}
	}
	raise(up, low)
	lower(up, high)
	lower(down, high)
	raise(down, low)
	for i := range up {
		up[i] = (up[i] + down[i]) / 2
	}
	return up
}

// timePlot returns a plot of a column of the series, with a line for each
// group of cells that agree in some parameters; a group is one cell.
func (d *Data) timePlot(l *layout, column string, cells []int) *plot.Plot {
	at, m := d.column(column)
	p := newPlot(l.title, d.title(l.Figure, &d.Experiment.Series.Axis), d.title(l.Figure, m))
	l.note = "mean and 95 % confidence band %n"
	var lines []line
	groups := d.groupBy(cells, l.colour)
	end, y := 0., &plot.Axis{Min: math.Inf(1), Max: math.Inf(-1)} // y: of what is from ScaleFrom on
	for i, look := range d.looks(groups, l.colour) {
		t := &d.cells[groups[i].cells[0]].traces[at]
		one := line{look: look, name: d.lineName(l, groups, i)}
		for _, at := range t.at {
			m := d.limits(&at.moments)
			one.points = append(one.points, point{at.x, m.mean, m.margin})
			if end = max(end, at.x); at.x >= l.ScaleFrom && m.n > 1 {
				y.Min, y.Max = min(y.Min, m.mean-2*m.margin), max(y.Max, m.mean+2*m.margin)
			}
		}
		if len(groups) <= mostFaint && t.count > 1 {
			one.runs = t.runs[:min(len(t.runs), mostRuns/len(groups))]
			l.doubt = "; faint: single ones"
		}
		lines = append(lines, one)
	}
	addLines(p, append(lines, d.levels(l, column, cells, 0, end)...))
	if p.X.Min < 0.1*end { // time begins at 0
		p.X.Min = min(0, p.X.Min)
	}
	if d.Experiment.Series.Axis.Unit == "h" && end > 72 {
		p.X.Label.Text, p.X.Tick.Marker = "time [days]", numbers{per: 24}
	}
	if l.ScaleFrom > 0 && y.Min < y.Max {
		p.Y.Min, p.Y.Max = y.Min, y.Max
		l.note += fmt.Sprintf("; scaled to what is from %s %s on", formatNumber(l.ScaleFrom, 3), d.Experiment.Series.Axis.Name)
	}
	if l.Marks != "" {
		every := d.cells[cells[0]].params[d.param(l.Marks)]
		l.note += "; dashed: " + valueName(&d.Experiment.Params[d.param(l.Marks)], every)
		p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
			for x := every.Float(); x > 0 && x < end; x += every.Float() {
				at := c.X(p.X.Norm(x))
				c.StrokeLine2(draw.LineStyle{Color: ink, Width: thinWidth, Dashes: []vg.Length{4, 2}}, at, c.Min.Y, at, c.Max.Y)
			}
		}))
	}
	return p
}

// A painter is a Plotter that does not set the scale of axes.
type painter func(c draw.Canvas, p *plot.Plot)

// Plot implements plot.Plotter.
func (paint painter) Plot(c draw.Canvas, p *plot.Plot) { paint(c, p) }

// column returns a column of the series and its place.
func (d *Data) column(name string) (at int, m *experiment.Metric) {
	columns := d.Experiment.Series.Columns
	at = slices.IndexFunc(columns, func(m experiment.Metric) bool { return m.Name == name })
	return at, &columns[at]
}

// lineName is the name of a group's line, empty if it is the only one.
func (d *Data) lineName(l *layout, groups []group, i int) string {
	if len(groups) == 1 && l.title != "" {
		return ""
	}
	return d.name(l.colour, groups[i].key)
}

// levels returns the horizontal lines of a figure to compare with.
func (d *Data) levels(l *layout, y string, cells []int, from, to float64) (lines []line) {
	for _, v := range l.Levels {
		if v.Param != "" {
			v.Value = d.cells[cells[0]].params[d.param(v.Param)].Float()
		}
		if v.Y == y {
			lines = append(lines, line{name: v.Label, look: look{color: ink, dashes: []vg.Length{1, 1.5}},
				points: []point{{from, v.Value, math.NaN()}, {to, v.Value, math.NaN()}}})
		}
	}
	return lines
}

// against returns a plot of a metric against a quantity, with a line for
// each group of cells that agree in some parameters. Cells of a group that
// share a value of the quantity are averaged. A group that does not use the
// quantity has the same value everywhere.
func (d *Data) against(l *layout, x, metric string, cells []int) *plot.Plot {
	axis, m := d.param(x), d.Experiment.Metric(metric)
	p := newPlot(l.title, paramTitle(l.Figure, &d.Experiment.Params[axis]), d.title(l.Figure, &d.Experiment.Metrics[m]))
	l.note = "mean and 95 % confidence limits %n"
	if len(l.X) > 1 {
		l.note = "means over all settings of the other axes, 95 % confidence limits %n"
		if even := d.balanced(cells, axis, l.colour); len(even) < len(cells) {
			cells = even
			l.note = "means over those settings of the other axes that have all values, 95 % confidence limits %n"
		}
	}
	var values []float64
	for _, v := range d.values(l.cells, axis) {
		if !v.IsNull() {
			values = append(values, v.Float())
		}
	}
	scale := func(x float64) float64 { return x }
	if isGeometric(values) {
		scale, p.X.Tick.Marker = math.Log10, decades{}
	}
	if len(values) <= 8 {
		var ticks plot.ConstantTicks
		for _, v := range values {
			ticks = append(ticks, plot.Tick{Value: scale(v), Label: formatNumber(v, 3)})
		}
		p.X.Tick.Marker = ticks
	}
	first, last := scale(values[0]), scale(values[len(values)-1])
	var lines []line
	groups := d.groupBy(cells, l.colour)
	for i, look := range d.looks(groups, l.colour) {
		one := line{look: look, name: d.lineName(l, groups, i), marks: true}
		for _, at := range d.groupBy(groups[i].cells, []int{axis}) {
			mean, v := d.mean(m, at.cells), at.key[0]
			if v.IsNull() {
				one.marks = false
				one.points = append(one.points, point{first, mean.mean, mean.margin}, point{last, mean.mean, mean.margin})
				break
			}
			to := scale(v.Float())
			one.points = append(one.points, point{to, mean.mean, mean.margin})
			if !slices.ContainsFunc(at.cells, func(c int) bool { return d.cells[c].runs > 0 }) {
				l.doubt = "; ×: no run succeeded"
				cross := draw.GlyphStyle{Color: look.color, Radius: markRadius, Shape: draw.CrossGlyph{}}
				p.Add(painter(func(c draw.Canvas, p *plot.Plot) {
					c.DrawGlyphNoClip(cross, vg.Point{X: c.X(p.X.Norm(to)), Y: c.Min.Y})
				}))
			}
		}
		lines = append(lines, one)
	}
	addLines(p, lines)
	p.X.Min, p.X.Max = first-0.03*(last-first), last
	return p
}

// distribution returns a plot of how many have each value of the series'
// axis, all runs of a cell taken together, with the slopes measured. Both
// axes are logarithmic.
func (d *Data) distribution(l *layout, cells []int) *plot.Plot {
	e := d.Experiment
	var lines []line
	var said []string
	var p *plot.Plot
	for i, s := range l.Slopes {
		at, m := d.column(s.Y)
		said = append(said, withMinus(fmt.Sprintf("%s %v", s.Label, s.Paper)))
		if p == nil {
			p = newPlot(l.title, d.title(l.Figure, &e.Series.Axis), d.title(l.Figure, m))
			p.X.Tick.Marker, p.Y.Tick.Marker = decades{}, decades{}
		}
		shares, bins := shares(&d.cells[cells[0]].traces[at])
		if len(bins) == 0 {
			l.doubt = "; empty: no run succeeded"
			continue
		}
		slope := d.mean(e.Metric(s.Metric), cells).mean
		one := line{look: sequence(i), name: fmt.Sprintf("%s: %s", s.Label, withMinus(fmt.Sprintf("%.2f", slope)))}
		var mx, my moments // the least-squares line goes through the middle
		for _, b := range bins {
			mx.add(b.X)
			my.add(b.Y)
		}
		for _, b := range []plotter.XY{bins[0], bins[len(bins)-1]} {
			one.points = append(one.points, point{b.X, my.mean + float64(slope*(b.X-mx.mean)), math.NaN()})
		}
		small := draw.GlyphStyle{Color: translucent(one.look.color, 0.5), Radius: markRadius / 3, Shape: draw.CircleGlyph{}}
		p.Add(&plotter.Scatter{XYs: shares, GlyphStyle: small}, &plotter.Scatter{XYs: bins, GlyphStyle: one.look.glyph()})
		lines = append(lines, one)
	}
	addLines(p, lines)
	l.note = "small dots: each value; marks: bins that double; lines: mean slope %n; the paper's slopes: " + strings.Join(said, ", ")
	return p
}

// shares returns the values above zero that occur, and the share that each has
// of all that are above zero; and the points to which slopes are fitted, one
// for each bin from a power of two to the next in which there is any: its
// geometric middle, and its share over the number of values in it. All are
// decimal logarithms.
func shares(t *trace) (each, bins plotter.XYs) {
	total := 0.0
	for _, k := range t.at {
		if k.x > 0 {
			total += k.mean * float64(k.n)
		}
	}
	from, sum := 1., 0.
	flush := func() {
		if sum > 0 {
			bins = append(bins, plotter.XY{X: math.Log10(from*(2*from-1)) / 2, Y: math.Log10(sum / from)})
		}
		from, sum = 2*from, 0
	}
	for _, k := range t.at {
		share := k.mean * float64(k.n) / total
		if k.x <= 0 || share <= 0 {
			continue
		}
		for k.x >= 2*from {
			flush()
		}
		sum += share
		each = append(each, plotter.XY{X: math.Log10(k.x), Y: math.Log10(share)})
	}
	flush()
	return each, bins
}
