package plots

import (
	"image/color"
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

// The colours of Okabe and Ito (Color Universal Design, 2008), which people with any
// colour vision can tell apart; their yellow is too light for lines on white.
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

// sequence returns the i-th of the styles that lines get in their order. The
// first 35 differ in two respects from each other.
func sequence(i int) line {
	colors := []color.NRGBA{blue, orange, green, purple, black, sky, vermilion}
	dashes := [][]vg.Length{nil, {4, 2}, {5, 1.6, 1.2, 1.6}, {1.2, 1.6}, {8, 2.5}}
	markers := []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{}, draw.CrossGlyph{},
		draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.PlusGlyph{}}
	return line{color: colors[i%len(colors)], dashes: dashes[i%len(dashes)], marker: markers[i%len(markers)]}
}

// shade returns the colour of the i-th of n values of a quantity, from light to dark.
func shade(c color.NRGBA, i, n int) color.NRGBA {
	if n < 2 {
		return c
	}
	to, share := 255., 0.4*(1-2*float64(i)/float64(n-1)) // towards white
	if share < 0 {
		to, share = 0, -0.55/0.4*share // towards black
	}
	for _, channel := range []*uint8{&c.R, &c.G, &c.B} {
		*channel = uint8(math.Round(float64(*channel) + float64((to-float64(*channel))*share)))
	}
	return c
}

// lines returns a line without points for each of some groups of cells, which some
// parameters tell apart and name. Each algorithm has the style of its place among the
// choices, in all figures. If it has several lines, they go from light to dark, with
// other dashes and markers. Without algorithms, only quantities go from light to dark.
func (d *Data) lines(groups [][]int, params []string) []line {
	algorithm, _ := d.Experiment.Param(experiment.Algorithm)
	members := map[int][]int{} // groups of each place in the sequence
	for i, g := range groups {
		k := 0
		if algorithm != nil {
			k = max(0, slices.Index(algorithm.Choices, d.value(g[0], experiment.Algorithm).Text()))
		} else if !slices.ContainsFunc(params, d.isQuantity) {
			k = i
		}
		members[k] = append(members[k], i)
	}
	lines := make([]line, len(groups))
	for k, list := range members {
		for n, i := range list {
			lines[i] = sequence(k + n)
			lines[i].color = shade(sequence(k).color, n, len(list))
			lines[i].name = d.name(params, groups[i])
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

// exponents writes 10^−4 with the exponent raised: the font has no characters for that.
type exponents struct{ text.Plain }

var exponent = regexp.MustCompile(`\^[−0-9]+`)

// parts calls part for each piece of a line, with its font, width and place.
func (h exponents) parts(line string, f font.Font, part func(string, font.Font, vg.Point)) (width vg.Length) {
	last := 0
	piece := func(to int, f font.Font, raised vg.Length) {
		part(line[last:to], f, vg.Point{X: width, Y: raised})
		w, _, _ := h.Plain.Box(line[last:to], f)
		width, last = width+w, to
	}
	for _, at := range append(exponent.FindAllStringIndex(line, -1), []int{len(line), len(line)}) {
		piece(at[0], f, 0)
		small := f
		small.Size *= 0.7
		last = min(at[0]+1, len(line))   // without the ^
		piece(at[1], small, f.Size*0.27) // higher ones would meet the ticks
	}
	return width
}

// Box implements text.Handler.
func (h exponents) Box(line string, f font.Font) (width, height, depth vg.Length) {
	_, height, depth = h.Plain.Box("", f)
	return h.parts(line, f, func(string, font.Font, vg.Point) {}), height, depth
}

// Draw implements text.Handler.
func (h exponents) Draw(c vg.Canvas, txt string, style text.Style, at vg.Point) {
	h.Plain.Draw(raising{c, h, vg.Length(style.XAlign)}, txt, style, at)
}

// raising is a canvas for the lines of a text that raises their exponents.
type raising struct {
	vg.Canvas
	exponents
	align vg.Length // the share of its width by which a line is moved
}

// FillString implements vg.Canvas.
func (r raising) FillString(f font.Face, at vg.Point, line string) {
	at.X += r.align * (r.parts(line, f.Font, func(string, font.Font, vg.Point) {}) - f.Width(line))
	r.parts(line, f.Font, func(piece string, f font.Font, to vg.Point) {
		if piece != "" {
			r.Canvas.FillString(r.Fonts.Lookup(f, f.Size), at.Add(to), piece)
		}
	})
}

// newPlot returns an empty plot in the style of the package.
func newPlot(title, x, y string) *plot.Plot {
	p := plot.New()
	p.TextHandler = textStyle(tickSize).Handler
	p.BackgroundColor = nil // the page's
	p.Title.Text, p.Title.Padding = title, 3
	p.X.Label.Text, p.Y.Label.Text = x, y
	p.X.Tick.Marker, p.Y.Tick.Marker = numbers(1), numbers(1)
	font := func(style *text.Style, size font.Length) {
		style.Font, style.Color, style.Handler = textStyle(size).Font, ink, p.TextHandler
	}
	font(&p.Title.TextStyle, labelSize)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		font(&axis.Label.TextStyle, labelSize)
		font(&axis.Tick.Label, tickSize)
		axis.Padding, axis.Label.Padding = 2, 2
		axis.Width, axis.Color = axisWidth, ink
		axis.Tick.Width, axis.Tick.Color, axis.Tick.Length = axisWidth, ink, 3
	}
	return p
}

// numbers puts at most five ticks at multiples of 1, 2, 2.5 or 5 times a power
// of ten, on an axis of which so much is called one.
func numbers(per float64) plot.TickerFunc {
	return func(low, high float64) (ticks []plot.Tick) {
		const most = 5
		low, high = low/per, high/per
		step := math.Pow(10, math.Floor(math.Log10((high-low)/most)))
		for _, f := range []float64{2, 1.25, 2, 2} {
			if (high-low)/step > most {
				step *= f
			}
		}
		digits := max(4, 2+int(math.Ceil(math.Log10(max(-low, high)/step)))) // neighbours differ
		for k := math.Ceil(low/step - 1e-9); k <= high/step+1e-9; k++ {
			ticks = append(ticks, plot.Tick{Value: k * step * per, Label: formatNumber(k*step, digits)})
		}
		return ticks
	}
}

// decades puts ticks on an axis of decimal logarithms: labels at powers of
// ten, or everywhere if there is one power or none, small ticks between them if not too many.
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

// thin takes away labels of an axis that would overprint the one before.
func thin(axis *plot.Axis, length vg.Length, size func(label string) vg.Length) {
	ticks := slices.Clone(axis.Tick.Marker.Ticks(axis.Min, axis.Max))
	end := vg.Length(math.Inf(-1))
	for i, t := range ticks {
		at, half := length*vg.Length(axis.Norm(t.Value)), size(t.Label)/2
		if t.IsMinor() || at-half < end {
			ticks[i].Label = ""
			continue
		}
		end = at + half
	}
	axis.Tick.Marker = plot.ConstantTicks(ticks)
}

// formatNumber writes a number with a number of significant digits, or with
// all if it is whole and below a million; digits of five and more in groups.
func formatNumber(x float64, digits int) string {
	text := strconv.FormatFloat(x, 'g', digits, 64)
	switch size := math.Abs(x); {
	case size >= 1e6 || size < 1e-3 && x != 0:
		rounded, _ := strconv.ParseFloat(text, 64) // of FormatFloat
		mantissa, power, _ := strings.Cut(strconv.FormatFloat(rounded, 'e', -1, 64), "e")
		e, _ := strconv.Atoi(power) // of FormatFloat
		text = strings.TrimPrefix(mantissa+"·10^"+strconv.Itoa(e), "1·")
	case x == math.Trunc(x) || strings.Contains(text, "e"):
		if text = strconv.FormatFloat(x+0, 'f', 0, 64); size >= 1e4 {
			text = text[:len(text)-3] + " " + text[len(text)-3:]
		}
	}
	return withMinus(text)
}

// withMinus writes minus signs as such.
func withMinus(text string) string { return strings.ReplaceAll(text, "-", "−") }
