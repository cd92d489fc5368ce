// Package plots draws figures of a sweep's results. It knows no experiment:
// what a figure shows is data (experiment.Figure), declared by an experiment
// for the figures of its papers, and chosen from the axes for any sweep.
//
// data.go reads a directory (results.Reader) into cells. axes.go finds out what
// the sweep varies, and titles.go names it. figures.go lists the figures that
// fit, and plots.go assigns cells to lines and panels. The panels are lines
// (lines.go, slopes.go, with names.go), strips of dots (strips.go), or maps
// (fields.go, effects.go), in the colours and letters of style.go. page.go puts
// them onto pages and writes these as SVG, PNG or PDF.
//
// Figures are 8.5 or 17.5 cm wide, and are to be printed at that size: the
// smallest letters are 7 pt. Lines have their names at their ends instead of a
// legend, and can be told apart in grey. Bands and bars are the limits of the
// mean at 95 % confidence (Student's t) over the runs of a cell, that is, over
// seeds.
package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// A Figure is a figure of any sweep, without a Source, or one that the
// experiment declares: what it shows where.
type Figure struct {
	experiment.Figure
	Why string // why it does not fit the results; empty if it does

	data          *Data
	cells         []int
	title         string    // of the next panel: what its facet is
	height, width vg.Length // that a panel needs, with its axes and names; 0: any
	note          string    // how to read the panels
	settings      balance   // of other axes over which means are taken
}

// Limits of what people can read.
const (
	maxLines   = 8  // of a plot, unless it is one for each algorithm
	maxStrips  = 40 // of a plot
	maxFields  = 40 // of a map, in a row or column
	maxColumns = 3  // of panels side by side
	maxPanels  = 300
	maxTraced  = 1000 // cells whose series are read
)

// fit finds the cells of a figure, and assigns what varies among them to
// colours and facets; or says why the figure does not fit.
func (d *Data) fit(f *Figure) (why string) {
	if why := d.unfit(f); why != "" {
		return why
	}
	var needs []string
	f.cells = d.all()
	for _, c := range f.Where {
		needs = append(needs, c.String())
		f.cells = slices.DeleteFunc(f.cells, func(i int) bool {
			return !c.Holds(d.value(i, c.Param))
		})
	}
	where := strings.Join(needs, ", ")
	if d.isEmpty(f.cells) {
		return "it shows runs that succeeded where " + where
	}
	used := without(append(slices.Clone(f.X), f.Rows), "")
	free := d.freeAxes(f.cells, used...)
	if f.Colour == nil && f.Facets == nil {
		d.assign(f, without(free, used...))
	} else {
		told := slices.Concat(f.Colour, f.Facets, used)
		missing := without(append(used, told[0]), free...)
		if len(missing) > 0 {
			return "it shows several values of " + missing[0] + " where " + where
		}
		more := without(free, told...)
		if len(more) > 0 {
			return fmt.Sprintf("it shows %s, and nothing else may vary; here %[2]s does "+
				"(--over %[2]s takes means over it)", where, more[0])
		}
	}
	facets := d.groupBy(f.cells, f.Facets)
	panels := len(facets) * len(f.Y) * max(1, len(f.X))
	if panels > maxPanels {
		return fmt.Sprint(panels, " panels are too many to be read; -m chooses metrics, "+
			"--over takes means over an axis")
	}
	return ""
}

// unfit says why a figure fits no cells; empty if it may.
func (d *Data) unfit(f *Figure) string {
	if f.Kind == experiment.Lines && len(f.X) == 0 { // a series
		if len(d.Experiment.Columns()) == 0 {
			return "the experiment has no series"
		}
		if len(d.cells) > maxTraced {
			return fmt.Sprintf("the series of more than %d cells are not drawn", maxTraced)
		}
		for _, c := range d.cells {
			if c.uneven && len(f.Slopes) == 0 { // distributions may be
				return "runs do not have the same values of " + spaced(d.Experiment.Axis().Name)
			}
		}
	}
	if len(f.Y) == 0 {
		return "nothing that was asked for differs between the cells"
	}
	return ""
}

// isEmpty reports whether no run of the cells succeeded.
func (d *Data) isEmpty(cells []int) bool {
	for _, c := range cells {
		if d.cells[c].runs > 0 {
			return false
		}
	}
	return true
}

// assign decides which of the axes tell lines or strips apart, and which tell
// panels apart, so that no panel has too many lines: as few axes as possible
// tell panels apart, those with fewest values first, the algorithm never.
func (d *Data) assign(f *Figure, axes []string) {
	if f.Kind == experiment.Map || len(f.Slopes) > 0 {
		f.Facets = axes
		return
	}
	f.Colour = axes
	for d.isCrowded(f) {
		best := ""
		fewest := 0
		for _, p := range without(f.Colour, experiment.Algorithm) {
			n := len(d.values(f.cells, p))
			if best == "" || n < fewest {
				best = p
				fewest = n
			}
		}
		if best == "" {
			return
		}
		if len(f.X) < 2 { // with several X means are taken over the others
			f.Facets = append(f.Facets, best)
		}
		f.Colour = without(f.Colour, best)
	}
}

// isCrowded reports whether a panel of the figure has too many lines or strips.
func (d *Data) isCrowded(f *Figure) bool {
	limit := maxLines
	if f.Kind == experiment.Strips {
		limit = maxStrips
	}
	for _, cells := range d.facets(f.cells, f.Facets) {
		if len(d.groupBy(cells, f.Colour)) > limit {
			return true
		}
	}
	return false
}

// Pages draws a figure that fits the results: the panels of a metric in a row.
// If there are several pages, their names have numbers.
func (f *Figure) Pages() []Page {
	d := f.data
	drawn := *f // to which panels add their titles and notes
	ys := drawn.Y
	if drawn.Kind == experiment.Map && drawn.Rows == "" || len(drawn.Slopes) > 0 {
		ys = ys[:1] // all metrics are in it
	}
	var rows [][]*plot.Plot
	for _, y := range ys {
		var row []*plot.Plot
		var xs, ys []*plot.Axis
		for _, g := range d.facets(drawn.cells, drawn.Facets) {
			drawn.title = d.name(drawn.Facets, g)
			row = append(row, d.panels(&drawn, y, g)...)
		}
		for _, p := range row {
			xs = append(xs, &p.X)
			ys = append(ys, &p.Y)
		}
		rescale(xs, f.Kind == experiment.Strips)
		rescale(ys, f.Kind == experiment.Lines)
		rows = append(rows, row)
	}
	p := Page{
		Name:        f.Name,
		Title:       f.Title,
		Description: d.note(&drawn),
		height:      drawn.height,
		minWidth:    drawn.width,
	}
	return p.paginate(rows)
}

// rescale gives axes one scale if it is shared, so that panels can be compared.
// It takes the ticks from axes without data, for which plots would invent some.
func rescale(axes []*plot.Axis, shared bool) {
	low := math.Inf(1)
	high := math.Inf(-1)
	for _, a := range axes {
		low = min(low, a.Min)
		high = max(high, a.Max)
	}
	for _, a := range axes {
		if shared {
			a.Min = low
			a.Max = high
		}
		if a.Min > a.Max {
			a.Tick.Marker = plot.ConstantTicks{}
		}
	}
}

// panels makes the panels of a metric or column in cells.
func (d *Data) panels(f *Figure, y string, cells []int) []*plot.Plot {
	switch {
	case len(f.Slopes) > 0:
		return []*plot.Plot{d.distribution(f, cells)}
	case f.Kind == experiment.Map && f.Rows == "":
		return []*plot.Plot{d.effectsPlot(f)}
	case f.Kind == experiment.Map:
		return []*plot.Plot{d.mapPlot(f, y, cells)}
	case f.Kind == experiment.Strips:
		return []*plot.Plot{d.stripPlot(f, y, cells)}
	case f.Kind == experiment.Exchange:
		return []*plot.Plot{d.exchangePlot(f, y, cells)}
	case len(f.X) == 0:
		return []*plot.Plot{d.timePlot(f, y, cells)}
	}
	var panels []*plot.Plot
	for _, x := range f.X {
		panels = append(panels, d.against(f, x, y, cells))
	}
	return panels
}

// note is the text below a figure: what it shows, of how many runs, and which
// runs are missing.
func (d *Data) note(f *Figure) string {
	low := math.MaxInt
	high := 0
	failed := 0
	tried := 0
	gaps := false
	for _, i := range f.cells {
		c := &d.cells[i]
		for _, y := range f.Y {
			n := c.runs
			if f.Kind != experiment.Lines || len(f.X) > 0 { // a metric
				n = c.metric(d.Experiment.Metric(y)).n
			}
			if n > 0 {
				low = min(low, n)
				high = max(high, n)
			}
		}
		failed += c.failed
		tried += c.tried
		if c.runs == 0 {
			gaps = true
		}
	}
	count := fmt.Sprintf("%d to %d", low, high)
	if low == high {
		count = fmt.Sprint(low)
	}
	note := strings.ReplaceAll(f.note, "%n", "over "+count+" "+d.replicates())
	if high == 1 && len(d.over) == 0 {
		note = "one run each"
	}
	note = "Sweep " + d.Name + ": " + note
	if gaps && (f.Kind == experiment.Lines || f.Rows != "") {
		note += "; gaps in lines and ×: no run succeeded"
	}
	if failed > 0 {
		note += fmt.Sprintf("; %d of %d runs failed", failed, tried)
	}
	if d.missing > 0 {
		note += fmt.Sprintf("; %d runs are missing", d.missing)
	}
	return note + "."
}

// replicates says what the replicates of a cell are.
func (d *Data) replicates() string {
	if len(d.over) == 0 {
		return "runs"
	}
	return "values of " + spaced(strings.Join(d.over, " and "))
}
