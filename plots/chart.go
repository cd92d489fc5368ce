package plots

import (
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A chart is a panel of lines over a common axis.
type chart struct {
	title, x, y string
	logX, logY  bool
	ticks       plot.Ticker // of x; nil: round values
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
	if c.logX {
		p.X.Scale = plot.LogScale{}
		p.X.Tick.Marker = logTicks{}
	} else {
		p.X.Tick.Marker = linearTicks(5)
	}
	if c.ticks != nil {
		p.X.Tick.Marker = c.ticks
	}
	if c.logY {
		p.Y.Scale = plot.LogScale{}
		p.Y.Tick.Marker = logTicks{}
	} else {
		p.Y.Tick.Marker = linearTicks(5)
	}
	p.Add(gridLines{y: true}, events(c.events), lines(c.lines))
	if c.low < c.high {
		p.Y.Min, p.Y.Max = c.low, c.high
	}
	return p
}

// sameRange gives charts one range of y, so that they can be compared.
func sameRange(rows [][]panel) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range rows {
		for _, p := range row {
			_, _, a, b := lines(p.(chart).lines).DataRange()
			low, high = min(low, a), max(high, b)
		}
	}
	for _, row := range rows {
		for i := range row {
			c := row[i].(chart)
			c.low, c.high = low, high
			row[i] = c
		}
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
		l.drawSpread(&c, toX, toY)
	}
	for _, l := range ls {
		stroke := draw.LineStyle{Color: l.look.color, Width: lineWidth, Dashes: l.look.dashes}
		switch l.style {
		case level:
			c.StrokeLine2(stroke, c.Min.X, toY(l.y[0]), c.Max.X, toY(l.y[0]))
		case dots, specks:
		default:
			c.StrokeLines(stroke, points(l.x, l.y)...)
		}
		if glyph, ok := l.glyph(); ok {
			for _, segment := range points(l.x, l.y) {
				for _, at := range segment {
					c.DrawGlyph(glyph, at)
				}
			}
		}
	}
	ls.drawNames(&c, toX, toY)
}

// glyph returns the mark at each x, if the line has marks.
func (l *line) glyph() (g draw.GlyphStyle, ok bool) {
	switch l.style {
	case marked, dots:
		return draw.GlyphStyle{Color: l.look.color, Radius: markRadius, Shape: l.look.marker}, true
	case specks:
		return draw.GlyphStyle{Color: translucent(l.look.color, 0.5), Radius: markRadius / 3, Shape: draw.CircleGlyph{}}, true
	}
	return g, false
}

// drawSpread draws the limits: as bars at marks, or else as a band.
func (l *line) drawSpread(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	if l.low == nil {
		return
	}
	switch l.style {
	case marked:
		bar := draw.LineStyle{Color: l.look.color, Width: lineWidth * 0.7}
		const cap = 1.5
		for i, low := range l.low {
			if math.IsNaN(low) {
				continue
			}
			x, a, b := toX(l.x[i]), toY(low), toY(l.high[i])
			c.StrokeLine2(bar, x, a, x, b)
			c.StrokeLine2(bar, x-cap, a, x+cap, a)
			c.StrokeLine2(bar, x-cap, b, x+cap, b)
		}
	case level:
		if a, b := toY(l.low[0]), toY(l.high[0]); !math.IsNaN(l.low[0]) {
			c.FillPolygon(translucent(l.look.color, bandOpacity/2),
				[]vg.Point{{X: c.Min.X, Y: a}, {X: c.Max.X, Y: a}, {X: c.Max.X, Y: b}, {X: c.Min.X, Y: b}})
		}
	default:
		lower, upper := segments(l.x, l.low, toX, toY), segments(l.x, l.high, toX, toY)
		for i, edge := range lower {
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

// Names stand to the right of the chart, after a sample of the line.
const (
	nameGap    = vg.Length(2)
	sampleSize = vg.Length(13)
	nameHeight = tickSize * 1.15
)

func nameStyle() text.Style { return textStyle(tickSize) }

// GlyphBoxes implements plot.GlyphBoxer: it asks for the room that names need.
func (ls lines) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	width := vg.Length(0)
	for _, l := range ls {
		width = max(width, nameStyle().Width(l.name))
	}
	if width == 0 {
		return nil
	}
	return []plot.GlyphBox{{X: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 2*nameGap + sampleSize + width}}}}
}

// drawNames puts the names of the lines to their ends, and draws a sample of
// each from the end of the line to its name.
func (ls lines) drawNames(c *draw.Canvas, toX, toY func(float64) vg.Length) {
	ls = slices.DeleteFunc(slices.Clone(ls), func(l line) bool { return l.name == "" || math.IsNaN(l.last()) })
	ends := make([]vg.Length, len(ls))
	for i, l := range ls {
		ends[i] = toY(l.last())
	}
	places := spread(ends, nameHeight, c.Min.Y+nameHeight/4, c.Max.Y)
	left := c.Max.X + nameGap
	for i, l := range ls {
		stroke := draw.LineStyle{Color: l.look.color, Width: lineWidth, Dashes: l.look.dashes}
		c.StrokeLine2(stroke, left, ends[i], left+sampleSize, places[i])
		if glyph, ok := l.glyph(); ok {
			c.DrawGlyphNoClip(glyph, vg.Point{X: left + sampleSize/2, Y: (ends[i] + places[i]) / 2})
		}
		c.FillText(nameStyle(), vg.Point{X: left + sampleSize + nameGap, Y: places[i]}, l.name)
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
