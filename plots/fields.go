package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/palette/brewer"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
	"sweep/internal/lists"
)

// fields is a Plotter of fields in rows and columns, darker where their value
// is larger, with the values written into them if they have room.
type fields struct {
	columns, rows []string    // rows from bottom to top
	values        [][]float64 // [row][column]; NaN: none; infinite: no run succeeded, crossed
	low, high     float64     // the values of the lightest and the darkest colour
	format        func(float64) string
}

// Dims, X, Y and Z implement plotter.GridXYZ.
func (f *fields) Dims() (columns, rows int) { return len(f.columns), len(f.rows) }
func (f *fields) X(column int) float64      { return float64(column) }
func (f *fields) Y(row int) float64         { return float64(row) }
func (f *fields) Z(column, row int) float64 { return f.values[row][column] }

// nameRows names rows of a panel, from bottom to top, and asks for room for them.
func (f *Figure) nameRows(p *plot.Plot, names []string) {
	p.NominalY(names...)
	height := 2.8*vg.Centimeter + min(vg.Length(len(names))*0.36, 12)*vg.Centimeter
	if f.Kind == experiment.Strips { // which lie closer, and need no title
		height -= 0.8 * vg.Centimeter
	}
	f.height = max(f.height, height)
	f.width = max(f.width, 3*vg.Centimeter+widest(names))
}

// widest returns the width of the widest of some names.
func widest(names []string) vg.Length { return textStyle(tickSize).Width(strings.Join(names, "\n")) }

// plot returns a plot of the fields.
func (f *fields) plot(of *Figure, title, x, y string) *plot.Plot {
	p := newPlot(title, x, y)
	if !(f.low < f.high) { // all are light
		f.high = f.low + 1
	}
	blues, _ := brewer.GetPalette(brewer.TypeSequential, "Blues", 9) // there is one
	heat := plotter.NewHeatMap(f, blues)
	heat.Min, heat.Max = f.low, f.high
	p.Add(heat, f)
	p.NominalX(f.columns...)
	of.nameRows(p, f.rows)
	p.X.Padding, p.Y.Padding = 0, 0
	return p
}

// Plot implements plot.Plotter: the values, crosses, and white lines between fields.
func (f *fields) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	width, height := toX(1)-toX(0), toY(1)-toY(0)
	style := textStyle(tickSize)
	style.XAlign = draw.XCenter
	room := height > tickSize
	for _, v := range slices.Concat(f.values...) {
		room = room && (math.IsNaN(v) || math.IsInf(v, 0) || style.Width(f.format(v)) < width-2)
	}
	for r, row := range f.values {
		for col, v := range row {
			at := vg.Point{X: toX(float64(col)), Y: toY(float64(r))}
			if math.IsInf(v, 0) {
				c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: markRadius, Shape: draw.CrossGlyph{}}, at)
			} else if room && !math.IsNaN(v) {
				if style.Color = ink; v-f.low > 5.5/8*(f.high-f.low) { // in the last three of nine blues
					style.Color = paper
				}
				c.FillText(style, vg.Point{X: at.X, Y: at.Y + style.FontExtents().Descent}, f.format(v))
			}
			left, low := at.X-width/2, at.Y-height/2
			c.StrokeLine2(draw.LineStyle{Color: paper, Width: 0.8}, left, low, left+width, low)
			c.StrokeLine2(draw.LineStyle{Color: paper, Width: 0.8}, left, low, left, low+height)
		}
	}
}

// mapPlot returns the map of a metric over two quantities in cells. A value
// that a cell does not use is a row or column of its own.
func (d *Data) mapPlot(f *Figure, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	panel := &fields{low: math.Inf(1), high: math.Inf(-1)}
	panel.format = func(x float64) string { return formatNumber(x, 3) }
	for _, c := range f.cells {
		if mean := d.cells[c].metric(m).average(); !math.IsNaN(mean) {
			panel.low, panel.high = min(panel.low, mean), max(panel.high, mean)
		}
	}
	columns, rows := d.values(cells, f.X[0]), d.values(cells, f.Rows)
	panel.columns, panel.rows = lists.Map(columns, valueText), lists.Map(rows, valueText)
	for range rows {
		panel.values = append(panel.values, slices.Repeat([]float64{math.NaN()}, len(columns)))
	}
	for _, c := range cells {
		mean := d.cells[c].metric(m).average()
		if d.cells[c].runs == 0 {
			mean = math.Inf(1)
		}
		panel.values[slices.Index(rows, d.value(c, f.Rows))][slices.Index(columns, d.value(c, f.X[0]))] = mean
	}
	f.note = "means %n, with those of the lightest and the darkest field"
	title := strings.TrimPrefix(f.title+": "+d.metricTitle(f, &d.Experiment.Metrics[m]), ": ")
	title += ", " + panel.format(panel.low) + " to " + panel.format(panel.high)
	return panel.plot(f, title, d.paramTitle(f, f.X[0]), d.paramTitle(f, f.Rows))
}

// effectsPlot returns the map of how far each axis moves each metric.
func (d *Data) effectsPlot(f *Figure) *plot.Plot {
	panel := &fields{high: 1, format: func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }}
	names := append(slices.Clone(f.X), cmp.Or(strings.Join(d.over, " and "), "seeds"))
	panel.columns = lists.Map(names, func(x string) string { return broken(spaced(x), 30) })
	for _, y := range slices.Backward(f.Y) {
		panel.rows = append(panel.rows, d.label(y))
		panel.values = append(panel.values, d.totalEffects(d.Experiment.Metric(y), f.X))
	}
	f.note = "total effects %n, the shares of the variance that are left if all other axes are held; " +
		"what axes do together counts for each of them, so that rows need not add up to 100 %"
	p := panel.plot(f, f.title, "", "")
	column := widest(panel.columns) + 6 // all columns must have their names
	f.width = max(f.width, widest(panel.rows)+vg.Length(len(panel.columns))*column)
	return p
}

// totalEffects returns, for each axis, its total effect on a metric (Homma
// and Saltelli, Importance measures in global sensitivity analysis, 1996):
// the variance of the cells' means that is left, on average, when all other
// axes are held, as a share of the variance of single runs; and last the share of
// the variance within cells, which the seeds explain, or what means are taken over.
//
// All cells count alike. An axis that has one value where the others are
// held has no effect there, so that it does not matter whether the grid is
// complete. Axes that only some algorithms use are not held for the effect of
// the algorithm, but averaged over. A mean of n runs also moves by chance, so
// that effects below the seeds' share / n are noise.
func (d *Data) totalEffects(metric int, axes []string) (effects []float64) {
	var all, within moments
	var defined []int
	means := make([]float64, len(d.cells))
	for i := range d.cells {
		m := d.cells[i].metric(metric)
		if m.n > 0 {
			defined, means[i] = append(defined, i), m.mean
			all.add(m.mean)
		}
		if m.n > 1 {
			within.add(m.variance())
		}
	}
	total := all.squares/float64(all.n) + within.mean
	of := func(cells []int) (m moments) {
		m.add(lists.Map(cells, func(c int) float64 { return means[c] })...)
		return m
	}
	for _, axis := range axes {
		held := slices.DeleteFunc(slices.Clone(axes), func(name string) bool {
			p, _ := d.Experiment.Param(name)
			return name == axis || axis == experiment.Algorithm && p.UsedBy != nil
		})
		sum := 0.0 // of squares between the values of the axis
		for _, g := range d.groupBy(defined, held) {
			sum += of(g).squares
			for _, same := range d.groupBy(g, []string{axis}) {
				sum -= of(same).squares
			}
		}
		effects = append(effects, max(0, min(sum/float64(all.n)/total, 1))) // sums are rounded
	}
	return append(effects, within.average()/total)
}

// stripPlot returns a plot of single runs: a row for each cell, with a dot for
// each run, and the mean with its limits.
func (d *Data) stripPlot(f *Figure, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	p := newPlot(f.title, d.metricTitle(f, &d.Experiment.Metrics[m]), "")
	p.Add(&plotter.Grid{Vertical: draw.LineStyle{Color: faded, Width: thinWidth}})
	var rows []string
	groups := d.groupBy(cells, f.Colour) // of one cell
	for i, g := range groups {
		same := 0 // parameters, as in the row above, which are not said again
		for i > 0 && d.value(g[0], f.Colour[same]) == d.value(groups[i-1][0], f.Colour[same]) {
			same++
		}
		name := d.name(f.Colour[same:], g)
		if values := d.cells[g[0]].values; values != nil {
			d.addStrip(p, values[m], &d.lines(groups[i:i+1], nil)[0], float64(len(groups)-1-i))
		} else {
			name += " (failed)"
		}
		rows = append(rows, name)
	}
	f.note = "dots: single ones; mark: mean, 95 % limits %n"
	slices.Reverse(rows)
	padding := p.X.Padding
	f.nameRows(p, rows)
	p.X.Padding = padding
	p.Y.Min, p.Y.Max = -0.6, float64(len(rows))-0.4
	room := 0.04 * (p.X.Max - p.X.Min)
	p.X.Min, p.X.Max = p.X.Min-room, p.X.Max+room
	return p
}

// addStrip draws runs at a height.
func (d *Data) addStrip(p *plot.Plot, values []float64, l *line, y float64) {
	const half = 0.3
	glyph := draw.GlyphStyle{Color: translucent(l.color, 0.6), Radius: 0.9, Shape: draw.CircleGlyph{}}
	dots := &plotter.Scatter{GlyphStyle: glyph}
	var m moments
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		m.add(v)
		// The golden ratio scatters any number of dots evenly.
		_, at := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
		dots.XYs = append(dots.XYs, plotter.XY{X: v, Y: y + half*float64(1.6*at-0.8)})
	}
	if m.n == 0 {
		return
	}
	p.Add(dots)
	mean, margin := m.limits()
	at, stroke := plotter.XYs{{X: mean, Y: y}}, draw.LineStyle{Color: ink, Width: lineWidth}
	if m.n > 1 {
		p.Add(&plotter.XErrorBars{XYs: at, XErrors: plotter.XErrors{{Low: margin, High: margin}}, LineStyle: stroke})
	}
	l.color = ink
	p.Add(&plotter.Scatter{XYs: at, GlyphStyle: l.glyph()})
}
