package plots

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"

	"sweep/experiment"
)

// stripPlot returns a plot of single runs: a row for each cell, with a dot for
// each run, and the mean with its limits.
func (d *Data) stripPlot(f *Figure, metric string, cells []int) *plot.Plot {
	m := d.Experiment.Metric(metric)
	p := newPlot(f.title, d.metricTitle(f, &d.Experiment.Metrics[m]), "")
	p.Add(&plotter.Grid{Vertical: draw.LineStyle{Color: faded, Width: thinWidth}})
	scale := identity
	if f.isLog(experiment.YAxis) {
		scale = logarithm
		p.X.Tick.Marker = decades
	}
	var rows []string
	groups := d.groupBy(cells, f.Colour) // of one cell
	most := max(leastShown, maxDots/len(groups))
	for i, g := range groups {
		named := f.Colour // without those of the values in the row above
		for i > 0 && d.agree(g[0], groups[i-1][0], named[0]) {
			named = named[1:]
		}
		name := d.name(named, g)
		if values := d.cells[g[0]].values; values != nil {
			l := d.lines(groups[i:i+1], nil)[0]
			lost, bare := l.addStrip(p, values[m], float64(len(groups)-1-i), most, scale)
			f.lost += lost
			f.bare += bare
		} else {
			name += " (failed)"
		}
		rows = append(rows, name)
	}
	f.note = "dots: single ones"
	if runs := d.mostRuns(cells); runs > most {
		f.note += fmt.Sprintf(", %d of %d at equal steps of the rank", most, runs)
	}
	f.note += "; mark: mean, 95 % limits %n"
	slices.Reverse(rows)
	padding := p.X.Padding
	f.nameRows(p, rows)
	p.X.Padding = padding
	p.Y.Min = -0.6
	p.Y.Max = float64(len(rows)) - 0.4
	room := 0.04 * (p.X.Max - p.X.Min)
	p.X.Min -= room
	p.X.Max += room
	return p
}

// mostRuns returns the number of runs of the cell that has most.
func (d *Data) mostRuns(cells []int) (most int) {
	for _, c := range cells {
		if values := d.cells[c].values; values != nil {
			most = max(most, len(values[0]))
		}
	}
	return most
}

// agree reports whether two cells have the same value of a parameter.
func (d *Data) agree(a, b int, param string) bool {
	return d.value(a, param) == d.value(b, param)
}

// atEqualRanks returns at most so many dots: of more, those at equal steps of
// the rank by X, from the least to the greatest.
func atEqualRanks(dots plotter.XYs, most int) plotter.XYs {
	if len(dots) <= most {
		return dots
	}
	sorted := slices.Clone(dots)
	slices.SortStableFunc(sorted, func(a, b plotter.XY) int { return cmp.Compare(a.X, b.X) })
	var kept plotter.XYs
	for i := range most {
		kept = append(kept, sorted[i*(len(sorted)-1)/(most-1)])
	}
	return kept
}

// addStrip draws runs at a height: a dot for each, or at most so many, and
// their mean. It returns how many have no place on the scale, and 1 as bare if
// the limits have none.
func (l *line) addStrip(
	p *plot.Plot, values []float64, y float64, most int, scale func(float64) float64,
) (lost, bare int) {
	const half = 0.3 // of the height of the strip
	dots := &plotter.Scatter{}
	dots.Color = translucent(l.color, 0.6)
	dots.Radius = 0.9
	dots.Shape = draw.CircleGlyph{}
	var m moments
	for i, v := range values {
		if math.IsNaN(v) {
			continue
		}
		m.add(v)
		// The golden ratio scatters any number of dots evenly.
		_, at := math.Modf(float64(i+1) * (math.Sqrt(5) - 1) / 2)
		dot := plotter.XY{X: scale(v), Y: y + half*float64(1.6*at-0.8)}
		if math.IsNaN(dot.X) {
			lost++
			continue
		}
		dots.XYs = append(dots.XYs, dot)
	}
	if len(dots.XYs) == 0 {
		return lost, 0
	}
	dots.XYs = atEqualRanks(dots.XYs, most)
	p.Add(dots)
	mean, margin := m.limits()
	at := plotter.XYs{{X: scale(mean), Y: y}}
	if math.IsNaN(at[0].X) {
		return lost, 0
	}
	low := at[0].X - scale(mean-margin)
	high := scale(mean+margin) - at[0].X
	if math.IsNaN(low) && margin > 0 {
		bare = 1
	}
	if !math.IsNaN(low) && !math.IsNaN(high) {
		p.Add(&plotter.XErrorBars{
			XYs:       at,
			XErrors:   plotter.XErrors{{Low: low, High: high}},
			LineStyle: draw.LineStyle{Color: ink, Width: lineWidth},
		})
	}
	l.color = ink
	p.Add(&plotter.Scatter{XYs: at, GlyphStyle: l.glyph()})
	return lost, bare
}
