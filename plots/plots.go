// Package plots draws figures of a sweep's results. It knows no experiment:
// what a figure shows is data (experiment.Figure), declared by an experiment
// for the figures of its papers, and chosen from the axes for any sweep.
//
// data.go reads a directory (results.Reader) into cells, axes.go finds out what
// the sweep varies and names things, and plots.go lists the figures that fit and
// assigns cells to lines and panels. The panels are lines (lines.go), or maps and
// strips (fields.go), in the colours and letters of style.go; page.go puts them
// onto pages and writes these as SVG, PNG or PDF.
//
// Figures are 8.5 or 17.5 cm wide, and are to be printed at that size: the
// smallest letters are 7 pt. Lines bear their names at their ends instead of a
// legend, and can be told apart in grey. Bands and bars are the limits of the mean
// at 95 % confidence (Student's t) over the runs of a cell, that is, over seeds.
package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
	"sweep/internal/lists"
)

// A Figure is a figure of any sweep, without a Source, or one that the
// experiment declares: what it shows where.
type Figure struct {
	experiment.Figure
	Why string // it does not fit the results; empty if it does

	data          *Data
	cells         []int
	title         string    // of the next panel: what its facet is
	height, width vg.Length // that a panel needs, with its axes and names; 0: of any
	note          string    // how to read the panels
	settings      int       // of other axes over which means are taken, as balanced says it
}

// Limits of what can be read.
const (
	mostLines   = 8  // of a plot, unless it is one for each algorithm
	mostStrips  = 40 // of a plot
	mostFields  = 40 // of a map, in a row or column
	mostColumns = 3  // of panels side by side
	mostPanels  = 300
	mostTraced  = 1000 // cells whose series are read
)

// Figures returns the figures of any sweep, as its axes suggest, then those
// that the experiment declares. None of them is drawn yet.
func (d *Data) Figures() (all []Figure) {
	chosen := func(name string) bool { return d.metrics == nil || slices.Contains(d.metrics, name) }
	informing := func(list []experiment.Metric, informs func(i int) bool) (names []string) {
		for i, m := range list {
			if chosen(m.Name) && informs(i) {
				names = append(names, m.Name)
			}
		}
		return names
	}
	metrics := informing(d.Experiment.Metrics, d.informs)
	columns := informing(d.Experiment.Columns(), d.columnInforms)
	quantities, fields := []string(nil), 0
	for _, p := range d.axes {
		if d.isQuantity(p) {
			quantities, fields = append(quantities, p), max(fields, len(d.values(d.all(), p)))
		}
	}
	add := func(fits bool, needs string, have int, f experiment.Figure) {
		figure := Figure{Figure: f, data: d}
		if figure.Why = fmt.Sprintf("%s; varying here: %d", needs, have); fits {
			figure.Why = d.fit(&figure)
		}
		if f.Source != "" {
			figure.Title += " (" + f.Source + ")"
		}
		all = append(all, figure)
	}
	n, two := len(quantities), append(slices.Clone(quantities), "", "")
	add(n == 0, "no quantity may vary", n, experiment.Figure{Name: "distribution", Kind: experiment.Strips,
		Y: metrics, Title: "the runs of each cell"})
	add(n == 1, "one quantity must vary", n, experiment.Figure{Name: "dependence", Kind: experiment.Lines,
		X: quantities, Y: metrics, Title: "metrics against " + spaced(two[0])})
	most := fmt.Sprintf("two quantities must vary, with at most %d values", mostFields)
	add(n == 2 && fields <= mostFields, most, n, experiment.Figure{Name: "map", Kind: experiment.Map,
		X: two[:1], Rows: two[1], Y: metrics, Title: "over " + spaced(two[0]) + " and " + spaced(two[1])})
	add(n > 1, "several quantities must vary", n, experiment.Figure{Name: "effects", Kind: experiment.Lines,
		X: quantities, Y: metrics, Title: "each quantity, mean over the other axes"})
	several := "several axes must vary, all of a grid"
	add(len(d.axes) > 1 && len(d.sampled) == 0, several, len(d.axes), experiment.Figure{Name: "sensitivity",
		Kind: experiment.Map, X: d.axes, Y: metrics,
		Title: "which axis moves which metric: shares of the variance"})
	add(true, "", 0, experiment.Figure{Name: "series", Kind: experiment.Lines, Y: columns,
		Title: "the series over " + spaced(d.Experiment.Axis().Name)})
	for _, f := range d.Experiment.Figures {
		f.Y = slices.DeleteFunc(slices.Clone(f.Y), func(y string) bool { return !chosen(y) })
		add(true, "", 0, f)
	}
	return all
}

// fit finds the cells of a figure, and assigns what varies among them to colours
// and facets; or says why the figure does not fit.
func (d *Data) fit(f *Figure) (why string) {
	uneven := func(c cell) bool { return c.uneven }
	switch series := f.Kind == experiment.Lines && len(f.X) == 0; {
	case series && len(d.Experiment.Columns()) == 0:
		return "the experiment has no series"
	case series && len(d.cells) > mostTraced:
		return fmt.Sprintf("the series of more than %d cells are not drawn", mostTraced)
	case series && len(f.Slopes) == 0 && slices.ContainsFunc(d.cells, uneven): // distributions may be
		return "runs do not have the same values of " + spaced(d.Experiment.Axis().Name)
	case len(f.Y) == 0:
		return "nothing that was asked for differs between the cells"
	}
	needs := strings.Join(lists.Map(f.Where, func(c experiment.Condition) string { return c.String() }), ", ")
	f.cells = d.all()
	for _, c := range f.Where {
		f.cells = slices.DeleteFunc(f.cells, func(i int) bool { return !c.Holds(d.value(i, c.Param)) })
	}
	if !slices.ContainsFunc(f.cells, func(c int) bool { return d.cells[c].runs > 0 }) {
		return "it shows runs that succeeded where " + needs
	}
	used := without(append(slices.Clone(f.X), f.Rows), "")
	free := d.freeAxes(f.cells, used...)
	if f.Colour == nil && f.Facets == nil {
		d.assign(f, without(free, used...))
	} else {
		told := slices.Concat(f.Colour, f.Facets, used)
		if missing := without(append(used, told[0]), free...); len(missing) > 0 {
			return "it shows several values of " + missing[0] + " where " + needs
		}
		if more := without(free, told...); len(more) > 0 {
			return fmt.Sprintf("it shows %s, and nothing else may vary; here %[2]s does "+
				"(--over %[2]s takes means over it)", needs, more[0])
		}
	}
	if panels := len(d.groupBy(f.cells, f.Facets)) * len(f.Y) * max(1, len(f.X)); panels > mostPanels {
		return fmt.Sprint(panels, " panels are too many to be read; -m chooses metrics, --over takes means over an axis")
	}
	return ""
}

// assign decides which of the axes tell lines or strips apart, and which tell
// panels apart, so that no panel has too many: as few as possible, those with
// fewest values first, the algorithm never.
func (d *Data) assign(f *Figure, axes []string) {
	if f.Kind == experiment.Map || len(f.Slopes) > 0 {
		f.Facets = axes
		return
	}
	most := mostLines
	if f.Kind == experiment.Strips {
		most = mostStrips
	}
	f.Colour = axes
	crowded := func(g []int) bool { return len(d.groupBy(g, f.Colour)) > most }
	for slices.ContainsFunc(d.facets(f.cells, f.Facets), crowded) {
		movable := without(f.Colour, experiment.Algorithm)
		if len(movable) == 0 {
			return
		}
		size := func(p string) int { return len(d.values(f.cells, p)) }
		best := slices.MinFunc(movable, func(p, q string) int { return size(p) - size(q) })
		if len(f.X) < 2 { // with several X means are taken over the others
			f.Facets = append(f.Facets, best)
		}
		f.Colour = without(f.Colour, best)
	}
}

// Pages draws a figure that fits the results: the panels of a metric in a row.
// Those of several pages have numbers in their names.
func (f *Figure) Pages() []Page {
	d, drawn := f.data, *f // to which panels add their titles and notes
	ys := drawn.Y
	if drawn.Kind == experiment.Map && drawn.Rows == "" || len(drawn.Slopes) > 0 {
		ys = ys[:1] // all metrics are in it
	}
	var rows [][]*plot.Plot
	for _, y := range ys {
		var row []*plot.Plot
		for _, g := range d.facets(drawn.cells, drawn.Facets) {
			drawn.title = d.name(drawn.Facets, g)
			row = append(row, d.panels(&drawn, y, g)...)
		}
		rescale(lists.Map(row, func(p *plot.Plot) *plot.Axis { return &p.X }), f.Kind == experiment.Strips)
		rescale(lists.Map(row, func(p *plot.Plot) *plot.Axis { return &p.Y }), f.Kind == experiment.Lines)
		rows = append(rows, row)
	}
	p := Page{Name: f.Name, Title: f.Title, Description: d.note(&drawn)}
	p.height, p.least = drawn.height, drawn.width
	return p.paginate(rows)
}

// rescale gives axes one scale if it is shared, so that panels can be compared, and
// takes the ticks from those without data, for which plots would invent some.
func rescale(axes []*plot.Axis, shared bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, a := range axes {
		low, high = min(low, a.Min), max(high, a.Max)
	}
	for _, a := range axes {
		if shared {
			a.Min, a.Max = low, high
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
	case len(f.X) == 0:
		return []*plot.Plot{d.timePlot(f, y, cells)}
	}
	return lists.Map(f.X, func(x string) *plot.Plot { return d.against(f, x, y, cells) })
}

// note is what stands below a figure: what it is of, what is shown, of how
// many runs, and which are missing.
func (d *Data) note(f *Figure) string {
	low, high, failed, tried := math.MaxInt, 0, 0, 0
	for _, c := range f.cells {
		n := d.cells[c].runs
		for _, y := range f.Y {
			if f.Kind != experiment.Lines || len(f.X) > 0 { // a metric
				n = d.cells[c].metric(d.Experiment.Metric(y)).n
			}
			if n > 0 {
				low, high = min(low, n), max(high, n)
			}
		}
		failed, tried = failed+d.cells[c].failed, tried+d.cells[c].tried
	}
	of := fmt.Sprintf("over %d to %d ", low, high)
	if low == high {
		of = fmt.Sprintf("over %d ", low)
	}
	what := "runs"
	if len(d.over) > 0 {
		what = "values of " + spaced(strings.Join(d.over, " and "))
	}
	note := strings.ReplaceAll(f.note, "%n", of+what)
	if high == 1 && what == "runs" {
		note = "one run each"
	}
	note = "Sweep " + d.Name + ": " + note
	empty := func(c int) bool { return d.cells[c].runs == 0 }
	if (f.Kind == experiment.Lines || f.Rows != "") && slices.ContainsFunc(f.cells, empty) {
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
