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
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/results"
)

// ErrNoBlocks tells of a sweep that is not sampled in blocks.
var ErrNoBlocks = errors.New(
	`indices need a sweep with design = "saltelli", or "morris", in a table [sample]`)

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
	samples, err := v.Samples(false, results.Metrics(metrics), nil)
	if err != nil {
		return nil, err
	}
	sampled := func(p int) bool { return slices.Contains(d.Params, p) }
	others := slices.DeleteFunc(slices.Clone(v.Plan.Varying), sampled)
	t := sensitivityTable(v, others)
	var cells [][]experiment.Value
	sampleOf := map[string]*results.Sample{} // by the values of a cell
	for c, sample := range samples {
		cells = append(cells, v.Plan.Point(int64(c)).Values)
		sampleOf[fmt.Sprint(cells[c])] = cmp.Or(sample, &results.Sample{})
	}
	circumstances := func(cell []experiment.Value) string { return fmt.Sprint(AxisCells(others, cell)) }
	for _, group := range grouped(cells, circumstances) {
		cell := slices.Clone(group[0])
		var used []int // of the design's parameters
		for k, p := range d.Params {
			if !cell[p].IsNull() {
				used = append(used, k)
			}
		}
		points := lists.Map(d.Rows, func(row []experiment.Value) *results.Sample {
			for _, k := range used {
				cell[d.Params[k]] = row[k]
			}
			return sampleOf[fmt.Sprint(cell)]
		})
		for i, m := range metrics {
			lead := append(AxisCells(others, cell), v.Plan.Experiment().Metrics[m].Name)
			addIndices(t, v, lead, used, points, i)
		}
	}
	if d.Name == design.Saltelli && v.Plan.Seeds() < 2 {
		t.Warnings = append(t.Warnings, "with one seed nobody knows how much of this is the seed's")
	}
	return t, nil
}

// addIndices adds the rows of the i-th metric, which begin with lead.
func addIndices(t *report.Table, v *results.Reader, lead []any, used []int, points []*results.Sample, i int) {
	d := v.Plan.Design
	blocks, noise, dropped := measured(v, used, points, i)
	morris := d.Name == design.Morris
	add := func(name string, a, b inference.Share) {
		row := append(slices.Clip(lead), name, a.Value, a.Low, a.High, b.Value, b.Low, b.High)
		t.Rows = append(t.Rows, append(row, len(blocks), len(dropped)))
	}
	unknown := inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	shares, seed := slices.Repeat([]inference.Share{unknown}, 2*len(used)), unknown
	switch {
	case len(blocks) > 0 && morris:
		shares = inference.Blocks(blocks, func(b [][]float64) []float64 { // without rounding errors
			return lists.Map(inference.Morris(b), func(x float64) float64 { return detmath.Round(x, 12) })
		})
	case len(blocks) > 0:
		shares = inference.Blocks(blocks, inference.Sobol)
		if seeds := everyCell(v); seeds > 1 {
			seed = inference.Blocks(noise, inference.Noise(float64(seeds)))[0]
		}
	}
	for j, k := range used {
		add(v.Plan.Experiment().Params[d.Params[k]].Name, shares[j], shares[len(used)+j])
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

// sensitivityTable returns the table without its rows.
func sensitivityTable(v *results.Reader, others []int) *report.Table {
	seeds := report.Count(everyCell(v), "seed")
	if v.Plan.Stop() != nil {
		seeds += " or more"
	}
	t := &report.Table{Title: v.Name + ": shares of variance", Lead: len(others) + 2, Notes: []string{
		"first: the share of the main effect; total: of all effects with a part of it; " +
			"of the variance of means over " + seeds,
		"(seed): the share of the variance of single runs that is left with all parameters fixed",
		"limits: 95 %, by resampling blocks",
	}}
	groups, format := []string{"first", "total"}, report.Column{Name: "index", Decimals: 3}
	if v.Plan.Design.Name == design.Morris {
		groups, format = []string{"mu_star", "sigma"}, report.Column{Name: "value", Decimals: report.Significant}
		t.Title = v.Name + ": what a step through the whole range changes"
		t.Notes = []string{"mu*: the mean size of the change; sigma: its standard deviation, " +
			"large where it depends on other parameters or on luck", "in the metric's unit, of means over " +
			seeds + "; limits: 95 %, by resampling trajectories (blocks)"}
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
	t.Columns = append(t.Columns, report.Column{Name: "blocks"},
		report.Column{Name: "left out", Key: "left_out"})
	return t
}

// measured returns, by block, what the points of a design gave for the i-th
// metric or, of trajectories, what steps changed; beside them the means and then
// the variances of the first two points, over as many runs each; and why blocks were
// left out: the first point of each that does not count.
func measured(v *results.Reader, used []int, points []*results.Sample, i int) (
	blocks, noise [][]float64, dropped []string) {
	d := v.Plan.Design
next:
	for first := 0; first < len(d.Rows); first += d.Block {
		rows := d.Rows[first : first+d.Block]
		var y, means, variances []float64
		for k, row := range rows {
			if k >= 2 && d.Name == design.Saltelli && !slices.Contains(used, k-2) {
				continue
			}
			sample := points[first+k]
			if fault := incompletePoint(v, sample, i); fault != "" {
				text := ""
				for k, p := range d.Params {
					text += fmt.Sprintf(", %s = %s", v.Plan.Experiment().Params[p].Name, row[k])
				}
				dropped = append(dropped, text[2:]+": "+fault)
				continue next
			}
			y = append(y, inference.Describe(sample.Values[i]).Mean)
			m := inference.Describe(sample.Values[i][:everyCell(v)])
			means, variances = append(means, m.Mean), append(variances, m.Std*m.Std)
		}
		if d.Name == design.Morris {
			y = changes(rows, used, y)
		}
		blocks, noise = append(blocks, y), append(noise, append(means[:2], variances[:2]...))
	}
	return blocks, noise, dropped
}

// changes returns what a trajectory's steps up the whole range of each of some
// parameters would change, at the rate of its own steps; 0 if the range has one
// value.
func changes(rows [][]experiment.Value, params []int, y []float64) []float64 {
	list := make([]float64, len(params))
	for i := 1; i < len(rows); i++ {
		for j, k := range params {
			if step := cmp.Compare(rows[i][k].Float(), rows[i-1][k].Float()); step != 0 {
				list[j] = float64(step) * (y[i] - y[i-1]) / design.MorrisStep
			}
		}
	}
	return list
}

// everyCell returns how many seeds each cell has at least.
func everyCell(v *results.Reader) int64 {
	if stop := v.Plan.Stop(); stop != nil {
		return stop.Min
	}
	return v.Plan.Seeds()
}

// incompletePoint says why a point's runs do not count; nothing if they do.
func incompletePoint(v *results.Reader, c *results.Sample, i int) string {
	switch {
	case c == nil:
		return "dropped from the grid"
	case c.Failed > 0:
		return report.Count(c.Failed, "failed run")
	case len(c.Seeds) == 0:
		return "no run"
	case int64(len(c.Seeds)) < everyCell(v):
		return report.Count(everyCell(v)-int64(len(c.Seeds)), "missing run")
	case slices.ContainsFunc(c.Values[i], math.IsNaN):
		return "not defined"
	}
	return ""
}
