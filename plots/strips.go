package plots

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A strips is a panel that shows runs one by one: a row for each cell, with
// a dot for each run, a box from the first to the third quartile with the
// median in it, and the mean with its confidence limits.
type strips struct {
	title, x string
	rows     []strip // from top to bottom
}

type strip struct {
	name         string
	look         look
	values       []float64
	mean, margin float64
}

func (s strips) plot() *plot.Plot {
	p := newPlot(s.title, s.x, "")
	names := make(nameTicks, len(s.rows))
	for i, r := range s.rows {
		names[len(names)-1-i] = r.name
	}
	p.Y.Tick.Marker = names
	p.Y.Tick.Length = 0
	p.Y.Width = 0
	p.X.Tick.Marker = linearTicks(4)
	p.Add(gridLines{x: true}, s)
	p.Y.Min, p.Y.Max = -0.5, float64(len(s.rows))-0.5
	return p
}

// DataRange implements plot.DataRanger.
func (s strips) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax = math.Inf(1), math.Inf(-1)
	for _, r := range s.rows {
		for _, v := range r.values {
			xmin, xmax = min(xmin, v), max(xmax, v)
		}
		if !math.IsNaN(r.margin) {
			xmin, xmax = min(xmin, r.mean-r.margin), max(xmax, r.mean+r.margin)
		}
	}
	room := 0.02 * (xmax - xmin)
	return xmin - room, xmax + room, 0, float64(len(s.rows) - 1)
}

// Plot implements plot.Plotter.
func (s strips) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	height := toY(1) - toY(0)
	for i, r := range s.rows {
		if len(r.values) == 0 {
			continue
		}
		y := toY(float64(len(s.rows) - 1 - i))
		r.draw(&c, y, min(height*0.3, 7), toX)
	}
}

// draw draws a strip around the height y, half above and half below.
func (r *strip) draw(c *draw.Canvas, y, half vg.Length, toX func(float64) vg.Length) {
	q := quartiles(r.values)
	a, b := toX(q[0]), toX(q[2])
	box := []vg.Point{{X: a, Y: y - half}, {X: b, Y: y - half}, {X: b, Y: y + half}, {X: a, Y: y + half}}
	c.FillPolygon(translucent(r.look.color, bandOpacity), box)
	c.StrokeLine2(draw.LineStyle{Color: r.look.color, Width: axisWidth}, toX(q[1]), y-half, toX(q[1]), y+half)

	dot := draw.GlyphStyle{Color: translucent(r.look.color, 0.6), Radius: 0.9, Shape: draw.CircleGlyph{}}
	for i, v := range r.values {
		// The golden ratio scatters any number of dots evenly.
		_, at := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
		c.DrawGlyph(dot, vg.Point{X: toX(v), Y: y + half*vg.Length(1.6*at-0.8)})
	}
	if !math.IsNaN(r.margin) {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: lineWidth}, toX(r.mean-r.margin), y, toX(r.mean+r.margin), y)
	}
	c.DrawGlyph(draw.GlyphStyle{Color: ink, Radius: markRadius, Shape: r.look.marker}, vg.Point{X: toX(r.mean), Y: y})
}
