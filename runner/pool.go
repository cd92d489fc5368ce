package runner

import (
	"context"
	"fmt"
	"sync"

	"github.com/sourcegraph/conc/panics"
)

// Run executes do for every number that next yields, until next's ok is
// false, on up to so many workers at once, at least 1, and hands what do
// returns to sink.
//
// next is called by one goroutine at a time, never again after ok was
// false, and should be quick: workers wait for each other in it. sink is called
// on the goroutine that called Run. Calls of next and sink may overlap.
//
// When ctx ends, no further run starts, but those under way may finish and
// reach sink: do's context ends with runs, not with ctx. If next has more
// numbers then, one of which it is asked for in vain, Run returns ctx's
// cause. When sink fails, the context of the runs under way ends, what they
// return is dropped, and Run returns sink's error.
//
// Workers may be so many outcomes ahead of a sink that is busy, and one each.
//
// A panic in next, do or sink ends Run with that panic. Run returns after all
// its goroutines have ended.
//
// The pool costs well under a microsecond a run (BenchmarkOverhead).
func Run[T any](
	ctx, runs context.Context, workers, ahead int,
	next func() (i int64, ok bool),
	do func(ctx context.Context, i int64) T,
	sink func(T) error,
) error {
	if workers < 1 {
		panic("runner: workers is below 1")
	}
	runs, abandon := context.WithCancel(runs)
	var mu sync.Mutex
	exhausted := false
	take := func() (i int64, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if exhausted || ctx.Err() != nil || runs.Err() != nil {
			return 0, false
		}
		i, ok = next()
		exhausted = !ok
		return i, ok
	}
	outcomes := make(chan T, ahead)
	var group sync.WaitGroup
	var panicked panics.Catcher
	for range workers {
		group.Go(func() {
			panicked.Try(func() {
				for i, ok := take(); ok; i, ok = take() {
					outcomes <- do(runs, i)
				}
			})
			if panicked.Recovered() != nil {
				abandon()
			}
		})
	}
	go func() {
		group.Wait()
		close(outcomes)
	}()

	// Deferred so that a panic in sink, too, ends the workers first.
	defer func() {
		abandon()
		for range outcomes { // let blocked workers go
		}
		if p := panicked.Recovered(); p != nil {
			panic(fmt.Sprintf("runner: panic: %v\n%s", p.Value, p.Stack))
		}
	}()
	for outcome := range outcomes {
		if err := sink(outcome); err != nil {
			return err
		}
	}
	if ctx.Err() != nil && !exhausted && panicked.Recovered() == nil {
		if _, more := next(); more {
			return context.Cause(ctx)
		}
	}
	return nil
}
