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

// ErrNoSample tells of a sweep that is not sampled.
var ErrNoSample = errors.New(
	`indices need a sweep with sampled ranges: a table [sample], for example with design = "sobol"`)

// maxNamedBlocks is how many of the blocks that are left out a table names, for
// each metric.
const maxNamedBlocks = 3

// Sensitivity returns a table of the indices of a sampled sweep, with a row for
// each metric and parameter at each combination of the values of what is not
// sampled. Of Saltelli's design these are Sobol' indices, the shares of the
// parameters in the metric's variance, with a row for each pair if the design
// allows second-order ones. Of Morris's design they are mu* and sigma: how much
// steps in a parameter change the metric. Of any other sample they are those of
// inference.NewSampled. A further row has the share of the seed. The value of a
// point is the mean of its runs. A block is left out if one of its points has a
// failed, a missing or an undefined run.
func Sensitivity(v *results.Reader, metrics []int) (*table.Table, error) {
	d := v.Plan.Design
	if d == nil {
		return nil, ErrNoSample
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
		sampleOf[experiment.Key(values)] = sample
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
	if d.Name != design.Morris && v.Plan.Seeds() < 2 {
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
	unit := "blocks"
	if v.Plan.Design.Block == 1 {
		unit = "points"
		t.Title = v.Name + ": which parameters matter"
		t.Notes = []string{
			"first: the share of the main effect in the variance of means over " + seeds,
			"srrc: how much ranks of the metric change with ranks of the parameter " +
				"(standardised rank regression coefficient)",
			"pawn: how far the distribution moves with the parameter, from 0 to 1; " +
				fmt.Sprintf("about %s without any effect",
					table.Fixed(inference.InertPAWN(len(v.Plan.Design.Rows)), 2)),
		}
	} else {
		t.Notes = []string{
			"first: the share of the main effect; total: of all effects with a part of it; " +
				"of the variance of means over " + seeds,
		}
	}
	if v.Plan.Design.Name == design.Saltelli2 {
		t.Notes = append(t.Notes, "second: the share of what two parameters do together alone")
	}
	t.Notes = append(t.Notes,
		"(seed): the share of the variance of single runs that is left with all parameters fixed",
		"limits: 95 %, by resampling "+unit)
	return t
}

// An index is a column of a kind of indices.
type index struct {
	column table.Cell
	shares []inference.Share // of each parameter, or pair of parameters; nil: unknown
}

// newIndex returns an index by its name.
func newIndex(name string, shares []inference.Share) index {
	return index{table.Cell{Group: name, Key: name, Name: "index", Decimals: 3}, shares}
}

// unknown is the place of a share that is not there.
const unknown = -1

// cellsOf returns the cells of the j-th share of each index.
func cellsOf(indices []index, j int) (cells []table.Cell) {
	for _, x := range indices {
		share := inference.Share{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
		if j != unknown && x.shares != nil {
			share = x.shares[j]
		}
		cells = append(cells, shareCells(x.column, share)...)
	}
	return cells
}

// A finding has the indices of a metric.
type finding struct {
	indices []index // of each parameter
	pairs   []index // of each pair of parameters: one kind, or none
	doubt   string  // what may be wrong with them; empty: nothing
}

// addRows adds the rows of the i-th metric. They begin with lead.
func (s *sampled) addRows(t *table.Table, lead []table.Cell, i int) {
	m := s.measure(i)
	f := s.find(m)
	unit := "block"
	if s.Plan.Design.Block == 1 {
		unit = "point"
	}
	add := func(name, with string, shares ...[]table.Cell) {
		row := append(slices.Clone(lead), table.Left("parameter", name))
		if f.pairs != nil {
			row = append(row, table.Left("with", with))
		}
		row = append(row, slices.Concat(shares...)...)
		t.Add(append(row,
			table.Right(unit+"s", len(m.blocks)),
			table.Cell{Name: "left out", Key: "left_out", Value: len(m.dropped)},
		))
	}
	for j, k := range s.used {
		add(s.param(k).Name, "", cellsOf(f.indices, j), cellsOf(f.pairs, unknown))
	}
	if f.pairs != nil {
		pair := 0
		for j, first := range s.used {
			for _, second := range s.used[j+1:] {
				add(s.param(first).Name, s.param(second).Name,
					cellsOf(f.indices, unknown), cellsOf(f.pairs, pair))
				pair++
			}
		}
	}
	if s.Plan.Design.Name != design.Morris {
		seed := f.indices[0]
		seed.shares = s.seedShare(m)
		add("(seed)", "", cellsOf([]index{seed}, 0), cellsOf(f.indices[1:], unknown),
			cellsOf(f.pairs, unknown))
	}
	for _, why := range m.dropped[:min(maxNamedBlocks, len(m.dropped))] {
		text := "a " + unit + " is left out: " + why
		if !slices.Contains(t.Warnings, text) {
			t.Warnings = append(t.Warnings, text)
		}
	}
	if f.doubt != "" {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%v: %s", lead[len(lead)-1].Value, f.doubt))
	}
}

// seedShare returns the share of the seed; nil if it is not known.
func (s *sampled) seedShare(m *measured) []inference.Share {
	seeds := minSeeds(s.Reader)
	if seeds < 2 || len(m.noise) == 0 {
		return nil
	}
	return inference.Blocks(m.noise, inference.Noise(float64(seeds)))
}

// find computes the indices that the design allows.
func (s *sampled) find(m *measured) finding {
	statistics := map[string]func([][]float64) []float64{
		design.Morris:    roundedMorris,
		design.Saltelli:  inference.Sobol,
		design.Saltelli2: inference.SobolPairs,
	}[s.Plan.Design.Name]
	if statistics == nil {
		return s.given(m)
	}
	var first, second, others []inference.Share
	if len(m.blocks) > 0 {
		shares := inference.Blocks(m.blocks, statistics)
		d := len(s.used)
		first = shares[:d]
		second = shares[d : 2*d]
		others = shares[2*d:]
	}
	f := finding{indices: []index{newIndex("first", first), newIndex("total", second)}}
	switch s.Plan.Design.Name {
	case design.Morris:
		star := table.Cell{Group: "mu*", Key: "mu_star", Name: "value"}
		star.Decimals = table.Significant
		sigma := star
		sigma.Group = "sigma"
		sigma.Key = "sigma"
		f.indices = []index{{star, first}, {sigma, second}}
	case design.Saltelli2:
		f.pairs = []index{newIndex("second", others)}
	}
	return f
}

// fairFit is the share of the ranks below which a regression on ranks explains
// too little to be relied on (Saltelli et al., Sensitivity Analysis in
// Practice, 2004, section 1.2.5).
const fairFit = 0.7

// given analyses the points of a sample that is not made of blocks.
func (s *sampled) given(m *measured) finding {
	var of inference.Sampled
	if len(m.blocks) > 0 {
		inputs := make([][]float64, len(s.used))
		var outputs []float64
		for i, row := range m.first {
			outputs = append(outputs, m.blocks[i][0])
			for j, k := range s.used {
				inputs[j] = append(inputs[j], s.Plan.Design.Rows[row][k].Float())
			}
		}
		of = inference.NewSampled(inputs, outputs)
	}
	f := finding{indices: []index{
		newIndex("first", of.First),
		newIndex("srrc", of.SRRC),
		newIndex("pawn", of.PAWN),
	}}
	if of.RankR2 < fairFit && len(m.blocks) > 0 {
		f.doubt = fmt.Sprintf("regression on ranks explains %.0f %% only: srrc tells little",
			100*of.RankR2)
	}
	return f
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
