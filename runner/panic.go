package runner

import (
	"context"
	"fmt"
	"runtime/debug"
)

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

// protected executes one run. It recovers inside the run because the pool
// would hold a panic back until all other runs have ended, and raise it
// then.
func protected[T any](ctx context.Context, i int64, do func(context.Context, int64) T) (f Finished[T]) {
	f.Index = i
	f.Panic = Recover(func() { f.Value = do(ctx, i) })
	return f
}
