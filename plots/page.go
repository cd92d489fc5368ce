package plots

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"sweep/internal/table"
)

// The file formats of figures. The bytes follow from the results. In SVG and
// PDF text is text, to be found and selected; a PDF embeds the font.
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
	maxHeight   = 28 * vg.Centimeter
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
	Description string // below the panels: what it is of, how to read it, of how many runs

	rows   [][]*plot.Plot // of equal length; nil: no panel
	width  vg.Length      // of the page
	height vg.Length      // of a panel, with its axes and names

	minWidth vg.Length // of a panel; 0: any
}

// paginate returns pages with the rows of panels, as many panels side by side
// as have room. Rows of one panel are put side by side. Panels may be a fifth
// less high if they all fit on a page then.
func (p Page) paginate(rows [][]*plot.Plot) (pages []Page) {
	limit := max(1, min(maxColumns, int(pageWidth/max(p.minWidth, 1))))
	wide := len(rows[0])
	parts := (wide + limit - 1) / limit // of equal length
	columns := (wide + parts - 1) / parts
	if wide == 1 {
		columns = min(2, limit, len(rows))
		rows = [][]*plot.Plot{slices.Concat(rows...)}
	}
	p.width = pageWidth
	if columns == 1 && p.minWidth <= columnWidth {
		p.width = columnWidth
	}
	for _, row := range rows {
		for part := range slices.Chunk(row, columns) {
			empty := make([]*plot.Plot, columns-len(part))
			p.rows = append(p.rows, append(slices.Clip(part), empty...))
		}
	}
	room := maxHeight - vg.Length(len(p.lines()))*noteHeight
	if height := room/vg.Length(len(p.rows)) - gutter; height > 0.8*p.height {
		p.height = min(p.height, height)
	}
	p.breakTitles()
	perPage := max(1, int(room/(p.height+gutter)))
	if len(p.rows) <= perPage {
		return []Page{p}
	}
	count := (len(p.rows) + perPage - 1) / perPage
	for chunk := range slices.Chunk(p.rows, perPage) {
		one := p
		one.rows = chunk
		number := len(pages) + 1
		one.Name += fmt.Sprintf("-%d", number)
		one.Title += fmt.Sprintf(", page %d of %d", number, count)
		pages = append(pages, one)
	}
	return pages
}

// breakTitles breaks titles that are longer than their panel or axis: plots
// would shrink to give them room. Titles of panels get the same number of
// lines, for plot.Align cannot align plots otherwise.
func (p *Page) breakTitles() {
	wide := vg.Length(len(p.rows[0]))
	size := vg.Point{X: (p.width-2*margin+gutter)/wide - gutter, Y: p.height}
	breaks := 0
	for panel := range p.panels {
		panel.Title.Text = broken(panel.Title.Text, 0.85*p.width/wide)
		breaks = max(breaks, strings.Count(panel.Title.Text, "\n"))
	}
	for panel := range p.panels {
		more := breaks - strings.Count(panel.Title.Text, "\n")
		panel.Title.Text = strings.Repeat("\n", more) + panel.Title.Text
		x := &panel.X.Label.Text
		y := &panel.Y.Label.Text
		longX := *x
		longY := *y
		*x = longX[:min(1, len(longX))] // the room that titles of one line leave
		*y = longY[:min(1, len(longY))]
		room := panel.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: size}}).Size()
		*x = broken(longX, room.X*tickSize/labelSize)
		*y = broken(longY, room.Y*tickSize/labelSize)
	}
}

// panels yields the panels of the page.
func (p *Page) panels(yield func(*plot.Plot) bool) {
	for _, panel := range slices.Concat(p.rows...) {
		if panel != nil && !yield(panel) {
			return
		}
	}
}

// lines returns the note in lines as wide as the page.
func (p *Page) lines() []string {
	return wrap(p.Description, p.width-2*margin)
}

// wrap breaks text into lines, at spaces that may be broken.
func wrap(text string, width vg.Length) []string {
	fits := func(line string) bool { return textStyle(tickSize).Width(line) <= width }
	return table.Lines(strings.Split(text, " "), fits)
}

// broken returns text in lines.
func broken(text string, width vg.Length) string {
	return strings.Join(wrap(text, width), "\n")
}

// fullHeight returns how high the page is.
func (p *Page) fullHeight() vg.Length {
	rows := vg.Length(len(p.rows))
	lines := vg.Length(len(p.lines()))
	return 2*margin + rows*p.height + (rows-1)*gutter + lines*noteHeight
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
		at := inner.Min
		at.Y -= vg.Length(i+1) * noteHeight
		c.FillText(style, at, line)
	}
	tiles := draw.Tiles{Rows: len(p.rows), Cols: len(p.rows[0]), PadX: gutter, PadY: gutter}
	for r, row := range plot.Align(p.rows, tiles, inner) {
		for i, canvas := range row {
			if panel := p.rows[r][i]; panel != nil {
				drawThinned(panel, canvas)
			}
		}
	}
}

// drawThinned draws a panel without the labels for which its axes have no room.
// Another call draws the same.
func drawThinned(panel *plot.Plot, canvas draw.Canvas) {
	one := *panel
	size := one.DataCanvas(canvas).Size()
	thin(&one.X, size.X, wide)
	thin(&one.Y, size.Y, high)
	one.Draw(canvas)
}

// Write writes the page in a format. Errors are those of w.
func (p *Page) Write(w io.Writer, format string) error { return p.write(w, format, resolution) }

// write writes the page; dpi is the resolution of PNG. SVG has a text for those
// who cannot see it.
func (p *Page) write(w io.Writer, format string, dpi int) error {
	height := p.fullHeight()
	var canvas vg.CanvasWriterTo
	switch format {
	case SVG:
		canvas = vgsvg.NewWith(vgsvg.UseWH(p.width, height))
	case PNG:
		image := vgimg.NewWith(vgimg.UseWH(p.width, height), vgimg.UseDPI(dpi))
		canvas = vgimg.PngCanvas{Canvas: image}
	case PDF:
		canvas = newPDF(p.Title, p.Description, p.width, height)
	default:
		return fmt.Errorf("plots: unknown format %q", format)
	}
	p.draw(draw.New(canvas))
	var drawn bytes.Buffer
	_, _ = canvas.WriteTo(&drawn) // into memory
	content := drawn.Bytes()
	if format == SVG {
		content = p.accessible(content)
	}
	_, err := w.Write(content)
	return err
}

// svgText is a text as vgsvg writes it.
var svgText = regexp.MustCompile(
	`(<text [^>]*?)\s+style="font-family:[^"]*?font-size:([\d.]+)px;([^"]*)">([^<]*)</text>`)

// accessible adds a title and a description to an SVG, and to each text its
// length, so that no other font makes it longer.
func (p *Page) accessible(svg []byte) []byte {
	svg = svgText.ReplaceAllFunc(svg, withLength)
	before, after, _ := bytes.Cut(svg, []byte("<svg "))
	head, body, _ := bytes.Cut(after, []byte(">"))
	name := html.EscapeString(p.Name)
	var b bytes.Buffer
	fmt.Fprintf(&b, `%s<svg role="img" aria-labelledby="%[2]s-title %[2]s-desc"`, before, name)
	fmt.Fprintf(&b, ` font-family="Liberation Sans,Arial,Helvetica,sans-serif" %s>`, head)
	fmt.Fprintf(&b, "\n<title id=\"%s-title\">%s</title>", name, html.EscapeString(p.Title))
	fmt.Fprintf(&b, "\n<desc id=\"%s-desc\">%s</desc>", name, html.EscapeString(p.Description))
	b.Write(body)
	return b.Bytes()
}

// withLength returns a text of an SVG with its length.
func withLength(text []byte) []byte {
	part := svgText.FindSubmatch(text)
	size, _ := strconv.ParseFloat(string(part[2]), 64) // of digits
	style := textStyle(font.Length(size))
	width := style.Width(html.UnescapeString(string(part[4])))
	const length = `%s textLength="%.2f" lengthAdjust="spacingAndGlyphs"`
	text = fmt.Appendf(nil, length, part[1], width.Points())
	return fmt.Appendf(text, ` font-size="%s" style="%s">%s</text>`, part[2], part[3], part[4])
}
