package plots

import (
	"fmt"
)

// overTime shows each column of the series, with a line for each cell.
func overTime(d *Data) ([]Figure, string) {
	e := d.Experiment
	switch {
	case len(e.Series.Columns) == 0:
		return nil, "the experiment has no series"
	case d.cells[0].traces == nil:
		return nil, fmt.Sprintf("the series of more than %d cells cannot be read in one figure", mostTraces)
	}
	for i := range d.cells {
		if d.cells[i].traces[0].uneven {
			return nil, "runs do not have the same values of " + spaced(e.Series.Axis.Name)
		}
	}
	var columns []int
	for i := range e.Series.Columns {
		if !d.idle(i) {
			columns = append(columns, i)
		}
	}
	panelsBy, linesBy := d.lineUp(d.all(), d.axes)
	facets := d.groupBy(d.all(), panelsBy)
	switch {
	case len(columns) == 0:
		return nil, "every column of the series is the same in all rows"
	case len(facets) > 2*mostColumns:
		return nil, fmt.Sprintf("%d cells are too many lines", len(d.cells))
	}
	_, together := onASheet((len(columns)*len(facets)+1)/2, panelHeight)
	together = together && len(facets) <= 2 // so that a row is of one column
	return family("series", "the series over "+spaced(e.Series.Axis.Name), metricNames(e.Series.Columns, columns), together, func(places []int) page {
		var panels []panel
		for _, place := range places {
			var row []panel
			for _, f := range facets {
				c := d.timeChart(columns[place], f.cells, linesBy, asItIs)
				row = append(row, c.entitled(d.label(panelsBy, f.key), d.label(linesBy, d.groupBy(f.cells, linesBy)[0].key)))
			}
			sameRange(row)
			panels = append(panels, row...)
		}
		return arrange(panels, panelHeight, d.bandNote(d.all()))
	}), ""
}

// bandNote tells what bands and faint lines are.
func (d *Data) bandNote(cells []int) string {
	note := d.countNote(cells, "mean and 95 % confidence band")
	for _, c := range cells {
		if d.cells[c].traces[0].count > 1 {
			return note + "; faint: some single runs"
		}
	}
	return note
}

// timeChart returns a chart of a column of the series, with a line for each
// group of cells that agree in some parameters; a group must be one cell. x
// turns the series' axis into what the chart shows.
func (d *Data) timeChart(column int, cells, linesBy []int, x func(float64) float64) chart {
	s := &d.Experiment.Series
	c := chart{x: metricTitle(&s.Axis), y: metricTitle(&s.Columns[column])}
	groups := d.groupBy(cells, linesBy)
	looks := d.looks(groups, linesBy)
	for i, g := range groups {
		l := d.cells[g.cells[0]].traces[column].line(d.student, keptRuns/len(groups), x)
		l.look = looks[i]
		if len(groups) > 1 {
			l.name = d.label(linesBy, g.key)
		}
		c.lines = append(c.lines, l)
	}
	return c
}
