package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"sweep/grid"
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

// A failedRuns is the end of a sweep that ran to its end with failures.
type failedRuns int64

func (n failedRuns) Error() string { return count(int64(n), "run") + " failed" }

// An unfinishedRuns tells of a directory in which runs have failed or are
// missing.
type unfinishedRuns struct{ failed, missing int64 }

func (u unfinishedRuns) Error() string {
	return fmt.Sprintf("not complete: %s failed, %d missing", count(u.failed, "run"), u.missing)
}

// asError returns nil if no run has failed or is missing.
func (u unfinishedRuns) asError() error {
	if u.failed == 0 && u.missing == 0 {
		return nil
	}
	return u
}

// A differingRuns counts stored runs that are not what their parameters
// make them.
type differingRuns int64

func (n differingRuns) Error() string {
	if n == 1 {
		return "1 run differs from what is stored"
	}
	return fmt.Sprintf("%d runs differ from what is stored", int64(n))
}

// A corruptFiles is the end of a sweep that is complete after that many
// files of its directory were found corrupt, and their runs computed again.
type corruptFiles int

func (n corruptFiles) Error() string {
	if n == 1 {
		return "results were corrupt and have been recomputed: they are complete now"
	}
	return fmt.Sprintf("results in %d files were corrupt and have been recomputed: they are complete now", int(n))
}

// A loggedError is an error of which nothing is left to be printed.
type loggedError struct{ error }

func (e *loggedError) Unwrap() error { return e.error }

// exitCode is the one place that maps errors to exit codes.
func exitCode(err error) int {
	switch {
	case err == nil:
		return exitComplete
	case is[*usageError](err):
		return exitUsage
	case is[*grid.Error](err), is[*results.DataError](err), is[corruptFiles](err), is[differingRuns](err):
		return exitData
	case is[*interruption](err), errors.Is(err, runner.ErrOutOfTime), is[*results.LockedError](err):
		return exitInterrupted
	case is[failedRuns](err), is[unfinishedRuns](err), is[unconfirmed](err), is[different](err), is[*runner.FailuresError](err):
		return exitFailedRuns
	case is[*fs.PathError](err), is[*os.LinkError](err), is[*os.SyscallError](err),
		is[syscall.Errno](err), errors.Is(err, io.ErrShortWrite), is[*submissionError](err):
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
		return usualPlace(e.Path)
	}
	return ""
}

// usualPlace returns a hint to the directory into which "sweep run" writes
// what has this name; empty if there is none.
func usualPlace(name string) string {
	usual := filepath.Join(defaultOutput, name)
	if info, err := os.Stat(usual); err != nil || !info.IsDir() {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", usual)
}
