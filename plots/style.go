package plots

import (
	"image/color"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// Sizes of letters, lines and marks, and of the names of lines.
const (
	labelSize = font.Length(8)
	tickSize  = font.Length(7)

	lineWidth  = vg.Length(1.1)
	thinWidth  = vg.Length(0.3)
	axisWidth  = vg.Length(0.5)
	markRadius = vg.Length(1.8)

	nameGap    = vg.Length(2)
	sampleSize = vg.Length(13)
	nameHeight = tickSize * 1.15
	longName   = vg.Length(58)
)

// The colours of Okabe and Ito (Color Universal Design, 2008), which people
// with any colour vision can tell apart; their yellow is too light for lines on
// white.
var (
	black     = color.NRGBA{0x00, 0x00, 0x00, 0xff}
	blue      = color.NRGBA{0x00, 0x72, 0xb2, 0xff}
	vermilion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff}
	green     = color.NRGBA{0x00, 0x9e, 0x73, 0xff}
	purple    = color.NRGBA{0xcc, 0x79, 0xa7, 0xff}
	sky       = color.NRGBA{0x56, 0xb4, 0xe9, 0xff}
	orange    = color.NRGBA{0xe6, 0x9f, 0x00, 0xff}

	ink   = color.NRGBA{0x22, 0x22, 0x22, 0xff} // letters and axes
	faded = color.NRGBA{0xdd, 0xdd, 0xdd, 0xff} // grid
	paper = color.NRGBA{0xff, 0xff, 0xff, 0xff}
)

// hues are the colours of lines, in their order.
var hues = []color.NRGBA{blue, orange, green, purple, black, sky, vermilion}

// sequence returns the i-th of the styles that lines get in their order. The
// first 35 differ in two respects from each other.
func sequence(i int) line {
	dashes := [][]vg.Length{nil, {4, 2}, {5, 1.6, 1.2, 1.6}, {1.2, 1.6}, {8, 2.5}}
	markers := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
		draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{},
	}
	return line{
		color:  hues[i%len(hues)],
		dashes: dashes[i%len(dashes)],
		marker: markers[i%len(markers)],
	}
}

// shade returns the colour of the i-th of n values of a quantity, from light to
// dark.
func shade(c color.NRGBA, i, n int) color.NRGBA {
	if n < 2 {
		return c
	}
	const (
		lightest = 0.4 // of the way to white
		darkest  = 0.55
	)
	target := 255.0
	share := lightest * (1 - 2*float64(i)/float64(n-1))
	if share < 0 {
		target = 0
		share *= -darkest / lightest
	}
	for _, channel := range []*uint8{&c.R, &c.G, &c.B} {
		x := float64(*channel)
		*channel = uint8(math.Round(x + float64((target-x)*share)))
	}
	return c
}

// lines returns a line without points for each of some groups of cells, which
// some parameters tell apart and name. Each algorithm has the style of its
// place among the choices, in all figures. If it has several lines, these have
// other dashes and markers. Lines of the same hue go from light to dark.
// Without algorithms, only quantities do.
func (d *Data) lines(groups [][]int, params []string) []line {
	algorithm, _ := d.Experiment.Param(experiment.Algorithm)
	members := map[int][]int{} // groups of each place in the sequence
	for i, g := range groups {
		k := 0
		if algorithm != nil {
			choice := d.value(g[0], experiment.Algorithm).Text()
			k = max(0, slices.Index(algorithm.Choices, choice))
		} else if !slices.ContainsFunc(params, d.isQuantity) {
			k = i
		}
		members[k] = append(members[k], i)
	}
	lines := make([]line, len(groups))
	ofHue := make([][]int, len(hues)) // lines of each hue
	for _, k := range slices.Sorted(maps.Keys(members)) {
		for n, i := range members[k] {
			lines[i] = sequence(k + n)
			lines[i].name = d.name(params, groups[i])
		}
		hue := k % len(hues)
		ofHue[hue] = append(ofHue[hue], members[k]...)
	}
	for hue, list := range ofHue {
		for n, i := range list {
			lines[i].color = shade(hues[hue], n, len(list))
		}
	}
	return lines
}

// translucent returns the colour with an opacity.
func translucent(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

func textStyle(size font.Length) text.Style {
	return text.Style{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: size},
		Handler: exponents{text.Plain{Fonts: font.DefaultCache}},
		YAlign:  draw.YCenter,
	}
}

// exponents writes 10^−4 with the exponent raised: the font has no characters
// for that.
type exponents struct{ text.Plain }

var exponent = regexp.MustCompile(`\^[−0-9]+`)

// A piece is a part of a line with one font.
type piece struct {
	text string
	font font.Font
	at   vg.Point // relative to the beginning of the line
}

// pieces returns the pieces of a line, and its width.
func (h exponents) pieces(line string, f font.Font) (pieces []piece, width vg.Length) {
	add := func(text string, f font.Font, raised vg.Length) {
		if text == "" {
			return
		}
		at := vg.Point{X: width, Y: raised}
		pieces = append(pieces, piece{text, f, at})
		w, _, _ := h.Plain.Box(text, f)
		width += w
	}
	small := f
	small.Size *= 0.7
	raised := f.Size * 0.27 // higher ones would meet the ticks
	last := 0
	for _, at := range exponent.FindAllStringIndex(line, -1) {
		add(line[last:at[0]], f, 0)
		add(line[at[0]+1:at[1]], small, raised) // without the ^
		last = at[1]
	}
	add(line[last:], f, 0)
	return pieces, width
}

// Box implements text.Handler.
func (h exponents) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box("", f)
	_, width = h.pieces(line, f)
	return width, height, depth
}

// Draw implements text.Handler.
func (h exponents) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	canvas := raising{c, h, vg.Length(style.XAlign)}
	h.Plain.Draw(canvas, txt, style, at)
}

// raising is a canvas for the lines of a text that raises their exponents.
type raising struct {
	vg.Canvas
	exponents
	align vg.Length // the share of its width by which a line is moved
}

// FillString implements vg.Canvas.
func (r raising) FillString(f font.Face, at vg.Point, line string) {
	pieces, width := r.pieces(line, f.Font)
	at.X += r.align * (width - f.Width(line))
	for _, p := range pieces {
		face := r.Fonts.Lookup(p.font, p.font.Size)
		r.Canvas.FillString(face, at.Add(p.at), p.text)
	}
}

// newPlot returns an empty plot in the style of the package.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.TextHandler = textStyle(tickSize).Handler
	p.BackgroundColor = nil // the page's
	p.Title.Text = title
	p.Title.Padding = 3
	p.X.Label.Text = x
	p.Y.Label.Text = y
	setFont(&p.Title.TextStyle, labelSize)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		setFont(&axis.Label.TextStyle, labelSize)
		setFont(&axis.Tick.Label, tickSize)
		axis.Padding = 2
		axis.Label.Padding = 2
		axis.Width = axisWidth
		axis.Color = ink
		axis.Tick.Width = axisWidth
		axis.Tick.Color = ink
		axis.Tick.Length = 3
		axis.Tick.Marker = numbers(1)
	}
	return p
}

// setFont sets the font of a style, and leaves its alignment.
func setFont(style *text.Style, size font.Length) {
	of := textStyle(size)
	style.Font = of.Font
	style.Color = of.Color
	style.Handler = of.Handler
}

// numbers puts at most five ticks at multiples of 1, 2, 2.5 or 5 times a power
// of ten, on an axis that counts in units of per.
func numbers(per float64) plot.TickerFunc {
	return func(low, high float64) (ticks []plot.Tick) {
		const (
			maxSteps = 5
			rounding = 1e-9 // of a step
		)
		low /= per
		high /= per
		step := math.Pow(10, math.Floor(math.Log10((high-low)/maxSteps)))
		for _, f := range []float64{2, 1.25, 2, 2} {
			if (high-low)/step > maxSteps {
				step *= f
			}
		}
		magnitude := math.Log10(max(-low, high) / step)
		digits := max(4, 2+int(math.Ceil(magnitude))) // neighbours differ
		for k := math.Ceil(low/step - rounding); k <= high/step+rounding; k++ {
			label := formatNumber(k*step, digits)
			ticks = append(ticks, plot.Tick{Value: k * step * per, Label: label})
		}
		return ticks
	}
}

// decades puts ticks on an axis of decimal logarithms: labels at powers of ten,
// or everywhere if there is one power or none, and small ticks between them if
// they are not too many.
var decades plot.TickerFunc = func(low, high float64) (ticks []plot.Tick) {
	few := math.Floor(high)-math.Ceil(low) < 1
	for e := math.Floor(low); e <= high+1e-9; e++ {
		for digit := 1.; digit == 1 || digit < 10 && high-low < 9; digit++ {
			t := plot.Tick{Value: e + math.Log10(digit)}
			if t.Value < low-1e-9 || t.Value > high+1e-9 {
				continue
			}
			if digit == 1 && high-low >= 3 {
				t.Label = withMinus("10^" + strconv.Itoa(int(e)))
			} else if digit == 1 || few {
				t.Label = formatNumber(digit*math.Pow(10, e), 3)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}

// wide returns the room that a label needs on a horizontal axis.
func wide(label string) vg.Length { return textStyle(tickSize).Width(label) + 5 }

// high returns the room that a label needs on a vertical axis.
func high(string) vg.Length { return tickSize }

// thin takes away labels of an axis that would overprint the one before. What
// is beyond the ends of the axis, which may have limits, is not drawn, and
// takes no room.
func thin(axis *plot.Axis, length vg.Length, size func(label string) vg.Length) {
	ticks := slices.Clone(axis.Tick.Marker.Ticks(axis.Min, axis.Max))
	end := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		if !isOn(axis, t.Value) {
			continue
		}
		at := length * vg.Length(axis.Norm(t.Value))
		half := size(t.Label) / 2
		if t.IsMinor() || at-half < end {
			ticks[i].Label = ""
			continue
		}
		end = at + half
	}
	axis.Tick.Marker = plot.ConstantTicks(ticks)
}

// isOn reports whether a value is between the ends of an axis, but for
// rounding.
func isOn(axis *plot.Axis, x float64) bool {
	const rounding = 1e-9
	share := axis.Norm(x)
	return -rounding <= share && share <= 1+rounding
}

// formatNumber writes a number with a number of significant digits, or with
// all if it is whole and below a million; digits of five and more in groups.
func formatNumber(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	size := math.Abs(x)
	switch {
	case size >= 1e6 || size < 1e-3 && x != 0:
		rounded, _ := strconv.ParseFloat(text, 64) // of FormatFloat
		shortest := strconv.FormatFloat(rounded, 'e', -1, 64)
		mantissa, power, _ := strings.Cut(shortest, "e")
		e, _ := strconv.Atoi(power) // of FormatFloat
		text = strings.TrimPrefix(mantissa+"·10^"+strconv.Itoa(e), "1·")
		if mantissa == "-1" {
			text = "-10^" + strconv.Itoa(e)
		}
	case x == math.Trunc(x) || strings.Contains(text, "e"):
		text = strconv.FormatFloat(x+0, 'f', 0, 64)
		if size >= 1e4 {
			text = text[:len(text)-3] + " " + text[len(text)-3:]
		}
	}
	return withMinus(text)
}

// withMinus writes minus signs as such.
func withMinus(text string) string { return strings.ReplaceAll(text, "-", "−") }
