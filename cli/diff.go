package cli

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/command"
	"sweep/internal/table"
	"sweep/results"
	"sweep/runner"
)

// diff defines "sweep diff".
func (p *Program) diff(cmd *cobra.Command) {
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Text, table.JSON)
	f := cmd.Flags()
	again := &rerun{cmd: cmd}
	var sample func(n int64) int64 // nil: compare two directories
	f.Func("rerun", "execute `N or P%` of the runs of one DIR again", share(&sample))
	workersFlag(cmd, &again.Workers)
	f.BoolVar(&again.quiet, "quiet", false, "with --rerun: print nothing if all is well")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		onlyOne := len(args) == 1
		if onlyOne != (sample != nil) {
			return usage(helpHint(cmd), "want two directories, or one and --rerun")
		}
		readers, err := p.openAll(cmd, args)
		if err != nil {
			return err
		}
		if sample != nil {
			if other := p.otherVersion(readers[0]); other != "" {
				return &results.DataError{
					Path:    readers[0].Dir,
					Message: other,
					Hint:    "the program that made them can repeat them",
				}
			}
			ok := readers[0].OK()
			again.dir = readers[0].Dir
			again.reader = readers[0]
			again.sample = min(sample(ok), ok)
			return again.compare(*format)
		}
		d, err := analysis.NewDiff(readers[0], readers[1])
		if err != nil {
			return err
		}
		if err := d.Write(cmd.OutOrStdout(), *format); err != nil {
			return err
		}
		if !d.Same() {
			return failed(exitFailedRuns, "%s and %s differ", d.Dirs[0], d.Dirs[1])
		}
		return nil
	}
}

// A rerun executes a sample of the runs in a directory again.
type rerun struct {
	cmd    *cobra.Command
	dir    string
	reader *results.Reader
	sample int64 // number of runs
	quiet  bool
	runner.Options
}

// compare executes the runs, while it shows progress and heeds signals, and
// compares their results with what is stored, bit for bit.
func (r *rerun) compare(format string) error {
	if err := r.reader.Spec.ReadInputs(); err != nil {
		return err
	}
	if err := ready(r.reader.Spec); err != nil {
		return err
	}
	if _, err := makeRoom(r.reader.Spec.Resources, &r.Options); err != nil {
		return err
	}
	began := time.Now()
	state := runner.Progress{Runs: r.sample, Todo: r.sample}
	m := newMeter(r.cmd.ErrOrStderr(), r.quiet)
	ctx, stop := interruptible(r.cmd.Context(), func(syscall.Signal) {
		m.note("interrupted: the runs under way may finish; a second signal stops at once")
	})
	defer stop()
	d := &analysis.Diff{Dirs: [2]string{r.dir, "new runs"}}
	fresh := command.Fresh(ctx)
	err := runner.Rerun(fresh, r.reader, r.Options, r.sample, func(stored, now *results.Row) {
		same := d.Compare(r.reader.Plan, stored, now)
		if !same {
			state.Failed++
		}
		state.Done++
		state.Elapsed = time.Since(began)
		m.show(state)
	})
	m.end(state)
	command.EndWorkers()
	isPersistent := command.Answered() > 0
	w := r.cmd.OutOrStdout()
	if d.Differing > 0 {
		end := failed(exitData, "not what is stored: %s", runs(int64(d.Differing)))
		if isPersistent {
			end.hint = "each run had a process of its own: " +
				"the program may keep something from one run to the next"
		}
		return errors.Join(err, d.Write(w, format), end)
	}
	if err != nil || r.quiet {
		return err
	}
	how := "executed again"
	if isPersistent {
		how += " in reverse order, each in a process of its own"
	}
	_, err = fmt.Fprintf(w, "%s: %d of %d runs %s, all the same bit for bit\n",
		r.dir, d.Identical, r.reader.OK(), how)
	return err
}
