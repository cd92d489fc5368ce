package plots

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// The colours of Okabe and Ito (Color Universal Design, 2008), which people
// with any colour vision can tell apart, from dark to light; their yellow
// is too light for lines on white.
var (
	black     = color.NRGBA{0x00, 0x00, 0x00, 0xff} // L* 0
	blue      = color.NRGBA{0x00, 0x72, 0xb2, 0xff} // 46
	vermilion = color.NRGBA{0xd5, 0x5e, 0x00, 0xff} // 53
	green     = color.NRGBA{0x00, 0x9e, 0x73, 0xff} // 58
	purple    = color.NRGBA{0xcc, 0x79, 0xa7, 0xff} // 62
	sky       = color.NRGBA{0x56, 0xb4, 0xe9, 0xff} // 70
	orange    = color.NRGBA{0xe6, 0x9f, 0x00, 0xff} // 72
)

// A look is how the lines and marks of one thing are drawn. Any two of the
// three tell it apart from others.
type look struct {
	color  color.NRGBA
	dashes []vg.Length // nil: solid
	marker draw.GlyphDrawer
}

// The dash patterns, in points.
func solid() []vg.Length    { return nil }
func dashed() []vg.Length   { return []vg.Length{4, 2} }
func dotted() []vg.Length   { return []vg.Length{1.2, 1.6} }
func dashDot() []vg.Length  { return []vg.Length{5, 1.6, 1.2, 1.6} }
func longDash() []vg.Length { return []vg.Length{8, 2.5} }

// algorithmLooks is the one table of how algorithms are drawn. Those that
// are often compared are far apart in lightness.
func algorithmLooks() map[string]look {
	return map[string]look{
		// foraging
		"WL":   {blue, dashed(), draw.CircleGlyph{}},
		"RL":   {orange, solid(), draw.TriangleGlyph{}},
		"WLRL": {green, dashDot(), draw.BoxGlyph{}},
		// monitoring
		"CGLA":                   {blue, solid(), draw.CircleGlyph{}},
		"FPA":                    {orange, dashed(), draw.TriangleGlyph{}},
		"proportional":           {green, dashDot(), draw.BoxGlyph{}},
		"uniform":                {black, dotted(), draw.CrossGlyph{}},
		"whittle":                {purple, solid(), draw.SquareGlyph{}},
		"topC":                   {sky, longDash(), draw.PyramidGlyph{}},
		"bayes":                  {vermilion, solid(), draw.RingGlyph{}},
		"thompson":               {black, dashed(), draw.BoxGlyph{}},
		"refresh":                {purple, dashDot(), draw.PlusGlyph{}},
		"learn_and_crawl":        {sky, dashed(), draw.PlusGlyph{}},
		"fixed_order":            {green, longDash(), draw.RingGlyph{}},
		"lambda_crawl":           {vermilion, dashDot(), draw.SquareGlyph{}},
		"lambda_learn_and_crawl": {vermilion, dashed(), draw.PyramidGlyph{}},
	}
}

// sequence is the order in which looks are given to what has none of its own.
func sequence() []look {
	colors := []color.NRGBA{blue, orange, green, purple, black, sky, vermilion}
	dashes := [][]vg.Length{solid(), dashed(), dashDot(), dotted(), longDash()}
	markers := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.TriangleGlyph{}, draw.BoxGlyph{},
		draw.SquareGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}}
	all := make([]look, len(colors)*len(dashes)) // coprime: no pair twice
	for i := range all {
		all[i] = look{colors[i%len(colors)], dashes[i%len(dashes)], markers[i%len(markers)]}
	}
	return all
}

// lookOf returns how an algorithm of an experiment is drawn, in all figures
// of all sweeps: as the table says, or else by its place among the choices
// that the experiment declares and the table does not know.
func lookOf(e *experiment.Experiment, algorithm string) look {
	table := algorithmLooks()
	if l, ok := table[algorithm]; ok {
		return l
	}
	p, _ := e.Param(experiment.Algorithm)
	known := func(choice string) bool { _, ok := table[choice]; return ok }
	unknown := slices.DeleteFunc(slices.Clone(p.Choices), known)
	free := slices.DeleteFunc(sequence(), func(l look) bool {
		return slices.ContainsFunc(p.Choices, func(c string) bool { return known(c) && l.alike(table[c]) })
	})
	return free[slices.Index(unknown, algorithm)%len(free)]
}

// alike reports whether two looks differ in less than two respects.
func (l look) alike(other look) bool {
	same := 0
	for _, s := range []bool{l.color == other.color, slices.Equal(l.dashes, other.dashes), l.marker == other.marker} {
		if s {
			same++
		}
	}
	return same > 1
}

// variant returns the look of the i-th variant of what has the look l, as
// one algorithm with several settings: the first is l itself, the others are
// lighter and differ in dashes and marker.
func (l look) variant(i int) look {
	if i == 0 {
		return l
	}
	others := slices.DeleteFunc([]look{
		{dashes: longDash(), marker: draw.RingGlyph{}},
		{dashes: dotted(), marker: draw.SquareGlyph{}},
		{dashes: dashed(), marker: draw.PyramidGlyph{}},
		{dashes: dashDot(), marker: draw.PlusGlyph{}},
		{dashes: solid(), marker: draw.CrossGlyph{}},
	}, func(o look) bool { return o.marker == l.marker || slices.Equal(o.dashes, l.dashes) })
	v := others[(i-1)%len(others)]
	v.color = withLightness(l.color, min(lightness(l.color)+18, 80))
	return v
}

// ramp returns looks for k values of a quantity, from light to dark.
func (l look) ramp(k int) []look {
	const lightest, darkest = 72, 18
	all := sequence()
	looks := make([]look, k)
	for i := range looks {
		at := 0.5
		if k > 1 {
			at = float64(i) / float64(k-1)
		}
		looks[i] = look{withLightness(l.color, lightest+(darkest-lightest)*at), l.dashes, all[i%len(all)].marker}
	}
	return looks
}

// withLightness mixes a colour with white or black until it has the
// lightness L*.
func withLightness(c color.NRGBA, wanted float64) color.NRGBA {
	end := black
	if wanted > lightness(c) {
		end = color.NRGBA{0xff, 0xff, 0xff, 0xff}
	}
	low, high := 0., 1.
	for range 20 {
		middle := (low + high) / 2
		if (lightness(mix(c, end, middle)) < wanted) == (end != black) {
			low = middle
		} else {
			high = middle
		}
	}
	return mix(c, end, high)
}

// mix returns the colour at a share of the way from one to another.
func mix(from, to color.NRGBA, share float64) color.NRGBA {
	channel := func(a, b uint8) uint8 {
		return uint8(math.Round(float64(a) + (float64(b)-float64(a))*share))
	}
	return color.NRGBA{channel(from.R, to.R), channel(from.G, to.G), channel(from.B, to.B), 0xff}
}

// translucent returns the colour with an opacity.
func translucent(c color.NRGBA, opacity float64) color.NRGBA {
	c.A = uint8(math.Round(255 * opacity))
	return c
}

// lightness returns CIE L*, from 0, black, to 100, white.
func lightness(c color.NRGBA) float64 {
	linear := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	y := 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	if y <= 0.008856 {
		return 903.3 * y
	}
	return 116*math.Cbrt(y) - 16
}
