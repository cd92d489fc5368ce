package analysis

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// A Sensitivity says what shares of a metric's variance the parameters of a
// sampled sweep have or, by Morris's design, what steps in them change.
type Sensitivity struct {
	Metric  int
	Params  []int             // those sampled that these runs use
	First   []inference.Share // indices; by Morris's design mu*, the mean size of a change
	Total   []inference.Share // indices; by Morris's design sigma, the changes' standard deviation
	Seed    inference.Share   // of a single run; NaN with one seed
	Blocks  int               // of which all runs succeeded
	Dropped []string          // why a block was left out: its first point that failed or is missing

	cell []experiment.Value // one that these runs are of
}

// Sensitivities are the answer for a whole directory.
type Sensitivities struct {
	Experiment *experiment.Experiment
	Design     string
	Name       string
	Seeds      int64
	Others     []int // the parameters that vary and are not sampled
	List       []Sensitivity
}

// unknown is the share of which nothing is known.
var unknown = inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// ErrNoBlocks tells of a sweep that is not sampled in blocks.
var ErrNoBlocks = errors.New(`indices need a sweep with design = "saltelli", or "morris", in a table [sample]`)

// Sense computes Sobol' indices, or Morris's mu* and sigma, of metrics of the runs in a directory, one
// set for each combination of the values of what is not sampled. A point is
// what its runs measured on average. A block with a point that has a failed, a
// missing or an undefined run is left out.
func Sense(v *results.Reader, metrics []int) (*Sensitivities, error) {
	d := v.Plan.Design()
	if d == nil || d.Name != design.Saltelli && d.Name != design.Morris {
		return nil, ErrNoBlocks
	}
	samples, err := v.Samples(false, results.Metrics(metrics), nil)
	if err != nil {
		return nil, err
	}
	s := &Sensitivities{Experiment: v.Plan.Experiment(), Design: d.Name, Name: v.Name, Seeds: v.Plan.Seeds()}
	for _, p := range v.Plan.Varying() {
		if !slices.Contains(d.Params, p) {
			s.Others = append(s.Others, p)
		}
	}
	var cells [][]experiment.Value // and its number as the last value
	for c := range v.Plan.Cells() {
		cells = append(cells, append(v.Plan.Point(c).Values, experiment.IntValue(c)))
	}
	for _, group := range grouped(cells, func(cell []experiment.Value) string { return fmt.Sprint(axisCells(s.Others, cell)) }) {
		for i, m := range metrics {
			s.List = append(s.List, sense(v, group, samples, i, Sensitivity{cell: group[0], Metric: m}))
		}
	}
	return s, nil
}

func pick(values []experiment.Value, which []int) (picked []experiment.Value) {
	for _, i := range which {
		picked = append(picked, values[i])
	}
	return picked
}

// sense computes the indices of one metric, the i-th that was gathered, over
// cells that differ only in what is sampled.
func sense(v *results.Reader, cells [][]experiment.Value, samples []*results.Sample, i int, s Sensitivity) Sensitivity {
	d := v.Plan.Design()
	var used []int // of the design's parameters
	for k, p := range d.Params {
		if !cells[0][p].IsNull() {
			used, s.Params = append(used, k), append(s.Params, p)
		}
	}
	at := map[string]int64{} // the cells by the values of these
	for _, cell := range cells {
		at[fmt.Sprint(pick(cell, s.Params))] = cell[len(cell)-1].Int()
	}
	s.Seed = unknown
	s.First = slices.Repeat([]inference.Share{unknown}, len(s.Params))
	s.Total = s.First
	var blocks, means, noise [][]float64
next:
	for rows := range slices.Chunk(d.Rows, d.Block) {
		var y, variances []float64
		for k, row := range rows {
			if k >= 2 && d.Name == design.Saltelli && !slices.Contains(used, k-2) {
				continue
			}
			cell, there := at[fmt.Sprint(pick(row, used))]
			m, fault := pointMoments(v, samples[cell], i)
			if !there {
				fault = "dropped from the grid"
			}
			if fault != "" {
				s.Dropped = append(s.Dropped, describePoint(v, row)+": "+fault)
				continue next
			}
			y, variances = append(y, m.Mean), append(variances, m.Std*m.Std)
		}
		if d.Name == design.Morris {
			y = changes(rows, used, y)
		}
		blocks, means, noise = append(blocks, y), append(means, y[:2]), append(noise, variances[:2])
	}
	if s.Blocks = len(blocks); s.Blocks == 0 {
		return s
	}
	if d.Name == design.Morris {
		s.First, s.Total = inference.MorrisMeasures(blocks)
		return s
	}
	s.First, s.Total = inference.SobolIndices(blocks)
	if v.Plan.Seeds() > 1 {
		s.Seed = inference.NoiseShare(means, noise, float64(v.Plan.Seeds()))
	}
	return s
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

// pointMoments returns the moments of a point's runs, or why they do not count.
func pointMoments(v *results.Reader, c *results.Sample, i int) (m inference.Moments, fault string) {
	switch {
	case c == nil:
		return m, "no run"
	case c.Failed > 0:
		return m, report.Count(c.Failed, "failed run")
	case v.Plan.Stop() == nil && int64(len(c.Seeds)) < v.Plan.Seeds():
		return m, report.Count(v.Plan.Seeds()-int64(len(c.Seeds)), "missing run")
	}
	if slices.ContainsFunc(c.Values[i], math.IsNaN) {
		return m, "not defined"
	}
	return inference.Describe(c.Values[i]), ""
}

func describePoint(v *results.Reader, row []experiment.Value) string {
	var words []string
	for k, p := range v.Plan.Design().Params {
		words = append(words, fmt.Sprintf("%s = %s", v.Plan.Experiment().Params[p].Name, row[k]))
	}
	return strings.Join(words, ", ")
}

// namedBlocks is how many of the blocks that were left out a table names.
const namedBlocks = 3

// Table shows the indices: a row for each metric and parameter, and one for
// the seed.
func (s *Sensitivities) Table() *report.Table {
	t := &report.Table{Title: s.Name + ": shares of variance", Lead: len(s.Others) + 2}
	t.Columns = append(axisColumns(s.Experiment, s.Others, ""), report.Column{Name: "metric", Left: true}, report.Column{Name: "parameter", Left: true})
	groups, format := []string{"first", "total"}, report.Column{Name: "index", Decimals: 3}
	if s.Design == design.Morris {
		t.Title = s.Name + ": what a step through the whole range changes"
		groups, format = []string{"mu_star", "sigma"}, report.Column{Name: "value", Decimals: -1}
	}
	for _, group := range groups {
		for _, end := range []string{"", "_low", "_high"} {
			c := format
			c.Group, c.Key = strings.ReplaceAll(group, "_star", "*"), group+end
			c.Name = cmp.Or(strings.TrimPrefix(end, "_"), c.Name)
			t.Columns = append(t.Columns, c)
		}
	}
	t.Columns = append(t.Columns, report.Column{Name: "blocks"}, report.Column{Name: "left out", Key: "left_out"})
	for _, x := range s.List {
		add := func(name string, first, total inference.Share) {
			row := append(axisCells(s.Others, x.cell), s.Experiment.Metrics[x.Metric].Name, name)
			for _, v := range []float64{first.Value, first.Low, first.High, total.Value, total.Low, total.High} {
				if s.Design == design.Morris { // in the metric's unit, whatever that is
					v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
				}
				row = append(row, v)
			}
			t.Rows = append(t.Rows, append(row, x.Blocks, len(x.Dropped)))
		}
		for i, p := range x.Params {
			add(s.Experiment.Params[p].Name, x.First[i], x.Total[i])
		}
		if s.Design == design.Saltelli {
			add("(seed)", x.Seed, unknown)
		}
		for _, why := range x.Dropped[:min(namedBlocks, len(x.Dropped))] {
			if text := "a block is left out: " + why; !slices.Contains(t.Warnings, text) {
				t.Warnings = append(t.Warnings, text)
			}
		}
	}
	if s.Design == design.Morris {
		t.Notes = []string{
			"mu*: the mean size of the change; sigma: its standard deviation, large where it depends on other parameters or on luck",
			"in the metric's unit, of means over " + report.Count(s.Seeds, "seed") + "; limits: 95 %, by resampling trajectories (blocks)",
		}
		return t
	}
	t.Notes = []string{
		fmt.Sprintf("first: the share of the main effect; total: of all effects with a part of it; of the variance of means over %s", report.Count(s.Seeds, "seed")),
		"(seed): the share of the variance of single runs that is left with all parameters fixed",
		"limits: 95 %, by resampling blocks",
	}
	if s.Seeds < 2 {
		t.Warnings = append(t.Warnings, "with one seed nobody knows how much of this is the seed's")
	}
	return t
}
