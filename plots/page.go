package plots

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"
)

// A Format is a file format of figures.
type Format string

// The formats. The bytes of a PDF depend on when it is written, those of
// the others on the results alone.
const (
	SVG Format = "svg"
	PNG Format = "png"
	PDF Format = "pdf"
)

// Formats lists the formats, the default first.
func Formats() []Format { return []Format{SVG, PNG, PDF} }

// resolution is that of PNG, in dots per inch.
const resolution = 300

// A page is the panels of a figure in rows.
type page struct {
	rows          [][]panel // the last of them may be shorter
	width, height vg.Length // of a panel, with its axes and names
	note          string    // below the panels
}

// A panel is a part of a figure with axes of its own.
type panel interface {
	plot() *plot.Plot
}

// The spaces around and between panels, in points.
const (
	margin   = vg.Length(4)
	gutter   = vg.Length(10)
	noteSize = tickSize * 1.3
)

// size returns the width and height of the page.
func (p *page) size() (w, h vg.Length) {
	columns, rows := vg.Length(len(p.rows[0])), vg.Length(len(p.rows))
	w = 2*margin + columns*p.width + (columns-1)*gutter
	h = 2*margin + rows*p.height + (rows-1)*gutter
	if p.note != "" {
		h += noteSize
	}
	return w, h
}

// write writes the page in a format.
func (p *page) write(w io.Writer, format Format, dpi int) error {
	width, height := p.size()
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.NewWith(vgsvg.UseWH(width, height))
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))}
	case PDF:
		canvas = vgpdf.New(width, height)
	default:
		panic(fmt.Sprintf("plots: unknown format %q", format))
	}
	p.draw(draw.New(canvas))
	if format != SVG {
		_, err := canvas.WriteTo(w)
		return err
	}
	var text bytes.Buffer
	if _, err := canvas.WriteTo(&text); err != nil {
		return err
	}
	// Viewers without the Liberation fonts have others of the same widths.
	_, err := w.Write(bytes.ReplaceAll(text.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

func (p *page) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	if p.note != "" {
		style := textStyle(tickSize)
		style.YAlign = draw.YBottom
		c.FillText(style, inner.Min, p.note)
		inner.Min.Y += noteSize
	}
	plots := make([][]*plot.Plot, len(p.rows))
	for r, row := range p.rows {
		plots[r] = make([]*plot.Plot, len(p.rows[0]))
		for i, panel := range row {
			plots[r][i] = panel.plot()
		}
	}
	tiles := draw.Tiles{Rows: len(plots), Cols: len(plots[0]), PadX: gutter, PadY: gutter}
	canvases := plot.Align(plots, tiles, inner)
	for r, row := range plots {
		for i, one := range row {
			if one != nil {
				one.Draw(canvases[r][i])
			}
		}
	}
}

// wrap arranges panels in rows of a number of columns.
func wrap(panels []panel, columns int) [][]panel {
	return slices.Collect(slices.Chunk(panels, columns))
}
