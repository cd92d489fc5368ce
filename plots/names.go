package plots

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// annotations is a Plotter of the names of lines, from bottom to top, to the
// right of the plot. A sample of each line leads from its end to its name. It
// also draws dashed vertical lines at multiples of every up to end.
type annotations struct {
	lines      []line
	every, end float64
}

// height returns the room that the name needs.
func (l *line) height() vg.Length {
	return nameHeight * vg.Length(1+strings.Count(l.name, "\n"))
}

// end returns the last y that is defined; NaN if there is none.
func (l *line) end() float64 {
	for _, p := range slices.Backward(l.points) {
		if !math.IsNaN(p.y) {
			return p.y
		}
	}
	return math.NaN()
}

// endBefore returns the y at which a line ends, or leaves a plot whose
// horizontal axis has a limit before its end.
func (l *line) endBefore(limit float64) float64 {
	beyond := -1 // the point after
	for i, p := range slices.Backward(l.points) {
		switch {
		case math.IsNaN(p.y):
			beyond = -1
		case p.x > limit:
			beyond = i
		case beyond < 0:
			return p.y
		default:
			next := l.points[beyond]
			share := (limit - p.x) / (next.x - p.x)
			return p.y + float64(share*(next.y-p.y))
		}
	}
	return l.end()
}

// byEnd orders lines from bottom to top.
func byEnd(a, b line) int { return cmp.Compare(a.end(), b.end()) }

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room that names need.
func (a annotations) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	if len(a.lines) == 0 {
		return nil
	}
	var names []string
	for _, l := range a.lines {
		names = append(names, l.name)
	}
	box := plot.GlyphBox{X: 1}
	box.Rectangle.Max.X = 2*nameGap + sampleSize + widest(names)
	return []plot.GlyphBox{box}
}

// Plot implements plot.Plotter.
func (a annotations) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	dashed := draw.LineStyle{Color: ink, Width: thinWidth, Dashes: []vg.Length{4, 2}}
	for mark := a.every; mark > 0 && mark < a.end; mark += a.every {
		x := toX(mark)
		c.StrokeLine2(dashed, x, c.Min.Y, x, c.Max.Y)
	}
	var ends, heights []vg.Length
	const rounding = 1e-9
	limit := p.X.Max + float64(rounding*(p.X.Max-p.X.Min))
	lines := slices.Clone(a.lines)
	slices.SortStableFunc(lines, func(l, m line) int {
		return cmp.Compare(l.endBefore(limit), m.endBefore(limit))
	})
	for _, l := range lines {
		end := max(toY(l.endBefore(limit)), c.Min.Y)
		ends = append(ends, min(end, c.Max.Y))
		heights = append(heights, l.height())
	}
	middles := spread(ends, heights, c.Min.Y-nameHeight, c.Max.Y+nameHeight/3)
	style := textStyle(tickSize)
	descent := style.FontExtents().Descent
	left := c.Max.X + nameGap
	right := left + sampleSize
	for i, l := range lines {
		c.StrokeLine2(l.stroke(), left, ends[i], right, middles[i])
		if l.marks {
			middle := vg.Point{X: left + sampleSize/2, Y: (ends[i] + middles[i]) / 2}
			c.DrawGlyphNoClip(l.glyph(), middle)
		}
		at := vg.Point{X: right + nameGap, Y: middles[i] + descent}
		c.FillText(style, at, l.name)
	}
}

// spread returns the middles of labels, from bottom to top, near those wanted.
// None covers another, and all are between low and high if they have room
// there: a label is raised if it would cover the one below, and all are lowered
// if the last one leaves the room.
func spread(wanted, heights []vg.Length, low, high vg.Length) []vg.Length {
	middles := slices.Clone(wanted)
	for i, h := range heights {
		middles[i] = max(middles[i], low+h/2)
		low = middles[i] + h/2
	}
	for i, h := range slices.Backward(heights) {
		middles[i] = min(middles[i], high-h/2)
		high = middles[i] - h/2
	}
	return middles
}
