package plots

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A gridMap is a panel of fields in rows and columns, darker where their value
// is larger, with the values written into them if they have room.
type gridMap struct {
	title, x, y   string
	columns, rows []string    // rows from bottom to top
	values        [][]float64 // [row][column], NaN: empty
	low, high     float64     // the values of the lightest and the darkest colour
	format        func(float64) string
}

func (m gridMap) plot() *plot.Plot {
	p := newPlot(m.title, m.x, m.y)
	p.X.Tick.Marker, p.Y.Tick.Marker = nameTicks(m.columns), nameTicks(m.rows)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Tick.Length = 0
		axis.Width = 0
		axis.Padding = 0
	}
	p.Add(m)
	return p
}

// DataRange implements plot.DataRanger.
func (m gridMap) DataRange() (xmin, xmax, ymin, ymax float64) {
	return -0.5, float64(len(m.columns)) - 0.5, -0.5, float64(len(m.rows)) - 0.5
}

// fieldColor goes from nearly white to a dark blue; lightness falls evenly.
func fieldColor(share float64) color.NRGBA { return withLightness(blue, 96-70*share) }

// Plot implements plot.Plotter.
func (m gridMap) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	width, height := toX(1)-toX(0), toY(1)-toY(0)
	style := textStyle(tickSize)
	style.XAlign = draw.XCenter
	room := height > tickSize
	for _, row := range m.values {
		for _, v := range row {
			room = room && (math.IsNaN(v) || style.Width(m.format(v)) < width-2)
		}
	}
	for r, row := range m.values {
		for col, v := range row {
			if math.IsNaN(v) {
				continue
			}
			share := 0.0
			if m.high > m.low {
				share = max(0, min(1, (v-m.low)/(m.high-m.low)))
			}
			x, y := toX(float64(col)), toY(float64(r))
			const gap = 0.4 // white between fields
			a, b := vg.Point{X: x - width/2 + gap, Y: y - height/2 + gap}, vg.Point{X: x + width/2 - gap, Y: y + height/2 - gap}
			fill := fieldColor(share)
			c.FillPolygon(fill, []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
			if room {
				style.Color = ink
				if lightness(fill) < 55 {
					style.Color = paper
				}
				fillCentered(&c, style, vg.Point{X: x, Y: y}, m.format(v))
			}
		}
	}
}
