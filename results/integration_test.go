package results

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

const smallSpec = `
experiment = "toy"
seeds = "1..20"
[grid]
algorithm = ["RL", "WL"]
beta = [0.1, 0.3]
k = [10, 20]
[paper]
table = "table2"
`

// mustParse parses a spec of toy.
func mustParse(t *testing.T, text string) (*grid.Spec, *grid.Plan) {
	t.Helper()
	spec, err := grid.Parse("toys.toml", []byte(text), []*experiment.Experiment{toy()})
	must(t, err)
	return spec, spec.Plan()
}

// runPlan runs what a directory lacks, in the given order of indices.
func runPlan(t *testing.T, dir, text string, order func(n int64) []int64) (ran int) {
	t.Helper()
	spec, plan := mustParse(t, text)
	s, err := Open(dir, spec, plan)
	must(t, err)
	for _, i := range order(plan.Runs()) {
		if s.Done(i) {
			continue
		}
		ran++
		mustAppend(t, s, planRow(plan, i))
		if ran%37 == 0 {
			must(t, s.Commit())
		}
	}
	must(t, s.Finish())
	must(t, s.Close())
	return ran
}

// planRow returns what run i of a plan of toy yields.
func planRow(plan *grid.Plan, i int64) *Row {
	point := plan.Point(i)
	r := &Row{Index: i, ID: grid.Identify(point), Point: point, Status: OK}
	rng := rand.New(rand.NewPCG(uint64(point.Seed), uint64(r.ID[0])))
	r.Result.Metrics = []float64{float64(rng.IntN(1e6)), rng.Float64(), 1 + rng.Float64()}
	r.Result.Series = []float64{3, 1, rng.Float64(), 6, 2, rng.Float64()}
	return r
}

func shuffled(n int64) []int64 {
	order := ascending(n)
	rand.New(rand.NewPCG(9, 10)).Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// TestWithGrid runs specs on real plans: in any order the files are the
// same, a complete directory has nothing to do, an extended and reordered
// spec runs only what is new and ends with the files of a fresh run.
func TestWithGrid(t *testing.T) {
	large := strings.NewReplacer(
		`"1..20"`, `"1..25"`, `["RL", "WL"]`, `["WL", "RL"]`, `[10, 20]`, `[5, 20, 10]`).Replace(smallSpec)
	dir, fresh := t.TempDir(), t.TempDir()
	// RL does not use beta: 2 cells of RL and 4 of WL.
	if ran := runPlan(t, dir, smallSpec, ascending); ran != 20*6 {
		t.Errorf("the first time %d runs, want 120", ran)
	}
	other := t.TempDir()
	runPlan(t, other, smallSpec, shuffled)
	if !equalFiles(finalBytes(t, dir), finalBytes(t, other)) {
		t.Error("the files depend on the order of the runs")
	}
	if ran := runPlan(t, dir, smallSpec, ascending); ran != 0 {
		t.Errorf("a complete directory ran %d runs", ran)
	}
	if ran := runPlan(t, dir, large, shuffled); ran != 25*9-20*6 {
		t.Errorf("the extended spec ran %d runs, want 105", ran)
	}
	runPlan(t, fresh, large, ascending)
	if !equalFiles(finalBytes(t, dir), finalBytes(t, fresh)) {
		t.Error("the files of an extended directory differ from those of a fresh one")
	}

	spec, plan := mustParse(t, smallSpec)
	_, err := Open(dir, spec, plan)
	if want := "holds 105 runs that this spec does not have"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("the smaller spec again: got %v, want %q", err, want)
	}
}

// TestLoadWithGrid loads a directory by its spec.toml alone.
func TestLoadWithGrid(t *testing.T) {
	dir := t.TempDir()
	runPlan(t, dir, strings.Replace(smallSpec, "beta = [0.1, 0.3]\n", "", 1), ascending)
	set, err := LoadSummary(dir, []*experiment.Experiment{toy()})
	must(t, err)
	if got := fmt.Sprintf("%s %d %d %d", set.Spec, set.Runs, set.OK, set.Failed); got != "toys 80 80 0" {
		t.Errorf("loaded %s, want toys 80 80 0", got)
	}
	if set.Paper == nil || set.Paper.Title != "Simulation results" || len(set.Axes) != 2 {
		t.Errorf("the paper's table is %v, the axes are %v", set.Paper, set.Axes)
	}

	must(t, os.Remove(filepath.Join(dir, specFile)))
	if _, err := LoadSummary(dir, []*experiment.Experiment{toy()}); err == nil || !strings.Contains(err.Error(), "there is no spec.toml") {
		t.Errorf("without a spec: got %v", err)
	}
}
