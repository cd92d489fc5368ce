package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"sweep/internal/progress"
	"sweep/results"
	"sweep/runner"
)

// rerunFlags are the flags of "sweep diff DIR --rerun".
type rerunFlags struct {
	sample  share
	workers atLeastOne
	quiet   bool
}

// rerunDir executes a sample of the runs in a directory again and compares
// them with what is stored, bit for bit.
func rerunDir(cmd *cobra.Command, dir string, flags *rerunFlags, prog *Program) error {
	view, err := results.OpenReader(dir, prog.Experiments)
	if err != nil {
		return err
	}
	if err := view.Spec.ReadInputs(); err != nil {
		return err
	}
	sample := min(flags.sample.of(view.OK()), view.OK())
	found, err := watchRerun(cmd.Context(), view, sample, flags, cmd.ErrOrStderr())
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

// watchRerun executes runs again under the eyes of a progress meter and of the
// signals.
func watchRerun(ctx context.Context, view *results.Reader, sample int64, flags *rerunFlags, stderr io.Writer) (runner.Comparison, error) {
	m := newMeter(stderr, flags.quiet || sample == 0)
	state, began := progress.State{Runs: sample, Todo: sample}, time.Now()
	defer func() { m.end(state) }()
	ctx, stop := interruptible(ctx, func(os.Signal) {
		m.note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	return runner.Rerun(ctx, view, runner.RerunOptions{
		Workers: int(flags.workers), Sample: sample, Observe: func(differs bool) {
			state.Done++
			if differs {
				state.Failed++
			}
			state.Elapsed = time.Since(began)
			m.show(state)
		},
	})
}

// printMismatches lists the first runs that differ, each with the
// parameters that set it apart.
func printMismatches(w io.Writer, view *results.Reader, found runner.Comparison) {
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
