package analysis

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// A Sensitivity says what shares of a metric's variance the parameters of a
// sampled sweep have.
type Sensitivity struct {
	Others  []experiment.Value // of the parameters that vary and are not sampled
	Metric  int
	Params  []int // those sampled that these runs use
	First   []inference.Share
	Total   []inference.Share
	Seed    inference.Share // of a single run; NaN with one seed
	Blocks  int             // of which all runs succeeded
	Dropped []string        // why a block was left out: its first point that failed or is missing
}

// Sensitivities are the answer for a whole directory.
type Sensitivities struct {
	Experiment *experiment.Experiment
	Name       string
	Seeds      int64
	Others     []int // parameters
	List       []Sensitivity
}

// ErrNoBlocks tells of a sweep that is not sampled in Saltelli's blocks.
var ErrNoBlocks = errors.New(`indices need a sweep with design = "saltelli" in a table [sample]`)

// Sense computes Sobol' indices of metrics of the runs in a directory, one
// set for each combination of the values of what is not sampled. A point is
// what its runs measured on average. A block with a point that has a failed, a
// missing or an undefined run is left out.
func Sense(v *results.Reader, metrics []int) (*Sensitivities, error) {
	d := v.Plan.Design()
	if d == nil || d.Name != design.Saltelli {
		return nil, ErrNoBlocks
	}
	measures := make([]measure, len(metrics))
	for i, m := range metrics {
		measures[i] = metric(m)
	}
	samples, err := gather(v, false, measures)
	if err != nil {
		return nil, err
	}
	s := &Sensitivities{Experiment: v.Plan.Experiment(), Name: v.Name, Seeds: v.Plan.Seeds()}
	groups := groupCells(v, s)
	for _, g := range groups {
		for i, m := range metrics {
			s.List = append(s.List, g.sense(v, samples, i, m))
		}
	}
	return s, nil
}

// A sampledGroup is the cells that differ only in what is sampled.
type sampledGroup struct {
	others []experiment.Value
	used   []int            // of the design's parameters
	cells  map[string]int64 // by their values of those
}

// groupCells returns the groups in the order of the plan.
func groupCells(v *results.Reader, s *Sensitivities) []*sampledGroup {
	d := v.Plan.Design()
	sampled := map[int]bool{}
	for _, p := range d.Params {
		sampled[p] = true
	}
	for _, p := range v.Plan.Varying() {
		if !sampled[p] {
			s.Others = append(s.Others, p)
		}
	}
	var groups []*sampledGroup
	known := map[string]*sampledGroup{}
	values := make([]experiment.Value, len(s.Experiment.Params))
	for c := range v.Plan.Cells() {
		v.Plan.Cell(c, values)
		others := pick(values, s.Others)
		key := fmt.Sprint(others)
		g := known[key]
		if g == nil {
			g = &sampledGroup{others: others, cells: map[string]int64{}}
			for k, p := range d.Params {
				if !values[p].IsNull() {
					g.used = append(g.used, k)
				}
			}
			known[key] = g
			groups = append(groups, g)
		}
		g.cells[fmt.Sprint(pick(pick(values, d.Params), g.used))] = c
	}
	return groups
}

func pick(values []experiment.Value, which []int) []experiment.Value {
	picked := make([]experiment.Value, len(which))
	for i, p := range which {
		picked[i] = values[p]
	}
	return picked
}

// sense computes the indices of one metric, the i-th that was gathered.
func (g *sampledGroup) sense(v *results.Reader, samples map[int64]*cellSample, i, metric int) Sensitivity {
	d := v.Plan.Design()
	s := Sensitivity{Others: g.others, Metric: metric, Seed: inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}}
	for _, k := range g.used {
		s.Params = append(s.Params, d.Params[k])
	}
	var blocks, means, noise [][]float64
next:
	for at := 0; at < len(d.Rows); at += d.Block {
		var y, variances []float64
		for k, row := range d.Rows[at : at+d.Block] {
			if k >= 2 && g.unused(k-2) {
				continue
			}
			cell, there := g.cells[fmt.Sprint(pick(row, g.used))]
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
		blocks, means, noise = append(blocks, y), append(means, y[:2]), append(noise, variances[:2])
	}
	if s.Blocks = len(blocks); s.Blocks == 0 {
		return s
	}
	s.First, s.Total = inference.SobolIndices(blocks)
	if v.Plan.Seeds() > 1 {
		s.Seed = inference.NoiseShare(means, noise, float64(v.Plan.Seeds()))
	}
	return s
}

// unused reports whether the group does not use the i-th sampled parameter.
func (g *sampledGroup) unused(i int) bool {
	for _, k := range g.used {
		if k == i {
			return false
		}
	}
	return true
}

// pointMoments returns the moments of a point's runs, or why they do not count.
func pointMoments(v *results.Reader, c *cellSample, i int) (m inference.Moments, fault string) {
	switch {
	case c == nil:
		return m, "no run"
	case c.failed > 0:
		return m, report.Count(int64(c.failed), "failed run")
	case v.Plan.Stop() == nil && int64(len(c.seeds)) < v.Plan.Seeds():
		return m, report.Count(v.Plan.Seeds()-int64(len(c.seeds)), "missing run")
	}
	var values []float64
	for _, run := range c.values {
		if run[i] != run[i] {
			return m, "not defined"
		}
		values = append(values, run[i])
	}
	return inference.Describe(values), ""
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
	t := &report.Table{Title: s.Name + ": shares of variance"}
	for _, p := range s.Others {
		t.Columns = append(t.Columns, report.Column{Name: s.Experiment.Params[p].Name, Left: true})
	}
	t.Lead = len(t.Columns) + 2
	t.Columns = append(t.Columns, report.Column{Name: "metric", Left: true}, report.Column{Name: "parameter", Left: true})
	for _, group := range []string{"first", "total"} {
		for _, c := range []string{"", "low", "high"} {
			column := report.Column{Group: group, Name: c, Key: group + "_" + c, Decimals: 3}
			if c == "" {
				column.Name, column.Key = "index", group
			}
			t.Columns = append(t.Columns, column)
		}
	}
	t.Columns = append(t.Columns, report.Column{Name: "blocks"}, report.Column{Name: "left out", Key: "left_out"})
	none := inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	said := map[string]bool{}
	for _, x := range s.List {
		var lead []any
		for _, v := range x.Others {
			var cell any = v
			if v.IsNull() {
				cell = nil
			}
			lead = append(lead, cell)
		}
		add := func(name string, first, total inference.Share) {
			row := append(append([]any{}, lead...), s.Experiment.Metrics[x.Metric].Name, name)
			for _, share := range []inference.Share{first, total} {
				row = append(row, share.Value, share.Low, share.High)
			}
			t.Rows = append(t.Rows, append(row, x.Blocks, len(x.Dropped)))
		}
		for i, p := range x.Params {
			if x.Blocks == 0 {
				add(s.Experiment.Params[p].Name, none, none)
			} else {
				add(s.Experiment.Params[p].Name, x.First[i], x.Total[i])
			}
		}
		add("(seed)", x.Seed, none)
		for i, why := range x.Dropped {
			if i < namedBlocks && !said[why] {
				said[why] = true
				t.Warnings = append(t.Warnings, "a block is left out: "+why)
			}
		}
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
