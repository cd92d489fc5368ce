package plots

import (
	"fmt"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// distributions shows the runs of every cell one by one, where no quantity
// varies that could be an axis.
func distributions(d *Data) ([]Figure, string) {
	metrics := d.shownMetrics()
	switch {
	case len(d.quantities()) > 0:
		return nil, "a quantity varies, which is shown as an axis"
	case len(d.cells) > mostSamples:
		return nil, fmt.Sprintf("%d cells cannot be read in one figure; at most %d can", len(d.cells), mostSamples)
	case len(metrics) == 0:
		return nil, nothingVaries
	}
	e := d.Experiment
	groups := d.groupBy(d.all(), d.axes)
	looks := d.rowLooks(groups)
	height := max(1.3*vg.Centimeter+vg.Length(len(groups))*0.34*vg.Centimeter, 2.6*vg.Centimeter)
	_, together := onASheet((len(metrics)+1)/2, height)
	return family("distribution", "the runs of each cell", metricNames(e.Metrics, metrics), together, func(places []int) page {
		var panels []panel
		for _, place := range places {
			m := metrics[place]
			s := strips{x: metricTitle(&e.Metrics[m])}
			for i, g := range groups {
				c := &d.cells[g.cells[0]]
				s.rows = append(s.rows, strip{
					name: d.label(d.axes, g.key), look: looks[i],
					values: c.samples[m], mean: c.metrics[m].average(), margin: d.student.margin(&c.metrics[m]),
				})
			}
			panels = append(panels, s)
		}
		return arrange(panels, height, d.countNote(d.all(), "dots: runs; box: quartiles, median; mark: mean, 95 % limits"))
	}), ""
}

// rowLooks returns how rows are drawn, one for each group of a cell. They have
// their names beside them: those of an algorithm look the same.
func (d *Data) rowLooks(groups []group) []look {
	algorithm, at := d.Experiment.Param(experiment.Algorithm)
	if algorithm == nil {
		return d.looks(groups, d.axes)
	}
	looks := make([]look, len(groups))
	for i, g := range groups {
		looks[i] = lookOf(d.Experiment, d.cells[g.cells[0]].params[at].Text())
	}
	return looks
}

// nothingVaries is why a figure of metrics is missing that would be blank.
const nothingVaries = "every metric is the same in all runs"

// shownMetrics returns the metrics that are not the same in all runs.
func (d *Data) shownMetrics() []int {
	var shown []int
	for m := range d.Experiment.Metrics {
		if !d.degenerate(m) {
			shown = append(shown, m)
		}
	}
	return shown
}
