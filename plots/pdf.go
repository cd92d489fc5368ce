package plots

import (
	"bytes"
	"image"
	"image/color"
	"io"
	"math"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
)

// A pdfCanvas draws a page as PDF. Text is text in an embedded font, of which
// the file has the characters that occur, with their Unicode numbers: gonum's
// own canvas for PDF has the characters of Latin-1 only. It implements
// vg.CanvasWriterTo.
//
// The origin of fpdf is the upper left corner. Points are transformed here, so
// that a font that was set stays set.
type pdfCanvas struct {
	doc    *fpdf.Fpdf
	width  vg.Length
	height vg.Length
	now    pdfState
	stack  []pdfState
	fonts  map[string]bool // that the document has
}

// A pdfState is what Push saves.
type pdfState struct {
	to     affine
	width  vg.Length
	dashes []vg.Length
	offset vg.Length
	color  color.NRGBA
}

// An affine maps (x, y) to (ax + cy + e, bx + dy + f).
type affine struct{ a, b, c, d, e, f float64 }

func (m affine) of(p vg.Point) (x, y float64) {
	px := float64(p.X)
	py := float64(p.Y)
	return m.a*px + m.c*py + m.e, m.b*px + m.d*py + m.f
}

// after returns the map that is first n, then m.
func (m affine) after(n affine) affine {
	return affine{
		a: m.a*n.a + m.c*n.b,
		b: m.b*n.a + m.d*n.b,
		c: m.a*n.c + m.c*n.d,
		d: m.b*n.c + m.d*n.d,
		e: m.a*n.e + m.c*n.f + m.e,
		f: m.b*n.e + m.d*n.f + m.f,
	}
}

// epoch is when every PDF says that it was made: its bytes follow from the
// results.
var epoch = time.Unix(946_684_800, 0).UTC() // the year 2000

// newPDF returns an empty page with a title and a description.
func newPDF(title, description string, width, height vg.Length) *pdfCanvas {
	c := &pdfCanvas{
		doc: fpdf.NewCustom(&fpdf.InitType{
			UnitStr: "pt",
			Size:    fpdf.SizeType{Wd: width.Points(), Ht: height.Points()},
		}),
		width:  width,
		height: height,
		now:    pdfState{to: affine{a: 1, d: 1}, width: 1, color: black},
		fonts:  map[string]bool{},
	}
	c.doc.SetCatalogSort(true)
	c.doc.SetCreationDate(epoch)
	c.doc.SetModificationDate(epoch)
	c.doc.SetTitle(title, true)
	c.doc.SetSubject(description, true)
	c.doc.SetMargins(0, 0, 0)
	c.doc.SetAutoPageBreak(false, 0)
	c.doc.AddPage()
	return c
}

// These implement vg.Canvas.

func (c *pdfCanvas) Size() (width, height vg.Length) { return c.width, c.height }

func (c *pdfCanvas) SetLineWidth(w vg.Length) { c.now.width = w }

func (c *pdfCanvas) SetLineDash(dashes []vg.Length, offset vg.Length) {
	c.now.dashes = dashes
	c.now.offset = offset
}

func (c *pdfCanvas) SetColor(to color.Color) {
	if to == nil { // of lines that are not drawn
		to = black
	}
	c.now.color = color.NRGBAModel.Convert(to).(color.NRGBA)
}

func (c *pdfCanvas) Rotate(angle float64) {
	sin, cos := math.Sincos(angle)
	c.now.to = c.now.to.after(affine{a: cos, b: sin, c: -sin, d: cos})
}

func (c *pdfCanvas) Translate(by vg.Point) {
	c.now.to = c.now.to.after(affine{a: 1, d: 1, e: float64(by.X), f: float64(by.Y)})
}

func (c *pdfCanvas) Scale(x, y float64) { c.now.to = c.now.to.after(affine{a: x, d: y}) }

func (c *pdfCanvas) Push() { c.stack = append(c.stack, c.now) }

func (c *pdfCanvas) Pop() {
	last := len(c.stack) - 1
	c.now = c.stack[last]
	c.stack = c.stack[:last]
}

func (c *pdfCanvas) Stroke(path vg.Path) {
	if c.now.width <= 0 {
		return
	}
	c.doc.SetLineWidth(c.now.width.Points())
	var dashes []float64
	for _, d := range c.now.dashes {
		dashes = append(dashes, d.Points())
	}
	c.doc.SetDashPattern(dashes, c.now.offset.Points())
	c.draw(path, "D")
}

func (c *pdfCanvas) Fill(path vg.Path) { c.draw(path, "F") }

// DrawImage panics: no figure has images.
func (c *pdfCanvas) DrawImage(vg.Rectangle, image.Image) { panic("plots: an image in a PDF") }

// setColor sets the colour of what is drawn next.
func (c *pdfCanvas) setColor() {
	of := c.now.color
	red := int(of.R)
	green := int(of.G)
	blue := int(of.B)
	c.doc.SetDrawColor(red, green, blue)
	c.doc.SetFillColor(red, green, blue)
	c.doc.SetTextColor(red, green, blue)
	c.doc.SetAlpha(float64(of.A)/0xff, "Normal")
}

// place returns where fpdf has a point.
func (c *pdfCanvas) place(p vg.Point) (x, y float64) {
	x, y = c.now.to.of(p)
	return x, c.height.Points() - y
}

// draw draws a path; how is "D" for its line, "F" for its area.
func (c *pdfCanvas) draw(path vg.Path, how string) {
	c.setColor()
	for _, part := range path {
		x, y := c.place(part.Pos)
		switch part.Type {
		case vg.MoveComp:
			c.doc.MoveTo(x, y)
		case vg.LineComp:
			c.doc.LineTo(x, y)
		case vg.ArcComp:
			c.arc(part)
		case vg.CurveComp:
			x1, y1 := c.place(part.Control[0])
			if len(part.Control) == 1 {
				c.doc.CurveTo(x1, y1, x, y)
				continue
			}
			x2, y2 := c.place(part.Control[1])
			c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
		case vg.CloseComp:
			c.doc.ClosePath()
		}
	}
	c.doc.DrawPath(how)
}

// arc draws an arc as Bézier curves of at most a quarter of a circle, which
// leave it by less than 0.03 % of its radius.
func (c *pdfCanvas) arc(arc vg.PathComp) {
	at := func(angle, reach float64) vg.Point { // reach: along the tangent, in radii
		sin, cos := math.Sincos(angle)
		return vg.Point{
			X: arc.Pos.X + arc.Radius*vg.Length(cos-reach*sin),
			Y: arc.Pos.Y + arc.Radius*vg.Length(sin+reach*cos),
		}
	}
	pieces := max(1, math.Ceil(math.Abs(arc.Angle)/(math.Pi/2)-1e-9))
	step := arc.Angle / pieces
	reach := 4. / 3 * math.Tan(step/4)
	x, y := c.place(at(arc.Start, 0))
	c.doc.LineTo(x, y)
	for i := range int(pieces) {
		from := arc.Start + float64(i)*step
		x1, y1 := c.place(at(from, reach))
		x2, y2 := c.place(at(from+step, -reach))
		x, y = c.place(at(from+step, 0))
		c.doc.CurveBezierCubicTo(x1, y1, x2, y2, x, y)
	}
}

// FillString implements vg.Canvas. A text is written in as many pieces as
// kerning demands: fpdf does not kern.
func (c *pdfCanvas) FillString(f font.Face, at vg.Point, text string) {
	if f.Font.Size == 0 || text == "" {
		return
	}
	name := f.Name()
	if !c.fonts[name] {
		c.fonts[name] = true
		var source bytes.Buffer
		_, _ = f.Face.WriteSourceTo(nil, &source) // into memory
		c.doc.AddUTF8FontFromBytes(name, "", source.Bytes())
	}
	c.doc.SetFont(name, "", f.Font.Size.Points())
	c.setColor()
	to := c.now.to
	c.doc.TransformBegin()
	x, y := to.of(at)
	c.doc.Transform(fpdf.TransformMatrix{A: to.a, B: to.b, C: to.c, D: to.d, E: x, F: y})
	bottom := c.height.Points()
	const visible = 0.02 // points
	begin := 0
	left := 0.0
	for i, r := range text {
		// The width of the text up to here, for Width kerns.
		end := i + len(string(r))
		here := (f.Width(text[:end]) - f.Width(string(r))).Points()
		if i > begin && math.Abs(here-left-c.doc.GetStringWidth(text[begin:i])) > visible {
			c.doc.Text(left, bottom, text[begin:i])
			begin = i
			left = here
		}
	}
	c.doc.Text(left, bottom, text[begin:])
	c.doc.TransformEnd()
}

// WriteTo implements io.WriterTo.
func (c *pdfCanvas) WriteTo(w io.Writer) (n int64, err error) {
	var b bytes.Buffer
	err = c.doc.Output(&b)
	if err != nil {
		return 0, err
	}
	return b.WriteTo(w)
}
