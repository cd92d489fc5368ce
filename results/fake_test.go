package results

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// toy returns an experiment that has every kind of parameter and metric.
func toy() *experiment.Experiment {
	e := &experiment.Experiment{
		Name: "toy", Version: 3, Title: "toy", Source: "none",
		Params: []experiment.Param{
			{Name: "algorithm", Kind: experiment.String, Default: experiment.StringValue("RL"), Choices: []string{"RL", "WL"},
				Meaning: "who runs", Source: "none"},
			{Name: "beta", Symbol: "β", Kind: experiment.Float, Default: experiment.FloatValue(0.3), Max: 1, UsedBy: []string{"WL"},
				Meaning: "weight", Source: "none"},
			{Name: "k", Kind: experiment.Int, Default: experiment.IntValue(50), Max: 1e6, Meaning: "size", Source: "none"},
			{Name: "rewired", Kind: experiment.Bool, Default: experiment.BoolValue(false), Meaning: "permuted links", Source: "none"},
		},
		Metrics: []experiment.Metric{
			{Name: "downloaded", Kind: experiment.Int, Unit: "pages", Meaning: "pages read"},
			{Name: "efficiency", Kind: experiment.Float, Meaning: "sent per page"},
			{Name: "age_hours", Kind: experiment.Float, Unit: "h", Meaning: "age when found"},
		},
		Series: experiment.Series{
			Axis:    experiment.Metric{Name: "hours", Kind: experiment.Float, Unit: "h", Meaning: "end of the window"},
			Columns: []experiment.Metric{{Name: "foragers", Kind: experiment.Int, Meaning: "alive"}, {Name: "rate", Kind: experiment.Float, Meaning: "rate"}},
		},
		Tables: []experiment.Table{{
			Name: "table2", Title: "Simulation results", Source: "paper, Table 2", Column: "algorithm", Headers: []string{"RL", "WL"},
			Rows: []experiment.TableRow{
				{Metric: "downloaded", Label: "downloaded", Mean: []float64{540636, 669673}, Std: []float64{9840, 9580}},
				{Metric: "efficiency", Label: "download efficiency", Mean: []float64{0.0045, 0.0046}, Std: []float64{0.0001, 0.0001}, Digits: 4},
				{Metric: "age_hours", Label: "age (in hours)", Mean: []float64{1.79, 1.56}, Std: []float64{0.04, 0.08}, Digits: 2},
			},
		}},
		Run: func(context.Context, experiment.Point, *experiment.Result) error { return nil },
	}
	return e
}

// A fakePlan is a materialised plan: cells times seeds.
type fakePlan struct {
	experiment *experiment.Experiment
	cells      [][]experiment.Value
	seeds      []int64
	varying    []int
	find       map[string]int64
}

func newFakePlan(e *experiment.Experiment, cells [][]experiment.Value, seeds ...int64) *fakePlan {
	p := &fakePlan{experiment: e, cells: cells, seeds: seeds, find: map[string]int64{}}
	for i := range p.Runs() {
		point := p.point(i)
		p.find[fmt.Sprint(point.Values, point.Seed)] = i
	}
	for v := range e.Params {
		for _, c := range cells {
			if c[v] != cells[0][v] {
				p.varying = append(p.varying, v)
				break
			}
		}
	}
	return p
}

func (p *fakePlan) Experiment() *experiment.Experiment { return p.experiment }
func (p *fakePlan) Runs() int64                        { return p.Cells() * int64(len(p.seeds)) }
func (p *fakePlan) Cells() int64                       { return int64(len(p.cells)) }
func (p *fakePlan) Cell(c int64, v []experiment.Value) { copy(v, p.cells[c]) }
func (p *fakePlan) Stop() *grid.Stop                   { return nil }
func (p *fakePlan) Varying() []int                     { return p.varying }
func (p *fakePlan) Find(v []experiment.Value, seed int64) (int64, bool) {
	i, ok := p.find[fmt.Sprint(v, seed)]
	return i, ok
}
func (p *fakePlan) point(i int64) experiment.Point {
	return experiment.Point{Experiment: p.experiment, Values: p.cells[i%p.Cells()], Seed: p.seeds[i/p.Cells()]}
}

// toyCells returns cells of toy: RL and WL for every k, rewired from 20 on.
func toyCells(ks ...int64) [][]experiment.Value {
	var cells [][]experiment.Value
	for _, k := range ks {
		cells = append(cells,
			[]experiment.Value{experiment.StringValue("RL"), {}, experiment.IntValue(k), experiment.BoolValue(k >= 20)},
			[]experiment.Value{experiment.StringValue("WL"), experiment.FloatValue(0.3), experiment.IntValue(k), experiment.BoolValue(k >= 20)})
	}
	return cells
}

// toyRow returns what run i yields: a pure function of the point, with
// nulls and failures here and there.
func toyRow(p *fakePlan, i int64) *Row { return toyRowOf(i, p.point(i)) }

func toyRowOf(i int64, point experiment.Point) *Row {
	sum := sha256.Sum256([]byte(fmt.Sprint(point.Values, point.Seed)))
	rng := rand.New(rand.NewChaCha8(sum))
	r := &Row{Index: i, Point: point, Status: OK}
	copy(r.ID[:], sum[:])
	if rng.IntN(8) == 0 {
		r.Status, r.Error = Failed, fmt.Sprintf("seed %d: no luck", point.Seed)
		return r
	}
	scale := 1.0
	if point.Values[0].Text() == "WL" {
		scale = 1.2
	}
	age := 1.7 + rng.Float64()
	if rng.IntN(5) == 0 {
		age = math.NaN()
	}
	r.Result.Metrics = []float64{math.Round(scale * (540000 + 9000*rng.NormFloat64())), 0.0045 + 0.0001*rng.NormFloat64(), age}
	for w := range rng.IntN(4) {
		rate := rng.Float64()
		if rng.IntN(4) == 0 {
			rate = math.NaN()
		}
		r.Result.Series = append(r.Result.Series, float64(3*w+3), float64(rng.IntN(16)), rate)
	}
	return r
}

func toySpec(e *experiment.Experiment) *grid.Spec {
	return &grid.Spec{Name: "toyspec", File: "toy.toml", Source: []byte("experiment = \"toy\"\n"), Experiment: e, PaperTable: "table2"}
}

func seeds(n int64) []int64 {
	s := make([]int64, n)
	for i := range s {
		s[i] = int64(i) + 1
	}
	return s
}

func mustOpen(t testing.TB, dir string, p *fakePlan) *Store {
	t.Helper()
	s, err := Open(dir, toySpec(p.experiment), p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustAppend(t testing.TB, s *Store, rows ...*Row) {
	t.Helper()
	for _, r := range rows {
		if err := s.Append(r); err != nil {
			t.Fatal(err)
		}
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// finalBytes returns the three files' content by name.
func finalBytes(t testing.TB, dir string) map[string]string {
	t.Helper()
	content := map[string]string{}
	for _, name := range []string{runsFile, seriesFile, summaryFile} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		content[name] = string(b)
	}
	return content
}

// listing returns the names in a directory and its subdirectories.
func listing(t testing.TB, dir string) []string {
	t.Helper()
	var names []string
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			name, _ := filepath.Rel(dir, path)
			names = append(names, name)
		}
		return err
	}))
	return names
}
