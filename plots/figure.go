package plots

import (
	"fmt"
	"io"
	"math"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// A Figure is a figure that fits the results.
type Figure struct {
	Name  string // for files and command lines, for example "figure2"
	Title string // what it shows, in a line

	// Part marks a figure of one metric whose panel is also in another figure.
	Part bool

	page func() page
}

// Write draws the figure and writes it. Errors are those of w.
func (f *Figure) Write(w io.Writer, format Format) error {
	p := f.page()
	return p.write(w, format, resolution)
}

// A Missing tells why a kind of figure does not fit the results.
type Missing struct {
	Name string
	Why  string

	// Foreign marks a figure that shows results of another experiment.
	Foreign bool
}

// A kind is a kind of figures.
type kind struct {
	name       string
	experiment string // empty: any

	// figures returns those of the kind that fit, or else why none does.
	figures func(*Data) (fit []Figure, why string)
}

// kinds lists the kinds of figures: those of any sweep, then the papers'.
func kinds() []kind {
	return []kind{
		{"distribution", "", distributions},
		{"dependence", "", dependence},
		{"map", "", maps},
		{"effects", "", effects},
		{"sensitivity", "", sensitivity},
		{"series", "", overTime},
		{"figure1", "structure", figure1},
		{"figure2", "foraging", figure2},
		{"figure3", "foraging", figure3},
		{"figure7.1", "sources", figure71},
		{"figure7.2", "monitoring", figure72},
		{"figure7.3", "monitoring", figure73},
		{"figure7.4", "monitoring", figure74},
		{"figure7.5", "monitoring", figure75},
		{"figure7.6", "monitoring", figure76},
		{"figure7.7", "monitoring", figure77},
		{"figure7.8", "monitoring", figure78},
	}
}

// Figures returns the figures that fit the results, and why others do not.
func (d *Data) Figures() (fit []Figure, missing []Missing) {
	for _, k := range kinds() {
		if len(d.cells) == 0 {
			missing = append(missing, Missing{Name: k.name, Why: "no run has succeeded"})
			continue
		}
		if k.experiment != "" && k.experiment != d.Experiment.Name {
			missing = append(missing, Missing{Name: k.name, Why: "it shows results of the experiment " + k.experiment, Foreign: true})
			continue
		}
		figures, why := k.figures(d)
		fit = append(fit, figures...)
		if len(figures) == 0 {
			missing = append(missing, Missing{Name: k.name, Why: why})
		}
	}
	return fit, missing
}

// family returns figures of metrics: one of all of them and, if there are
// several, its parts; or only the parts, if they do not fit together on a page.
// A page is drawn of the metrics at the given places.
func family(name, title string, metrics []string, together bool, draw func(places []int) page) []Figure {
	var figures []Figure
	if together {
		all := make([]int, len(metrics))
		for i := range all {
			all[i] = i
		}
		about := "all metrics"
		if len(metrics) == 1 {
			about = spaced(metrics[0])
		}
		figures = append(figures, Figure{Name: name, Title: title + ": " + about, page: func() page { return draw(all) }})
	}
	if together && len(metrics) == 1 {
		return figures
	}
	for i, m := range metrics {
		figures = append(figures, Figure{
			Name: name + "-" + m, Title: title + ": " + spaced(m), Part: together,
			page: func() page { return draw([]int{i}) },
		})
	}
	return figures
}

// metricNames returns the names of metrics by their indices.
func metricNames(metrics []experiment.Metric, indices []int) []string {
	names := make([]string, len(indices))
	for i, m := range indices {
		names[i] = metrics[m].Name
	}
	return names
}

// Sizes of panels.
const (
	panelHeight = 5 * vg.Centimeter
	twoColumns  = (pageWidth - 2*margin - gutter) / 2
	oneColumn   = columnWidth - 2*margin
)

// mostColumns is how many panels may stand side by side, if they must.
const mostColumns = 6

// sheet is how high a page may be: as a sheet of A4.
const sheet = 29.7 * vg.Centimeter

// mostLines is how many lines a chart may have.
const mostLines = 8

// arrange puts panels of equal kind onto a page: a single one at column
// width, more in two columns.
func arrange(panels []panel, height vg.Length, note string) page {
	height, _ = onASheet((len(panels)+1)/2, height)
	if len(panels) == 1 {
		return page{rows: wrap(panels, 1), width: oneColumn, height: height, note: note}
	}
	return page{rows: wrap(panels, 2), width: twoColumns, height: height, note: note}
}

// matrix puts rows of panels onto a page, narrower ones if there are many.
func matrix(rows [][]panel, height vg.Length, note string) page {
	height, _ = onASheet(len(rows), height)
	if len(rows[0]) == 1 {
		return page{rows: rows, width: oneColumn, height: height, note: note}
	}
	return page{rows: rows, width: max(twoColumns*2/vg.Length(len(rows[0])), 6*vg.Centimeter), height: height, note: note}
}

// onASheet returns the height with which so many rows of panels fit on a sheet:
// the wanted one or, if need be, up to a fifth less. If that is not enough it
// is the wanted one, and they do not fit.
func onASheet(rows int, wanted vg.Length) (height vg.Length, fit bool) {
	height = min(wanted, (sheet-2*margin-noteSize)/vg.Length(rows)-gutter)
	if height < 0.8*wanted {
		return wanted, false
	}
	return height, true
}

// countNote says what is shown of the runs of cells, and of how many; of
// single runs, only that.
func (d *Data) countNote(cells []int, shown string) string {
	low, high := math.MaxInt, 0
	for _, c := range cells {
		n := 0
		for m := range d.cells[c].metrics {
			n = max(n, d.cells[c].metrics[m].n)
		}
		low, high = min(low, n), max(high, n)
	}
	switch {
	case high == 1:
		return "one run each"
	case low == high:
		return fmt.Sprintf("%s over %d runs", shown, low)
	}
	return fmt.Sprintf("%s over %d to %d runs", shown, low, high)
}
