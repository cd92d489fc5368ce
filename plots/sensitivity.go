package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// sensitivity shows which axis moves which metric how far: the total effects
// of the axes, and what only the seeds explain.
func sensitivity(d *Data) ([]Figure, string) {
	metrics := d.shownMetrics()
	switch {
	case len(d.axes) < 2:
		return nil, fmt.Sprintf("several axes must vary; here %d do", len(d.axes))
	case len(metrics) == 0:
		return nil, nothingVaries
	}
	return []Figure{{
		Name:  "sensitivity",
		Title: "which axis moves which metric: shares of the variance of single runs",
		page: func() page {
			g := gridMap{high: 1, format: func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }}
			for _, a := range d.axes {
				g.columns = append(g.columns, shortName(&d.Experiment.Params[a]))
			}
			g.columns = append(g.columns, "seeds")
			for _, m := range slices.Backward(metrics) {
				g.rows = append(g.rows, spaced(d.Experiment.Metrics[m].Name))
				effects, seeds := d.totalEffects(m)
				g.values = append(g.values, append(effects, seeds))
			}
			p := arrange([]panel{g}, 1.2*vg.Centimeter+vg.Length(len(metrics))*0.55*vg.Centimeter,
				"total effect: share of the variance of runs that is left if all other axes are held")
			p.width = max(p.width, 4*vg.Centimeter+vg.Length(len(g.columns))*1.6*vg.Centimeter)
			return p
		},
	}}, ""
}

// totalEffects returns, for each axis, its total effect on a metric (Homma
// and Saltelli, Importance measures in global sensitivity analysis, 1996):
// the variance of the cells' means that is left, on average, when all other
// axes are held, as a share of the variance of single runs; and the share of
// the variance within cells, which only the seeds explain.
//
// All cells count alike. An axis that has one value where the others are
// held has no effect there, so that it does not matter whether the grid is
// complete. Axes that only some algorithms use are not held for the effect of
// the algorithm, but averaged over. Effects add up to more than 1 where axes interact. A mean of n runs
// also moves by chance, so that effects below the seeds' share / n are noise.
func (d *Data) totalEffects(metric int) (effects []float64, seeds float64) {
	var means moments
	within, cells := 0.0, 0
	var defined []int
	for i := range d.cells {
		m := &d.cells[i].metrics[metric]
		if m.n == 0 {
			continue
		}
		defined = append(defined, i)
		means.add(m.mean)
		if m.n > 1 {
			within += m.variance()
			cells++
		}
	}
	seeds = math.NaN()
	if cells > 0 {
		within /= float64(cells)
		seeds = within
	}
	total := means.squares/float64(means.n) + within
	for _, axis := range d.axes {
		sum := 0.0
		for _, g := range d.groupBy(defined, d.heldFor(axis)) {
			sum += d.squaresBetween(metric, axis, g.cells)
		}
		effects = append(effects, sum/float64(means.n)/total)
	}
	return effects, seeds / total
}

// heldFor returns the axes that are held for the effect of one.
func (d *Data) heldFor(axis int) []int {
	return slices.DeleteFunc(slices.Clone(d.axes), func(p int) bool {
		return p == axis || d.Experiment.Params[axis].Name == experiment.Algorithm && d.Experiment.Params[p].UsedBy != nil
	})
}

// squaresBetween returns the sum over cells of the squared distance from
// the mean of those that share the cell's value of an axis to the mean of
// all.
func (d *Data) squaresBetween(metric, axis int, cells []int) float64 {
	all, _ := d.mean(metric, cells)
	sum := 0.0
	for _, g := range d.groupBy(cells, []int{axis}) {
		mean, _ := d.mean(metric, g.cells)
		sum += float64(len(g.cells)) * (mean - all) * (mean - all)
	}
	return sum
}
