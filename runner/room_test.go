package runner_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sweep/experiment"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/runner"
)

// greedy is an experiment whose runs last for a second, but seed 2 runs out of
// memory so many times first. It keeps how many runs were under way together,
// most of all and at most beside an attempt at seed 2 by its number.
type greedy struct {
	times  int64
	under  atomic.Int64
	mu     sync.Mutex
	most   int64
	beside []int64
}

func (g *greedy) run(ctx context.Context, p experiment.Point, out *experiment.Result) error {
	defer g.under.Add(-1)
	g.under.Add(1)
	time.Sleep(time.Second / 2) // all that have begun are under way
	g.mu.Lock()
	now := g.under.Load()
	g.most = max(g.most, now)
	fails := false
	if p.Seed == 2 {
		g.beside = append(g.beside, now-1)
		fails = int64(len(g.beside)) <= g.times
	}
	g.mu.Unlock()
	time.Sleep(time.Second / 2)
	if fails {
		return fmt.Errorf("killed: %w", experiment.ErrOutOfMemory)
	}
	return good(ctx, p, out)
}

// Runs execute together as far as their memory goes. One that ran out of it
// gets more, beside fewer others, in spite of those that need less.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		name    string
		memory  []int64
		retries int
		times   int64   // that seed 2 runs out of memory
		beside  []int64 // at most, at each attempt at seed 2
		want    string
	}{
		{"enough", []int64{10}, 0, 0, []int64{3}, "8 0 4 <nil>"},
		{"more", []int64{10, 20, 40}, 0, 2, []int64{3, 2, 0}, "8 0 4 <nil>"},
		{"the last", []int64{10, 20}, 1, 9, []int64{3, 2, 2},
			"7 1 4 <nil>; memory 3 it ran out of memory with 20 B, the last of memory: killed: out of memory"},
		{"too little", []int64{20, 50}, 0, 9, []int64{1},
			"7 1 2 <nil>; memory 1 it ran out of memory with 20 B, and the next of memory, 50 B, is more than this machine has: killed: out of memory"},
		{"not counted", nil, 0, 9, []int64{3}, "7 1 4 <nil>; memory 1 killed: out of memory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			store := newStore(t, probe(nil), "seeds = 8")
			synctest.Test(t, func(t *testing.T) {
				g := &greedy{times: c.times}
				store.Spec.Experiment.Run = g.run
				options := runner.Options{Workers: 4, Retries: c.retries, Room: runner.Room{Memory: c.memory, Available: 40}}
				report, err := runner.Sweep(t.Context(), store.Store, options)
				got := fmt.Sprint(report.OK, report.Failed, g.most, err)
				for _, o := range report.Failures {
					got += fmt.Sprintf("; %s %d %s", o.Fault, o.Attempts, o.Row.Error)
				}
				if got != c.want || len(g.beside) != len(c.beside) {
					t.Fatalf("%s, beside seed 2 were %v; want\n%s, %v", got, g.beside, c.want, c.beside)
				}
				for i, n := range g.beside {
					if n > c.beside[i] {
						t.Errorf("beside seed 2 were %v, want at most %v", g.beside, c.beside)
					}
				}
			})
		})
	}
}

// A run that waits for memory when the sweep is stopped does not begin.
func TestStoppedWhileWaitingForMemory(t *testing.T) {
	store := newStore(t, probe(nil), "seeds = 4")
	synctest.Test(t, func(t *testing.T) {
		g := &greedy{}
		store.Spec.Experiment.Run = g.run
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/4)
		defer cancel()
		options := runner.Options{Workers: 3, Grace: time.Hour, Room: runner.Room{Memory: []int64{30}, Available: 40}}
		report, err := runner.Sweep(ctx, store.Store, options)
		if report.OK != 1 || report.GivenUp != 0 || err == nil {
			t.Errorf("%+v, %v", report, err)
		}
	})
}

// Each run has GPUs to itself.
func TestGPUs(t *testing.T) {
	var used sync.Map
	took := func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
		gpus := experiment.GPUs(ctx)
		if _, busy := used.LoadOrStore(gpus, true); busy || gpus == "" {
			t.Errorf("GPUs %q are in use", gpus)
		}
		defer used.Delete(gpus)
		time.Sleep(time.Millisecond)
		return good(ctx, p, out)
	}
	store := newStore(t, probe(took), "seeds = 40")
	options := runner.Options{Workers: 2, Room: runner.Room{GPUs: []string{"0,1", "2,3"}}}
	testutil.Must(runner.Sweep(t.Context(), store.Store, options))
	view := testutil.Must(results.OpenReader(store.dir, []*experiment.Experiment{probe(took)}))
	testutil.NoError(runner.Rerun(t.Context(), view, options, 40, func(_, _ *results.Row) {}))
}

// Sweeps that share workers execute no more runs at once than one alone, and
// the second begins as soon as workers are idle.
func TestSharedWorkers(t *testing.T) {
	first := newStore(t, probe(nil), "seeds = 5")
	second := newStore(t, probe(nil), "seeds = 4")
	synctest.Test(t, func(t *testing.T) {
		g := &greedy{}
		first.Spec.Experiment.Run = g.run
		second.Spec.Experiment.Run = g.run
		shared := runner.Share(2, runner.Room{})
		allStarted := make(chan struct{}, 1)
		begin := time.Now()
		var both sync.WaitGroup
		both.Go(func() {
			observe := func(e runner.Event) {
				if e.Kind == runner.AllStarted {
					allStarted <- struct{}{}
				}
			}
			options := runner.Options{Workers: 2, Shared: shared, Observe: observe}
			report, err := runner.Sweep(t.Context(), first.Store, options)
			if report.OK != 5 || err != nil {
				t.Errorf("first: %+v, %v", report, err)
			}
		})
		<-allStarted
		both.Go(func() {
			options := runner.Options{Workers: 2, Shared: shared}
			report, err := runner.Sweep(t.Context(), second.Store, options)
			if report.OK != 4 || err != nil {
				t.Errorf("second: %+v, %v", report, err)
			}
		})
		both.Wait()
		if g.most != 2 {
			t.Errorf("%d runs were under way at once, want 2", g.most)
		}
		if took := time.Since(begin); took != 5*time.Second {
			t.Errorf("nine runs of a second took %v on two workers, want 5 s", took)
		}
	})
}
