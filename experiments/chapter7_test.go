package experiments

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/sourcegraph/conc/pool"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"sweep/experiment"
	"sweep/grid"
	"sweep/sweeps"
)

// outcome is the runs of a sweep, made when they are asked for.
type outcome struct {
	spec    *grid.Spec
	plan    *grid.Plan
	seeds   int
	results map[int][]experiment.Result // of each seed, by cell
}

// outcomeOf returns the outcome of the first seeds of a sweep.
func outcomeOf(t *testing.T, name string, seeds int) *outcome {
	t.Helper()
	file, source, ok := sweeps.Read(name)
	if !ok {
		t.Fatalf("no sweep %q", name)
	}
	spec, err := grid.Parse(file, source, Experiments(Options{WorldMemory: DefaultWorldMemory}))
	if err != nil {
		t.Fatal(err)
	}
	plan := spec.Plan()
	return &outcome{spec, plan, min(seeds, int(plan.Seeds())), map[int][]experiment.Result{}}
}

// cell returns the runs of the one cell with the given parameters, written
// "algorithm=CGLA N=64".
func (o *outcome) cell(t *testing.T, want string) []experiment.Result {
	t.Helper()
	found := -1
	cells := int(o.plan.Cells())
	for c := range cells {
		point, matches := o.plan.Point(int64(c)), true
		for _, w := range strings.Fields(want) {
			name, value, _ := strings.Cut(w, "=")
			matches = matches && point.Value(name).String() == value
		}
		if matches && found >= 0 {
			t.Fatalf("%q is more than one cell", want)
		}
		if matches {
			found = c
		}
	}
	if found < 0 {
		t.Fatalf("%q is no cell", want)
	}
	if o.results[found] == nil {
		runs := make([]experiment.Result, o.seeds)
		p := pool.New().WithMaxGoroutines(4)
		for s := range runs {
			p.Go(func() {
				if err := o.spec.Experiment.Run(context.Background(), o.plan.Point(int64(s*cells+found)), &runs[s]); err != nil {
					t.Error(err)
				}
			})
		}
		p.Wait()
		o.results[found] = runs
	}
	return o.results[found]
}

// metric returns a metric of each seed's run of a cell.
func (o *outcome) metric(t *testing.T, name, cell string) []float64 {
	t.Helper()
	var x []float64
	for _, r := range o.cell(t, cell) {
		x = append(x, r.Metrics[o.plan.Experiment().Metric(name)])
	}
	return x
}

// interval returns the mean of a sample, and half the width of its 99 %
// confidence interval.
func interval(x []float64) (mean, half float64) {
	mean, std := stat.MeanStdDev(x, nil)
	n := float64(len(x))
	return mean, std / math.Sqrt(n) * distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.995)
}

// above fails unless a metric is larger in the first cell, by more than
// margin and surely: pairs of runs of one seed are compared.
func (o *outcome) above(t *testing.T, metric, larger, smaller string, margin float64) {
	t.Helper()
	if mean, half := interval(o.difference(t, metric, larger, smaller)); !(mean-half > margin) {
		t.Errorf("%s of %s is %.4f, of %s %.4f; the difference %.4f ± %.4f is not surely above %v",
			metric, larger, stat.Mean(o.metric(t, metric, larger), nil), smaller, stat.Mean(o.metric(t, metric, smaller), nil), mean, half, margin)
	}
}

// difference returns, for each seed, the metric of one cell less that of
// another.
func (o *outcome) difference(t *testing.T, metric, cell, other string) []float64 {
	t.Helper()
	d := o.metric(t, metric, cell)
	for i, x := range o.metric(t, metric, other) {
		d[i] -= x
	}
	return d
}

// series returns, for each seed's run of a cell, the mean of a column of
// the series over the bins that end in (from, to].
func (o *outcome) series(t *testing.T, column, cell string, from, to float64) []float64 {
	t.Helper()
	series := &o.plan.Experiment().Series
	at := 1
	for i, m := range series.Columns {
		if m.Name == column {
			at = 1 + i
		}
	}
	width := 1 + len(series.Columns)
	var means []float64
	for _, r := range o.cell(t, cell) {
		var bins []float64
		for row := 0; row < len(r.Series); row += width {
			if end := r.Series[row]; from < end && end <= to {
				bins = append(bins, r.Series[row+at])
			}
		}
		means = append(means, stat.Mean(bins, nil))
	}
	return means
}

// Section 7.3.1, Figure 7.2: "a larger value of N results in better
// performance", "also slows down the speed of convergence", and from 64 to
// 128 the difference "is very small".
func TestLargerNEndsBetterButLater(t *testing.T) {
	o := outcomeOf(t, "fig7.2", 20)
	o.above(t, "retrieved", "N=32", "N=16", 0)
	o.above(t, "retrieved", "N=64", "N=32", 0)
	o.above(t, "retrieved", "N=128", "N=64", 0)
	o.above(t, "convergence_slots", "N=32", "N=16", 0)
	o.above(t, "convergence_slots", "N=64", "N=32", 0)
	o.above(t, "convergence_slots", "N=128", "N=64", 0)
	step := func(from, to string) float64 {
		return stat.Mean(o.metric(t, "retrieved", to), nil) - stat.Mean(o.metric(t, "retrieved", from), nil)
	}
	if first, last := step("N=16", "N=32"), step("N=64", "N=128"); last > 0.02 || last > first/4 {
		t.Errorf("from N=64 to 128 retrieved grows by %.4f, from 16 to 32 by %.4f; want very small", last, first)
	}
	// How much later, "about 1.5" times, is a claim of sweeps/fig7.2.toml,
	// and fails.
}

// Section 7.3.1, Figures 7.3 and 7.4: the smaller f the better, and N hardly
// matters from 16 on, while 8 at f = 0.1 is worse. That f = 0.1 costs "little"
// speed of convergence is a claim of sweeps/fpa.toml, and fails.
func TestSmallFIsBestAndN16IsEnough(t *testing.T) {
	small, large := outcomeOf(t, "fig7.3", 30), outcomeOf(t, "fig7.4", 30)
	for n, o := range map[string]*outcome{"8": small, "16": small, "32": large, "64": large} {
		for _, f := range []struct{ better, worse string }{{"0.1", "0.2"}, {"0.2", "0.5"}, {"0.5", "0.8"}} {
			o.above(t, "retrieved", "N="+n+" f="+f.better, "N="+n+" f="+f.worse, 0)
		}
	}
	outcomeOf(t, "fig7.3", 100).above(t, "retrieved", "N=16 f=0.1", "N=8 f=0.1", 0) // a matter of a few thousandths
	small.above(t, "convergence_slots", "N=16 f=0.1", "N=16 f=0.2", 0)
	for _, f := range []string{"0.1", "0.2", "0.5", "0.8"} {
		n16 := stat.Mean(small.metric(t, "retrieved", "N=16 f="+f), nil)
		n64 := stat.Mean(large.metric(t, "retrieved", "N=64 f="+f), nil)
		if math.Abs(n64-n16) > 0.01 {
			t.Errorf("f=%s: retrieved is %.4f with N=16 and %.4f with 64; want nearly the same", f, n16, n64)
		}
	}
}

// ratios returns the change-capacity ratios at which schedulers are compared.
func ratios() []string {
	if *thorough {
		return []string{"1.5", "2", "2.5", "3", "3.5", "4"}
	}
	return []string{"1.5", "2", "4"}
}

// Section 7.3.2, Figure 7.5, its observations 1 to 4 and the discussion. Weighted proportional
// is executed by independent draws.
func TestSchedulersWhereChangesOverwrite(t *testing.T) {
	o, ratios := outcomeOf(t, "fig7.5", 10), ratios()
	for i, ratio := range ratios {
		at := " change_ratio=" + ratio
		o.above(t, "retrieved", "algorithm=CGLA"+at, "algorithm=uniform"+at, 0)
		o.above(t, "retrieved", "algorithm=FPA"+at, "algorithm=uniform"+at, 0)
		o.above(t, "retrieved", "algorithm=CGLA"+at, "algorithm=proportional execution=independent"+at, 0)
		o.above(t, "retrieved", "algorithm=CGLA"+at, "algorithm=FPA"+at, 0)
		if i > 0 {
			for _, a := range []string{"CGLA", "FPA", "proportional execution=independent", "proportional execution=even"} {
				o.above(t, "retrieved", "algorithm="+a+" change_ratio="+ratios[i-1], "algorithm="+a+at, 0)
			}
		}
	}
	uniform := outcomeOf(t, "fig7.5", 20) // a matter of a few thousandths
	for i, ratio := range ratios[1:] {
		uniform.above(t, "retrieved", "algorithm=uniform change_ratio="+ratios[i], "algorithm=uniform change_ratio="+ratio, 0)
	}
	// "only performs better with larger values"
	o.above(t, "retrieved", "algorithm=proportional execution=independent change_ratio=1.5", "algorithm=FPA change_ratio=1.5", 0)
	for _, ratio := range ratios[2:] {
		o.above(t, "retrieved", "algorithm=FPA change_ratio="+ratio, "algorithm=proportional execution=independent change_ratio="+ratio, 0)
	}
	// "As the expected change-ratio increases, the gap … decreases": it does on
	// the whole; from 2 to 3 it stays as it is.
	gap := func(ratio string) []float64 {
		return o.difference(t, "retrieved", "algorithm=CGLA change_ratio="+ratio, "algorithm=FPA change_ratio="+ratio)
	}
	steps := [][2]string{{"2", "4"}}
	if *thorough {
		steps = append(steps, [2]string{"3", "3.5"}, [2]string{"3.5", "4"})
	}
	for _, step := range steps {
		difference := gap(step[0])
		for i, x := range gap(step[1]) {
			difference[i] -= x
		}
		if mean, half := interval(difference); !(mean-half > 0) {
			t.Errorf("from ratio %s to %s the gap between CGLA and FPA falls by %.4f ± %.4f, not surely", step[0], step[1], mean, half)
		}
	}
	// Not the thesis's: executed evenly, weighted proportional beats both
	// learners at the smallest ratio, and FPA at every ratio.
	o.above(t, "retrieved", "algorithm=proportional execution=even change_ratio=1.5", "algorithm=CGLA change_ratio=1.5", 0)
	o.above(t, "retrieved", "algorithm=CGLA change_ratio=4", "algorithm=proportional execution=even change_ratio=4", 0)
	for _, ratio := range ratios {
		o.above(t, "retrieved", "algorithm=proportional execution=even change_ratio="+ratio, "algorithm=FPA change_ratio="+ratio, 0)
	}
}

// Section 7.3.2, Figure 7.6, its observations 1 to 4, and "factors up to 550%".
//
// One part of observation 1 fails, as it must: what the uniform scheduler
// retrieves does not decrease with the ratio, but is C/R by definition.
func TestSchedulersWhereUpdatesDisappear(t *testing.T) {
	o, ratios := outcomeOf(t, "fig7.6", 10), ratios()
	for i, ratio := range ratios {
		at := " change_ratio=" + ratio
		o.above(t, "retrieved", "algorithm=FPA"+at, "algorithm=CGLA"+at, 0)
		o.above(t, "retrieved", "algorithm=CGLA"+at, "algorithm=proportional execution=independent"+at, 0)
		o.above(t, "retrieved", "algorithm=CGLA"+at, "algorithm=proportional execution=even"+at, 0)
		o.above(t, "retrieved", "algorithm=proportional execution=independent"+at, "algorithm=uniform"+at, 0)
		if uniform := stat.Mean(o.metric(t, "retrieved", "algorithm=uniform"+at), nil); math.Abs(uniform-0.1) > 0.002 {
			t.Errorf("uniform retrieves %.4f at ratio %s, want C/R", uniform, ratio)
		}
		if i > 0 {
			for _, a := range []string{"CGLA", "FPA", "proportional execution=independent", "proportional execution=even"} {
				o.above(t, "retrieved", "algorithm="+a+" change_ratio="+ratios[i-1], "algorithm="+a+at, 0)
			}
		}
	}
	// As pairs of runs of one seed; ten of them would be too few.
	factors := outcomeOf(t, "fig7.6", 20)
	beyond := factors.metric(t, "retrieved", "algorithm=FPA change_ratio=1.5")
	for i, uniform := range factors.metric(t, "retrieved", "algorithm=uniform change_ratio=1.5") {
		beyond[i] -= 5.5 * uniform
	}
	if mean, half := interval(beyond); !(mean-half > 0) {
		t.Errorf("FPA retrieves 5.5 times what uniform does, and %.4f ± %.4f more; want surely more", mean, half)
	}
}

// Section 7.3.3, Figures 7.7 and 7.8.
func TestAdaptability(t *testing.T) {
	o := outcomeOf(t, "fig7.8", 20)
	for _, model := range []string{"overwrite", "disappear"} {
		cgla, fpa := "algorithm=CGLA model="+model, "algorithm=FPA model="+model
		o.above(t, "adaptation_slots", cgla, fpa, 0) // "adapts quicker"
		for slot := 2500.; slot < 10_000; slot += 2500 {
			// "causes the total number of polls to decrease", "until they once
			// again reach the crawler capacity"
			before := o.series(t, "polls_per_slot", cgla, slot-500, slot)
			after := o.series(t, "polls_per_slot", cgla, slot, slot+100)
			again := o.series(t, "polls_per_slot", cgla, slot+2000, slot+2500)
			dip := make([]float64, len(before))
			for i := range dip {
				dip[i] = before[i] - after[i]
			}
			if mean, half := interval(dip); !(mean-half > 1) {
				t.Errorf("%s: after slot %v the polls of CGLA fall by %.2f ± %.2f, want a dip", model, slot, mean, half)
			}
			if mean := stat.Mean(again, nil); mean < 98 || mean > 100 {
				t.Errorf("%s: before slot %v CGLA polls %.2f nodes, want about 100", model, slot+2500, mean)
			}
			// "reaching the same level, as before the shift"
			for _, cell := range []string{cgla, fpa} {
				level := o.series(t, "retrieved", cell, slot-500, slot)
				next := o.series(t, "retrieved", cell, slot+2000, slot+2500)
				for i := range level {
					next[i] -= level[i]
				}
				if mean, half := interval(next); math.Abs(mean)+half > 0.015 {
					t.Errorf("%s: after slot %v %s returns to its level %+.4f ± %.4f", model, slot, cell, mean, half)
				}
			}
		}
		for _, polls := range o.series(t, "polls_per_slot", fpa, 0, 10_000) {
			if polls != 100 {
				t.Errorf("%s: FPA polls %v nodes a slot, want 100", model, polls)
			}
		}
	}
}

// Section 7.3.3, Figure 7.7: "Initially … the total number of polls is below
// the capacity".
func TestCGLABeginsBelowTheCapacity(t *testing.T) {
	o := outcomeOf(t, "fig7.7", 10)
	for _, model := range []string{"overwrite", "disappear"} {
		for _, polls := range o.series(t, "polls_per_slot", "algorithm=CGLA model="+model, 0, 100) {
			if polls > 50 {
				t.Errorf("%s: CGLA polls %.1f nodes in the first slots, want less than half of 100", model, polls)
			}
		}
	}
}
