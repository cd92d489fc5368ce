package main

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interruptible returns a context that the first SIGINT or SIGTERM ends,
// with an *interruption as its cause, after calling notify. A second signal
// ends the program at once, as the first does without this function. The
// caller must call stop, which restores that.
func interruptible(ctx context.Context, notify func()) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for first := true; ; first = false {
			select {
			case s := <-signals:
				if !first {
					os.Exit(killedBy(s))
				}
				notify()
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

// killedBy returns the exit code by which shells tell of a signal.
func killedBy(s os.Signal) int {
	if n, ok := s.(syscall.Signal); ok {
		return 128 + int(n)
	}
	return exitInterrupted
}
