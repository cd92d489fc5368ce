package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/grid"
	"sweep/internal/lists"
	"sweep/internal/report"
	"sweep/internal/suggest"
	"sweep/results"
	"sweep/runner"
)

// The exit codes, in the manner of sysexits.h: help/sweep.txt says what they mean.
// A second signal ends the program at once with 128 and the signal's number.
const (
	exitComplete    = 0
	exitFailedRuns  = 1
	exitUsage       = 64
	exitData        = 65
	exitInternal    = 70
	exitIO          = 74
	exitInterrupted = 75
)

// A failure is an error that has its exit code: a fault in the command line,
// or the end of a command that did what it could.
type failure struct {
	code    int
	message string
	hint    string         // what to do about it; empty if there is no advice
	signal  syscall.Signal // that interrupted the command; 0 if none did
}

func (f *failure) Error() string { return f.message }

// usage returns a fault in the command line.
func usage(hint, format string, a ...any) error {
	return &failure{code: exitUsage, message: fmt.Sprintf(format, a...), hint: hint}
}

// errRecomputed is the end of a sweep that is complete after files of its
// directory were found corrupt.
var errRecomputed = &failure{code: exitData, message: "results were corrupt and have been recomputed: they are complete now"}

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
	case errors.Is(err, runner.ErrOutOfTime), errors.Is(err, results.ErrLocked):
		return exitInterrupted
	case errors.Is(err, runner.ErrFailures):
		return exitFailedRuns
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(*os.LinkError)), errors.As(err, new(*os.SyscallError)),
		errors.As(err, new(syscall.Errno)), errors.Is(err, io.ErrShortWrite):
		return exitIO
	}
	return exitInternal
}

// printError shows a fault and, on a line of its own, what to do about it. Both
// may quote what files hold. A failure without a message was told already.
func (p *Program) printError(w io.Writer, err error) {
	if err.Error() == "" {
		return
	}
	say(w, "%s: %s", p.Name, p.withName(err.Error()))
	if h := hint(err); h != "" {
		say(w, "hint: %s", p.withName(h))
	}
}

// say writes a line for a person, with no control character in it.
func say(w io.Writer, format string, a ...any) {
	fmt.Fprintln(w, report.Plain(fmt.Sprintf(format, a...)))
}

// sayEach writes a line of one kind, such as a warning, for each element.
func sayEach[T any](w io.Writer, kind string, list []T) {
	for _, x := range list {
		say(w, "%s: %v", kind, x)
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
	if e, ok := errors.AsType[*fs.PathError](err); ok && errors.Is(err, fs.ErrNotExist) {
		usual := filepath.Join(defaultOutput, e.Path) // where "sweep run" writes what has this name
		if isDirectory(usual) {
			return fmt.Sprintf("did you mean %q?", usual)
		}
	}
	return ""
}

// unknownCommand reports a word that is no command of parent.
func unknownCommand(parent *cobra.Command, name string) error {
	return unknown("command", name, lists.Map(parent.Commands(), (*cobra.Command).Name))
}

// flagError turns a fault that the flag parser found into a usage error.
func flagError(cmd *cobra.Command, err error) error {
	missing, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || missing.GetSpecifiedShortnames() != "" {
		return usage(helpHint(cmd), "%v", err)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			known = append(known, f.Name)
		}
	})
	return unknown("flag", missing.GetSpecifiedName(), known)
}

// choose returns the places of words in what is known, each once; of all of it if
// there are none.
func choose(what string, words, known []string) (places []int, err error) {
	if len(words) == 0 {
		words = known
	}
	for _, word := range words {
		i := slices.Index(known, word)
		if i < 0 {
			return nil, unknown(what, word, known)
		}
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	return places, nil
}

// unknown reports a word that is none of those known.
func unknown(what, word string, known []string) error {
	return usage(suggest.Hint(word, known), "unknown %s %q, known are: %s", what, word, strings.Join(known, ", "))
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
		return usage(helpHint(cmd), "%q got %d arguments, want: %s", cmd.CommandPath(), len(args), cmd.UseLine())
	}
}
