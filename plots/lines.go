package plots

import (
	"cmp"
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
	"sweep/internal/lists"
)

// A line goes through means. Any two of colour, dashes and marker tell it apart
// from others.
type line struct {
	name   string // put at its end; may be empty
	color  color.NRGBA
	dashes []vg.Length // in points; nil: solid
	marker draw.GlyphDrawer
	marks  bool // whether a mark, and a bar for the limits, is at each point

	// points are means Y with the margins Z of their limits; NaN: not defined. On
	// a logarithmic axis, numbers are their decimal logarithms: gonum's LogScale
	// makes wrong room for the titles of axes.
	points plotter.XYZs
}

func (l *line) stroke() draw.LineStyle {
	return draw.LineStyle{Color: l.color, Width: lineWidth, Dashes: l.dashes}
}

func (l *line) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: l.color, Radius: markRadius, Shape: l.marker}
}

// addLines draws lines into a plot of the figure, above all limits.
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
	unnamed := func(l line) bool { return l.name == "" || math.IsNaN(l.end()) }
	named, height := slices.DeleteFunc(slices.Clone(lines), unnamed), vg.Length(0)
	for i := range named {
		named[i].name = broken(named[i].name, longName)
		height += named[i].height()
	}
	slices.SortStableFunc(named, func(a, b line) int { return cmp.Compare(a.end(), b.end()) })
	p.Add(annotations{lines: named})
	f.height = max(f.height, 5*vg.Centimeter, 2*vg.Centimeter+height)
}

// addLimits draws the limits: as bars at marks, or else as a band.
func (l *line) addLimits(p *plot.Plot) {
	lower, upper := segments(l.points, -1), segments(l.points, 1)
	for i, edge := range lower {
		if !l.marks && len(edge) > 1 {
			slices.Reverse(upper[i])
			p.Add(&plotter.Polygon{XYs: []plotter.XYs{append(edge, upper[i]...)}, Color: translucent(l.color, 0.22)})
			continue
		}
		bars := &plotter.YErrorBars{XYs: edge, YErrors: make(plotter.YErrors, len(edge)), CapWidth: 3,
			LineStyle: draw.LineStyle{Color: l.color, Width: lineWidth * 0.7}}
		for k := range edge {
			bars.YErrors[k].High = upper[i][k].Y - edge[k].Y
		}
		p.Add(bars)
	}
}

// segments returns the points of a line, so many margins off it, broken where
// they are not defined.
func segments(points plotter.XYZs, margins float64) []plotter.XYs {
	all := make([]plotter.XYs, 1)
	for _, p := range points {
		if margins != 0 {
			p.Y += margins * p.Z
		}
		if last := len(all) - 1; !math.IsNaN(p.Y) {
			all[last] = append(all[last], plotter.XY{X: p.X, Y: p.Y})
		} else if len(all[last]) > 0 {
			all = append(all, nil)
		}
	}
	return slices.DeleteFunc(all, func(xys plotter.XYs) bool { return len(xys) == 0 })
}

// annotations is a Plotter of the names of lines, from bottom to top: to the right
// of the plot, each after a sample of its line that leads from the line's end to
// the name; and of dashed vertical lines at multiples of every up to end.
type annotations struct {
	lines      []line
	every, end float64
}

// height returns the room that the name needs.
func (l *line) height() vg.Length { return nameHeight * vg.Length(1+strings.Count(l.name, "\n")) }

// end returns the last y that is defined; NaN if there is none.
func (l *line) end() float64 {
	for _, p := range slices.Backward(l.points) {
		if !math.IsNaN(p.Y) {
			return p.Y
		}
	}
	return math.NaN()
}

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room that names need.
func (a annotations) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if len(a.lines) == 0 {
		return nil
	}
	width := 2*nameGap + sampleSize + widest(lists.Map(a.lines, func(l line) string { return l.name }))
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: width}}}}
}

// Plot implements plot.Plotter.
func (a annotations) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	dashed := draw.LineStyle{Color: ink, Width: thinWidth, Dashes: []vg.Length{4, 2}}
	for x := a.every; x > 0 && x < a.end; x += a.every {
		c.StrokeLine2(dashed, toX(x), c.Min.Y, toX(x), c.Max.Y)
	}
	var ends, heights []vg.Length
	for _, l := range a.lines {
		ends = append(ends, min(max(toY(l.end()), c.Min.Y), c.Max.Y))
		heights = append(heights, l.height())
	}
	places := spread(ends, heights, c.Min.Y-nameHeight, c.Max.Y+nameHeight/3)
	left, style := c.Max.X+nameGap, textStyle(tickSize)
	for i, l := range a.lines {
		c.StrokeLine2(l.stroke(), left, ends[i], left+sampleSize, places[i])
		if l.marks {
			c.DrawGlyphNoClip(l.glyph(), vg.Point{X: left + sampleSize/2, Y: (ends[i] + places[i]) / 2})
		}
		c.FillText(style, vg.Point{X: left + sampleSize + nameGap, Y: places[i] + style.FontExtents().Descent}, l.name)
	}
}

// spread returns the middles of labels, near those wanted from bottom to top,
// so that none covers another and all are between low and high, as long as they
// have room there: it raises those that would cover the one below, and lowers
// them all if the last one leaves the room.
func spread(wanted, heights []vg.Length, low, high vg.Length) []vg.Length {
	places := slices.Clone(wanted)
	for i, h := range heights {
		places[i] = max(places[i], low+h/2)
		low = places[i] + h/2
	}
	for i, h := range slices.Backward(heights) {
		places[i] = min(places[i], high-h/2)
		high = places[i] - h/2
	}
	return places
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
	end, y := 0., &plot.Axis{Min: math.Inf(1), Max: math.Inf(-1)} // y: of what is from ScaleFrom on
	for i, g := range groups {
		for _, row := range d.cells[g[0]].series {
			x := row[0].mean
			mean, margin := row[at].limits()
			lines[i].points = append(lines[i].points, plotter.XYZ{X: x, Y: mean, Z: margin})
			if end = max(end, x); x >= f.ScaleFrom && !math.IsNaN(margin) {
				y.Min, y.Max = min(y.Min, mean-2*margin), max(y.Max, mean+2*margin)
			}
		}
	}
	f.addLines(p, lines)
	if p.X.Min < 0.1*end { // time begins at 0
		p.X.Min = min(0, p.X.Min)
	}
	if axis.Unit == "h" && end > 72 {
		p.X.Label.Text, p.X.Tick.Marker = "time [days]", numbers(24)
	}
	if f.ScaleFrom > 0 && y.Min < y.Max {
		p.Y.Min, p.Y.Max = y.Min, y.Max
		f.note += fmt.Sprintf("; scaled to what is from %s %s on", formatNumber(f.ScaleFrom, 3), axis.Name)
	}
	if f.Marks != "" {
		every := d.value(cells[0], f.Marks)
		f.note += "; dashed: " + d.valueName(f.Marks, every)
		p.Add(annotations{every: every.Float(), end: end})
	}
	return p
}

// column returns a column of the series and its place, of which the axis has the first.
func (d *Data) column(name string) (at int, m *experiment.Metric) {
	at = slices.IndexFunc(d.Experiment.Series, func(m experiment.Metric) bool { return m.Name == name })
	return at, &d.Experiment.Series[at]
}

// against returns a plot of a metric against a quantity, with a line for
// each group of cells that agree in some parameters. Cells of a group that
// share a value of the quantity are averaged. A group that does not use the
// quantity has the same value everywhere.
func (d *Data) against(f *Figure, x, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	p := newPlot(f.title, d.paramTitle(f, x), d.metricTitle(f, &d.Experiment.Metrics[m]))
	f.note = "mean and 95 % confidence limits %n"
	if len(f.X) > 1 {
		kept, which := d.balanced(m, cells, x, f.Colour)
		cells, f.settings = kept, max(f.settings, which)
		f.note = "means over " + []string{"all settings of the other axes",
			"those settings of the other axes that have all values",
			"what settings of the other axes there are, not the same at each mark"}[f.settings] +
			", 95 % confidence limits %n"
	}
	var values []float64
	for _, v := range d.values(f.cells, x) {
		if !v.IsNull() {
			values = append(values, v.Float())
		}
	}
	scale := func(x float64) float64 { return x }
	if isGeometric(values) {
		scale, p.X.Tick.Marker = math.Log10, decades
	}
	if len(values) <= 8 {
		p.X.Tick.Marker = plot.ConstantTicks(lists.Map(values, func(v float64) plot.Tick {
			return plot.Tick{Value: scale(v), Label: formatNumber(v, 3)}
		}))
	}
	first, last := scale(values[0]), scale(values[len(values)-1])
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
				one.points = plotter.XYZs{{X: first, Y: mean, Z: margin}, {X: last, Y: mean, Z: margin}}
				break
			}
			one.points = append(one.points, plotter.XYZ{X: scale(v.Float()), Y: mean, Z: margin})
		}
	}
	f.addLines(p, lines)
	p.X.Min, p.X.Max = first-0.03*(last-first), last
	return p
}

// distribution returns a plot of how many have each value of the series' axis, all runs
// of a cell taken together, with the slopes measured. Both axes are logarithmic.
func (d *Data) distribution(f *Figure, cells []int) *plot.Plot {
	var lines []line
	var said []string
	_, first := d.column(f.Slopes[0].Y)
	p := newPlot(f.title, d.metricTitle(f, &d.Experiment.Series[0]), d.metricTitle(f, first))
	p.X.Tick.Marker, p.Y.Tick.Marker = decades, decades
	for i, s := range f.Slopes {
		at, _ := d.column(s.Y)
		said = append(said, withMinus(fmt.Sprintf("%s %v", s.Label, s.Paper)))
		shares, bins := shares(d.cells[cells[0]].series, at)
		if len(bins) == 0 {
			continue
		}
		slope, _ := d.mean(d.Experiment.Metric(s.Metric), cells)
		one := sequence(i)
		one.name = fmt.Sprintf("%s: %s", s.Label, withMinus(fmt.Sprintf("%.2f", slope)))
		var mx, my moments // the least-squares line goes through the middle
		for _, b := range bins {
			mx.add(b.X)
			my.add(b.Y)
		}
		for _, x := range []float64{bins[0].X, bins[len(bins)-1].X} {
			y := my.mean + float64(slope*(x-mx.mean))
			one.points = append(one.points, plotter.XYZ{X: x, Y: y, Z: math.NaN()})
		}
		small := draw.GlyphStyle{Color: translucent(one.color, 0.5), Radius: markRadius / 3, Shape: draw.CircleGlyph{}}
		p.Add(&plotter.Scatter{XYs: shares, GlyphStyle: small}, &plotter.Scatter{XYs: bins, GlyphStyle: one.glyph()})
		lines = append(lines, one)
	}
	f.addLines(p, lines)
	f.note = "small dots: each value; marks: bins that double; lines: mean slope %n; the paper's slopes: " + strings.Join(said, ", ")
	return p
}

// shares returns the values above zero that occur, and the share that each has of all
// that are above zero; and the points to which slopes are fitted, one for each bin from
// a power of two to the next in which there is any: its geometric middle, and its share
// over the number of values in it. All are decimal logarithms.
func shares(series [][]moments, column int) (each, bins plotter.XYs) {
	total := 0.0
	for _, row := range series {
		if k := row[column]; row[0].mean > 0 {
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
	for _, row := range series {
		x, k := row[0].mean, row[column]
		share := k.mean * float64(k.n) / total
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
