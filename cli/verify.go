package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sweep/internal/engine"
	"sweep/internal/progress"
	"sweep/results"
)

// verifyFlags are the flags of "sweep verify".
type verifyFlags struct {
	sample  share
	workers atLeastOne
	quiet   bool
}

// newVerify returns "sweep verify".
func newVerify(prog *Program) *cobra.Command {
	flags := verifyFlags{sample: share{percent: 5}}
	cmd := &cobra.Command{
		Use:   "verify DIR",
		Short: "Execute a sample of the runs again and compare bit for bit",
		Long: `Execute a sample of the runs in DIR again and compare every metric and every
number of their series with what is stored, bit for bit; and compare the
run_id of every row with its parameters. Nothing is written.

The sample is the same each time: of the runs that succeeded, those with the
smallest run_id, which is a hash. A larger sample contains a smaller one.
Failed runs are not executed again; "sweep run" does that.

The exit code is 65 if anything differs.`,
		Example: `  sweep verify out/table2                  one run in twenty, at least one
  sweep verify out/table2 --sample 20      twenty runs
  sweep verify out/table2 --sample 100%    all of them
  sweep verify out/table2 --quiet          in a cron job: silent on success`,
		Args:              arguments(1, 1),
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return verifyDir(cmd, args[0], &flags, prog)
		},
	}
	f := cmd.Flags()
	f.Var(&flags.sample, "sample", "execute `N or P%` of the runs again")
	workersFlag(cmd, &flags.workers)
	f.BoolVar(&flags.quiet, "quiet", false, "print nothing if all is well")
	return cmd
}

func verifyDir(cmd *cobra.Command, dir string, flags *verifyFlags, prog *Program) error {
	view, err := results.OpenReader(dir, prog.Experiments)
	if err != nil {
		return err
	}
	if err := view.Spec.ReadInputs(); err != nil {
		return err
	}
	sample := min(flags.sample.of(view.OK()), view.OK())
	found, err := watchVerify(cmd.Context(), view, sample, flags, cmd.ErrOrStderr())
	printMismatches(cmd.ErrOrStderr(), view, found)
	if err != nil {
		return err
	}
	if found.Wrong > 0 {
		return differingRuns(found.Wrong)
	}
	if flags.quiet {
		return nil
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d of %d runs executed again, all the same bit for bit; %d ids checked\n",
		dir, found.Executed, view.OK(), found.Read)
	return err
}

// watchVerify verifies under the eyes of a progress meter and of the
// signals.
func watchVerify(ctx context.Context, view *results.Reader, sample int64, flags *verifyFlags, stderr io.Writer) (engine.Verification, error) {
	m := newMeter(stderr, flags.quiet || sample == 0)
	state, began := progress.State{Runs: sample}, time.Now()
	defer func() { m.end(state) }()
	ctx, stop := interruptible(ctx, func(os.Signal) {
		m.note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	return engine.Verify(ctx, view, engine.VerifyOptions{
		Workers: int(flags.workers), Sample: sample, Observe: func(differs bool) {
			state.Done++
			if differs {
				state.Faults++
			}
			state.Elapsed = time.Since(began)
			m.show(state)
		},
	})
}

// printMismatches lists the first runs that differ, each with the
// parameters that set it apart.
func printMismatches(w io.Writer, view *results.Reader, found engine.Verification) {
	const most = 3 // differences of one run
	for _, m := range found.Mismatches {
		fmt.Fprintf(w, "differs: %s (run_id %s)\n", view.Plan.Describe(view.Plan.Point(m.Index)), m.ID)
		for _, d := range m.Differences[:min(len(m.Differences), most)] {
			fmt.Fprintf(w, "  %s: stored %s, now %s\n", d.What, d.A, d.B)
		}
		if more := len(m.Differences) - most; more > 0 {
			fmt.Fprintf(w, "  and %d more numbers\n", more)
		}
	}
	if more := found.Wrong - int64(len(found.Mismatches)); more > 0 {
		fmt.Fprintf(w, "differs: %d more\n", more)
	}
}
