package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A rightAxis is a Plotter of an axis at the right of a plot, for a line that
// is drawn on the scale of the left one: y there is low + scale·y here.
type rightAxis struct {
	title      string
	low, scale float64
	color      draw.LineStyle
}

// addRight adds the figure's second column to a plot, with an axis of its own.
// The spans of both columns, from 0 if neither is below, fill the plot.
func (d *Data) addRight(f *Figure, p *plot.Plot, cells []int) {
	_, m := d.column(f.Right)
	lines, settled := d.timeLines(f, f.Right, cells)
	left := span{low: p.Y.Min, high: p.Y.Max}
	right := settled
	if d.rangeOf(&f.Figure, f.Y[0]).low >= 0 && d.rangeOf(&f.Figure, f.Right).low >= 0 {
		left.low = 0
		right.low = 0
	}
	if !(right.low < right.high) || !(left.low < left.high) {
		return
	}
	scale := (left.high - left.low) / (right.high - right.low)
	onLeft := func(y float64) float64 { return left.low + float64(scale*(y-right.low)) }
	lines = append(lines, f.meansOf(lines)...)
	for i := range lines {
		lines[i].color = orange
		lines[i].dashes = sequence(1).dashes
		for k := range lines[i].points {
			point := &lines[i].points[k]
			point.y = onLeft(point.y)
			point.low = onLeft(point.low)
			point.high = onLeft(point.high)
		}
	}
	p.Y.Min = left.low
	p.Y.Max = left.high
	f.drawLines(p, lines)
	p.Y.Min = left.low
	p.Y.Max = left.high
	p.Add(rightAxis{
		title: d.metricTitle(f, m),
		low:   right.low - left.low/scale,
		scale: 1 / scale,
		color: lines[0].stroke(),
	})
	f.note += "; dashed, with the axis at the right: " + d.metricTitle(f, m)
	if len(f.Means) > 0 {
		f.note += "; level: means of the time that they span"
	}
}

// ticks returns the ticks of the axis, with their places on the left one.
func (a rightAxis) ticks(p *plot.Plot) []plot.Tick {
	ticks := numbers(1)(a.low+a.scale*p.Y.Min, a.low+a.scale*p.Y.Max)
	for i := range ticks {
		ticks[i].Value = (ticks[i].Value - a.low) / a.scale
	}
	return ticks
}

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room of the axis.
func (a rightAxis) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	box := plot.GlyphBox{X: 1}
	box.Rectangle.Max.X = a.width(p) + 2*nameGap + labelSize*1.3
	return []plot.GlyphBox{box}
}

// width returns the room that the labels of ticks need.
func (a rightAxis) width(p *plot.Plot) vg.Length {
	var names []string
	for _, t := range a.ticks(p) {
		names = append(names, t.Label)
	}
	return widest(names) + 2*nameGap
}

// Plot implements plot.Plotter.
func (a rightAxis) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	line := draw.LineStyle{Color: ink, Width: axisWidth}
	x := c.Max.X + nameGap
	c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
	style := textStyle(tickSize)
	descent := style.FontExtents().Descent
	for _, t := range a.ticks(p) {
		y := toY(t.Value)
		if math.IsNaN(float64(y)) || y < c.Min.Y-1 || y > c.Max.Y+1 {
			continue
		}
		c.StrokeLine2(line, x, y, x+3, y)
		c.FillText(style, vg.Point{X: x + 2*nameGap + 1, Y: y + descent}, t.Label)
	}
	title := textStyle(labelSize)
	title.Rotation = math.Pi / 2
	title.XAlign = draw.XCenter
	title.YAlign = draw.YBottom
	middle := (c.Min.Y + c.Max.Y) / 2
	at := vg.Point{X: x + a.width(p) + labelSize*1.3, Y: middle}
	c.FillText(title, at, a.title)
}
