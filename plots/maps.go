package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// mostFields is how many rows or columns a map may have.
const mostFields = 40

// maps shows each metric over the two quantities that vary, with a panel for
// each combination of the other axes.
func maps(d *Data) ([]Figure, string) {
	quantities, names := d.quantities(), d.names()
	if len(quantities) != 2 {
		return nil, fmt.Sprintf("two quantities must vary; here %d do", len(quantities))
	}
	x, y := quantities[0], quantities[1]
	facets := d.groupBy(d.all(), names)
	width, height := len(d.values(d.all(), x)), len(d.values(d.all(), y))
	switch {
	case len(facets) > 2*mostColumns:
		return nil, fmt.Sprintf("%d combinations of names are too many", len(facets))
	case max(width, height) > mostFields:
		return nil, fmt.Sprintf("%d by %d values are more than a map of %d by %d can show", width, height, mostFields, mostFields)
	}
	e := d.Experiment
	metrics := d.shownMetrics()
	if len(metrics) == 0 {
		return nil, nothingVaries
	}
	title := "over " + spaced(e.Params[x].Name) + " and " + spaced(e.Params[y].Name)
	return family("map", title, metricNames(e.Metrics, metrics), false, func(places []int) page {
		m := metrics[places[0]]
		low, high := d.meanRange(m)
		var panels []panel
		for _, f := range facets {
			g := d.mapOf(m, x, y, f.cells)
			g.title, g.low, g.high = d.label(names, f.key), low, high
			g.format = threeDigits(max(math.Abs(low), math.Abs(high)))
			panels = append(panels, g)
		}
		note := metricTitle(&e.Metrics[m]) + ": " + d.countNote(d.all(), "mean")
		if light, dark := formatNumber(low), formatNumber(high); light == dark {
			note += "; the same in all fields"
		} else {
			note += fmt.Sprintf("; light %s, dark %s", light, dark)
		}
		return arrange(panels, 2.5*vg.Centimeter+min(vg.Length(height), 14)*0.55*vg.Centimeter, note)
	}), ""
}

// meanRange returns the smallest and the largest mean of a metric in a cell.
func (d *Data) meanRange(metric int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for i := range d.cells {
		if v := d.cells[i].metrics[metric].average(); !math.IsNaN(v) {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// mapOf returns the map of a metric over two quantities in cells. A value
// that a cell does not use is a row or column of its own.
func (d *Data) mapOf(metric, x, y int, cells []int) gridMap {
	px, py := &d.Experiment.Params[x], &d.Experiment.Params[y]
	g := gridMap{x: paramTitle(px), y: paramTitle(py)}
	columns, rows := d.values(cells, x), d.values(cells, y)
	title := func(v experiment.Value) string {
		if v.IsNull() {
			return "none"
		}
		return valueText(v)
	}
	for _, v := range columns {
		g.columns = append(g.columns, title(v))
	}
	for _, v := range rows {
		g.rows = append(g.rows, title(v))
		row := make([]float64, len(columns))
		for i := range row {
			row[i] = math.NaN()
		}
		g.values = append(g.values, row)
	}
	for _, c := range cells {
		p := d.cells[c].params
		g.values[slices.Index(rows, p[y])][slices.Index(columns, p[x])] = d.cells[c].metrics[metric].average()
	}
	return g
}
