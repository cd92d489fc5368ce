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

// A chart is a panel of lines over a common axis.
type chart struct {
	title, x, y string
	logX, logY  bool
	ticks       plot.Ticker // of x; nil: at most steps round values
	steps       int         // 0: 5
	lines       []line
	events      []float64 // places on x that are marked by a vertical line
	low, high   float64   // y from and to, if they differ; or as the lines need
}

// A line goes through means.
type line struct {
	name      string // put at its end; may be empty
	look      look
	x, y      []float64 // y NaN: not defined there
	low, high []float64 // limits of y, or nil; NaN where not defined
	runs      []run     // single runs, drawn faintly
	style     lineStyle
}

// A lineStyle says what is drawn of a line.
type lineStyle int

const (
	curve  lineStyle = iota // a line in a band
	marked                  // a line with a mark and a bar at each x
	level                   // one value, for all x
	dots                    // marks only
	specks                  // faint dots
	plain                   // the line only
)

func (c chart) plot() *plot.Plot {
	p := newPlot(c.title, c.x, c.y)
	steps := cmp.Or(c.steps, 5)
	p.X.Tick.Marker, p.Y.Tick.Marker = linearTicks(steps), linearTicks(5)
	if c.ticks != nil {
		p.X.Tick.Marker = c.ticks
	}
	// Logarithms are taken here, because plot.LogScale makes wrong room for
	// titles of axes.
	x, y := asItIs, asItIs
	if c.logX {
		x = math.Log10
		if c.ticks == nil {
			p.X.Tick.Marker = logTicks{}
		}
		p.X.Tick.Marker = ofLogarithm{p.X.Tick.Marker}
	}
	if c.logY {
		y, p.Y.Tick.Marker = math.Log10, ofLogarithm{logTicks{}}
	}
	shown := make(lines, len(c.lines))
	for i := range shown {
		shown[i] = c.lines[i].through(x, y)
	}
	p.Add(gridLines{y: true}, events(c.events), shown)
	if c.low < c.high {
		p.Y.Min, p.Y.Max = c.low, c.high
	}
	if !c.logX && c.ticks == nil {
		p.X.Min, p.X.Max = rounded(p.X.Min, p.X.Max, steps)
	}
	if !c.logY {
		p.Y.Min, p.Y.Max = rounded(p.Y.Min, p.Y.Max, 5)
	}
	return p
}

// entitled returns the chart with a title. A chart that then has neither a
// title nor a line with a name gives its one line the name.
func (c chart) entitled(title, name string) chart {
	c.title = title
	if title == "" && len(c.lines) == 1 {
		c.lines[0].name = name
	}
	return c
}

// through returns the line with its coordinates put through functions.
func (l line) through(x, y func(float64) float64) line {
	apply := func(f func(float64) float64, values []float64) []float64 {
		out := make([]float64, len(values))
		for i, v := range values {
			out[i] = f(v)
		}
		return out
	}
	l.x, l.y = apply(x, l.x), apply(y, l.y)
	if l.low != nil {
		l.low, l.high = apply(y, l.low), apply(y, l.high)
	}
	runs := make([]run, len(l.runs))
	for i, r := range l.runs {
		runs[i] = run{apply(x, r.x), apply(y, r.y)}
	}
	l.runs = runs
	return l
}

func asItIs(x float64) float64 { return x }

// sameRange gives charts one range of y, so that they can be compared.
func sameRange(charts []panel) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range charts {
		_, _, a, b := lines(p.(chart).lines).DataRange()
		low, high = min(low, a), max(high, b)
	}
	for i := range charts {
		c := charts[i].(chart)
		c.low, c.high = low, high
		charts[i] = c
	}
}

// events is a Plotter of vertical lines.
type events []float64

func (at events) Plot(c draw.Canvas, p *plot.Plot) {
	toX, _ := p.Transforms(&c)
	for _, x := range at {
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: gridWidth, Dashes: dashed()}, toX(x), c.Min.Y, toX(x), c.Max.Y)
	}
}

// lines is a Plotter.
type lines []line

// DataRange implements plot.DataRanger.
func (ls lines) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	widen := func(low, high *float64, values ...float64) {
		for _, v := range values {
			if !math.IsNaN(v) {
				*low, *high = min(*low, v), max(*high, v)
			}
		}
	}
	for _, l := range ls {
		widen(&xmin, &xmax, l.x...)
		for _, ys := range [][]float64{l.y, l.low, l.high} {
			widen(&ymin, &ymax, ys...)
		}
		for _, r := range l.runs {
			widen(&ymin, &ymax, r.y...)
		}
	}
	return xmin, xmax, ymin, ymax
}

// Plot implements plot.Plotter: what is faint lies below what is not.
func (ls lines) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	points := func(x, y []float64) [][]vg.Point { return segments(x, y, toX, toY) }
	for _, l := range ls {
		faint := draw.LineStyle{Color: translucent(l.look.color, runOpacity), Width: faintWidth}
		for _, run := range l.runs {
			c.StrokeLines(faint, points(run.x, run.y)...)
		}
	}
	for _, l := range ls {
		if len(l.runs) > 0 { // makes the line stand out from them
			halo := draw.LineStyle{Color: translucent(paper, 0.8), Width: 2.5 * lineWidth}
			c.StrokeLines(halo, points(l.x, l.y)...)
		}
	}
	for _, l := range ls {
		l.drawSpread(&c, toX, toY)
	}
	for _, l := range ls {
		stroke := draw.LineStyle{Color: l.look.color, Width: lineWidth, Dashes: l.look.dashes}
		if l.style == level {
			c.StrokeLine2(stroke, c.Min.X, toY(l.y[0]), c.Max.X, toY(l.y[0]))
			continue
		}
		through := points(l.x, l.y)
		if l.style != dots && l.style != specks {
			c.StrokeLines(stroke, through...)
		}
		glyph, marks := l.glyph()
		for _, segment := range through {
			if marks || len(segment) == 1 { // a point alone would not be seen
				for _, at := range segment {
					c.DrawGlyph(glyph, at)
				}
			}
		}
	}
	ls.drawNames(&c, toY)
}

// glyph returns the mark of the line, and whether it is put at each x.
func (l *line) glyph() (g draw.GlyphStyle, everywhere bool) {
	if l.style == specks {
		return draw.GlyphStyle{Color: translucent(l.look.color, 0.5), Radius: markRadius / 3, Shape: draw.CircleGlyph{}}, true
	}
	g = draw.GlyphStyle{Color: l.look.color, Radius: markRadius, Shape: l.look.marker}
	return g, l.style == marked || l.style == dots
}

// drawSpread draws the limits: as bars at marks, or else as a band.
func (l *line) drawSpread(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	if l.low == nil {
		return
	}
	bar := draw.LineStyle{Color: l.look.color, Width: lineWidth * 0.7}
	switch l.style {
	case marked:
		const half = 1.5 // of the strokes at the ends
		for i, low := range l.low {
			if math.IsNaN(low) {
				continue
			}
			x, a, b := toX(l.x[i]), toY(low), toY(l.high[i])
			c.StrokeLine2(bar, x, a, x, b)
			c.StrokeLine2(bar, x-half, a, x+half, a)
			c.StrokeLine2(bar, x-half, b, x+half, b)
		}
	case level:
		if a, b := toY(l.low[0]), toY(l.high[0]); !math.IsNaN(l.low[0]) {
			c.FillPolygon(translucent(l.look.color, bandOpacity/2),
				[]vg.Point{{X: c.Min.X, Y: a}, {X: c.Max.X, Y: a}, {X: c.Max.X, Y: b}, {X: c.Min.X, Y: b}})
		}
	default:
		lower, upper := segments(l.x, l.low, toX, toY), segments(l.x, l.high, toX, toY)
		for i, edge := range lower {
			if len(edge) == 1 {
				c.StrokeLines(bar, append(edge, upper[i]...))
				continue
			}
			slices.Reverse(upper[i])
			c.FillPolygon(translucent(l.look.color, bandOpacity), append(edge, upper[i]...))
		}
	}
}

// segments returns the points of a line, broken where y is not defined.
func segments(x, y []float64, toX, toY func(float64) vg.Length) [][]vg.Point {
	var all [][]vg.Point
	open := false
	for i, v := range y {
		if math.IsNaN(v) {
			open = false
			continue
		}
		if !open {
			all, open = append(all, nil), true
		}
		last := len(all) - 1
		all[last] = append(all[last], vg.Point{X: toX(x[i]), Y: toY(v)})
	}
	return all
}

// Names stand to the right of the chart, after a sample of the line. Long
// ones take two lines of text.
const (
	nameGap    = vg.Length(2)
	sampleSize = vg.Length(13)
	nameHeight = tickSize * 1.15
	longName   = vg.Length(58)
)

// wrapName breaks a long name after the comma next to its middle.
func wrapName(name string) string {
	if textStyle(tickSize).Width(name) <= longName {
		return name
	}
	best := -1
	for i := range name {
		if name[i] == ',' && (best < 0 || max(i, len(name)-i) < max(best, len(name)-best)) {
			best = i
		}
	}
	if best < 0 {
		return name
	}
	return name[:best+1] + "\n" + name[best+2:]
}

// named returns the lines that have a name and an end to put it to.
func (ls lines) named() lines {
	return slices.DeleteFunc(slices.Clone(ls), func(l line) bool { return l.name == "" || math.IsNaN(l.last()) })
}

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room that names need.
func (ls lines) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := vg.Length(0)
	for _, l := range ls.named() {
		width = max(width, textStyle(tickSize).Width(wrapName(l.name)))
	}
	if width == 0 {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 2*nameGap + sampleSize + width}}}}
}

// drawNames puts the names of the lines to their ends, and draws a sample of
// each from the end of the line to its name.
func (ls lines) drawNames(c *draw.Canvas, toY func(float64) vg.Length) {
	ls = ls.named()
	ends, heights := make([]vg.Length, len(ls)), make([]vg.Length, len(ls))
	for i, l := range ls {
		ends[i] = toY(l.last())
		heights[i] = nameHeight * vg.Length(1+strings.Count(wrapName(l.name), "\n"))
	}
	places := spread(ends, heights, c.Min.Y-nameHeight, c.Max.Y+nameHeight/2)
	left := c.Max.X + nameGap
	for i, l := range ls {
		stroke := draw.LineStyle{Color: l.look.color, Width: lineWidth, Dashes: l.look.dashes}
		c.StrokeLine2(stroke, left, ends[i], left+sampleSize, places[i])
		if glyph, ok := l.glyph(); ok {
			c.DrawGlyphNoClip(glyph, vg.Point{X: left + sampleSize/2, Y: (ends[i] + places[i]) / 2})
		}
		fillCentered(c, textStyle(tickSize), vg.Point{X: left + sampleSize + nameGap, Y: places[i]}, wrapName(l.name))
	}
}

// last returns the last y that is defined; NaN if none is.
func (l *line) last() float64 {
	for i := len(l.y) - 1; i >= 0; i-- {
		if !math.IsNaN(l.y[i]) {
			return l.y[i]
		}
	}
	return math.NaN()
}
