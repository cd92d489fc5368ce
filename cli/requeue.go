package cli

import (
	"errors"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"
)

// requeue runs a command that gives a batch job back to its scheduler, if the
// error of a sweep says that it is to be tried again. It says on stderr if the
// command failed.
//
// The program runs the command itself so that a job's script can become this
// program (exec). If the shell of the script stayed to run it, a signal would
// reach the shell and the program, or the shell alone, depending on who sends
// it.
func requeue(cmd *cobra.Command, command string, err error) {
	if command == "" || !toRequeue(err) {
		return
	}
	stderr := cmd.ErrOrStderr()
	sh := exec.CommandContext(cmd.Context(), "sh", "-c", command)
	sh.Stdout = stderr
	sh.Stderr = stderr
	if err := sh.Run(); err != nil {
		say(stderr, "%s: --requeue-with %q: %v", cmd.Root().Name(), command, err)
	}
}

// toRequeue reports whether a sweep is to be tried again: it ran out of time,
// as schedulers also tell by SIGUSR1, SIGUSR2 or SIGXCPU, or another process
// is writing to its directory. SIGINT, SIGTERM and SIGHUP are somebody's wish
// to end it; a scheduler that only wants its machine back requeues the job by
// itself.
func toRequeue(err error) bool {
	if f, ok := errors.AsType[*failure](err); ok {
		switch f.signal {
		case syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP:
			return false
		}
	}
	return exitCode(err) == exitInterrupted
}
