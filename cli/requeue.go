package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"github.com/spf13/cobra"
)

// A requeue is what --requeue-with asks for: a command that gives a batch
// job back to its scheduler. That the program runs it itself lets a job's
// script become this program (exec). If the script's shell stayed to do so,
// each signal would reach the shell and the program, or the shell alone,
// depending on who sends it.
type requeue string

// define gives the command the flag.
func (r *requeue) define(cmd *cobra.Command) {
	cmd.Flags().StringVar((*string)(r), "requeue-with", "", "in a batch job: if the sweep can go on later (75), run `COMMAND` with sh")
}

// after runs the command if err says that the sweep is to go on later, and
// returns err. That the command failed is told on stderr.
func (r *requeue) after(cmd *cobra.Command, err error) error {
	if *r == "" || !goesOnLater(err) {
		return err
	}
	stderr := cmd.ErrOrStderr()
	sh := exec.CommandContext(cmd.Context(), "sh", "-c", string(*r))
	sh.Stdout, sh.Stderr = stderr, stderr
	if shErr := sh.Run(); shErr != nil {
		fmt.Fprintf(stderr, "sweep: --requeue-with %q: %v\n", string(*r), shErr)
	}
	return err
}

// goesOnLater reports whether err ends a sweep that is to be tried again: it
// ran out of time, as a scheduler also tells by SIGUSR1 or SIGUSR2, or
// another process has its directory. SIGINT and SIGTERM are somebody's will
// that it ends: a scheduler that only wants its machine back puts the job
// into the queue by itself.
func goesOnLater(err error) bool {
	if i, ok := errors.AsType[*interruption](err); ok {
		return i.signal != os.Interrupt && i.signal != syscall.SIGTERM
	}
	return exitCode(err) == exitInterrupted
}
