package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"sweep/experiment"
	"sweep/grid/design"
	"sweep/internal/detmath"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/results"
)

// ErrNoBlocks tells of a sweep that is not sampled in blocks.
var ErrNoBlocks = errors.New(
	`indices need a sweep with design = "saltelli", or "morris", in a table [sample]`)

// maxNamedBlocks is how many of the blocks that are left out a table names, for
// each metric.
const maxNamedBlocks = 3

// Sensitivity returns a table of the indices of a sampled sweep, with a row for
// each metric and parameter at each combination of the values of what is not
// sampled. Of Saltelli's design these are Sobol' indices, the shares of the
// parameters in the metric's variance; a further row has the share of the seed.
// Of Morris's design they are mu* and sigma: how much steps in a parameter
// change the metric. The value of a point is the mean of its runs. A block is
// left out if one of its points has a failed, a missing or an undefined run.
func Sensitivity(v *results.Reader, metrics []int) (*table.Table, error) {
	d := v.Plan.Design
	if d == nil || d.Name != design.Saltelli && d.Name != design.Morris {
		return nil, ErrNoBlocks
	}
	samples, err := v.Samples(false, results.Metrics(metrics))
	if err != nil {
		return nil, err
	}
	var others []int // parameters that are not sampled
	for _, p := range v.Plan.Varying {
		if !slices.Contains(d.Params, p) {
			others = append(others, p)
		}
	}
	var cells [][]experiment.Value
	sampleOf := map[string]*results.Sample{} // by the values of a cell
	for c, sample := range samples {
		if sample == nil {
			sample = &results.Sample{}
		}
		values := v.Plan.Point(int64(c)).Values
		cells = append(cells, values)
		sampleOf[fmt.Sprint(values)] = sample
	}
	groups := grouped(cells, func(cell []experiment.Value) (key string) {
		for _, p := range others {
			key += fmt.Sprintf("%q ", cell[p])
		}
		return key
	})
	e := v.Plan.Experiment()
	t := sensitivityTable(v, len(others))
	for _, group := range groups {
		sampled := newSampled(v, group[0], sampleOf)
		for i, m := range metrics {
			lead := AxisCells(e, others, group[0])
			lead = append(lead, table.Left("metric", e.Metrics[m].Name))
			sampled.addRows(t, lead, i)
		}
	}
	if d.Name == design.Saltelli && v.Plan.Seeds() < 2 {
		t.Warnings = append(t.Warnings, "with one seed nobody knows how much of this is the seed's")
	}
	return t, nil
}

// sensitivityTable returns the table without its rows.
func sensitivityTable(v *results.Reader, others int) *table.Table {
	seeds := table.Count(minSeeds(v), "seed")
	if v.Plan.Stop() != nil {
		seeds += " or more"
	}
	t := &table.Table{Lead: others + 2}
	if v.Plan.Design.Name == design.Morris {
		t.Title = v.Name + ": what a step through the whole range changes"
		t.Notes = []string{
			"mu*: the mean size of the change; sigma: its standard deviation, " +
				"large where it depends on other parameters or on luck",
			"in the metric's unit, of means over " + seeds +
				"; limits: 95 %, by resampling trajectories (blocks)",
		}
		return t
	}
	t.Title = v.Name + ": shares of variance"
	t.Notes = []string{
		"first: the share of the main effect; total: of all effects with a part of it; " +
			"of the variance of means over " + seeds,
		"(seed): the share of the variance of single runs that is left with all parameters fixed",
		"limits: 95 %, by resampling blocks",
	}
	return t
}

// addRows adds the rows of the i-th metric. They begin with lead.
func (s *sampled) addRows(t *table.Table, lead []table.Cell, i int) {
	blocks, noise, dropped := s.blocks(i)
	unknown := inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	shares := slices.Repeat([]inference.Share{unknown}, 2*len(s.used))
	seed := unknown
	first := table.Cell{Group: "first", Key: "first", Name: "index", Decimals: 3}
	second := table.Cell{Group: "total", Key: "total", Name: "index", Decimals: 3}
	morris := s.Plan.Design.Name == design.Morris
	switch {
	case morris:
		first = table.Cell{Group: "mu*", Key: "mu_star", Name: "value"}
		first.Decimals = table.Significant
		second = first
		second.Group = "sigma"
		second.Key = "sigma"
		if len(blocks) > 0 {
			shares = inference.Blocks(blocks, roundedMorris)
		}
	case len(blocks) > 0:
		shares = inference.Blocks(blocks, inference.Sobol)
		if seeds := minSeeds(s.Reader); seeds > 1 {
			seed = inference.Blocks(noise, inference.Noise(float64(seeds)))[0]
		}
	}
	add := func(name string, a, b inference.Share) {
		t.Add(slices.Concat(
			lead,
			[]table.Cell{table.Left("parameter", name)},
			shareCells(first, a),
			shareCells(second, b),
			[]table.Cell{
				table.Right("blocks", len(blocks)),
				{Name: "left out", Key: "left_out", Value: len(dropped)},
			},
		))
	}
	for j, k := range s.used {
		add(s.param(k).Name, shares[j], shares[len(s.used)+j])
	}
	if !morris {
		add("(seed)", seed, unknown)
	}
	for _, why := range dropped[:min(maxNamedBlocks, len(dropped))] {
		text := "a block is left out: " + why
		if !slices.Contains(t.Warnings, text) {
			t.Warnings = append(t.Warnings, text)
		}
	}
}

// roundedMorris returns what inference.Morris does, without rounding errors.
func roundedMorris(blocks [][]float64) []float64 {
	list := inference.Morris(blocks)
	for i, x := range list {
		list[i] = detmath.Round(x, 12)
	}
	return list
}

// shareCells returns the cells of a share and of its limits, in columns like
// that of the share.
func shareCells(share table.Cell, s inference.Share) []table.Cell {
	share.Value = s.Value
	return []table.Cell{share, lowLimit(share, s.Low), highLimit(share, s.High)}
}
