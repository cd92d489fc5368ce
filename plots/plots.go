// Package plots draws figures of a sweep's results. It knows no experiment:
// what a figure shows is data (experiment.Figure), declared by an experiment
// for the figures of its papers, and chosen from the axes for any sweep.
//
// data.go reads a directory (results.Reader) into cells. axes.go finds out what
// the sweep varies, and titles.go names it. figures.go lists the figures that
// fit, and plots.go assigns cells to lines and panels. The panels are lines
// (lines.go, against.go, slopes.go, with names.go), dots with a smooth line
// (scatter.go, smooth.go), rows of dots (strips.go), areas (areas.go), or
// fields (fields.go, effects.go, rows.go), in the colours and letters of
// style.go, on the scales of scales.go and right.go. page.go puts them onto
// pages and writes these as SVG, PNG or PDF (pdf.go).
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

// A Figure is a figure of any sweep, or one that the spec or the experiment
// declares: what it shows where.
type Figure struct {
	experiment.Figure
	OfSpec bool   // whether the spec declares it
	Why    string // why it does not fit the results; empty if it does

	data          *Data
	cells         []int
	title         string    // of the next panel: what its facet is
	height, width vg.Length // that a panel needs, with its axes and names; 0: any
	note          string    // how to read the panels
	settings      balance   // of other axes over which means are taken
	lost          int       // points that have no place on a logarithmic axis
	bare          int       // points whose limits have none
	smooth        bool      // whether a smooth line goes through dots

	logarithmic []*plot.Axis // those that are so without being asked for
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
	f.cells = d.all()
	for _, c := range f.Where {
		f.cells = slices.DeleteFunc(f.cells, func(i int) bool {
			return !c.Holds(d.value(i, c.Param))
		})
	}
	if d.isEmpty(f.cells) {
		return "it shows runs that succeeded" + where(f)
	}
	used := d.used(f)
	free := d.freeAxes(f.cells, used...)
	if why := d.tell(f, used, free); why != "" {
		return why
	}
	facets := d.groupBy(f.cells, f.Panels)
	panels := len(facets) * len(f.Shown()) * max(1, len(f.X))
	if panels > maxPanels {
		return fmt.Sprint(panels, " panels are too many to be read; -m chooses metrics, "+
			"--over takes means over an axis")
	}
	return ""
}

// used returns the parameters that axes of a figure show.
func (d *Data) used(f *Figure) (params []string) {
	names := slices.Concat(f.X, f.Along)
	if f.Kind == experiment.Heat {
		names = append(names, f.Y...)
	}
	for _, name := range names {
		if p, _ := d.Experiment.Param(name); p != nil {
			params = append(params, name)
		}
	}
	return params
}

// tell assigns the axes that vary among a figure's cells to colours and panels,
// or says why the figure cannot show them.
func (d *Data) tell(f *Figure, used, free []string) (why string) {
	shown := []string{}
	if f.Kind != experiment.Heat {
		shown = f.Colour
	}
	told := slices.Concat(shown, f.Panels, used)
	isChosen := len(shown) > 0 || f.Panels != nil
	missing := used
	if isChosen && f.Source != "" {
		missing = append(slices.Clone(used), told[0])
	}
	missing = without(missing, free...)
	if len(missing) > 0 {
		return "it shows several values of " + missing[0] + where(f)
	}
	more := without(free, told...)
	switch {
	case f.Kind == experiment.Scatter:
		if !isChosen { // quantities are the cloud
			f.Colour = d.fewNames(f.cells, more)
		}
	case !isChosen:
		d.assign(f, more)
	case f.Source == "" && (len(f.Along) > 0 || !d.isAgainstMetric(f)):
		f.Panels = slices.Concat(f.Panels, more)
	case f.Source != "" && len(more) > 0:
		return fmt.Sprintf("it shows %s, and nothing else may vary; here %[2]s does "+
			"(--over %[2]s takes means over it)", told[0], more[0])
	}
	return ""
}

// where tells what a figure needs of cells.
func where(f *Figure) string {
	var needs []string
	for i := range f.Where {
		needs = append(needs, f.Where[i].String())
	}
	if needs == nil {
		return ""
	}
	return " where " + strings.Join(needs, ", ")
}

// fewNames returns the axes that are no quantities, as many as can be told
// apart in a panel.
func (d *Data) fewNames(cells []int, axes []string) (names []string) {
	for _, p := range axes {
		longer := append(slices.Clone(names), p)
		if !d.isQuantity(p) && len(d.groupBy(cells, longer)) <= maxLines {
			names = longer
		}
	}
	return names
}

// isAgainstMetric reports whether lines of a figure have a metric below them.
func (d *Data) isAgainstMetric(f *Figure) bool {
	return f.Kind == experiment.Lines && len(f.X) == 1 && d.Experiment.Metric(f.X[0]) >= 0
}

// unfit says why a figure fits no cells; empty if it may.
func (d *Data) unfit(f *Figure) string {
	if f.OfSeries() {
		if len(d.Experiment.Columns()) == 0 {
			return "the experiment has no series"
		}
		if len(d.single) > maxTraced {
			return fmt.Sprintf("the series of more than %d cells are not drawn", maxTraced)
		}
	}
	if len(f.Shown()) == 0 {
		return "nothing that was asked for differs between the cells by more than 1e-12 of itself"
	}
	if f.Kind == experiment.Heat && len(f.Y) > 0 {
		for _, p := range slices.Concat(f.X, f.Y) {
			if n := len(d.values(d.all(), p)); n > maxFields {
				return fmt.Sprintf("%s has %d values, more than the %d fields that can be read",
					p, n, maxFields)
			}
		}
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
	if f.Kind == experiment.Heat || f.isWhole() {
		f.Panels = axes
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
			f.Panels = append(f.Panels, best)
		}
		f.Colour = without(f.Colour, best)
	}
}

// isWhole reports whether all metrics or columns of a figure are in each panel.
func (f *Figure) isWhole() bool {
	effects := f.Kind == experiment.Heat && len(f.Y) == 0
	return effects || f.Kind == experiment.Areas || f.Right != "" || len(f.Slopes) > 0
}

// isCrowded reports whether a panel of the figure has too many lines or strips.
func (d *Data) isCrowded(f *Figure) bool {
	limit := maxLines
	if f.Kind == experiment.Distribution {
		limit = maxStrips
	}
	for _, cells := range d.facets(f.cells, f.Panels) {
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
	shown := drawn.Shown()
	if drawn.isWhole() {
		shown = shown[:1]
	}
	var rows [][]*plot.Plot
	for _, y := range shown {
		var row []*plot.Plot
		for _, g := range d.facets(drawn.cells, drawn.Panels) {
			drawn.title = d.name(drawn.Panels, g)
			row = append(row, d.panels(&drawn, y, g)...)
		}
		d.scale(&drawn, y, row)
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

// panels makes the panels of a metric or column in cells.
func (d *Data) panels(f *Figure, y string, cells []int) []*plot.Plot {
	switch {
	case len(f.Slopes) > 0:
		return []*plot.Plot{d.distribution(f, cells)}
	case f.Kind == experiment.Areas:
		return []*plot.Plot{d.areasPlot(f, cells)}
	case f.Kind == experiment.Heat && f.OfSeries():
		return []*plot.Plot{d.rowsPlot(f, cells)}
	case f.Kind == experiment.Heat && len(f.Y) == 0:
		return []*plot.Plot{d.effectsPlot(f)}
	case f.Kind == experiment.Heat:
		return []*plot.Plot{d.mapPlot(f, y, cells)}
	case f.Kind == experiment.Distribution:
		return []*plot.Plot{d.stripPlot(f, y, cells)}
	case f.OfSeries():
		return []*plot.Plot{d.timePlot(f, y, cells)}
	}
	draw := d.against
	if f.Kind == experiment.Scatter {
		draw = d.scatterPlot
	} else if d.isAgainstMetric(f) {
		draw = d.againstMetric
	}
	var panels []*plot.Plot
	for _, x := range f.X {
		panels = append(panels, draw(f, x, y, cells))
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
		for _, y := range f.Shown() {
			n := c.runs
			if f.OfSeries() {
				for _, row := range c.series {
					low = min(low, row[0].n)
				}
			} else {
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
		whole, of, _ := strings.Cut(f.note, wholeNote)
		note = whole + "one run" + of
		if !f.OfSeries() || !f.isWhole() {
			note = "one run each"
		}
	}
	note = "Sweep " + d.Name + ": " + note
	inFields := f.Kind == experiment.Heat && len(f.Y) > 0
	if gaps && (f.Kind == experiment.Lines || inFields) {
		note += "; gaps in lines and ×: no run succeeded"
	}
	if f.lost > 0 {
		note += fmt.Sprintf("; %d points at or below 0 have no place on a logarithmic axis", f.lost)
	}
	if f.bare > 0 {
		note += fmt.Sprintf("; at %d points limits reach 0 or less, and are not drawn", f.bare)
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
