package plots

import (
	"fmt"
	"slices"

	"sweep/experiment"
)

// Figures returns the figures that the spec declares, then those of any sweep,
// as its axes suggest, then those that the experiment declares. None of them is
// drawn yet.
func (d *Data) Figures() []Figure {
	var all []Figure
	for _, f := range d.figures {
		figure := d.declared(f)
		figure.OfSpec = true
		all = append(all, figure)
	}
	for _, f := range d.general() {
		all = appendNew(all, f)
	}
	for _, f := range d.Experiment.Figures {
		all = appendNew(all, d.declared(f))
	}
	return all
}

// appendNew appends a figure, unless there is one with its name: that of a spec
// stands in place of others.
func appendNew(all []Figure, f Figure) []Figure {
	for i := range all {
		if all[i].Name == f.Name {
			return all
		}
	}
	return append(all, f)
}

// declared returns a figure that a spec or an experiment declares, of those
// metrics that are chosen.
func (d *Data) declared(f experiment.Figure) Figure {
	var shown []string
	for _, name := range f.Shown() {
		if d.chosen(name) {
			shown = append(shown, name)
		}
	}
	if f.Kind == experiment.Heat {
		f.Colour = shown
	} else {
		f.Y = shown
	}
	figure := d.figure(f)
	if f.Source != "" {
		figure.Title += " (" + f.Source + ")"
	}
	return figure
}

// figure returns a figure, with the reason if it does not fit.
func (d *Data) figure(f experiment.Figure) Figure {
	figure := Figure{Figure: f, data: d.view(&f)}
	figure.Why = figure.data.fit(&figure)
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
	ofGrid := len(d.sampled) == 0
	two := append(slices.Clone(quantities), "", "")
	add(n == 0, experiment.Figure{
		Name:  "distribution",
		Title: "the runs of each cell",
		Kind:  experiment.Distribution,
		Y:     metrics,
	}, "no quantity may vary", n)
	add(n == 1 && ofGrid, experiment.Figure{
		Name:  "dependence",
		Title: "metrics against " + spaced(two[0]),
		Kind:  experiment.Lines,
		X:     quantities,
		Y:     metrics,
	}, "one quantity of a grid must vary", n)
	add(n == 2 && ofGrid && fields <= maxFields, experiment.Figure{
		Name:   "map",
		Title:  "over " + spaced(two[0]) + " and " + spaced(two[1]),
		Kind:   experiment.Heat,
		X:      two[:1],
		Y:      two[1:2],
		Colour: metrics,
	}, fmt.Sprintf("two quantities of a grid must vary, with at most %d values", maxFields), n)
	add(n > 1 && ofGrid, experiment.Figure{
		Name:   "effects",
		Title:  "each quantity, mean over the other axes",
		Kind:   experiment.Lines,
		X:      quantities,
		Y:      metrics,
		Shared: []string{experiment.YAxis}, // to see which moves more
	}, "several quantities of a grid must vary", n)
	add(n > 0 && !ofGrid, experiment.Figure{
		Name:   "scatter",
		Title:  "metrics against each quantity",
		Kind:   experiment.Scatter,
		X:      quantities,
		Y:      metrics,
		Shared: []string{experiment.YAxis},
	}, "quantities must be sampled", len(d.sampled))
	add(len(d.axes) > 1 && ofGrid, experiment.Figure{
		Name:   "sensitivity",
		Title:  "which axis moves which metric: shares of the variance",
		Kind:   experiment.Heat,
		X:      d.axes,
		Colour: metrics,
	}, "several axes must vary, all of a grid", len(d.axes))
	columns := d.informing(d.Experiment.Columns(), d.columnInforms)
	const most = 50
	add(len(columns) <= most, experiment.Figure{
		Name:  "series",
		Title: "the series over " + spaced(d.Experiment.Axis().Name),
		Kind:  experiment.Lines,
		Y:     columns,
	}, fmt.Sprintf("at most %d columns are drawn, which -m chooses", most), len(columns))
	return all
}
