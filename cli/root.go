package cli

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sweep/experiment"
)

// execute runs the command line and returns the exit code. Results go to
// stdout; all that is said about them, progress and errors, to stderr.
func execute(args []string, stdout, stderr io.Writer, experiments []*experiment.Experiment) (code int) {
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
func validate(experiments []*experiment.Experiment) error {
	for _, e := range experiments {
		if err := e.Validate(); err != nil {
			return err
		}
	}
	return nil
}

// newRoot returns the command tree over the given experiments.
func newRoot(experiments []*experiment.Experiment) *cobra.Command {
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
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Run:", []*cobra.Command{newRun(experiments), newPlan(experiments), newParams(experiments), newWorld()}},
		{"Ask how it goes:", []*cobra.Command{newStatus(experiments)}},
		{"Understand what came out:", []*cobra.Command{
			newTable(experiments), newPlot(experiments), newCompare(experiments), newCheck(experiments), newDiff(experiments),
		}},
		{"Use several machines:", []*cobra.Command{newSlurm(experiments), newMerge(experiments)}},
		{"Other:", []*cobra.Command{newVersion(), newCompletion()}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(newHelp())
	root.SetHelpCommandGroupID("Other:")
	root.SetUsageTemplate(root.UsageTemplate() + `{{if not .HasSubCommands}}
"sweep --help" lists the exit codes.
{{end}}`)
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
