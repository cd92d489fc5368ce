package cli

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/experiments/command"
)

// interruptible returns a context that the first of the interrupts ends,
// with a *failure as its cause, before calling notify. A second signal
// ends the program at once, as the first does without this function, with the
// exit code by which shells tell of a signal. One that was ignored when the
// program began, as nohup has it, stays ignored. The caller must call stop,
// which restores that.
func interruptible(ctx context.Context, notify func(syscall.Signal)) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, slices.DeleteFunc(slices.Clone(interrupts), signal.Ignored)...)
	var watcher sync.WaitGroup
	watcher.Go(func() {
		for s := range signals {
			s := s.(syscall.Signal)
			if ctx.Err() != nil {
				exitNow(128 + int(s))
			}
			cancel(&failure{code: exitInterrupted, message: "interrupted", signal: s})
			notify(s)
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(signals)
		watcher.Wait()
		cancel(nil)
	}
}

// exitNow ends this program, and those that runs have started, without waiting
// for anything.
func exitNow(code int) {
	command.KillAll()
	os.Exit(code)
}

// closing is how long a sweep that is to end may take to close its directory
// after the runs under way have ended or were given up: what is left of the
// 30 s that schedulers leave between SIGTERM and SIGKILL. Tests shorten it.
var closing = 8 * time.Second

// requeue runs a command that gives a batch job back to its scheduler, if
// err says that the sweep is to be tried again, and returns err: it ran out of
// time, as a scheduler also tells by SIGUSR1, SIGUSR2 or SIGXCPU, or another
// process has its directory. SIGINT, SIGTERM and SIGHUP are somebody's will that
// it ends: a scheduler that only wants its machine back puts the job into the
// queue by itself. That the command failed is told on stderr.
//
// That the program runs it itself lets a job's script become this program
// (exec). If the script's shell stayed to do so, each signal would reach the
// shell and the program, or the shell alone, depending on who sends it.
func requeue(cmd *cobra.Command, command string, err error) error {
	f, ok := errors.AsType[*failure](err)
	onRequest := ok && slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, f.signal)
	if command == "" || onRequest || exitCode(err) != exitInterrupted {
		return err
	}
	sh := exec.CommandContext(cmd.Context(), "sh", "-c", command)
	sh.Stdout, sh.Stderr = cmd.ErrOrStderr(), cmd.ErrOrStderr()
	if shErr := sh.Run(); shErr != nil {
		say(cmd.ErrOrStderr(), "%s: --requeue-with %q: %v", cmd.Root().Name(), command, shErr)
	}
	return err
}
