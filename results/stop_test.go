package results

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// naivelyNeeded is Needed, of runs that are there.
func naivelyNeeded(plan *grid.Plan, there map[int64]*Row, cell int64) (seeds int64, decided bool) {
	rule := plan.Stop()
	for _, seeds = range rule.Checkpoints() {
		var defined []float64
		for seed := range seeds {
			switch r := there[seed*plan.Cells()+cell]; {
			case r == nil:
				return seeds, false
			case r.Status == OK && !math.IsNaN(r.Result.Metrics[1]):
				defined = append(defined, r.Result.Metrics[1])
			}
		}
		n, width := float64(len(defined)), rule.HalfWidth
		mean, std := stat.MeanStdDev(defined, nil)
		if rule.Relative {
			width *= math.Abs(mean)
		}
		tail := 0.025 / float64(len(rule.Checkpoints()))
		if int64(n) >= rule.Min && (distuv.StudentsT{Sigma: 1, Nu: n - 1}).Quantile(1-tail)*std/math.Sqrt(n) <= width {
			break
		}
	}
	return seeds, true
}

// What a rule asks for depends on the runs that are there alone: whatever order
// they came in, what failed before, which rule was before, and whether there
// are series. What a cell has beyond its need is kept and not shown.
func TestStoppingRuleAgainstANaiveOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for life := range testutil.IfThorough(60, 18) {
		d, there := newSimDisk(), map[int64]*Row{}
		for range 6 {
			width := fmt.Sprintf("%.3f", 0.01+0.3*rng.Float64())
			if life%3 > 0 {
				width = "'" + width + "e2%'"
			}
			text := fmt.Sprintf("experiment = 'toy'\n[stop]\nmetric = 'efficiency'\nhalf_width = %s\nmin = %d\nmax = %d\n[grid]\nk = [1, 2, 3]",
				width, 2+rng.IntN(4), 8+rng.IntN(20))
			spec := parse(text, func(e *experiment.Experiment) { e.Series = e.Series[:len(e.Series)*(life%2)] })
			s := testutil.Must(openStore(d.top(), spec, nil))
			plan, failing := s.Plan, rng.Float64()
			for _, k := range rng.Perm(int(plan.Runs()))[:rng.IntN(int(plan.Runs()))] {
				i := int64(k)
				row := &Row{Index: i, ID: plan.ID(i), Point: plan.Point(i), Status: OK}
				row.Result.Metrics = []float64{1, 1 + 0.1*float64(i%3)*math.Sin(float64(i)), 2}
				if i%11 == 0 {
					row.Result.Metrics[1] = math.NaN()
				}
				if rng.Float64() < failing {
					row.Status, row.Error = Failed, "no luck"
				}
				testutil.NoError(s.Append(row))
				s.Status(i) // it may keep what it computes
				if old := there[i]; old == nil || old.Status != OK {
					there[i] = row
				}
			}
			testutil.NoError(s.Commit())
			r := testutil.Must(readerOf(d.top(), []*experiment.Experiment{spec.Experiment}))
			missing := int64(0)
			for i := range plan.Runs() {
				seeds, decided := naivelyNeeded(plan, there, i%plan.Cells())
				needed, want := i/plan.Cells() < seeds, ""
				if needed && there[i] == nil {
					missing++
				} else if needed {
					want = there[i].Status
				}
				for _, r := range []*Reader{s.Reader, r} {
					if n, sure := r.Needed(i % plan.Cells()); n != seeds || sure != decided || r.Status(i) != want {
						t.Fatalf("%s\nrun %d is %q, its cell needs %d seeds, %v; want %q, %d, %v", text, i, r.Status(i), n, sure, want, seeds, decided)
					}
				}
				if s.Done(i) != (want == OK || !needed) {
					t.Fatalf("run %d is %q, needed %v, done %v", i, want, needed, s.Done(i))
				}
			}
			if s.Missing() != missing || r.Missing() != missing || r.MissingIn(1)[0] != missing || s.Digest() != r.Digest() {
				t.Fatalf("%d runs are missing, want %d", r.Missing(), missing)
			}
			testutil.NoError(s.Close())
		}
	}
}
