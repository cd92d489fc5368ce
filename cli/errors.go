package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
	"sweep/internal/suggest"
	"sweep/results"
	"sweep/runner"
)

// The exit codes, in the manner of sysexits.h. A second signal ends the
// program at once with 128 and the signal's number.
const (
	exitComplete    = 0  // all that was asked for is done
	exitFailedRuns  = 1  // done, but runs have failed or are missing, or claims do not hold; or stopped because too many failed
	exitUsage       = 64 // the command line is wrong
	exitData        = 65 // a spec or stored results are wrong
	exitInternal    = 70 // a fault of this program
	exitIO          = 74 // reading or writing failed
	exitInterrupted = 75 // stopped by a signal or out of time, or another process is at work; the same command goes on
)

const exitCodes = `Exit codes:
  0   complete
  1   finished, but some runs failed or are missing, or a claim does not hold;
      or stopped, as too many runs failed
  64  wrong command line
  65  wrong spec, or corrupt results, even if they were recomputed
  70  internal fault
  74  reading or writing failed
  75  interrupted or out of time, or another process is writing to the
      directory; the same command goes on where it stopped`

// A usageError is a fault in the command line.
type usageError struct {
	message string
	hint    string // empty if there is no advice
}

func (e *usageError) Error() string { return e.message }

// An endError is an end that the exit code tells of, of a command that did
// what it could.
type endError struct {
	code     int
	message  string
	complete bool // runs failed or were recomputed, but none is missing
}

func (e *endError) Error() string { return e.message }

// failedRuns is the end of a sweep that ran to its end with failures.
func failedRuns(n int64) error {
	return &endError{exitFailedRuns, count(n, "run") + " failed", true}
}

// unfinishedRuns is the end of a merge; nil if no run has failed or is
// missing.
func unfinishedRuns(failed, missing int64) error {
	if failed == 0 && missing == 0 {
		return nil
	}
	return &endError{exitFailedRuns, fmt.Sprintf("not complete: %s failed, %d missing", count(failed, "run"), missing), missing == 0}
}

// corruptFiles is the end of a sweep that is complete after so many files of
// its directory were found corrupt.
func corruptFiles(n int) error {
	where := ""
	if n > 1 {
		where = fmt.Sprintf(" in %d files", n)
	}
	return &endError{exitData, "results" + where + " were corrupt and have been recomputed: they are complete now", true}
}

// A loggedError is an error of which nothing is left to be printed.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// exitCode is the one place that maps errors to exit codes.
func exitCode(err error) int {
	if end, ok := errors.AsType[*endError](err); ok {
		return end.code
	}
	switch {
	case err == nil:
		return exitComplete
	case is[*usageError](err):
		return exitUsage
	case is[*grid.Error](err), is[*results.DataError](err):
		return exitData
	case is[*interruption](err), errors.Is(err, runner.ErrOutOfTime), is[*results.LockedError](err):
		return exitInterrupted
	case is[*runner.FailuresError](err):
		return exitFailedRuns
	case is[*fs.PathError](err), is[*os.LinkError](err), is[*os.SyscallError](err),
		is[syscall.Errno](err), errors.Is(err, io.ErrShortWrite):
		return exitIO
	}
	return exitInternal
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}

// printError shows a fault and, on a line of its own, what to do about it,
// unless a log has it already.
func (p *Program) printError(w io.Writer, err error) {
	if is[*loggedError](err) {
		return
	}
	fmt.Fprintf(w, "%s: %s\n", p.Name, p.own(err.Error()))
	if h := hint(err); h != "" {
		fmt.Fprintf(w, "hint: %s\n", p.own(h))
	}
}

// hint returns what to do about a fault; empty if there is no advice.
func hint(err error) string {
	if e, ok := errors.AsType[*usageError](err); ok {
		return e.hint
	}
	if e, ok := errors.AsType[*grid.Error](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*results.DataError](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		usual := filepath.Join(defaultOutput, e.Path) // where "sweep run" writes what has this name
		if info, err := os.Stat(usual); err == nil && info.IsDir() {
			return fmt.Sprintf("did you mean %q?", usual)
		}
	}
	return ""
}

// unknownCommand reports a word that is no command of parent.
func unknownCommand(parent *cobra.Command, name string) error {
	var known []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	return unknown("command", name, known, parent)
}

// flagError turns a fault that the flag parser found into a usage error.
func flagError(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || missing.GetSpecifiedShortnames() != "" {
		return &usageError{message: err.Error(), hint: helpHint(cmd)}
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	return unknown("flag", missing.GetSpecifiedName(), known, cmd)
}

// unknown reports a word that is none of those known.
func unknown(what, word string, known []string, cmd *cobra.Command) error {
	return &usageError{
		message: fmt.Sprintf("unknown %s %q, known are: %s", what, word, strings.Join(known, ", ")),
		hint:    didYouMean(word, known, helpHint(cmd)),
	}
}

// unknownName reports a name that an experiment does not declare: what is
// "parameter" or "metric". There may be too many to list them.
func unknownName(what, name string, e *experiment.Experiment, known []string) error {
	return &usageError{
		message: fmt.Sprintf("%s has no %s %q", e.Name, what, name),
		hint:    didYouMean(name, known, fmt.Sprintf("\"sweep params %s\" lists them", e.Name)),
	}
}

// didYouMean returns a hint to the known word that is nearest to a misspelt
// one, or the other hint if none is near.
func didYouMean(word string, known []string, otherwise string) string {
	if near := suggest.Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return otherwise
}

func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("%q explains the command", cmd.CommandPath()+" --help")
}

// arguments accepts at least low and at most high arguments.
func arguments(low, high int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if low <= len(args) && len(args) <= high {
			return nil
		}
		return &usageError{
			message: fmt.Sprintf("%q got %d arguments, want: %s", cmd.CommandPath(), len(args), cmd.UseLine()),
			hint:    helpHint(cmd),
		}
	}
}

// count writes a number of things with thousands separated.
func count(n int64, thing string) string { return report.Count(n, thing) }
