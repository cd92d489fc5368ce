package cli

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
	"sweep/runner"
)

// newDiff returns "sweep diff".
func newDiff(prog *Program) *cobra.Command {
	var again rerun
	cmd := &cobra.Command{
		Use:   "diff DIR1 DIR2 | diff DIR --rerun SHARE",
		Short: "Compare two sets of results run by run, or one with new runs",
		Long: `Say which runs of two directories are identical bit for bit, which differ, and
which only one of them has. The two may be of different specs: a run's partner
has the same parameters and the same seed.

With --rerun, a sample of one directory's runs is executed again, the same
each time, and compared with what is stored. Nothing is written.

The exit code is 1 if the two directories differ, and 65 if runs yield something
else when they are executed again.`,
		Example: `  sweep diff out/table2 /mnt/cluster/table2
  sweep diff out/table2 --rerun 5%          execute one run in twenty again
  sweep diff out/table2 --rerun 20 --quiet  twenty; silent on success`,
		Args:              arguments(1, 2),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Text, report.JSON)
	f := cmd.Flags()
	f.Func("rerun", "execute `N or P%` of the runs of one DIR again", again.share.set)
	workersFlag(cmd, &again.workers)
	f.BoolVar(&again.quiet, "quiet", false, "with --rerun: print nothing if all is well")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch rerun := f.Changed("rerun"); {
		case rerun != (len(args) == 1):
			return usage(helpHint(cmd), "want two directories, or one and --rerun")
		case rerun:
			return again.run(cmd, args[0], *format, prog)
		}
		return diffDirs(cmd, args[0], args[1], *format, prog)
	}
	return cmd
}

func diffDirs(cmd *cobra.Command, before, after string, format report.Format, prog *Program) error {
	a, err := prog.read(cmd, before)
	if err != nil {
		return err
	}
	b, err := prog.read(cmd, after)
	if err != nil {
		return err
	}
	d, err := analysis.NewDiff(a, b, [2]string{before, after})
	if err != nil {
		return err
	}
	if err := d.Write(cmd.OutOrStdout(), format); err != nil {
		return err
	}
	if !d.Same() {
		return &failure{code: exitFailedRuns, message: fmt.Sprintf("%s and %s differ", before, after)}
	}
	return nil
}

// A rerun executes a sample of the runs in a directory again.
type rerun struct {
	share   share
	workers int
	quiet   bool
}

// run compares what new executions yield with what is stored, bit for bit.
func (r *rerun) run(cmd *cobra.Command, dir string, format report.Format, prog *Program) error {
	view, err := prog.read(cmd, dir)
	if err != nil {
		return err
	}
	if err := view.Spec.ReadInputs(); err != nil {
		return err
	}
	d := &analysis.Diff{Dirs: [2]string{dir, "new runs"}}
	err = r.watch(cmd, view, d)
	if d.Differing > 0 {
		return errors.Join(err, d.Write(cmd.OutOrStdout(), format),
			&failure{code: exitData, message: "not what is stored: " + count(int64(d.Differing), "run")})
	}
	if err != nil || r.quiet {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %d of %d runs executed again, all the same bit for bit\n", dir, d.Identical, view.OK())
	return err
}

// watch executes the runs while it shows progress and heeds signals.
func (r *rerun) watch(cmd *cobra.Command, view *results.Reader, d *analysis.Diff) error {
	sample := min(r.share.of(view.OK()), view.OK())
	m := newMeter(cmd.ErrOrStderr(), r.quiet || sample == 0)
	state, began := progress.State{Runs: sample, Todo: sample}, time.Now()
	defer func() { m.end(state) }()
	ctx, stop := interruptible(cmd.Context(), func(syscall.Signal) {
		m.note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	return runner.Rerun(ctx, view, r.workers, sample, func(stored, now *results.Row) {
		state.Done++
		if !d.Compare(view.Plan, stored, now) {
			state.Failed++
		}
		state.Elapsed = time.Since(began)
		m.show(state)
	})
}
