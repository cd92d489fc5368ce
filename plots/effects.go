package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
)

// effectsPlot returns the map of how far each axis moves each metric.
func (d *Data) effectsPlot(f *Figure) *plot.Plot {
	panel := &fields{high: 1, format: percent}
	rest := "seeds"
	if len(d.over) > 0 {
		rest = strings.Join(d.over, " and ")
	}
	for _, name := range append(slices.Clone(f.X), rest) {
		panel.columns = append(panel.columns, broken(spaced(name), 30))
	}
	for _, y := range slices.Backward(f.Colour) {
		panel.rows = append(panel.rows, d.label(y))
		panel.values = append(panel.values, d.totalEffects(d.Experiment.Metric(y), f.X))
	}
	f.note = "total effects %n, the shares of the variance that are left if all other axes " +
		"are held; what axes do together counts for each of them, so that rows need not add " +
		"up to 100 %"
	p := panel.plot(f, f.title, "", "")
	column := widest(panel.columns) + 6 // all columns must have their names
	width := vg.Length(len(panel.columns)) * column
	f.width = max(f.width, widest(panel.rows)+width)
	return p
}

func percent(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }

// totalEffects returns, for each axis, its total effect on a metric (Homma and
// Saltelli, Importance measures in global sensitivity analysis, 1996): the
// variance of the cells' means that is left, on average, when all other axes
// are held, as a share of the variance of single runs. The last number is the
// share of the variance within cells, which the seeds explain, or what means
// are taken over.
//
// All cells count alike. An axis that has one value where the others are
// held has no effect there, so that it does not matter whether the grid is
// complete. Axes that only some algorithms use are not held for the effect of
// the algorithm, but averaged over. A mean of n runs also moves by chance, so
// that effects below the seeds' share / n are noise.
func (d *Data) totalEffects(metric int, axes []string) (effects []float64) {
	var all, within moments
	var defined []int
	ofCells := make([]moments, len(d.cells))
	largest := 0.0
	for i := range d.cells {
		m := d.cells[i].metric(metric)
		ofCells[i] = m
		if m.n > 0 {
			defined = append(defined, i)
			all.add(m.mean)
			largest = max(largest, m.spread())
		}
	}
	_, exponent := math.Frexp(max(largest, all.spread())) // of the unit of all squares
	for _, m := range ofCells {
		if m.n > 1 {
			within.add(m.squaresIn(exponent) / float64(m.n-1))
		}
	}
	total := all.squaresIn(exponent)/float64(all.n) + within.mean
	squares := func(cells []int) float64 {
		var m moments
		for _, c := range cells {
			m.add(ofCells[c].mean)
		}
		return m.squaresIn(exponent)
	}
	for _, axis := range axes {
		sum := 0.0 // of squares between the values of the axis
		for _, g := range d.groupBy(defined, d.held(axes, axis)) {
			sum += squares(g)
			for _, same := range d.groupBy(g, []string{axis}) {
				sum -= squares(same)
			}
		}
		share := sum / float64(all.n) / total
		effects = append(effects, max(0, min(share, 1))) // sums are rounded
	}
	return append(effects, within.average()/total)
}

// held returns the axes that are held for the effect of an axis.
func (d *Data) held(axes []string, axis string) (held []string) {
	for _, name := range axes {
		p, _ := d.Experiment.Param(name)
		averaged := axis == experiment.Algorithm && p.UsedBy != nil
		if name != axis && !averaged {
			held = append(held, name)
		}
	}
	return held
}
