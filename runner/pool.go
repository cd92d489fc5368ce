package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
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
// A panic in next, do or sink ends Run with that panic. Run returns after all
// its goroutines have ended.
//
// The pool costs well under a microsecond a run (see the benchmark).
func Run[T any](
	ctx, runs context.Context, workers int,
	next func() (i int64, ok bool),
	do func(ctx context.Context, i int64) T,
	sink func(T) error,
) error {
	if workers < 1 {
		panic("runner: workers is below 1")
	}
	runs, abandon := context.WithCancel(runs)
	var mu sync.Mutex
	exhausted, failure := false, (*Panic)(nil)
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
	// The buffer lets workers run ahead of a sink that is busy writing.
	outcomes := make(chan T, 4*workers)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			p := Recover(func() {
				for i, ok := take(); ok; i, ok = take() {
					outcomes <- do(runs, i)
				}
			})
			if p != nil {
				abandon()
				mu.Lock()
				failure = p
				mu.Unlock()
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
		if failure != nil {
			panic(fmt.Sprintf("runner: %v\n%s", failure, failure.Stack))
		}
	}()
	for outcome := range outcomes {
		if err := sink(outcome); err != nil {
			return err
		}
	}
	if ctx.Err() != nil && !exhausted && failure == nil {
		if _, more := next(); more {
			return context.Cause(ctx)
		}
	}
	return nil
}

// A Panic is the end of a run that panicked.
type Panic struct {
	Value any    // the argument of panic
	Stack []byte // the stack of the run's goroutine, for people
}

// Error returns "panic: " and the value. The stack is left out: it holds
// addresses and goroutine numbers, which differ from one process to the
// next, while the text of a failed run is part of the results.
func (p *Panic) Error() string { return fmt.Sprintf("panic: %v", p.Value) }

// Recover calls f and returns its panic, or nil if it returned.
func Recover(f func()) (p *Panic) {
	defer func() {
		if v := recover(); v != nil {
			p = &Panic{Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}
