package runner

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/sourcegraph/conc"
	"github.com/sourcegraph/conc/pool"
)

// Pool sets the size of a pool.
type Pool struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// Runs is the context of the runs under way, by which a caller can
	// end them. If it is nil they go on to their own end.
	Runs context.Context
}

// A Finished is what became of one number.
type Finished[T any] struct {
	Index int64  // the number that next gave
	Value T      // what do returned; the zero value if it panicked
	Panic *Panic // nil unless do panicked
}

// Run executes do for every number that next yields, until next's ok is
// false, and hands each outcome to sink.
//
// next is called by one goroutine at a time, never again after ok was
// false, and should be quick: workers wait for each other in it. do is
// called on up to Workers goroutines at once. sink is called on the
// goroutine that called Run. Calls of next and sink may overlap.
//
// When ctx ends, no further run starts, but those under way may finish and
// reach sink: do's context ends with Pool.Runs, not with ctx. If next has
// more numbers then, one of which it is asked for in vain, Run returns ctx's
// cause. When sink fails, the context
// of the runs under way ends, their outcomes are dropped, and Run returns
// sink's error.
//
// A panic in do is the outcome of that run alone. A panic in next or sink
// ends Run with that panic. Run returns after all its goroutines have
// ended, and panics if Workers is below 1.
//
// The pool costs well under a microsecond a run (see the benchmark).
func Run[T any](
	ctx context.Context, options Pool,
	next func() (i int64, ok bool),
	do func(ctx context.Context, i int64) T,
	sink func(Finished[T]) error,
) error {
	if options.Workers < 1 {
		panic("runner: Workers is below 1")
	}
	if options.Runs == nil {
		options.Runs = context.WithoutCancel(ctx)
	}
	runs, abandon := context.WithCancel(options.Runs)
	feed := &feed{ctx: ctx, abandoned: runs, next: next}

	// The buffer lets workers run ahead of a sink that is busy writing.
	outcomes := make(chan Finished[T], 4*options.Workers)
	workers := pool.New().WithMaxGoroutines(options.Workers)
	for range options.Workers {
		workers.Go(func() {
			for {
				i, ok := feed.take()
				if !ok {
					return
				}
				f := Finished[T]{Index: i}
				// Here, because the pool would hold a panic back until all other
				// runs have ended, and raise it then.
				f.Panic = Recover(func() { f.Value = do(runs, i) })
				outcomes <- f
			}
		})
	}
	var closer conc.WaitGroup
	closer.Go(func() {
		defer close(outcomes)
		workers.Wait()
	})

	// Deferred so that a panic in sink, too, ends the workers first.
	defer func() {
		abandon()
		for range outcomes { // let blocked workers go
		}
		closer.Wait() // raises a panic of next
	}()

	for outcome := range outcomes {
		if err := sink(outcome); err != nil {
			return err
		}
	}
	if ctx.Err() != nil && feed.more() {
		return context.Cause(ctx)
	}
	return nil
}

// A feed hands out numbers to the workers.
type feed struct {
	ctx       context.Context // no new runs after its end
	abandoned context.Context // nor after this one's

	mu        sync.Mutex
	next      func() (int64, bool)
	exhausted bool // next has no more numbers
	broken    bool // next has panicked
}

// take returns the number of a run to start now.
func (f *feed) take() (int64, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.exhausted || f.broken || f.ctx.Err() != nil || f.abandoned.Err() != nil {
		return 0, false
	}
	f.broken = true // until next returns
	i, ok := f.next()
	f.broken = false
	if !ok {
		f.exhausted = true
		return 0, false
	}
	return i, true
}

// more reports whether there are numbers that were not handed out. It is
// called when the workers have ended.
func (f *feed) more() bool {
	if !f.exhausted && !f.broken {
		_, ok := f.next()
		f.exhausted = !ok
	}
	return !f.exhausted
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

// Unwrap returns the value if it is an error, such as a runtime.Error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

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
