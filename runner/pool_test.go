package runner_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"sweep/runner"
)

// count yields 0, 1, … n-1.
func count(n int64) func() (int64, bool) {
	i := int64(-1)
	return func() (int64, bool) {
		i++
		return i, i < n
	}
}

func identity(_ context.Context, i int64) int64 { return i }

func TestEveryRunExactlyOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 7} {
		for _, n := range []int64{0, 1, 2, 1000} {
			t.Run(fmt.Sprintf("workers=%d/runs=%d", workers, n), func(t *testing.T) {
				seen := make([]int, n)
				err := runner.Run(t.Context(), t.Context(), workers, count(n),
					identity,
					func(i int64) error {
						seen[i]++ // the sink is alone: no lock
						return nil
					})
				if err != nil {
					t.Fatal(err)
				}
				for i, times := range seen {
					if times != 1 {
						t.Errorf("run %d reached the sink %d times, want once", i, times)
					}
				}
			})
		}
	}
}

// In the bubble all workers are asleep at once before time moves on, so
// the highest number of sleepers is exactly the number of workers.
func TestConcurrencyIsBoundedAndReached(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const workers = 3
		var running, highest atomic.Int64
		err := runner.Run(t.Context(), t.Context(), workers, count(50),
			func(context.Context, int64) struct{} {
				now := running.Add(1)
				for h := highest.Load(); now > h && !highest.CompareAndSwap(h, now); h = highest.Load() {
				}
				time.Sleep(time.Second)
				running.Add(-1)
				return struct{}{}
			},
			func(struct{}) error { return nil })
		if err != nil || highest.Load() != workers {
			t.Errorf("%d runs at once and error %v, want %d and none", highest.Load(), err, workers)
		}
	})
}

func TestRunsAreAskedForLazily(t *testing.T) {
	const workers = 2
	var asked, sunk int64
	next := count(10_000)
	err := runner.Run(t.Context(), t.Context(), workers,
		func() (int64, bool) { atomic.AddInt64(&asked, 1); return next() },
		identity,
		func(int64) error {
			// Under way, in the buffer, or in the sink.
			if ahead := atomic.LoadInt64(&asked) - sunk; ahead > 6*workers {
				t.Errorf("%d runs are ahead of the sink, want at most %d", ahead, 6*workers)
			}
			sunk++
			return nil
		})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCancelLetsRunningRunsFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		interrupted := errors.New("interrupted")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			time.Sleep(2500 * time.Millisecond)
			cancel(interrupted)
		}()
		var started, finished int64
		err := runner.Run(ctx, t.Context(), 2, count(100),
			func(ctx context.Context, _ int64) error {
				atomic.AddInt64(&started, 1)
				time.Sleep(time.Second)
				return ctx.Err()
			},
			func(o error) error {
				finished++
				if o != nil {
					t.Errorf("a run saw %v, want a context that lasts", o)
				}
				return nil
			})
		if !errors.Is(err, interrupted) {
			t.Errorf("error %v, want the cause %v", err, interrupted)
		}
		if started != 6 || finished != 6 { // two each in seconds 1, 2 and 3
			t.Errorf("%d runs started and %d finished, want 6 and 6", started, finished)
		}
	})
}

func TestRunsEndWithTheirOwnContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("too late")
		runs, end := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { end(late) })
		ended := 0
		err := runner.Run(t.Context(), runs, 2, count(2),
			func(ctx context.Context, _ int64) error {
				<-ctx.Done() // would deadlock if the runs were not told
				return context.Cause(ctx)
			},
			func(o error) error {
				ended++
				if !errors.Is(o, late) {
					t.Errorf("a run ended with %v, want the cause %v", o, late)
				}
				return nil
			})
		if err != nil || ended != 2 {
			t.Errorf("%d outcomes and error %v, want 2 and none", ended, err)
		}
	})
}

func TestCancelAfterTheLastStartLosesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	next := count(5)
	sunk := 0
	err := runner.Run(ctx, t.Context(), 2,
		func() (int64, bool) {
			i, ok := next()
			if !ok {
				cancel()
			}
			return i, ok
		},
		identity,
		func(int64) error { sunk++; return nil })
	if err != nil || sunk != 5 {
		t.Errorf("%d outcomes and error %v, want 5 and none: the work was complete", sunk, err)
	}
}

// The last run ends the context before any worker could learn that it was
// the last.
func TestCancelDuringTheLastRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := runner.Run(ctx, t.Context(), 1, count(5),
		func(_ context.Context, i int64) int64 {
			if i == 4 {
				cancel()
			}
			return i
		},
		func(int64) error { return nil })
	if err != nil {
		t.Errorf("error %v, want none: the work was complete", err)
	}
}

func TestSinkErrorEndsTheRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("disk full")
		var started atomic.Int64
		calls := 0
		err := runner.Run(t.Context(), t.Context(), 3, count(1000),
			func(ctx context.Context, i int64) int64 {
				started.Add(1)
				if i > 0 {
					<-ctx.Done() // would deadlock if the runs were not told
				}
				return i
			},
			func(int64) error { calls++; return full })
		if !errors.Is(err, full) || calls != 1 {
			t.Errorf("error %v after %d calls of sink, want %v after 1", err, calls, full)
		}
		if n := started.Load(); n > 4 { // run 0, and one for each worker
			t.Errorf("%d runs started, want at most 4", n)
		}
		// The bubble fails the test if a goroutine is left.
	})
}

func TestPanicsOfTheCallersFunctions(t *testing.T) {
	catch := func(f func()) (v any) {
		defer func() { v = recover() }()
		f()
		return nil
	}
	before := runtime.NumGoroutine()
	next := catch(func() {
		calls := 0
		_ = runner.Run(t.Context(), t.Context(), 2,
			func() (int64, bool) {
				if calls++; calls == 4 {
					panic("next broke")
				}
				return int64(calls), true
			},
			identity,
			func(int64) error { return nil })
	})
	if next == nil || !strings.Contains(fmt.Sprint(next), "next broke") {
		t.Errorf("recovered %v, want next's panic", next)
	}
	do := catch(func() {
		_ = runner.Run(t.Context(), t.Context(), 2, count(1e9), func(_ context.Context, i int64) int64 { panic(fmt.Sprint("run broke ", i)) },
			func(int64) error { return nil })
	})
	if do == nil || !strings.Contains(fmt.Sprint(do), "run broke") || !strings.Contains(fmt.Sprint(do), "TestPanicsOfTheCallersFunctions") {
		t.Errorf("recovered %v, want do's panic with its stack", do)
	}
	sink := catch(func() {
		_ = runner.Run(t.Context(), t.Context(), 2, count(100), identity,
			func(int64) error { panic("sink broke") })
	})
	if sink != "sink broke" {
		t.Errorf("recovered %v, want sink's panic", sink)
	}
	if workers := catch(func() {
		_ = runner.Run(t.Context(), t.Context(), 0, count(1), identity,
			func(int64) error { return nil })
	}); workers == nil {
		t.Error("zero workers: no panic")
	}
	for range 100 { // goroutines that have ended may still be counted
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), before)
}

// BenchmarkOverhead measures what the pool adds to a run.
func BenchmarkOverhead(b *testing.B) {
	for _, workers := range []int{1, 2, 4, 16} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			sunk := 0
			err := runner.Run(b.Context(), b.Context(), workers, count(int64(b.N)), identity,
				func(int64) error { sunk++; return nil })
			if err != nil || sunk != b.N {
				b.Fatal(sunk, err)
			}
		})
	}
}
