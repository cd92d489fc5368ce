// Package plots draws figures of a sweep's results. It knows no experiment:
// what a figure shows is data (experiment.Figure), declared by an experiment
// for the figures of its papers, and chosen from the axes for any sweep.
//
// The way through the package, in the order the data takes:
//
//   - data.go reads a directory (results.Reader) into cells: what their runs
//     measured, and what they did over time.
//   - axes.go finds out what the sweep varies, gathers cells, and names things.
//   - plots.go lists the figures that fit, deals cells out to lines and
//     panels, and puts panels onto pages.
//   - There are three kinds of panels: lines (lines.go), maps and strips
//     (fields.go). They are drawn with gonum's plotters, as style.go says, and
//     written as SVG, PNG or PDF (page.go).
//
// # Design
//
// Figures are 8.5 or 17.5 cm wide, and are to be printed at that size: the
// smallest letters are 7 pt. An algorithm has one colour, one dash pattern and
// one marker in every figure, so that lines can be told apart in grey. Values
// of a quantity go from light to dark. Lines bear their names at their ends
// instead of a legend. Bands and bars are the limits of the mean at 95 %
// confidence (Student's t) over the runs of a cell, that is, over seeds.
package plots

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// A Figure is a figure that fits the results: one page.
type Figure struct {
	Name        string // for files and command lines, for example "map-2"
	Title       string // what it shows, in a line
	Description string // of what it is, how to read it, and of how many runs

	Shows []string // the metrics and columns of the series in it

	page page
}

// Write draws the figure and writes it. Errors are those of w.
func (f *Figure) Write(w io.Writer, format Format) error {
	return f.page.write(w, format, resolution, f)
}

// A Missing tells why a figure does not fit the results.
type Missing struct{ Name, Why string }

// Limits of what can be read.
const (
	mostLines   = 8  // of a plot, unless it is one for each algorithm
	mostStrips  = 40 // of a plot
	mostFields  = 40 // of a map, in a row or column
	mostColumns = 3  // of panels side by side
	mostPanels  = 300
	mostRuns    = 12 // single runs shown in a plot
	mostFaint   = 2  // lines of a plot whose single runs are shown
)

// Figures returns the figures that fit the results, those of several pages
// with numbers in their names; and why others do not fit. They are those of any
// sweep, then those that the experiment declares.
func (d *Data) Figures() (fit []Figure, missing []Missing) {
	for _, c := range d.candidates() {
		l, why := layout{Figure: &c.Figure}, c.why
		switch {
		case d.ok == 0:
			why = "no run has succeeded"
		case why == "" && len(c.Y) == 0:
			why = "nothing that was asked for differs between the cells"
		case why == "" && c.Kind == experiment.Lines && len(c.X) == 0:
			why = d.noSeries(len(c.Slopes) > 0)
		}
		if why == "" {
			why = d.place(&l)
		}
		if panels := len(d.groupBy(l.cells, l.facets)) * len(l.Y) * max(1, len(l.X)); why == "" && panels > mostPanels {
			why = fmt.Sprintf("%d panels are too many to be read; -m chooses metrics, --over takes means over an axis", panels)
		}
		if why != "" {
			missing = append(missing, Missing{c.Name, why})
			continue
		}
		pages := d.pages(&l)
		for i, p := range pages {
			f := Figure{Name: c.Name, Title: c.Title, Description: p.note, Shows: c.Y, page: p}
			if c.Source != "" {
				f.Title += " (" + c.Source + ")"
			}
			if len(pages) > 1 {
				f.Name += fmt.Sprintf("-%d", i+1)
				f.Title += fmt.Sprintf(", page %d of %d", i+1, len(pages))
			}
			fit = append(fit, f)
		}
	}
	return fit, missing
}

// A candidate is a figure that is drawn unless something speaks against it.
type candidate struct {
	experiment.Figure
	why string // it does not fit
}

// candidates returns the figures of any sweep, as its axes suggest, and those
// of the experiment.
func (d *Data) candidates() []candidate {
	var metrics, columns, axes, quantities []string
	for i, m := range d.Experiment.Metrics {
		if d.chosen(m.Name) && d.informs(i) {
			metrics = append(metrics, m.Name)
		}
	}
	for i, m := range d.Experiment.Series.Columns {
		if d.chosen(m.Name) && d.columnInforms(i) {
			columns = append(columns, m.Name)
		}
	}
	fields := 0
	for _, p := range d.axes {
		axes = append(axes, d.Experiment.Params[p].Name)
		if isQuantity(&d.Experiment.Params[p]) {
			quantities = append(quantities, axes[len(axes)-1])
			fields = max(fields, len(d.values(d.all(), p)))
		}
	}
	unless := func(fits bool, format string, args ...any) string {
		if fits {
			return ""
		}
		return fmt.Sprintf(format, args...)
	}
	n := len(quantities)
	two := [2]string{}
	copy(two[:], quantities)
	all := []candidate{
		{experiment.Figure{Name: "distribution", Title: "the runs of each cell", Kind: experiment.Strips, Y: metrics},
			unless(n == 0, "a quantity varies, which is shown as an axis")},
		{experiment.Figure{Name: "dependence", Title: "metrics against " + spaced(two[0]), Kind: experiment.Lines, X: quantities, Y: metrics},
			unless(n == 1, "one quantity must vary; here %d do", n)},
		{experiment.Figure{Name: "map", Title: "over " + spaced(two[0]) + " and " + spaced(two[1]), Kind: experiment.Map, X: two[:1], Rows: two[1], Y: metrics},
			unless(n == 2 && fields <= mostFields, "two quantities must vary, with at most %d values; here %d do", mostFields, n)},
		{experiment.Figure{Name: "effects", Title: "each quantity, mean over the other axes", Kind: experiment.Lines, X: quantities, Y: metrics},
			unless(n > 1, "several quantities must vary; here %d do", n)},
		{experiment.Figure{Name: "sensitivity", Title: "which axis moves which metric: shares of the variance of single runs", Kind: experiment.Map, X: axes, Y: metrics},
			unless(len(axes) > 1, "several axes must vary; here %d do", len(axes))},
		{experiment.Figure{Name: "series", Title: "the series over " + spaced(d.Experiment.Series.Axis.Name), Kind: experiment.Lines, Y: columns}, d.noSeries(false)},
	}
	for _, f := range d.Experiment.Figures {
		f.Y = slices.DeleteFunc(slices.Clone(f.Y), func(y string) bool { return !d.chosen(y) })
		all = append(all, candidate{Figure: f})
	}
	return all
}

// noSeries says why nothing can be shown along the axis of the series. Its
// values may be uneven in distributions.
func (d *Data) noSeries(uneven bool) string {
	for i := range d.cells {
		switch t := d.cells[i].traces; {
		case len(d.Experiment.Series.Columns) == 0:
			return "the experiment has no series"
		case t == nil:
			return fmt.Sprintf("the series of more than %d cells are not drawn", mostTraced)
		case t[0].uneven && !uneven:
			return "runs do not have the same values of " + spaced(d.Experiment.Series.Axis.Name)
		}
	}
	return ""
}

// A layout is what a figure shows where: the cells, and which parameters tell
// lines and panels apart.
type layout struct {
	*experiment.Figure
	cells          []int
	colour, facets []int
	title          string // of the next panel: what its facet is
	note, doubt    string // how to read the panels, and what is missing in them
}

// place finds the cells of a figure, and deals out what varies among them; or
// says why the figure does not fit.
func (d *Data) place(l *layout) (why string) {
	needs := ""
	for _, c := range l.Where {
		needs += ", " + c.String()
	}
	needs = strings.TrimPrefix(needs, ", ")
	some := false
	for i := range d.cells {
		if !slices.ContainsFunc(l.Where, func(c experiment.Condition) bool { return !c.Holds(d.cells[i].params[d.param(c.Param)]) }) {
			l.cells = append(l.cells, i)
			some = some || d.cells[i].runs > 0
		}
	}
	if !some {
		return "it shows " + needs
	}
	free := d.freeAxes(l.cells)
	used := d.params(l.X)
	if l.Rows != "" {
		used = append(used, d.param(l.Rows))
	}
	if l.Colour == nil && l.Facets == nil {
		d.deal(l, slices.DeleteFunc(free, func(p int) bool { return slices.Contains(used, p) }))
		return ""
	}
	l.colour, l.facets = d.params(l.Colour), d.params(l.Facets)
	told := slices.Concat(l.colour, l.facets, used)
	for _, p := range append(used, told[0]) {
		if !slices.Contains(free, p) {
			return fmt.Sprintf("it shows several values of %s where %s", d.Experiment.Params[p].Name, needs)
		}
	}
	for _, p := range free {
		if name := d.Experiment.Params[p].Name; !slices.Contains(told, p) {
			return fmt.Sprintf("it shows %s, and nothing else may vary; here %s does (--over %s takes means over it)", needs, name, name)
		}
	}
	return ""
}

// deal decides which of the axes tell lines or strips apart, and which tell
// panels apart, so that no panel has too many: as few as possible, those with
// fewest values first, the algorithm never.
func (d *Data) deal(l *layout, axes []int) {
	if l.Kind == experiment.Map || len(l.Slopes) > 0 {
		l.facets = axes
		return
	}
	most := mostLines
	if l.Kind == experiment.Strips {
		most = mostStrips
	}
	l.colour = axes
	for {
		crowded, best := false, -1
		for _, g := range d.facets(l.cells, l.facets) {
			crowded = crowded || len(d.groupBy(g.cells, l.colour)) > most
		}
		for i, p := range l.colour {
			if d.Experiment.Params[p].Name != experiment.Algorithm &&
				(best < 0 || len(d.values(l.cells, p)) < len(d.values(l.cells, l.colour[best]))) {
				best = i
			}
		}
		if !crowded || best < 0 {
			return
		}
		if len(l.X) < 2 { // with several X means are taken over the others
			l.facets = append(l.facets, l.colour[best])
		}
		l.colour = slices.Delete(slices.Clone(l.colour), best, best+1)
	}
}

// pages makes the panels of a figure and puts them onto pages: a single one
// at column width, several side by side, those of a metric in a row.
func (d *Data) pages(l *layout) []page {
	var rows [][]*plot.Plot
	scales := ""
	for _, y := range l.Y {
		var row []*plot.Plot
		for _, g := range d.facets(l.cells, l.facets) {
			l.title = d.name(l.facets, g.key)
			row = append(row, d.panels(l, y, g.cells)...)
		}
		if rows = append(rows, row); l.Kind == experiment.Lines && sameScale(row, len(l.X) > 1) {
			scales = "; not all scales begin at 0"
		}
		if l.Kind == experiment.Map && l.Rows == "" || len(l.Slopes) > 0 {
			break // all metrics are in it
		}
	}
	l.doubt += scales
	p := page{height: 5 * vg.Centimeter, note: d.note(l)}
	if names, ok := rows[0][0].Y.Tick.Marker.(plot.ConstantTicks); ok { // of the rows of a map or strips
		p.height = 2.8*vg.Centimeter + min(vg.Length(len(names))*0.36, 12)*vg.Centimeter
		if l.Kind == experiment.Strips { // which lie closer, and need no title
			p.height -= 0.8 * vg.Centimeter
		}
	}
	return p.broken(rows, l.Columns)
}

// panels makes the panels of a metric or column in cells.
func (d *Data) panels(l *layout, y string, cells []int) (panels []*plot.Plot) {
	switch {
	case len(l.Slopes) > 0:
		return []*plot.Plot{d.distribution(l, cells)}
	case l.Kind == experiment.Map && l.Rows == "":
		return []*plot.Plot{d.effectsPlot(l)}
	case l.Kind == experiment.Map:
		return []*plot.Plot{d.mapPlot(l, y, cells)}
	case l.Kind == experiment.Strips:
		return []*plot.Plot{d.stripPlot(l, y, cells)}
	}
	for _, x := range l.X {
		panels = append(panels, d.against(l, x, y, cells))
	}
	if len(l.X) == 0 {
		panels = append(panels, d.timePlot(l, y, cells))
	}
	return panels
}

// sameScale gives plots one scale of y, so that they can be compared, from
// zero on if that is asked for and near. It reports whether it is not near.
func sameScale(row []*plot.Plot, zero bool) (broken bool) {
	low, high := math.Inf(1), math.Inf(-1)
	for _, p := range row {
		low, high = min(low, p.Y.Min), max(high, p.Y.Max)
	}
	if zero && low > 0 && low < high/2 {
		low = 0
	}
	for _, p := range row {
		p.Y.Min, p.Y.Max = low, high
	}
	return zero && low > 0
}

// note is what stands below a figure: what it is of, what is shown, of how
// many runs, and which are missing.
func (d *Data) note(l *layout) string {
	low, high, failed, tried := math.MaxInt, 0, 0, 0
	for _, c := range l.cells {
		if n := d.cells[c].runs; n > 0 {
			low, high = min(low, n), max(high, n)
		}
		failed, tried = failed+d.cells[c].failed, tried+d.cells[c].tried
	}
	of := fmt.Sprintf("over %d to %d ", low, high)
	if low == high {
		of = fmt.Sprintf("over %d ", low)
	}
	note := "Sweep " + d.Name + ": "
	if over := d.options.Over; len(over) > 0 {
		note += strings.ReplaceAll(l.note, "%n", of+"values of "+spaced(strings.Join(over, " and ")))
	} else if high == 1 {
		note += "one run each"
	} else {
		note += strings.ReplaceAll(l.note, "%n", of+"runs")
	}
	note += l.doubt
	if failed > 0 {
		note += fmt.Sprintf("; %d of %d runs failed", failed, tried)
	}
	if d.missing > 0 {
		note += fmt.Sprintf("; %d runs are missing", d.missing)
	}
	return note + "."
}
