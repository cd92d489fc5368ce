package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/engine"
	"sweep/results"
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
		Series: experiment.Series{
			Axis:    experiment.Metric{Name: "hours", Kind: experiment.Float, Meaning: "time"},
			Columns: []experiment.Metric{{Name: "alive", Kind: experiment.Int, Meaning: "a count"}},
		},
		Run: run,
	}
}

// good yields a result that the declaration of experiment allows.
func good(_ context.Context, p experiment.Point, out *experiment.Result) error {
	out.Metrics = []float64{float64(p.Seed), float64(p.Value("x").Int()) / 2}
	return nil
}

func plan(t testing.TB, e *experiment.Experiment, spec string) (*grid.Spec, *grid.Plan) {
	t.Helper()
	s, err := grid.Parse("probe.toml", []byte("experiment = \"probe\"\n"+spec), []*experiment.Experiment{e})
	if err != nil {
		t.Fatal(err)
	}
	return s, s.Plan()
}

// A memory is a store that remembers, and complains of overlapping calls.
type memory struct {
	t  testing.TB
	mu sync.Mutex // never waited for, unless the engine is wrong

	rows                 map[int64]results.Row
	uncommitted          int
	appendErr, commitErr error
}

func newMemory(t testing.TB) *memory { return &memory{t: t, rows: map[int64]results.Row{}} }

func (m *memory) enter() (leave func()) {
	if !m.mu.TryLock() {
		m.t.Error("two calls of the store overlap")
		m.mu.Lock()
	}
	return m.mu.Unlock
}

func (m *memory) Done(i int64) bool {
	defer m.enter()()
	return m.rows[i].Status == results.OK
}

func (m *memory) HasFailed(i int64) bool {
	defer m.enter()()
	return m.rows[i].Status == results.Failed
}

func (m *memory) Append(row *results.Row) error {
	defer m.enter()()
	if m.appendErr != nil {
		return m.appendErr
	}
	m.rows[row.Index] = *row
	m.uncommitted++
	return nil
}

func (m *memory) Commit() error {
	defer m.enter()()
	if m.commitErr != nil {
		return m.commitErr
	}
	m.uncommitted = 0
	return nil
}

func TestOnlyTheShardIsExecuted(t *testing.T) {
	_, p := plan(t, probe(good), "seeds = 5\n[grid]\nx = [1, 2, 3]")
	shard := p.Shard(1, 4)
	store := newMemory(t)
	store.rows[shard.Run(2)] = results.Row{Status: results.OK}
	report, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 2, Shard: &shard})
	if err != nil || report.OK != shard.Runs()-1 {
		t.Errorf("report %+v, error %v; want %d runs", report, err, shard.Runs()-1)
	}
	for i := range store.rows {
		if !shard.Has(i) {
			t.Errorf("run %d was executed, which is not in the shard", i)
		}
	}
	if int64(len(store.rows)) != shard.Runs() {
		t.Errorf("%d rows, want %d", len(store.rows), shard.Runs())
	}
}

func TestEveryMissingRunIsExecuted(t *testing.T) {
	_, p := plan(t, probe(good), "seeds = 5\n[grid]\nx = [1, 2, 3]")
	store := newMemory(t)
	for _, i := range []int64{0, 4, 7, 14} {
		store.rows[i] = results.Row{Status: results.OK}
	}
	store.rows[9] = results.Row{Status: results.Failed} // to be repeated
	observed, again := 0, int64(-1)
	report, err := engine.Run(t.Context(), p, store, engine.Options{
		Workers: 3,
		Observe: func(o *engine.Outcome) {
			observed++
			if o.Again {
				again = o.Row.Index
			}
		},
	})
	if err != nil || report.OK != 11 || report.Failed != 0 || observed != 11 {
		t.Fatalf("report %+v, %d observed, error %v; want 11 runs", report, observed, err)
	}
	if again != 9 {
		t.Errorf("run %d was executed again, want run 9", again)
	}
	if len(store.rows) != 15 || store.uncommitted != 0 {
		t.Errorf("%d rows, %d not committed; want 15 and 0", len(store.rows), store.uncommitted)
	}
	for i, row := range store.rows {
		if row.Point.Experiment == nil {
			continue // put there above
		}
		point := p.Point(i)
		want := []float64{float64(point.Seed), float64(point.Value("x").Int()) / 2}
		if row.Index != i || row.Status != results.OK || row.Error != "" || row.ID != grid.Identify(point) ||
			row.Point.Seed != point.Seed || !slices.Equal(row.Point.Values, point.Values) || !slices.Equal(row.Result.Metrics, want) {
			t.Errorf("row %d is %+v, want metrics %v of %+v", i, row, want, point)
		}
	}
}

func TestFaultsAreFailedRows(t *testing.T) {
	tests := []struct {
		name string
		run  func(out *experiment.Result) error
		want string // empty: the run is fine
	}{
		{"an error", func(*experiment.Result) error { return errors.New("no pages") }, "no pages"},
		{"an error without text", func(*experiment.Result) error { return errors.New("") }, "an error without a text"},
		{"an error that is no text", func(*experiment.Result) error { return errors.New("a\xffb") }, "a\uFFFDb"},
		{"a panic", func(*experiment.Result) error { panic("no frontier") }, "panic: no frontier"},
		{"no metrics", func(*experiment.Result) error { return nil }, "result has 0 metrics, probe declares 2"},
		{"a fraction", metrics(0.5, 0), "count is 0.5, want a whole number below 2⁵³"},
		{"a huge count", metrics(1<<53, 0), "count is 9.007199254740992e+15, want a whole number below 2⁵³"},
		{"an infinity", metrics(1, math.Inf(-1)), "share is infinite"},
		{"undefined", metrics(math.NaN(), math.NaN()), ""},
		{"negative", metrics(-3, -0.5), ""},
		{"a series", series(3, 1, 6, math.NaN()), ""},
		{"half a row", series(3, 1, 6), "series has 3 numbers, want a multiple of 2"},
		{"a row without its time", series(3, 1, math.NaN(), 1), "hours in row 1 of the series is missing"},
		{"a fraction in the series", series(3, 1, 6, 1.5), "row 1 of the series: alive is 1.5, want a whole number below 2⁵³"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			e := probe(func(_ context.Context, p experiment.Point, out *experiment.Result) error {
				if p.Seed == 2 {
					return test.run(out)
				}
				return metrics(1, 1)(out)
			})
			_, p := plan(t, e, "seeds = 3")
			store := newMemory(t)
			report, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			row := store.rows[1]
			if test.want == "" {
				if row.Status != results.OK || report.Failed != 0 {
					t.Errorf("row %+v, want no fault", row)
				}
				return
			}
			if row.Status != results.Failed || row.Error != test.want || row.Result.Metrics != nil || row.Point.Seed != 2 {
				t.Errorf("row %+v, want it to have failed with %q", row, test.want)
			}
			if report.OK != 2 || report.Failed != 1 || len(report.Failures) != 1 {
				t.Fatalf("report %+v, want 2 runs and 1 failure", report)
			}
			stack := string(report.Failures[0].Stack)
			if panicked := strings.HasPrefix(test.want, "panic"); panicked != strings.Contains(stack, "TestFaultsAreFailedRows") {
				t.Errorf("stack %q", stack)
			}
		})
	}
}

func metrics(m ...float64) func(*experiment.Result) error {
	return func(out *experiment.Result) error { out.Metrics = m; return nil }
}

func series(s ...float64) func(*experiment.Result) error {
	return func(out *experiment.Result) error {
		out.Metrics, out.Series = []float64{0, 0}, s
		return nil
	}
}

func TestSeriesWithoutDeclaration(t *testing.T) {
	e := probe(func(_ context.Context, _ experiment.Point, out *experiment.Result) error { return series(1)(out) })
	e.Series = experiment.Series{}
	_, p := plan(t, e, "")
	store := newMemory(t)
	if _, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 1}); err != nil {
		t.Fatal(err)
	}
	if got, want := store.rows[0].Error, "result has a series, probe declares none"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestReportListsTheFirstFailures(t *testing.T) {
	e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		if p.Seed%3 == 0 {
			return fmt.Errorf("seed %d", p.Seed)
		}
		return good(ctx, p, out)
	})
	_, p := plan(t, e, "seeds = 300")
	for _, workers := range []int{1, 4} {
		report, err := engine.Run(t.Context(), p, newMemory(t), engine.Options{Workers: workers})
		if err != nil || report.OK != 200 || report.Failed != 100 || len(report.Failures) != engine.MaxListed {
			t.Fatalf("workers %d: report %+v, error %v", workers, report, err)
		}
		for i, f := range report.Failures {
			if want := fmt.Sprint("seed ", 3*(i+1)); f.Row.Error != want {
				t.Errorf("workers %d: failure %d is %q, want %q", workers, i, f.Row.Error, want)
			}
		}
	}
}

func TestInterruptionKeepsWhatIsUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			time.Sleep(time.Second)
			return errors.Join(ctx.Err(), good(ctx, p, out))
		})
		_, p := plan(t, e, "seeds = 100")
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3500*time.Millisecond, func() { cancel(interrupted) })
		store := newMemory(t)
		report, err := engine.Run(ctx, p, store, engine.Options{Workers: 2, Grace: time.Minute})
		if !errors.Is(err, interrupted) || report.OK != 8 || report.Failed != 0 || len(store.rows) != 8 || store.uncommitted != 0 {
			t.Errorf("report %+v, %d rows, %d not committed, error %v; want 8 rows and the cause",
				report, len(store.rows), store.uncommitted, err)
		}
	})
}

func TestRowsBecomeLastingWhileRunsAreRare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			if p.Seed > 1 {
				time.Sleep(time.Hour)
			}
			return good(ctx, p, out)
		})
		_, p := plan(t, e, "seeds = 3")
		store := newMemory(t)
		time.AfterFunc(2500*time.Millisecond, func() { // between two ticks
			defer store.enter()()
			if len(store.rows) != 1 || store.uncommitted != 0 {
				t.Errorf("after 2.5 s: %d rows, %d not committed; want 1 and 0", len(store.rows), store.uncommitted)
			}
		})
		if _, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 2}); err != nil {
			t.Error(err)
		}
	})
}

func TestStoreErrorsEndTheSweep(t *testing.T) {
	full := errors.New("disk full")
	_, p := plan(t, probe(good), "seeds = 100000")
	store := newMemory(t)
	store.appendErr = full
	report, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 2})
	if !errors.Is(err, full) || report.OK != 0 {
		t.Errorf("append: report %+v, error %v; want %v", report, err, full)
	}

	store = newMemory(t)
	store.commitErr = full
	if _, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 2}); !errors.Is(err, full) {
		t.Errorf("last commit: error %v, want %v", err, full)
	}

	synctest.Test(t, func(t *testing.T) {
		e := probe(func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			time.Sleep(300 * time.Millisecond)
			return good(ctx, p, out)
		})
		_, p := plan(t, e, "seeds = 100000")
		store := newMemory(t)
		store.commitErr = full
		report, err := engine.Run(t.Context(), p, store, engine.Options{Workers: 1})
		if !errors.Is(err, full) || report.OK > 4 {
			t.Errorf("commit by the clock: report %+v, error %v; want %v after a second", report, err, full)
		}
	})
}

// BenchmarkEngine measures what everything around a simulation costs: a
// sweep of runs that do nothing, from the spec to the final files.
func BenchmarkEngine(b *testing.B) {
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("runs=100000/workers=%d", workers), func(b *testing.B) {
			e := probe(good)
			for b.Loop() {
				spec, p := plan(b, e, "seeds = 1000\n[grid]\nx = { from = 1, to = 100, step = 1 }")
				store, err := results.Open(b.TempDir(), spec, p)
				if err != nil {
					b.Fatal(err)
				}
				if report, err := engine.Run(b.Context(), p, store, engine.Options{Workers: workers}); err != nil || report.OK != 100_000 {
					b.Fatal(report, err)
				}
				if err := store.Finish(); err != nil {
					b.Fatal(err)
				}
				if err := store.Close(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100_000, "ns/run")
		})
	}
}
