package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/runner"
)

// probe returns a declaration around run, with one parameter and one
// metric of each kind.
func probe(run func(ctx context.Context, p experiment.Point, out *experiment.Result) error) *experiment.Experiment {
	return &experiment.Experiment{
		Name: "probe", Version: 1, Title: "a test", Source: "none",
		Params: []experiment.Param{{Name: "x", Kind: experiment.Int, Default: experiment.IntValue(1), Min: 0, Max: 1e6, Meaning: "x", Source: "none"}},
		Metrics: []experiment.Metric{
			{Name: "count", Kind: experiment.Int, Meaning: "a count"},
			{Name: "share", Kind: experiment.Float, Meaning: "a share"},
		},
		Series: []experiment.Metric{
			{Name: "hours", Kind: experiment.Float, Meaning: "time"},
			{Name: "alive", Kind: experiment.Int, Meaning: "a count"},
		},
		Run: run,
	}
}

// good yields a result that the declaration of experiment allows.
func good(_ context.Context, p experiment.Point, out *experiment.Result) error {
	out.Metrics = []float64{float64(p.Seed), float64(p.Value("x").Int()) / 2}
	return nil
}

func parse(e *experiment.Experiment, spec string) *grid.Spec {
	text := []byte("experiment = \"probe\"\n" + spec)
	return testutil.Must(grid.Parse("probe.toml", text, []*experiment.Experiment{e}))
}

// A kept is a store in a directory of the test.
type kept struct {
	*results.Store
	dir string
}

func newStore(t testing.TB, e *experiment.Experiment, text string) *kept {
	return open(t, t.TempDir(), parse(e, text))
}

func open(t testing.TB, dir string, spec *grid.Spec) *kept {
	store := testutil.Must(results.Open(dir, spec, nil))
	t.Cleanup(func() { _ = store.Close() })
	return &kept{store, dir}
}

// put appends rows with these outcomes.
func (k *kept) put(status string, runs ...int64) *kept {
	for _, i := range runs {
		point := k.Plan.Point(i)
		row := &results.Row{Index: i, ID: grid.Identify(point), Point: point, Status: status, Error: "no luck"}
		if status == results.OK {
			row.Error = ""
			_ = good(context.Background(), point, &row.Result) // never fails
		}
		testutil.NoError(k.Append(row))
	}
	return k
}

// rows returns what is committed, by index.
func (k *kept) rows() map[int64]results.Row {
	r := testutil.Must(results.OpenReader(k.dir, []*experiment.Experiment{k.Spec.Experiment}))
	rows := map[int64]results.Row{}
	for i := range r.Plan.Runs() {
		if r.Status(i) != "" {
			rows[i] = *testutil.Must(r.Run(i))
		}
	}
	return rows
}

// ended passes on what became of runs.
func ended(each func(o *runner.Outcome)) func(runner.Event) {
	return func(e runner.Event) {
		if e.Kind == runner.RunEnded {
			each(e.Outcome)
		}
	}
}

// Failed runs are executed again, unless they are to stay. Where nothing is
// left to do, nothing can stop the sweep.
func TestEveryMissingRunIsExecuted(t *testing.T) {
	for keep, want := range map[bool][2]int64{false: {11, 9}, true: {10, -1}} {
		store := newStore(t, probe(good), "seeds = 5\n[grid]\nx = [1, 2, 3]").put(results.OK, 0, 4, 7, 14).put(results.Failed, 9)
		observed, again := int64(0), int64(-1)
		options := runner.Options{Workers: 3, KeepFailed: keep, Observe: ended(func(o *runner.Outcome) {
			observed++
			if o.Again {
				again = o.Row.Index
			}
		})}
		report, err := runner.Sweep(t.Context(), store.Store, options)
		if err != nil || report.OK != want[0] || report.Failed != 0 || observed != want[0] || again != want[1] {
			t.Fatalf("report %+v, %d observed, run %d again, error %v; want %d", report, observed, again, err, want)
		}
		options.Deadline = time.Now().Add(-time.Hour)
		if report, err = runner.Sweep(t.Context(), store.Store, options); err != nil || report.OK != 0 {
			t.Errorf("nothing to do: report %+v, error %v", report, err)
		}
		rows := store.rows()
		if len(rows) != 15 {
			t.Errorf("%d rows, want 15", len(rows))
		}
		for i, row := range rows {
			point := store.Plan.Point(i)
			status, metrics := results.OK, []float64{float64(point.Seed), float64(point.Value("x").Int()) / 2}
			if keep && i == 9 {
				status, metrics = results.Failed, nil
			}
			if row.Index != i || row.Status != status || (row.Error == "") != (status == results.OK) || row.ID != grid.Identify(point) ||
				row.Point.Seed != point.Seed || !slices.Equal(row.Point.Values, point.Values) || !slices.Equal(row.Result.Metrics, metrics) {
				t.Errorf("row %d is %+v, want metrics %v of %+v", i, row, metrics, point)
			}
		}
	}
}

func TestFaultsAreFailedRows(t *testing.T) {
	fails := func(err error) func(*experiment.Result) error {
		return func(*experiment.Result) error { return err }
	}
	tests := []struct {
		run  func(out *experiment.Result) error // of seed 1, 2, …
		want string                             // empty: the run is fine
	}{
		{fails(errors.New("no pages")), "no pages"},
		{fails(errors.New("")), "an error without a text"},
		{fails(errors.New("a\xffb")), "a\uFFFDb"},
		{fails(fmt.Errorf("asking: %w", context.DeadlineExceeded)), "asking: context deadline exceeded"},
		{func(*experiment.Result) error { panic("no frontier") }, "panic: no frontier"},
		{func(*experiment.Result) error { return nil }, "result has 0 metrics, probe declares 2"},
		{yields(0.5, 0), "count is 0.5, want a whole number below 2⁵³"},
		{yields(1<<53, 0), "count is 9.007199254740992e+15, want a whole number below 2⁵³"},
		{yields(1, math.Inf(-1)), "share is infinite"},
		{yields(math.NaN(), math.NaN()), ""},
		{yields(-3, -0.5), ""},
		{yields(0, 0, 3, 1, 6, math.NaN()), ""},
		{yields(0, 0, 3, 1, 6), "series has 3 numbers, want a multiple of 2"},
		{yields(0, 0, 3, 1, math.NaN(), 1), "hours in row 1 of the series is missing"},
		{yields(0, 0, 3, 1, 6, 1.5), "row 1 of the series: alive is 1.5, want a whole number below 2⁵³"},
	}
	e := probe(func(_ context.Context, p experiment.Point, out *experiment.Result) error {
		return tests[p.Seed-1].run(out)
	})
	store := newStore(t, e, fmt.Sprint("seeds = ", len(tests)))
	report, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, RunTimeout: time.Hour})
	if err != nil || report.OK != 3 || int(report.Failed) != len(tests)-3 {
		t.Fatalf("report %+v, error %v, want 3 runs", report, err)
	}
	for i, row := range store.rows() {
		if ok := tests[i].want == ""; row.Error != tests[i].want || ok != (row.Status == results.OK) || ok != (len(row.Result.Metrics) > 0) {
			t.Errorf("row %+v, want the error %q", row, tests[i].want)
		}
	}
	for _, f := range report.Failures {
		if panicked := strings.HasPrefix(f.Row.Error, "panic"); panicked != strings.Contains(string(f.Stack), "TestFaultsAreFailedRows") {
			t.Errorf("%s: stack %s", f.Row.Error, f.Stack)
		}
	}
	e.Series = nil
	err = e.CheckResult(&experiment.Result{Metrics: []float64{0, 0}, Series: []float64{3, 1, 6}})
	if err == nil || err.Error() != "result has a series, probe declares none" {
		t.Errorf("a series without declaration: %v", err)
	}
}

// yields makes a result of two metrics and, of what follows them, a series.
func yields(numbers ...float64) func(*experiment.Result) error {
	return func(out *experiment.Result) error {
		out.Metrics, out.Series = numbers[:2], numbers[2:]
		return nil
	}
}

// A store that can no longer be written to ends the sweep, without grace: at
// once where many runs end, else within a second, or in the end, of whatever
// reason.
func TestStoreErrorsEndTheSweep(t *testing.T) {
	started := 0
	quick := lasting(func(p experiment.Point) time.Duration {
		started++
		return max(0, time.Duration(p.Seed-1000)) * time.Hour // the first 1,000 are committed
	})
	for _, c := range []struct {
		seeds, most int64
		e           *experiment.Experiment
	}{{100000, 1000, quick},
		{100000, 1, lasting(seconds(0.3, 3600))}, {3, 3, probe(good)}, {100, 99, probe(good)}} {
		synctest.Test(t, func(t *testing.T) {
			store, begin := newStore(t, c.e, fmt.Sprint("seeds = ", c.seeds)), time.Now()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			options := runner.Options{Workers: 1, Grace: time.Hour, Observe: ended(func(*runner.Outcome) {
				if c.seeds == 100 {
					cancel()
				}
			})}
			testutil.NoError(os.RemoveAll(store.dir))
			report, err := runner.Sweep(ctx, store.Store, options)
			if took := time.Since(begin); !errors.Is(err, fs.ErrNotExist) || report.OK > c.most || took > 2*time.Second || started > 1001 {
				t.Errorf("report %+v, error %v after %v, %d started; want %v after at most %d runs", report, err, took, started, fs.ErrNotExist, c.most)
			}
		})
	}
}

// Rows become lasting while runs are rare. A sweep that has to end does not
// wait for its exported files, but for the runs under way.
func TestTick(t *testing.T) {
	runner.RefreshAfter(0)
	defer runner.RefreshAfter(1000 * time.Hour)
	synctest.Test(t, func(t *testing.T) {
		store := newStore(t, lasting(seconds(0.1, 3)), "seeds = 2")
		ctx, cancel := context.WithCancel(t.Context())
		report, err := runner.Sweep(ctx, store.Store, runner.Options{Workers: 1, Grace: time.Hour, Observe: func(e runner.Event) {
			if e.Kind == runner.Committed {
				if rows := store.rows(); len(rows) != 1 {
					t.Errorf("%d rows, want 1", len(rows))
				}
				cancel() // a refresh is due now
			}
		}})
		names, _ := filepath.Glob(filepath.Join(store.dir, "*.parquet*"))
		if err != nil || report.OK != 2 || len(names) > 0 {
			t.Errorf("report %+v, error %v, files %q", report, err, names)
		}
	})
}

// What happens is told in order, and counts are those of the store.
func TestEvents(t *testing.T) {
	runner.RefreshAfter(time.Second)
	defer runner.RefreshAfter(1000 * time.Hour)
	committed := make(chan bool, 1000)
	e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Seed == 3 || p.Seed == 4 {
			<-committed
		}
		return failing(ctx, p, out)
	})
	store := newStore(t, e, "seeds = 6").put(results.OK, 0).put(results.Failed, 1)
	kinds, last, refreshed := "", runner.Event{}, false
	_, err := runner.Sweep(t.Context(), store.Store, runner.Options{Workers: 1, RunTimeout: time.Minute, Observe: func(e runner.Event) {
		kinds += ", " + string(e.Kind)
		if e.Kind == runner.Committed && e.Executed > 0 {
			committed <- true
		}
		_, err := os.Stat(filepath.Join(store.dir, "runs.parquet"))
		refreshed = refreshed || err == nil && e.Kind == runner.RunEnded
		last = e
	}})
	const want = ", run ended, committed, " // the first commit may come before the first run has ended
	if err != nil || !strings.HasPrefix(kinds, ", started, ") || !strings.Contains(kinds, want) || !refreshed || !strings.HasSuffix(kinds, ", ended") {
		t.Errorf("error %v, events %s; want %s", err, kinds, want)
	}
	if want := (runner.Event{Kind: runner.Ended, Assigned: 6, OK: 4, Failed: 2, Executed: 5}); last != want {
		t.Errorf("counts %+v, want %+v", last, want)
	}
}

// A short sweep is not held up by its first refresh, and a long one has it
// after minutes, however many its runs are.
func TestFirstRefresh(t *testing.T) {
	runner.RefreshAfter(10 * time.Second)
	defer runner.RefreshAfter(1000 * time.Hour)
	for runs, want := range map[int64]time.Duration{
		0:       10 * time.Second,
		100_000: 10 * time.Second,
		600_000: time.Minute,
		1e12:    5 * time.Minute,
	} {
		if got := runner.FirstRefresh(runs); got != want {
			t.Errorf("%d runs: after %v, want %v", runs, got, want)
		}
	}
}

func TestMain(m *testing.M) {
	runner.RefreshAfter(1000 * time.Hour)
	m.Run()
}
