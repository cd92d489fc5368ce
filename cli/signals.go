package cli

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interrupts are the signals that end a sweep in good order: those of a
// terminal and of service managers, and those by which batch systems warn
// of an end to come (Slurm's --signal, SGE's -notify).
var interrupts = [...]os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2}

// interruptible returns a context that the first of the interrupts ends,
// with an *interruption as its cause, after calling notify. A second signal
// ends the program at once, as the first does without this function. The
// caller must call stop, which restores that.
func interruptible(ctx context.Context, notify func(os.Signal)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, interrupts[:]...)
	ended := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for first := true; ; first = false {
			select {
			case s := <-signals:
				if !first {
					os.Exit(killedBy(s))
				}
				notify(s)
				cancel(&interruption{s})
			case <-ended:
				return
			}
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(ended)
		watcher.Wait()
		cancel(nil)
	}
}

// unheard lets the program go on when nobody reads what it says on stderr any
// more, as when the reader of a pipe has ended: only what is said is lost. The
// caller must call heard, after which such a pipe ends the program again.
func unheard() (heard func()) {
	signal.Ignore(syscall.SIGPIPE)
	return func() { signal.Reset(syscall.SIGPIPE) }
}

// killedBy returns the exit code by which shells tell of a signal.
func killedBy(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitInterrupted
}
