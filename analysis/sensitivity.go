package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
	"sweep/internal/detmath"
	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// ErrNoBlocks tells of a sweep that is not sampled in blocks.
var ErrNoBlocks = errors.New(`indices need a sweep with design = "saltelli", or "morris", in a table [sample]`)

// namedBlocks is how many of the blocks that are left out a table names, for
// each metric.
const namedBlocks = 3

// Sensitivity returns a table of Sobol' indices, the shares that parameters of a
// sampled sweep have in a metric's variance, or of Morris's mu* and sigma, what
// steps in them change: a row for each metric and parameter and, of shares, one
// for the seed, for each combination of the values of what is not sampled. A
// point is what its runs measured on average. A block with a point that has a
// failed, a missing or an undefined run is left out.
func Sensitivity(v *results.Reader, metrics []int) (*report.Table, error) {
	d := v.Plan.Design
	if d == nil || d.Name != design.Saltelli && d.Name != design.Morris {
		return nil, ErrNoBlocks
	}
	statistics, morris := inference.Sobol, d.Name == design.Morris
	if morris {
		statistics = inference.Morris
	}
	samples, err := v.Samples(false, results.Metrics(metrics), nil)
	if err != nil {
		return nil, err
	}
	others := slices.DeleteFunc(slices.Clone(v.Plan.Varying), func(p int) bool { return slices.Contains(d.Params, p) })
	t := sensitivityTable(v, others)
	var cells [][]experiment.Value
	sampleOf := map[string]*results.Sample{} // by the values of a cell
	for c, sample := range samples {
		cells = append(cells, v.Plan.Point(int64(c)).Values)
		sampleOf[fmt.Sprint(cells[c])] = sample
	}
	e := v.Plan.Experiment()
	for _, group := range grouped(cells, func(cell []experiment.Value) string { return fmt.Sprint(AxisCells(others, cell)) }) {
		var used []int // of the design's parameters
		for k, p := range d.Params {
			if !group[0][p].IsNull() {
				used = append(used, k)
			}
		}
		for i, m := range metrics {
			blocks, noise, dropped := measured(v, i, used, func(row []experiment.Value) (*results.Sample, string) {
				cell := slices.Clone(group[0])
				for _, k := range used {
					cell[d.Params[k]] = row[k]
				}
				sample, there := sampleOf[fmt.Sprint(cell)]
				if !there {
					return nil, "dropped from the grid"
				}
				return sample, incompletePoint(v, sample, i)
			})
			shares, seed := slices.Repeat([]inference.Share{unknown}, 2*len(used)), unknown
			if len(blocks) > 0 {
				shares = inference.Blocks(blocks, statistics)
			}
			if seeds := v.Plan.Seeds(); len(blocks) > 0 && seeds > 1 && !morris {
				seed = inference.Blocks(noise, inference.Noise(float64(seeds)))[0]
			}
			add := func(name string, pair ...inference.Share) {
				row := append(AxisCells(others, group[0]), e.Metrics[m].Name, name)
				for _, s := range pair {
					for _, x := range []float64{s.Value, s.Low, s.High} {
						if morris { // in the metric's unit, whatever that is
							x = detmath.Round(x, 4)
						}
						row = append(row, x)
					}
				}
				t.Rows = append(t.Rows, append(row, len(blocks), len(dropped)))
			}
			for j, k := range used {
				add(e.Params[d.Params[k]].Name, shares[j], shares[len(used)+j])
			}
			if !morris {
				add("(seed)", seed, unknown)
			}
			for _, why := range dropped[:min(namedBlocks, len(dropped))] {
				if text := "a block is left out: " + why; !slices.Contains(t.Warnings, text) {
					t.Warnings = append(t.Warnings, text)
				}
			}
		}
	}
	if !morris && v.Plan.Seeds() < 2 {
		t.Warnings = append(t.Warnings, "with one seed nobody knows how much of this is the seed's")
	}
	return t, nil
}

// unknown is the share of which nothing is known.
var unknown = inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// sensitivityTable returns the table without its rows.
func sensitivityTable(v *results.Reader, others []int) *report.Table {
	seeds := report.Count(v.Plan.Seeds(), "seed")
	t := &report.Table{Title: v.Name + ": shares of variance", Lead: len(others) + 2, Notes: []string{
		"first: the share of the main effect; total: of all effects with a part of it; of the variance of means over " + seeds,
		"(seed): the share of the variance of single runs that is left with all parameters fixed",
		"limits: 95 %, by resampling blocks",
	}}
	groups, format := []string{"first", "total"}, report.Column{Name: "index", Decimals: 3}
	if v.Plan.Design.Name == design.Morris {
		groups, format = []string{"mu_star", "sigma"}, report.Column{Name: "value", Decimals: -1}
		t.Title, t.Notes = v.Name+": what a step through the whole range changes", []string{
			"mu*: the mean size of the change; sigma: its standard deviation, large where it depends on other parameters or on luck",
			"in the metric's unit, of means over " + seeds + "; limits: 95 %, by resampling trajectories (blocks)",
		}
	}
	t.Columns = append(axisColumns(v.Plan.Experiment(), others, ""), report.Texts("metric", "parameter")...)
	for _, group := range groups {
		for _, end := range []string{"", "_low", "_high"} {
			c := format
			c.Group, c.Key = strings.ReplaceAll(group, "_star", "*"), group+end
			c.Name = cmp.Or(strings.TrimPrefix(end, "_"), c.Name)
			t.Columns = append(t.Columns, c)
		}
	}
	t.Columns = append(t.Columns, report.Column{Name: "blocks"}, report.Column{Name: "left out", Key: "left_out"})
	return t
}

// measured returns, by block, what the points of a design gave for the i-th
// metric or, of trajectories, what steps changed; beside them the means and then
// the variances of the first two points; and why blocks were left out: the first
// point of each that does not count. point finds what was measured at a row of
// the design, or says why that does not count.
func measured(v *results.Reader, i int, used []int, point func(row []experiment.Value) (*results.Sample, string)) (blocks, noise [][]float64, dropped []string) {
	d := v.Plan.Design
next:
	for rows := range slices.Chunk(d.Rows, d.Block) {
		var y, variances []float64
		for k, row := range rows {
			if k >= 2 && d.Name == design.Saltelli && !slices.Contains(used, k-2) {
				continue
			}
			sample, fault := point(row)
			if fault != "" {
				text := ": " + fault
				for k := len(row) - 1; k >= 0; k-- {
					text = fmt.Sprintf(", %s = %s", v.Plan.Experiment().Params[d.Params[k]].Name, row[k]) + text
				}
				dropped = append(dropped, text[2:])
				continue next
			}
			m := inference.Describe(sample.Values[i])
			y, variances = append(y, m.Mean), append(variances, m.Std*m.Std)
		}
		noise = append(noise, append(slices.Clone(y[:2]), variances[:2]...))
		if d.Name == design.Morris {
			y = changes(rows, used, y)
		}
		blocks = append(blocks, y)
	}
	return blocks, noise, dropped
}

// changes returns what a trajectory's steps up the whole range of each of some
// parameters would change, at the rate of its own steps.
func changes(rows [][]experiment.Value, params []int, y []float64) (list []float64) {
	for _, k := range params {
		i := 1
		for rows[i][k] == rows[i-1][k] {
			i++ // each parameter makes one step
		}
		rate := (y[i] - y[i-1]) / design.MorrisStep
		if rows[i][k].Float() < rows[i-1][k].Float() {
			rate = -rate
		}
		list = append(list, rate)
	}
	return list
}

// incompletePoint says why a point's runs do not count; nothing if they do.
func incompletePoint(v *results.Reader, c *results.Sample, i int) string {
	switch {
	case c == nil:
		return "no run"
	case c.Failed > 0:
		return report.Count(c.Failed, "failed run")
	case v.Plan.Stop() == nil && int64(len(c.Seeds)) < v.Plan.Seeds():
		return report.Count(v.Plan.Seeds()-int64(len(c.Seeds)), "missing run")
	case slices.ContainsFunc(c.Values[i], math.IsNaN):
		return "not defined"
	}
	return ""
}
