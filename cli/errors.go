package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/document"
	"sweep/internal/table"
	"sweep/results"
	"sweep/runner"
)

// The exit codes, in the manner of sysexits.h: help/sweep.txt says what they
// mean. A second signal ends the program at once with 128 and its number.
const (
	exitComplete    = 0
	exitFailedRuns  = 1
	exitUsage       = 64
	exitData        = 65
	exitInternal    = 70
	exitIO          = 74
	exitInterrupted = 75
	exitUnread      = 128 + int(syscall.SIGPIPE) // as of a program that it ended
)

// A failure is an error with an exit code: a fault in the command line, or the
// end of a command that did what it could.
type failure struct {
	code    int
	message string         // empty: the user has been told
	hint    string         // what to do about it; empty if there is no advice
	signal  syscall.Signal // which interrupted the command; 0 if none did
}

func (f *failure) Error() string { return f.message }

// usage returns a fault in the command line.
func usage(hint, format string, a ...any) error {
	return &failure{code: exitUsage, message: fmt.Sprintf(format, a...), hint: hint}
}

// failed returns the end of a command that did what it could.
func failed(code int, format string, a ...any) *failure {
	return &failure{code: code, message: fmt.Sprintf(format, a...)}
}

// unknown reports a word that is not in a list of known words.
func unknown(what, word string, known []string) error {
	list := strings.Join(known, ", ")
	return usage(document.DidYouMean(word, known), "unknown %s %q, known are: %s", what, word, list)
}

// helpHint refers to the help text of a command.
func helpHint(cmd *cobra.Command) string {
	return fmt.Sprintf("%q explains the command", cmd.CommandPath()+" --help")
}

// errRecomputed is the end of a sweep that is complete after files of its
// directory were found corrupt.
var errRecomputed = failed(exitData,
	"results were corrupt and have been recomputed: they are complete now")

// isUnread reports whether a command ended because nobody read what it printed
// any more. Its results are in its directory by then.
func isUnread(err error) bool {
	fault, is := errors.AsType[*fs.PathError](err)
	return is && fault.Path == os.Stdout.Name() && errors.Is(fault, syscall.EPIPE)
}

// exitCode is the one place that maps errors to exit codes.
func exitCode(err error) int {
	if f, ok := errors.AsType[*failure](err); ok {
		return f.code
	}
	switch {
	case err == nil:
		return exitComplete
	case errors.As(err, new(*grid.Error)), errors.As(err, new(*results.DataError)):
		return exitData
	case errors.Is(err, runner.ErrOutOfTime), errors.Is(err, results.ErrLocked),
		errors.Is(err, results.ErrNotBegun), errors.Is(err, results.ErrNoRuns):
		return exitInterrupted
	case errors.Is(err, runner.ErrFailures), errors.Is(err, results.ErrAllFailed):
		return exitFailedRuns
	case isUnread(err):
		return exitUnread
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(syscall.Errno)):
		return exitIO
	case errors.Is(err, io.ErrShortWrite):
		return exitIO
	}
	return exitInternal
}

// isComplete reports whether a sweep that ended with this error lacks no run:
// some failed, or had to be computed again.
func isComplete(end error) bool {
	f, ok := errors.AsType[*failure](end)
	return ok && (f.code == exitFailedRuns || f.code == exitData)
}

// printError shows an error and, on a line of its own, what to do about it.
func (p *Program) printError(w io.Writer, err error) {
	if err.Error() == "" || isUnread(err) {
		return
	}
	say(w, "%s: %s", p.Name, p.withName(err.Error()))
	if h := hint(err); h != "" {
		say(w, "hint: %s", p.withName(h))
	}
}

// hint returns what to do about a fault; empty if there is no advice.
func hint(err error) string {
	if e, ok := errors.AsType[*failure](err); ok {
		return e.hint
	}
	if e, ok := errors.AsType[*grid.Error](err); ok {
		return e.Hint
	}
	if e, ok := errors.AsType[*results.DataError](err); ok {
		return e.Hint
	}
	if errors.Is(err, syscall.EMFILE) {
		return "raise the limit of open files (ulimit -Hn) to 520, or to 20 more than the " +
			"shards if these are fewer"
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "make room, and give the same command again"
	}
	if errors.Is(err, syscall.EFBIG) {
		return "raise the limit of the size of files (ulimit -f), and give the same command again"
	}
	return ""
}

// say writes a line for a person. What it quotes of files cannot command a
// terminal: control characters are replaced.
func say(w io.Writer, format string, a ...any) {
	fmt.Fprintln(w, table.Plain(fmt.Sprintf(format, a...)))
}

// sayEach writes a line of one kind, such as a warning, for each element.
func sayEach[T any](w io.Writer, kind string, list []T) {
	for _, x := range list {
		say(w, "%s: %v", kind, x)
	}
}

// runs writes a number of runs, as in "1 run".
func runs(n int64) string { return table.Count(n, "run") }
