package plots

import (
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

// nameRows names rows of a panel, from bottom to top, and asks for room for
// them.
func (f *Figure) nameRows(p *plot.Plot, names []string) {
	p.NominalY(names...)
	height := 2.8*vg.Centimeter + min(vg.Length(len(names))*0.36, 12)*vg.Centimeter
	if f.Kind == experiment.Distribution { // which lie closer, and need no title
		height -= 0.8 * vg.Centimeter
	}
	f.height = max(f.height, height)
	f.width = max(f.width, 3*vg.Centimeter+widest(names))
}

// widest returns the width of the widest of some names.
func widest(names []string) vg.Length {
	return textStyle(tickSize).Width(strings.Join(names, "\n"))
}

// plot returns a plot of the fields.
func (f *fields) plot(of *Figure, title, x, y string) *plot.Plot {
	p := newPlot(title, x, y)
	if !(f.low < f.high) { // all are light
		f.high = f.low + 1
	}
	heat := plotter.NewHeatMap(f, blues{})
	heat.Min = f.low
	heat.Max = f.high
	p.Add(heat, f)
	p.NominalX(f.columns...)
	of.nameRows(p, f.rows)
	p.X.Padding = 0
	p.Y.Padding = 0
	return p
}

// blues is the palette of fields, from light to dark: the nine colours of
// "Blues" of Cynthia Brewer's palettes (colorbrewer2.org).
type blues struct{}

// Colors implements palette.Palette.
func (blues) Colors() []color.Color {
	return []color.Color{
		color.RGBA{0xf7, 0xfb, 0xff, 0xff},
		color.RGBA{0xde, 0xeb, 0xf7, 0xff},
		color.RGBA{0xc6, 0xdb, 0xef, 0xff},
		color.RGBA{0x9e, 0xca, 0xe1, 0xff},
		color.RGBA{0x6b, 0xae, 0xd6, 0xff},
		color.RGBA{0x42, 0x92, 0xc6, 0xff},
		color.RGBA{0x21, 0x71, 0xb5, 0xff},
		color.RGBA{0x08, 0x51, 0x9c, 0xff},
		color.RGBA{0x08, 0x30, 0x6b, 0xff},
	}
}

// Plot implements plot.Plotter: the values, crosses, and white lines between
// fields.
func (f *fields) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	width := toX(1) - toX(0)
	height := toY(1) - toY(0)
	hasRoom := height > tickSize && f.fit(width-2)
	for r, row := range f.values {
		for col, v := range row {
			at := vg.Point{X: toX(float64(col)), Y: toY(float64(r))}
			if math.IsInf(v, 0) {
				cross := draw.GlyphStyle{Color: ink, Radius: markRadius, Shape: draw.CrossGlyph{}}
				c.DrawGlyph(cross, at)
			} else if hasRoom && !math.IsNaN(v) {
				f.write(c, v, at)
			}
			left := at.X - width/2
			low := at.Y - height/2
			between := draw.LineStyle{Color: paper, Width: 0.8}
			c.StrokeLine2(between, left, low, left+width, low)
			c.StrokeLine2(between, left, low, left, low+height)
		}
	}
}

// fit reports whether all values fit into a width.
func (f *fields) fit(width vg.Length) bool {
	style := textStyle(tickSize)
	for _, v := range slices.Concat(f.values...) {
		written := !math.IsNaN(v) && !math.IsInf(v, 0)
		if written && style.Width(f.format(v)) >= width {
			return false
		}
	}
	return true
}

// write writes a value into its field.
func (f *fields) write(c draw.Canvas, v float64, at vg.Point) {
	style := textStyle(tickSize)
	style.XAlign = draw.XCenter
	const light = 5.5 / 8 // of the range: all but the last three of nine blues
	if v-f.low > light*(f.high-f.low) {
		style.Color = paper
	}
	at.Y += style.FontExtents().Descent
	c.FillText(style, at, f.format(v))
}

// mapPlot returns the map of a metric over two quantities in cells. A value
// that a cell does not use is a row or column of its own.
func (d *Data) mapPlot(f *Figure, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	panel := &fields{low: math.Inf(1), high: math.Inf(-1), format: threeDigits}
	for _, c := range f.cells {
		mean := d.cells[c].metric(m).average()
		if !math.IsNaN(mean) {
			panel.low = min(panel.low, mean)
			panel.high = max(panel.high, mean)
		}
	}
	columns := d.values(cells, f.X[0])
	rows := d.values(cells, f.Y[0])
	x, _ := d.Experiment.Param(f.X[0])
	y, _ := d.Experiment.Param(f.Y[0])
	for _, v := range columns {
		panel.columns = append(panel.columns, d.valueText(x, v))
	}
	for _, v := range rows {
		panel.rows = append(panel.rows, d.valueText(y, v))
		none := slices.Repeat([]float64{math.NaN()}, len(columns))
		panel.values = append(panel.values, none)
	}
	for _, c := range cells {
		mean := d.cells[c].metric(m).average()
		if d.cells[c].runs == 0 {
			mean = math.Inf(1)
		}
		row := slices.Index(rows, d.value(c, f.Y[0]))
		column := slices.Index(columns, d.value(c, f.X[0]))
		panel.values[row][column] = mean
	}
	f.note = "means %n, with those of the lightest and the darkest field"
	title := d.metricTitle(f, &d.Experiment.Metrics[m])
	if f.title != "" {
		title = f.title + ": " + title
	}
	title += ", " + panel.format(panel.low) + " to " + panel.format(panel.high)
	return panel.plot(f, title, d.paramTitle(f, f.X[0]), d.paramTitle(f, f.Y[0]))
}

func threeDigits(x float64) string { return formatNumber(x, 3) }
