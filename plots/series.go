package plots

import (
	"fmt"
	"slices"
)

// overTime shows each column of the series, with a line for each cell.
func overTime(d *Data) ([]Figure, string) {
	e := d.Experiment
	switch {
	case len(e.Series.Columns) == 0:
		return nil, "the experiment has no series"
	case len(d.cells) == 0 || d.cells[0].traces == nil:
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
	return []Figure{{
		Name:  "series",
		Title: "the series over " + spaced(e.Series.Axis.Name),
		page: func() page {
			var panels []panel
			for _, column := range columns {
				for _, f := range facets {
					c := d.timeChart(column, f.cells, linesBy, asItIs)
					c.title = d.label(panelsBy, f.key)
					panels = append(panels, c)
				}
			}
			return arrange(panels, panelHeight, d.bandNote(d.all()))
		},
	}}, ""
}

// bandNote tells what bands and faint lines are.
func (d *Data) bandNote(cells []int) string {
	note := d.countNote(cells, "mean and 95 % confidence band")
	if kept := slices.Max(countRuns(d, cells)); kept > 1 {
		note += fmt.Sprintf("; faint: up to %d single runs", min(kept, keptRuns))
	}
	return note
}

func countRuns(d *Data, cells []int) []int {
	counts := make([]int, len(cells))
	for i, c := range cells {
		counts[i] = d.cells[c].traces[0].count
	}
	return counts
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
		l := d.cells[g.cells[0]].traces[column].line(d.student, x)
		l.look = looks[i]
		if len(groups) > 1 {
			l.name = d.label(linesBy, g.key)
		}
		c.lines = append(c.lines, l)
	}
	return c
}

func asItIs(x float64) float64 { return x }
