package plots

import (
	"fmt"
	"slices"

	"sweep/experiment"
)

// Figures returns the figures of any sweep, as its axes suggest, then those
// that the experiment declares. None of them is drawn yet.
func (d *Data) Figures() []Figure {
	all := d.general()
	for _, f := range d.Experiment.Figures {
		var ys []string
		for _, y := range f.Y {
			if d.chosen(y) {
				ys = append(ys, y)
			}
		}
		f.Y = ys
		figure := d.figure(f)
		if f.Source != "" {
			figure.Title += " (" + f.Source + ")"
		}
		all = append(all, figure)
	}
	return all
}

// figure returns a figure, with the reason if it does not fit.
func (d *Data) figure(f experiment.Figure) Figure {
	figure := Figure{Figure: f, data: d}
	figure.Why = d.fit(&figure)
	return figure
}

// chosen reports whether a metric or column is to be drawn.
func (d *Data) chosen(name string) bool {
	return d.metrics == nil || slices.Contains(d.metrics, name)
}

// informing returns the names of those of the chosen metrics or columns that
// tell anything, as informs says of the i-th.
func (d *Data) informing(list []experiment.Metric, informs func(i int) bool) (names []string) {
	for i, m := range list {
		if d.chosen(m.Name) && informs(i) {
			names = append(names, m.Name)
		}
	}
	return names
}

// general returns the figures of any sweep.
func (d *Data) general() (all []Figure) {
	metrics := d.informing(d.Experiment.Metrics, d.informs)
	var quantities []string
	fields := 0
	for _, p := range d.axes {
		if d.isQuantity(p) {
			quantities = append(quantities, p)
			fields = max(fields, len(d.values(d.all(), p)))
		}
	}
	add := func(fits bool, f experiment.Figure, needs string, varying int) {
		if fits {
			all = append(all, d.figure(f))
			return
		}
		why := fmt.Sprintf("%s; varying here: %d", needs, varying)
		all = append(all, Figure{Figure: f, Why: why, data: d})
	}
	n := len(quantities)
	two := append(slices.Clone(quantities), "", "")
	add(n == 0, experiment.Figure{
		Name:  "distribution",
		Title: "the runs of each cell",
		Kind:  experiment.Strips,
		Y:     metrics,
	}, "no quantity may vary", n)
	add(n == 1, experiment.Figure{
		Name:  "dependence",
		Title: "metrics against " + spaced(two[0]),
		Kind:  experiment.Lines,
		X:     quantities,
		Y:     metrics,
	}, "one quantity must vary", n)
	add(n == 2 && fields <= maxFields, experiment.Figure{
		Name:  "map",
		Title: "over " + spaced(two[0]) + " and " + spaced(two[1]),
		Kind:  experiment.Map,
		X:     two[:1],
		Rows:  two[1],
		Y:     metrics,
	}, fmt.Sprintf("two quantities must vary, with at most %d values", maxFields), n)
	add(n > 1, experiment.Figure{
		Name:  "effects",
		Title: "each quantity, mean over the other axes",
		Kind:  experiment.Lines,
		X:     quantities,
		Y:     metrics,
	}, "several quantities must vary", n)
	add(len(d.axes) > 1 && len(d.sampled) == 0, experiment.Figure{
		Name:  "sensitivity",
		Title: "which axis moves which metric: shares of the variance",
		Kind:  experiment.Map,
		X:     d.axes,
		Y:     metrics,
	}, "several axes must vary, all of a grid", len(d.axes))
	series := d.figure(experiment.Figure{
		Name:  "series",
		Title: "the series over " + spaced(d.Experiment.Axis().Name),
		Kind:  experiment.Lines,
		Y:     d.informing(d.Experiment.Columns(), d.columnInforms),
	})
	return append(all, series)
}
