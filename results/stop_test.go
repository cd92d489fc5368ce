package results

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

const stopSpec = `
experiment = "toy"
[stop]
metric = "efficiency"
half_width = 0.15
min = 5
max = 60
[grid]
algorithm = ["RL", "WL"]
k = [10, 20, 30]
`

// noisyRow returns what run i yields: efficiency with a deviation that
// depends on the cell, and a failure here and there.
func noisyRow(plan *grid.Plan, i int64) *Row {
	point := plan.Point(i)
	r := &Row{Index: i, ID: grid.Identify(point), Point: point, Status: OK}
	rng := rand.New(rand.NewPCG(uint64(i), 8))
	if rng.IntN(15) == 0 {
		r.Status, r.Error = Failed, "no luck"
		return r
	}
	spread := 0.1 * float64(i%plan.Cells())
	r.Result.Metrics = []float64{1, 1 + spread*rng.NormFloat64(), 2}
	return r
}

// luckyRow is a noisyRow that does not fail.
func luckyRow(plan *grid.Plan, i int64) *Row {
	r := noisyRow(plan, i)
	if r.Status == Failed {
		r.Status, r.Error, r.Result.Metrics = OK, "", []float64{1, 1, 2}
	}
	return r
}

// runRounds executes, checkpoint by checkpoint, what a store asks for, runs
// that failed before only if retry is set, and at most so many.
func runRounds(t *testing.T, s *Store, row func(plan *grid.Plan, i int64) *Row, retry bool, limit int) (ran []int64) {
	t.Helper()
	plan, begin := s.Plan, int64(0)
	for _, n := range plan.Stop().Checkpoints() {
		for i := begin; i < n*plan.Cells(); i++ {
			if s.Done(i) || !retry && s.Status(i) == Failed || s.Shard != nil && !s.Shard.Has(i) {
				continue
			}
			if len(ran) == limit {
				return ran
			}
			must(t, s.Append(row(plan, i)))
			ran = append(ran, i)
		}
		begin = n * plan.Cells()
	}
	return ran
}

// stopSweep runs a sweep to its end and returns its files and what it
// executed.
func stopSweep(t *testing.T, dir, text string, row func(plan *grid.Plan, i int64) *Row) (files map[string]string, ran []int64) {
	t.Helper()
	s := mustOpen(t, dir, parse(t, text))
	ran = runRounds(t, s, row, false, -1)
	if got := s.Assigned() - s.OK() - s.Failed(); got != 0 {
		t.Errorf("%d runs are missing at the end", got)
	}
	must(t, errors.Join(s.Export(), s.Close()))
	return exported(t, dir), ran
}

// The runs are those that the rule asks for, in whatever pieces a sweep is
// run, also in shards, which have whole cells.
func TestStoppingRule(t *testing.T) {
	want, ran := stopSweep(t, t.TempDir(), stopSpec, noisyRow)
	spec := parse(t, stopSpec)
	plan := spec.Plan()
	perCell := map[int64]int64{}
	for _, i := range ran {
		if i/6 != perCell[i%6] {
			t.Errorf("seed %d of cell %d follows %d others", i/6, i%6, perCell[i%6])
		}
		perCell[i%6]++
	}
	for c, n := range perCell {
		if !slices.Contains(plan.Stop().Checkpoints(), n) {
			t.Errorf("cell %d has %d seeds, which is no checkpoint", c, n)
		}
	}
	if perCell[0] != 5 || perCell[5] != 60 || perCell[2] <= 5 || perCell[2] >= 60 {
		t.Errorf("seeds of the cells are %v: want 5 where all runs are equal, more where they are not", perCell)
	}
	for limit := 1; limit < len(ran); limit += 37 {
		broken := t.TempDir()
		s := mustOpen(t, broken, spec)
		runRounds(t, s, noisyRow, false, limit)
		must(t, s.Close())
		r, _ := read(t, broken, false)
		if r.Missing() == 0 { // until the sweep is complete, nobody takes it for that
			t.Errorf("interrupted after %d of %d runs: nothing seems to be missing", limit, len(ran))
		}
		if got, rest := stopSweep(t, broken, stopSpec, noisyRow); !maps.Equal(got, want) || len(rest) != len(ran)-limit {
			t.Errorf("interrupted after %d runs: the files differ, or %d more runs were executed instead of %d", limit, len(rest), len(ran)-limit)
		}
	}
	dir, all := t.TempDir(), 0
	for index := range int64(4) {
		s, err := Open(dir, spec, new(plan.Shard(index, 4)))
		must(t, err)
		all += len(runRounds(t, s, noisyRow, false, -1))
		if got := s.Assigned() - s.OK() - s.Failed(); got != 0 {
			t.Errorf("%d runs of shard %d are missing at the end", got, index)
		}
		must(t, errors.Join(s.Export(), s.Close()))
	}
	if all != len(ran) {
		t.Errorf("the shards executed %d runs, one machine %d", all, len(ran))
	}
	if m := openMerge(t, dir, dir); m.Missing() != 0 {
		t.Errorf("%d runs are missing", m.Missing())
	}
	mergeAll(t, dir, dir)
	if !maps.Equal(exported(t, dir), want) {
		t.Error("the merged files differ from those of one machine")
	}
}

// The rule's metric is read from records with a series and from those without.
func TestStoppingRuleWithoutSeries(t *testing.T) {
	e := toy()
	e.Series = experiment.Series{}
	spec, err := grid.Parse("toys.toml", []byte(stopSpec), []*experiment.Experiment{e})
	must(t, err)
	s := mustOpen(t, t.TempDir(), spec)
	if ran := runRounds(t, s, noisyRow, false, -1); len(ran) < 60 || s.Missing() != 0 {
		t.Errorf("%d runs were executed, %d are missing", len(ran), s.Missing())
	}
	must(t, s.Close())
}

// Runs that failed for a while leave nothing behind when they are repeated:
// neither the seeds that their cells got in their place, nor failed rows that
// are needed no more.
func TestStoppingRuleAfterFailures(t *testing.T) {
	spec := parse(t, stopSpec)
	sweep := func(dir string, row func(plan *grid.Plan, i int64) *Row) *Store {
		s := mustOpen(t, dir, spec)
		runRounds(t, s, row, true, -1)
		return s
	}
	dir := t.TempDir()
	s := sweep(dir, luckyRow)
	must(t, errors.Join(s.Export(), s.Close()))
	want := exported(t, dir)
	for _, most := range []int64{1, 8, 60} { // seeds that fail
		for _, finish := range []bool{false, true} {
			dir := t.TempDir()
			s := sweep(dir, func(plan *grid.Plan, i int64) *Row {
				r := luckyRow(plan, i)
				if i/plan.Cells() < most {
					r.Status, r.Error = Failed, "no luck for a while"
				}
				return r
			})
			if finish {
				must(t, s.Export())
			}
			must(t, s.Close())
			s = sweep(dir, luckyRow)
			must(t, s.Commit())
			r, rows := read(t, dir, false)
			must(t, s.Export())
			if r.OK() != s.OK() || r.Failed() != 0 || s.Failed() != 0 || int64(len(rows)) != r.OK() || s.Digest() != r.Digest() {
				t.Errorf("%d seeds failed: a reader counts %d and %d runs, the store %d and %d, rows %d",
					most, r.OK(), r.Failed(), s.OK(), s.Failed(), len(rows))
			}
			must(t, s.Close())
			if !maps.Equal(exported(t, dir), want) {
				t.Errorf("%d seeds failed, finished %v: the files differ", most, finish)
			}
		}
	}
}

// What a cell has beyond its need is not shown, and kept: while a run has
// failed, the cell needs others in its place.
func TestRunsBeyondAnUnsettledCell(t *testing.T) {
	spec, dir := parse(t, stopSpec), t.TempDir()
	cells := spec.Plan().Cells()
	for _, step := range []struct {
		status       string
		seeds, there []int64 // runs to append, and those shown then
	}{
		{OK, []int64{0, 1, 3, 4, 5, 6, 7, 8, 9, 11}, []int64{0, 1, 3, 4}}, // all equal: 5 that are defined are enough
		{Failed, []int64{2, 10}, []int64{0, 1, 2, 3, 4, 5, 6, 7}},
		{OK, []int64{2}, []int64{0, 1, 2, 3, 4}},
	} {
		s := mustOpen(t, dir, spec)
		for _, seed := range step.seeds {
			row := luckyRow(s.Plan, seed*cells)
			if row.Status = step.status; row.Status == Failed {
				row.Error = "no luck"
			}
			must(t, s.Append(row))
		}
		must(t, s.Close())
		r, _ := read(t, dir, false)
		for seed := range int64(13) {
			if there := r.Status(seed*cells) != ""; there != slices.Contains(step.there, seed) {
				t.Errorf("seed %d is there: %v", seed, there)
			}
		}
	}
}

// A stricter rule goes on from where a looser one ended, and a looser one
// exports what it asks for.
func TestAnotherRule(t *testing.T) {
	strict := strings.Replace(stopSpec, "0.15", "0.1", 1)
	want := map[string]map[string]string{}
	for _, text := range []string{stopSpec, strict} {
		want[text], _ = stopSweep(t, t.TempDir(), text, luckyRow)
	}
	dir := t.TempDir()
	for n, text := range []string{stopSpec, strict, stopSpec} {
		if got, ran := stopSweep(t, dir, text, luckyRow); !maps.Equal(got, want[text]) || n == 2 && len(ran) > 0 {
			t.Errorf("rule %d ends elsewhere than alone, after %d more runs", n, len(ran))
		}
	}
}
