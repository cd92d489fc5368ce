package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/experiment"
	"sweep/internal/suggest"
)

// A usageError is a fault in the command line.
type usageError struct {
	message string
	hint    string // empty if there is no advice
}

func (e *usageError) Error() string { return e.message }

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
		hint:    didYouMean(name, known, paramsHint(e)),
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

func paramsHint(e *experiment.Experiment) string {
	return fmt.Sprintf("\"sweep params %s\" lists them", e.Name)
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
