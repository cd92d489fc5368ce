package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sweep/internal/schema"
	"sweep/internal/suggest"
)

// execute runs the command line and returns the exit code. Results go to
// stdout; all that is said about them, progress and errors, to stderr.
func execute(args []string, stdout, stderr io.Writer, experiments []*schema.Experiment) (code int) {
	defer func() {
		if v := recover(); v != nil {
			fmt.Fprintf(stderr, "sweep: internal fault: %v\n\n%s", v, debug.Stack())
			code = exitInternal
		}
	}()
	err := validate(experiments)
	if err == nil {
		root := newRoot(experiments)
		root.SetArgs(append([]string{}, args...)) // nil would mean the process's own
		root.SetOut(stdout)
		root.SetErr(stderr)
		err = root.ExecuteContext(context.Background())
	}
	if err != nil {
		printError(stderr, err)
	}
	return exitCode(err)
}

// validate finds declarations that would surface later as strange columns.
func validate(experiments []*schema.Experiment) error {
	for _, e := range experiments {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// newRoot returns the command tree over the given experiments.
func newRoot(experiments []*schema.Experiment) *cobra.Command {
	root := &cobra.Command{
		Use:   "sweep",
		Short: "Run parameter sweeps of simulations and tabulate what comes out",
		Long: `Sweep runs every combination of parameters that a spec asks for, each with
several seeds, on all processors, and keeps one row per run in Parquet files.

` + exitCodes,
		Example: `  sweep run table2                  run a sweep of the papers into out/table2
  sweep table out/table2            print its table again
  sweep plot out/table2             draw its figures
  sweep plan mine.toml              say what a spec would run
  sweep params foraging             list what a spec may vary
  sweep run mine.toml -o results    run your own`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			cmd.SetOut(cmd.ErrOrStderr()) // help that was not asked for is no result
			if err := cmd.Help(); err != nil {
				return err
			}
			return &usageError{message: "a command is missing"}
		},
		Args:                  cobra.ArbitraryArgs, // judged by RunE
		DisableFlagsInUseLine: true,                // there are none
		SilenceErrors:         true,
		SilenceUsage:          true,
		CompletionOptions:     cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newRun(experiments),
		newPlan(experiments),
		newParams(experiments),
		newTable(experiments),
		newStatus(experiments),
		newWhy(experiments),
		newMerge(experiments),
		newDigest(experiments),
		newVerify(experiments),
		newCompare(experiments),
		newCheck(experiments),
		newDiff(),
		newPlot(experiments),
		newWorld(),
		newSlurm(experiments),
		newVersion(),
		newCompletion(),
	)
	root.SetHelpCommand(newHelp())
	return root
}

// newHelp replaces cobra's help command, which takes an unknown topic for
// a success.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: `  sweep help run`,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(about, rest[0])
			}
			return about.Help()
		},
	}
}

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
	e := unknown("flag", missing.GetSpecifiedName(), known, cmd)
	return e
}

// unknown reports a word that is none of those known.
func unknown(what, word string, known []string, cmd *cobra.Command) error {
	hint := helpHint(cmd)
	if near := suggest.Nearest(word, known); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	return &usageError{message: fmt.Sprintf("unknown %s %q, known are: %s", what, word, strings.Join(known, ", ")), hint: hint}
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
