package plots

import (
	"fmt"
	"math"
	"slices"

	"sweep/experiment"
)

// dependence shows each metric against the one quantity that varies, with a
// line for each combination of the other axes.
func dependence(d *Data) ([]Figure, string) {
	quantities := d.quantities()
	if len(quantities) != 1 {
		return nil, fmt.Sprintf("one quantity must vary; here %d do", len(quantities))
	}
	x := quantities[0]
	metrics := d.shownMetrics()
	if len(metrics) == 0 {
		return nil, nothingVaries
	}
	panelsBy, linesBy := d.lineUp(d.all(), d.names())
	facets := d.groupBy(d.all(), panelsBy)
	if len(facets) > mostColumns {
		return nil, fmt.Sprintf("%d combinations of names are too many", len(d.groupBy(d.all(), d.names())))
	}
	e := d.Experiment
	rows := len(metrics)
	if len(facets) == 1 {
		rows = (rows + 1) / 2
	}
	_, together := onASheet(rows, panelHeight)
	return family("dependence", "metrics against "+spaced(e.Params[x].Name), metricNames(e.Metrics, metrics), together, func(places []int) page {
		var rows [][]panel
		for _, place := range places {
			var row []panel
			for _, f := range facets {
				c := d.against(x, metrics[place], f.cells, linesBy)
				row = append(row, c.entitled(d.label(panelsBy, f.key), d.label(linesBy, d.groupBy(f.cells, linesBy)[0].key)))
			}
			sameRange(row)
			rows = append(rows, row)
		}
		note := d.countNote(d.all(), "mean and 95 % confidence limits")
		if len(facets) > 1 {
			return matrix(rows, panelHeight, note)
		}
		return arrange(slices.Concat(rows...), panelHeight, note)
	}), ""
}

// against returns a chart of a metric against a quantity, with a line for
// each group of cells that agree in some parameters. Cells of a group that
// share a value of the quantity are averaged, without limits. A group that
// does not use the quantity is one level.
func (d *Data) against(x, metric int, cells, linesBy []int) chart {
	param := &d.Experiment.Params[x]
	groups := d.groupBy(cells, linesBy)
	looks := d.looks(groups, linesBy)
	c := chart{x: paramTitle(param), y: metricTitle(&d.Experiment.Metrics[metric])}
	var values []float64
	for i, g := range groups {
		l := line{look: looks[i], style: marked}
		if len(groups) > 1 {
			l.name = d.label(linesBy, g.key)
		}
		places := d.groupBy(g.cells, []int{x})
		switch null := places[0].key[0].IsNull(); {
		case null && len(places) == 1:
			l.style = level
		case null:
			places = places[1:]
		}
		for _, at := range places {
			y, margin := d.mean(metric, at.cells)
			l.y, l.low, l.high = append(l.y, y), append(l.low, y-margin), append(l.high, y+margin)
			if l.style != level {
				l.x = append(l.x, at.key[0].Float())
			}
		}
		values = append(values, l.x...)
		c.lines = append(c.lines, l)
	}
	c.logX = isGeometric(values)
	slices.Sort(values)
	if values = slices.Compact(values); len(values) <= 6 {
		c.ticks = valueTicks(values)
	}
	return c
}

// mean returns the mean of a metric in a cell and the margin of its
// confidence limits, or the mean of several cells' means, without limits.
func (d *Data) mean(metric int, cells []int) (mean, margin float64) {
	if len(cells) == 1 {
		m := &d.cells[cells[0]].metrics[metric]
		return m.average(), d.student.margin(m)
	}
	var all moments
	for _, c := range cells {
		all.add(d.cells[c].metrics[metric].average())
	}
	return all.average(), math.NaN()
}

// effects shows each metric against each of several quantities, averaged over
// the others.
func effects(d *Data) ([]Figure, string) {
	quantities, metrics := d.quantities(), d.shownMetrics()
	switch {
	case len(quantities) < 2:
		return nil, fmt.Sprintf("several quantities must vary; here %d do", len(quantities))
	case len(quantities) > mostColumns:
		return nil, fmt.Sprintf("%d quantities are more than the %d that have room side by side", len(quantities), mostColumns)
	case len(metrics) == 0:
		return nil, nothingVaries
	}
	linesBy := d.names()
	if len(d.groupBy(d.all(), linesBy)) > mostLines {
		linesBy = slices.DeleteFunc(linesBy, func(p int) bool { return d.Experiment.Params[p].Name != experiment.Algorithm })
	}
	e := d.Experiment
	_, together := onASheet(len(metrics), panelHeight)
	note := "means over all cells that share the value"
	shown := make([][]int, len(quantities)) // cells
	for i, x := range quantities {
		if shown[i] = d.balanced(x, linesBy); len(shown[i]) < len(d.cells) {
			note = "means over those settings of the other axes that have all values of this one"
		}
	}
	return family("effects", "each quantity, mean over the other axes", metricNames(e.Metrics, metrics), together, func(places []int) page {
		var rows [][]panel
		for _, place := range places {
			var row []panel
			for i, x := range quantities {
				c := d.against(x, metrics[place], shown[i], linesBy)
				for i := range c.lines {
					c.lines[i].low, c.lines[i].high = nil, nil // not of means over cells
				}
				row = append(row, c)
			}
			sameRange(row) // shows which of them matters
			rows = append(rows, row)
		}
		return matrix(rows, panelHeight, note)
	}), ""
}

// balanced returns the cells to average over for the effect of an axis: of
// each line, those in whose settings of the other axes every value of the axis
// occurs, so that nothing else varies along the line; all of a line that has
// no such settings.
func (d *Data) balanced(axis int, linesBy []int) []int {
	others := slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool { return p == axis })
	var kept []int
	for _, line := range d.groupBy(d.all(), linesBy) {
		values, before := len(d.values(line.cells, axis)), len(kept)
		for _, g := range d.groupBy(line.cells, others) {
			if len(d.values(g.cells, axis)) == values {
				kept = append(kept, g.cells...)
			}
		}
		if len(kept) == before {
			kept = append(kept, line.cells...)
		}
	}
	slices.Sort(kept)
	return kept
}
