package results

import (
	"errors"
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

// runRounds executes, checkpoint by checkpoint, what a store asks for, and
// returns which runs it executed. It stops after so many.
func runRounds(t *testing.T, s *Store, plan *grid.Plan, limit int) (ran []int64) {
	t.Helper()
	begin := int64(0)
	for _, n := range plan.Stop().Checkpoints() {
		for i := begin; i < n*plan.Cells(); i++ {
			if s.Done(i) || s.here.failed.has(i) || s.part != nil && !s.part.Has(i) {
				continue
			}
			if len(ran) == limit {
				return ran
			}
			mustAppend(t, s, noisyRow(plan, i))
			ran = append(ran, i)
		}
		begin = n * plan.Cells()
	}
	return ran
}

// stopSweep runs a sweep to its end and returns its final files and what it
// executed.
func stopSweep(t *testing.T, dir string) (files map[string]string, ran []int64) {
	t.Helper()
	spec, plan := mustParse(t, stopSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	ran = runRounds(t, s, plan, -1)
	if got := s.Assigned() - s.Finished() - s.Failed(); got != 0 {
		t.Errorf("%d runs are missing at the end", got)
	}
	must(t, s.Finish())
	must(t, s.Close())
	return finalBytes(t, dir), ran
}

// The runs are those that the rule asks for, in whatever pieces a sweep is
// run.
func TestStoppingRule(t *testing.T) {
	dir := t.TempDir()
	want, ran := stopSweep(t, dir)
	_, plan := mustParse(t, stopSpec)
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
		spec, plan := mustParse(t, stopSpec)
		s, err := Open(broken, spec, plan)
		must(t, err)
		runRounds(t, s, plan, limit)
		must(t, s.Close())
		// Until the sweep is complete, nobody takes it for that.
		v, err := OpenReader(broken, []*experiment.Experiment{toy()})
		must(t, err)
		if v.Missing() == 0 {
			t.Errorf("interrupted after %d of %d runs: nothing seems to be missing", limit, len(ran))
		}
		if got, rest := stopSweep(t, broken); !equalFiles(got, want) || len(rest) != len(ran)-limit {
			t.Errorf("interrupted after %d runs: the files differ, or %d more runs were executed instead of %d", limit, len(rest), len(ran)-limit)
		}
	}
}

// Shards hold whole cells, and together what one machine would have.
func TestStoppingRuleInShards(t *testing.T) {
	want, ran := stopSweep(t, t.TempDir())
	dir, all := t.TempDir(), 0
	spec, plan := mustParse(t, stopSpec)
	const count = 4
	for index := range int64(count) {
		s, err := OpenShard(dir, plan.Shard(index, count), spec, plan)
		must(t, err)
		all += len(runRounds(t, s, plan, -1))
		if got := s.Assigned() - s.Finished() - s.Failed(); got != 0 {
			t.Errorf("%d runs of shard %d are missing at the end", got, index)
		}
		must(t, s.Finish())
		must(t, s.Close())
	}
	if all != len(ran) {
		t.Errorf("the shards executed %d runs, one machine %d", all, len(ran))
	}
	g, err := Gather(dir, []string{dir}, []*experiment.Experiment{toy()})
	must(t, err)
	if g.Missing != 0 || len(g.Shards) != 0 {
		t.Errorf("%d runs are missing, of shards %v", g.Missing, g.Shards)
	}
	s, err := g.Open()
	must(t, err)
	must(t, s.Finish())
	must(t, errors.Join(s.Close(), g.Close()))
	if !equalFiles(finalBytes(t, dir), want) {
		t.Error("the merged files differ from those of one machine")
	}
}

// A run that failed in the sweep's own directory and succeeded in a shard
// has succeeded.
func TestStoppingRuleAfterRepair(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, stopSpec)
	whole, err := Open(dir, spec, plan)
	must(t, err)
	failed := noisyRow(plan, 0)
	failed.Status, failed.Error = Failed, "no luck"
	mustAppend(t, whole, failed)
	must(t, whole.Close())
	shard := plan.Shard(0, 2)
	if !shard.Has(0) {
		shard = plan.Shard(1, 2)
	}
	for range 2 {
		s, err := OpenShard(dir, shard, spec, plan)
		must(t, err)
		if row := noisyRow(plan, 0); !s.Done(0) {
			mustAppend(t, s, row)
		}
		if got := s.here.judge.of[0].values[0]; got != 1 {
			t.Errorf("the rule looks at %v in place of the run's 1", got)
		}
		must(t, s.Close())
	}
}

// execute appends, checkpoint by checkpoint, the rows that a store asks for,
// also of runs that had failed before.
func execute(t *testing.T, s *Store, plan *grid.Plan, row func(i int64) *Row) {
	t.Helper()
	begin := int64(0)
	for _, n := range plan.Stop().Checkpoints() {
		for i := begin; i < n*plan.Cells(); i++ {
			if !s.Done(i) {
				mustAppend(t, s, row(i))
			}
		}
		begin = n * plan.Cells()
	}
}

// Runs that failed for a while leave nothing behind when they are repeated:
// neither the seeds that their cells got in their place, nor failed rows that
// are needed no more.
func TestStoppingRuleAfterFailures(t *testing.T) {
	spec, plan := mustParse(t, stopSpec)
	good := func(i int64) *Row {
		r := noisyRow(plan, i)
		if r.Status == Failed {
			r.Status, r.Error, r.Result.Metrics = OK, "", []float64{1, 1, 2}
		}
		return r
	}
	open := func(dir string) *Store {
		s, err := Open(dir, spec, plan)
		must(t, err)
		return s
	}
	dir := t.TempDir()
	s := open(dir)
	execute(t, s, plan, good)
	must(t, s.Finish())
	must(t, s.Close())
	want := finalBytes(t, dir)

	for _, most := range []int64{1, 8, 60} { // seeds that fail
		for _, finish := range []bool{false, true} {
			dir := t.TempDir()
			s := open(dir)
			execute(t, s, plan, func(i int64) *Row {
				r := good(i)
				if i/plan.Cells() < most {
					r.Status, r.Error = Failed, "no luck for a while"
				}
				return r
			})
			if finish {
				must(t, s.Finish())
			}
			must(t, s.Close())

			s = open(dir)
			execute(t, s, plan, good)
			must(t, s.Commit())
			v, err := OpenReader(dir, []*experiment.Experiment{toy()})
			must(t, err)
			digest, err := v.Digest()
			must(t, err)
			must(t, s.Finish())
			if v.OK() != s.Finished() || v.Failed() != 0 || s.Failed() != 0 || digest.OK != v.OK() {
				t.Errorf("%d seeds failed: a view counts %d and %d runs, the store %d and %d, the digest %d",
					most, v.OK(), v.Failed(), s.Finished(), s.Failed(), digest.OK)
			}
			must(t, s.Close())
			if !equalFiles(finalBytes(t, dir), want) {
				t.Errorf("%d seeds failed, finished %v: the files differ", most, finish)
			}
		}
	}
}

// While a run that a cell needs has failed, what the cell has beyond is kept:
// it may be needed when that is repeated. Failed rows are not.
func TestSuperfluousRowsOfAnUnsettledCell(t *testing.T) {
	_, plan := mustParse(t, stopSpec)
	t1, t2 := newTally(plan), newTally(plan)
	t2.judge = t1.judge
	for seed := range int64(12) {
		i := seed * plan.Cells() // all equal: 5 that are defined are enough
		switch seed {
		case 2, 10:
			t1.mark(i, false, 0)
		case 3:
			t2.mark(i, true, 1)
		default:
			t1.mark(i, true, 1)
		}
	}
	check := func(when string, got, want int, has ...int64) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d rows were forgotten, want %d", when, got, want)
		}
		for seed := range int64(13) {
			if i := seed * plan.Cells(); (t1.has(i) || t2.has(i)) != slices.Contains(has, seed) {
				t.Errorf("%s: seed %d is there: %v", when, seed, !slices.Contains(has, seed))
			}
		}
	}
	check("failures", forgetFailures(t1, t2), 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11)
	check("one has failed", forgetSuperfluous(t1, t2), 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11)
	t2.mark(2*plan.Cells(), true, 1)
	check("none has failed", forgetSuperfluous(t1, t2), 6, 0, 1, 2, 3, 4)
}

// A stricter rule goes on from where a looser one ended; the other way round
// there are runs too many.
func TestAnotherRule(t *testing.T) {
	strict := strings.Replace(stopSpec, "0.15", "0.1", 1)
	run := func(dir, text string) error {
		spec, plan := mustParse(t, text)
		s, err := Open(dir, spec, plan)
		if err != nil {
			return err
		}
		runRounds(t, s, plan, -1)
		must(t, s.Finish())
		return s.Close()
	}
	fresh, dir := t.TempDir(), t.TempDir()
	must(t, run(fresh, strict))
	must(t, run(dir, stopSpec))
	must(t, run(dir, strict))
	if !equalFiles(finalBytes(t, dir), finalBytes(t, fresh)) {
		t.Error("a rule made stricter ends elsewhere than the strict rule alone")
	}
	before := listing(t, dir)
	err := run(dir, stopSpec)
	var refused *DataError
	if !errors.As(err, &refused) || !strings.Contains(refused.Message, "runs that the stopping rule does not ask for") ||
		!strings.Contains(refused.Hint, "let min be") {
		t.Errorf("a looser rule: got %v", err)
	}
	if after := listing(t, dir); !slices.Equal(before, after) {
		t.Errorf("a refused directory had %v, has %v", before, after)
	}
}

// How many runs the rule still asks for, and in how many cells it was not
// met, is in the summary.
func TestSummaryTellsOfTheRule(t *testing.T) {
	dir := t.TempDir()
	spec, plan := mustParse(t, stopSpec)
	s, err := Open(dir, spec, plan)
	must(t, err)
	defer s.Close()
	for _, test := range []struct {
		limit        int
		left, unsure int64
	}{{20, 10, 0}, {-1, 0, 1}} {
		runRounds(t, s, plan, test.limit)
		must(t, s.Commit())
		set, err := LoadSummary(dir, []*experiment.Experiment{toy()})
		must(t, err)
		if left := set.Runs - set.OK - set.Failed; left != test.left || set.Unsure != test.unsure || set.Stop == nil {
			t.Errorf("after %d runs: %d are left, %d cells unsure, rule %v", test.limit, left, set.Unsure, set.Stop)
		}
	}
	must(t, s.Finish())
	set, err := LoadSummary(dir, []*experiment.Experiment{toy()})
	must(t, err)
	if set.Runs != set.OK+set.Failed || set.Runs == plan.Runs() {
		t.Errorf("%d runs of %d, %d and %d of them are there", set.Runs, plan.Runs(), set.OK, set.Failed)
	}
}
