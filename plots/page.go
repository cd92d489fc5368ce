package plots

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"sweep/internal/lists"
)

// The file formats of figures. The bytes follow from the results. Text can be
// selected in SVG; in PDF it is outlines, so that all characters are right and no
// font is needed.
const (
	SVG = "svg"
	PNG = "png"
	PDF = "pdf"
)

// Formats lists the formats, the default first.
func Formats() []string { return []string{SVG, PNG, PDF} }

// The widths that figures have, and how high they may be.
const (
	columnWidth = 8.5 * vg.Centimeter
	pageWidth   = 17.5 * vg.Centimeter
	mostHeight  = 28 * vg.Centimeter
)

// The spaces around and between panels, in points, and how fine a PNG is.
const (
	margin     = vg.Length(4)
	gutter     = vg.Length(10)
	noteHeight = tickSize * 1.3
	resolution = 300 // dots per inch
)

// A Page is one page of a figure.
type Page struct {
	Name        string // for files, for example "map-2"
	Title       string // what it shows, in a line
	Description string // of what it is, how to read it, and of how many runs; below the panels

	rows   [][]*plot.Plot // of equal length; nil: no panel
	width  vg.Length      // of the page
	height vg.Length      // of a panel, with its axes and names
	least  vg.Length      // the width that a panel needs; 0: that of any
}

// paginate returns pages with the rows of panels, as many side by side as have
// room; rows of one panel share theirs. Panels may be a fifth less high if
// they all fit on a page then.
func (p Page) paginate(rows [][]*plot.Plot) (pages []Page) {
	most := max(1, min(mostColumns, int(pageWidth/max(p.least, 1))))
	wide := len(rows[0])
	parts := (wide + most - 1) / most // of equal length
	columns := (wide + parts - 1) / parts
	if wide == 1 {
		rows, columns = [][]*plot.Plot{slices.Concat(rows...)}, min(2, most, len(rows))
	}
	if p.width = pageWidth; columns == 1 && p.least <= columnWidth {
		p.width = columnWidth
	}
	for _, row := range rows {
		for part := range slices.Chunk(row, columns) {
			p.rows = append(p.rows, append(slices.Clip(part), make([]*plot.Plot, columns-len(part))...))
		}
	}
	room := mostHeight - vg.Length(len(p.lines()))*noteHeight
	if height := room/vg.Length(len(p.rows)) - gutter; height > 0.8*p.height {
		p.height = min(p.height, height)
	}
	p.breakTitles()
	chunks := slices.Collect(slices.Chunk(p.rows, max(1, int(room/(p.height+gutter)))))
	for i, chunk := range chunks {
		one := p
		if one.rows = chunk; len(chunks) > 1 {
			one.Name += fmt.Sprintf("-%d", i+1)
			one.Title += fmt.Sprintf(", page %d of %d", i+1, len(chunks))
		}
		pages = append(pages, one)
	}
	return pages
}

// breakTitles breaks titles that are longer than their panel or axis: plots would
// shrink to give them room. Those of panels get equally many lines, for plot.Align
// cannot align plots otherwise.
func (p *Page) breakTitles() {
	wide := vg.Length(len(p.rows[0]))
	size := vg.Point{X: (p.width-2*margin+gutter)/wide - gutter, Y: p.height}
	panels := slices.DeleteFunc(slices.Concat(p.rows...), func(panel *plot.Plot) bool { return panel == nil })
	most := 0
	for _, panel := range panels {
		panel.Title.Text = broken(panel.Title.Text, 0.85*p.width/wide)
		most = max(most, strings.Count(panel.Title.Text, "\n"))
	}
	for _, panel := range panels {
		panel.Title.Text = strings.Repeat("\n", most-strings.Count(panel.Title.Text, "\n")) + panel.Title.Text
		x, y := panel.X.Label.Text, panel.Y.Label.Text
		panel.X.Label.Text, panel.Y.Label.Text = x[:min(1, len(x))], y[:min(1, len(y))] // of one line
		room := panel.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: size}}).Size()
		panel.X.Label.Text = broken(x, room.X*tickSize/labelSize)
		panel.Y.Label.Text = broken(y, room.Y*tickSize/labelSize)
	}
}

// lines returns the note in lines as wide as the page.
func (p *Page) lines() []string { return wrap(p.Description, p.width-2*margin) }

// wrap breaks text into lines, at spaces that may be broken.
func wrap(text string, width vg.Length) []string {
	fits := func(line string) bool { return textStyle(tickSize).Width(line) <= width }
	return lists.Wrap(strings.Split(text, " "), fits)
}

// broken returns text in lines.
func broken(text string, width vg.Length) string { return strings.Join(wrap(text, width), "\n") }

// fullHeight returns how high the page is.
func (p *Page) fullHeight() vg.Length {
	rows := vg.Length(len(p.rows))
	return 2*margin + rows*p.height + (rows-1)*gutter + vg.Length(len(p.lines()))*noteHeight
}

func (p *Page) draw(c draw.Canvas) {
	c.SetColor(paper)
	c.Fill(c.Rectangle.Path())
	inner := draw.Crop(c, margin, -margin, margin, -margin)
	style := textStyle(tickSize)
	style.YAlign = draw.YBottom
	lines := p.lines()
	inner.Min.Y += vg.Length(len(lines)) * noteHeight
	for i, line := range lines {
		c.FillText(style, vg.Point{X: inner.Min.X, Y: inner.Min.Y - vg.Length(i+1)*noteHeight}, line)
	}
	tiles := draw.Tiles{Rows: len(p.rows), Cols: len(p.rows[0]), PadX: gutter, PadY: gutter}
	for r, row := range plot.Align(p.rows, tiles, inner) {
		for i, canvas := range row {
			if panel := p.rows[r][i]; panel != nil {
				data := panel.DataCanvas(canvas)
				thin(&panel.X, data.Size().X, func(label string) vg.Length { return style.Width(label) + 5 })
				thin(&panel.Y, data.Size().Y, func(string) vg.Length { return tickSize })
				panel.Draw(canvas)
			}
		}
	}
}

// Write writes the page in a format. Errors are those of w.
func (p *Page) Write(w io.Writer, format string) error { return p.write(w, format, resolution) }

// write writes the page with a resolution of PNG. SVG says what it shows to
// those who cannot see it.
func (p *Page) write(w io.Writer, format string, dpi int) error {
	height := p.fullHeight()
	var text bytes.Buffer
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.NewWith(vgsvg.UseWH(p.width, height))
	case PNG:
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(p.width, height), vgimg.UseDPI(dpi))}
	case PDF:
		canvas = outlines{vgpdf.New(p.width, height)}
	default:
		return fmt.Errorf("plots: unknown format %q", format)
	}
	p.draw(draw.New(canvas))
	_, _ = canvas.WriteTo(&text) // into memory
	content := text.Bytes()
	if format == SVG {
		content = p.accessible(content)
	} else if format == PDF {
		content = creationDate.ReplaceAll(content, []byte("D:20000101000000"))
	}
	_, err := w.Write(content)
	return err
}

// creationDate is when a PDF was made.
var creationDate = regexp.MustCompile(`D:\d{14}`)

// svgText is a text as vgsvg writes it.
var svgText = regexp.MustCompile(`(<text [^>]*?)\s+style="font-family:[^"]*?font-size:([\d.]+)px;([^"]*)">([^<]*)</text>`)

// accessible adds a title and a description to an SVG, and to each text how
// long it is, so that no other font makes it longer.
func (p *Page) accessible(svg []byte) []byte {
	svg = svgText.ReplaceAllFunc(svg, func(found []byte) []byte {
		part := svgText.FindSubmatch(found)
		size, _ := strconv.ParseFloat(string(part[2]), 64) // of digits
		width := textStyle(font.Length(size)).Width(html.UnescapeString(string(part[4])))
		const format = `%s textLength="%.2f" lengthAdjust="spacingAndGlyphs" font-size="%s" style="%s">%s</text>`
		return fmt.Appendf(nil, format, part[1], width.Points(), part[2], part[3], part[4])
	})
	before, after, _ := bytes.Cut(svg, []byte("<svg "))
	head, body, _ := bytes.Cut(after, []byte(">"))
	const format = `%s<svg role="img" aria-labelledby="%[2]s-title %[2]s-desc" %[3]s %[4]s>
<title id="%[2]s-title">%[5]s</title>
<desc id="%[2]s-desc">%[6]s</desc>%[7]s`
	const font = `font-family="Liberation Sans,Arial,Helvetica,sans-serif"`
	text := html.EscapeString
	return fmt.Appendf(nil, format, before, text(p.Name), font, head, text(p.Title), text(p.Description), body)
}

// outlines is a PDF in which text is drawn as paths: fonts in PDF that gonum
// embeds have Latin-1 characters only. Colours are not premultiplied with
// their opacity, as PDF has them.
type outlines struct{ *vgpdf.Canvas }

// SetColor implements vg.Canvas.
func (o outlines) SetColor(c color.Color) {
	if c == nil { // of lines that are not drawn
		c = black
	}
	o.Canvas.SetColor(color.RGBA(color.NRGBAModel.Convert(c).(color.NRGBA)))
}

// FillString implements vg.Canvas.
func (o outlines) FillString(f font.Face, at vg.Point, txt string) {
	var buffer sfnt.Buffer
	units := fixed.Int26_6(f.Face.UnitsPerEm())
	scale := f.Font.Size / vg.Length(units)
	var path vg.Path
	for i, r := range txt {
		glyph, _ := f.Face.GlyphIndex(&buffer, r) // the program's own font can be read
		segments, _ := f.Face.LoadGlyph(&buffer, glyph, units, nil)
		// with what stands before, as Width kerns
		left := at.X + f.Width(txt[:i+len(string(r))]) - f.Width(string(r))
		for _, s := range segments {
			var to [3]vg.Point
			for k, p := range s.Args {
				to[k] = vg.Point{X: left + vg.Length(p.X)*scale, Y: at.Y - vg.Length(p.Y)*scale}
			}
			switch s.Op {
			case sfnt.SegmentOpMoveTo:
				path.Move(to[0])
			case sfnt.SegmentOpLineTo:
				path.Line(to[0])
			case sfnt.SegmentOpQuadTo:
				path.QuadTo(to[0], to[1])
			case sfnt.SegmentOpCubeTo:
				path.CubeTo(to[0], to[1], to[2])
			}
		}
	}
	if len(path) > 0 {
		o.Fill(path)
	}
}
