package cli

import (
	"context"
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"

	"sweep/internal/command"
)

// interruptible returns a context that ends at the first of the interrupts,
// with a *failure as its cause; then it calls notify. A second signal ends the
// program at once, as the first does without this function, with the exit code
// by which shells tell of a signal. A signal that was ignored when the program
// began, as under nohup, stays ignored. The caller must call stop, which
// restores all that.
func interruptible(
	ctx context.Context, notify func(syscall.Signal),
) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, slices.DeleteFunc(slices.Clone(interrupts), signal.Ignored)...)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for s := range signals {
			number := s.(syscall.Signal)
			if ctx.Err() != nil {
				exitNow(128 + int(number))
			}
			cancel(&failure{code: exitInterrupted, message: "interrupted", signal: number})
			notify(number)
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		watcher.Wait()
		cancel(nil)
	}
}

// exitNow ends this program, and the programs that runs have started, without
// waiting for anything.
func exitNow(code int) {
	command.KillAll()
	os.Exit(code)
}
