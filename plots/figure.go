package plots

import (
	"fmt"
	"io"

	"gonum.org/v1/plot/vg"
)

// A Figure is a figure that fits the results.
type Figure struct {
	Name  string // for files and command lines, for example "figure2"
	Title string // what it shows, in a line
	page  func() page
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
}

// A kind is a kind of figures.
type kind struct {
	name string

	// figures returns those of the kind that fit, or else why none does.
	figures func(*Data) (fit []Figure, why string)
}

// kinds lists the kinds of figures: those of any sweep, then the papers'.
func kinds() []kind {
	return []kind{
		{"distribution", distributions},
		{"dependence", dependence},
		{"map", maps},
		{"effects", effects},
		{"sensitivity", sensitivity},
		{"series", overTime},
		{"figure1", figure1},
		{"figure2", figure2},
		{"figure3", figure3},
		{"figure7.1", figure71},
		{"figure7.2", figure72},
		{"figure7.3", figure73},
		{"figure7.4", figure74},
		{"figure7.5", figure75},
		{"figure7.6", figure76},
		{"figure7.7", figure77},
		{"figure7.8", figure78},
	}
}

// Figures returns the figures that fit the results, and why others do not.
func (d *Data) Figures() (fit []Figure, missing []Missing) {
	for _, k := range kinds() {
		figures, why := k.figures(d)
		fit = append(fit, figures...)
		if len(figures) == 0 {
			missing = append(missing, Missing{k.name, why})
		}
	}
	return fit, missing
}

// Sizes of panels.
const (
	panelHeight = 5 * vg.Centimeter
	twoColumns  = (pageWidth - 2*margin - gutter) / 2
	oneColumn   = columnWidth - 2*margin
)

// mostColumns is how many panels may stand side by side, if they must.
const mostColumns = 6

// mostLines is how many lines a chart may have.
const mostLines = 8

// arrange puts panels of equal kind onto a page: a single one at column
// width, more in two columns.
func arrange(panels []panel, height vg.Length, note string) page {
	if len(panels) == 1 {
		return page{rows: wrap(panels, 1), width: oneColumn, height: height, note: note}
	}
	return page{rows: wrap(panels, 2), width: twoColumns, height: height, note: note}
}

// matrix puts rows of panels onto a page, narrower ones if there are many.
func matrix(rows [][]panel, height vg.Length, note string) page {
	if len(rows[0]) == 1 {
		return page{rows: rows, width: oneColumn, height: height, note: note}
	}
	return page{rows: rows, width: max(twoColumns*2/vg.Length(len(rows[0])), 6*vg.Centimeter), height: height, note: note}
}

// countNote says over how many runs means are taken.
func (d *Data) countNote(cells []int, what string) string {
	low, high := 0, 0
	for i, c := range cells {
		n := 0
		for m := range d.cells[c].metrics {
			n = max(n, d.cells[c].metrics[m].n)
		}
		if i == 0 {
			low, high = n, n
		}
		low, high = min(low, n), max(high, n)
	}
	switch {
	case high == 1:
		return what + " of one run each"
	case low == high:
		return fmt.Sprintf("%s over %d runs", what, low)
	}
	return fmt.Sprintf("%s over %d to %d runs", what, low, high)
}
