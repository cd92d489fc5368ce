package plots

import (
	"image/color"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The widths that figures are made for.
const (
	columnWidth = 8.5 * vg.Centimeter
	pageWidth   = 17.5 * vg.Centimeter
)

// Sizes of letters and lines.
const (
	labelSize = font.Length(8)
	tickSize  = font.Length(7)

	lineWidth  = vg.Length(1.1)
	faintWidth = vg.Length(0.3)
	axisWidth  = vg.Length(0.5)
	gridWidth  = vg.Length(0.3)
	markRadius = vg.Length(1.8)
)

var (
	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff} // letters and axes
	faded = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff} // grid
	paper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// How strong bands and single runs are.
const (
	bandOpacity = 0.3
	runOpacity  = 0.3
)

func textStyle(size font.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: plot.DefaultTextHandler,
		YAlign:  draw.YCenter,
	}
}

// newPlot returns an empty plot in the style of the package.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.BackgroundColor = nil // the page's
	p.Title.Text = title
	p.Title.Padding = 3
	p.Title.TextStyle.Font = textStyle(labelSize).Font
	p.Title.TextStyle.Color = ink
	p.X.Label.Text, p.Y.Label.Text = x, y
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Padding = 2
		axis.Width, axis.Color = axisWidth, ink
		axis.Label.Padding = 2
		axis.Label.TextStyle.Font = textStyle(labelSize).Font
		axis.Label.TextStyle.Color = ink
		axis.Tick.Label.Font = textStyle(tickSize).Font
		axis.Tick.Label.Color = ink
		axis.Tick.Width, axis.Tick.Color, axis.Tick.Length = axisWidth, ink, 3
	}
	return p
}

// fillCentered writes text whose capitals are centred at a height.
func fillCentered(c *draw.Canvas, style text.Style, at vg.Point, txt string) {
	at.Y += style.FontExtents().Descent
	c.FillText(style, at, txt)
}

// gridLines is a Plotter of thin lines at the labelled ticks.
type gridLines struct{ x, y bool }

func (g gridLines) Plot(c draw.Canvas, p *plot.Plot) {
	style := draw.LineStyle{Color: faded, Width: gridWidth}
	toX, toY := p.Transforms(&c)
	if g.x {
		for _, t := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
			if x := toX(t.Value); !t.IsMinor() && c.ContainsX(x) {
				c.StrokeLine2(style, x, c.Min.Y, x, c.Max.Y)
			}
		}
	}
	if g.y {
		for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
			if y := toY(t.Value); !t.IsMinor() && c.ContainsY(y) {
				c.StrokeLine2(style, c.Min.X, y, c.Max.X, y)
			}
		}
	}
}
