package plots

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
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
				"share of the variance that is left if all other axes are held")
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
// complete. Effects add up to more than 1 where axes interact. A mean of n runs
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
	if cells > 0 {
		within /= float64(cells)
	}
	total := means.squares/float64(means.n) + within
	for i := range d.axes {
		others := slices.Delete(slices.Clone(d.axes), i, i+1)
		sum := 0.0
		for _, g := range d.groupBy(defined, others) {
			var left moments
			for _, c := range g.cells {
				left.add(d.cells[c].metrics[metric].mean)
			}
			sum += left.squares // variance times the number of cells
		}
		effects = append(effects, sum/float64(means.n)/total)
	}
	if cells == 0 {
		return effects, math.NaN()
	}
	return effects, within / total
}
