package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// whyFlags are the flags of "sweep why".
type whyFlags struct {
	spec     string // empty: the directory's
	identity bool
}

// newWhy returns "sweep why".
func newWhy(prog *Program) *cobra.Command {
	var flags whyFlags
	cmd := &cobra.Command{
		Use:   "why DIR RUN",
		Short: "Tell why a run will be computed or skipped",
		Long: `Tell of a run what "sweep run" would do with it and why: whether the spec asks
for it, and what DIR holds of it. Nothing is computed or changed.

RUN is the run_id, or as much of its beginning as no other run has; or some of
the parameters and the seed, as NAME=VALUE,NAME=VALUE. If that means several
runs, they are counted and the first are listed.

The spec is the one that DIR was last run with, or that given by --spec.`,
		Example: `  sweep why out/table2 algorithm=RL,seed=7
  sweep why out/table2 1f09ab
  sweep why out/table2 algorithm=WL              how far the WL runs are
  sweep why out/mine seed=31 --spec mine.toml    after mine.toml was changed
  sweep why out/table2 seed=7,algorithm=WL --identity`,
		Args: arguments(2, 2),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return completeDirs(cmd, args, word)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := why(args[0], args[1], flags, prog)
			if err != nil {
				return err
			}
			_, err = io.WriteString(cmd.OutOrStdout(), text)
			return err
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.spec, "spec", "", "ask what `SPEC` would do with DIR")
	f.BoolVar(&flags.identity, "identity", false, "print the text too whose hash is the run_id")
	return cmd
}

// why answers the question for the directory and the run that are named.
func why(dir, run string, flags whyFlags, prog *Program) (string, error) {
	q := inquiry{dir: dir, identity: flags.identity}
	if flags.spec != "" {
		spec, err := loadSpec(flags.spec, prog)
		if err != nil {
			return "", err
		}
		q.plan = spec.Plan()
	}
	// With a spec, a directory that does not exist yet is an empty one.
	view, err := results.OpenReader(dir, prog.Experiments)
	switch {
	case err == nil:
		q.view = view
	case q.plan == nil || !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	if q.plan == nil {
		q.plan = view.Plan
	}
	runs, err := q.meant(run)
	switch {
	case err != nil:
		return "", err
	case len(runs) == 1:
		return q.explain(q.plan.Point(runs[0]))
	case len(runs) > 1:
		return q.survey(runs), nil
	}
	return q.explainForeign(run)
}

// An inquiry asks what a directory holds of the runs of a plan.
type inquiry struct {
	dir      string
	plan     *grid.Plan
	view     *results.Reader // nil if the directory does not exist
	identity bool
}

// meant returns the runs of the plan that a command line names: none if it
// is a run_id that the plan does not have.
func (q *inquiry) meant(run string) ([]int64, error) {
	if strings.Contains(run, "=") {
		s, err := parseSelection(q.plan.Experiment(), run)
		if err != nil {
			return nil, err
		}
		return s.find(q.plan)
	}
	if run == "" || strings.Trim(run, "0123456789abcdef") != "" {
		return nil, &usageError{
			message: fmt.Sprintf("%q is neither a run_id nor parameters", run),
			hint:    "a run_id has hexadecimal digits, parameters are written as algorithm=RL,seed=7",
		}
	}
	i, err := findID(q.plan, run)
	if err != nil || i < 0 {
		return nil, err
	}
	return []int64{i}, nil
}

// held returns the index by which the directory knows a point, and the
// status that the point has there; empty if it is missing.
func (q *inquiry) held(p experiment.Point) (i int64, status string) {
	if q.view == nil {
		return 0, ""
	}
	i, ok := q.view.Plan.Find(p.Values, p.Seed)
	if !ok {
		return 0, ""
	}
	return i, q.view.Status(i)
}

// explain tells about one run of the plan.
func (q *inquiry) explain(p experiment.Point) (string, error) {
	var b strings.Builder
	q.introduce(&b, p)
	switch i, status := q.held(p); status {
	case results.OK:
		fmt.Fprintf(&b, "held:   ok, in %s\n", q.files(i))
		b.WriteString("so:     sweep run skips it, its result is there\n")
	case results.Failed:
		text, err := q.failure(i)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "held:   failed, in %s: %s\n", q.files(i), text)
		b.WriteString("so:     sweep run computes it again, and skips it with --retry-failed=false\n")
	default:
		fmt.Fprintf(&b, "held:   no, %s has no row of it\n", q.dir)
		fmt.Fprintf(&b, "so:     %s\n", q.absent(p))
	}
	return b.String(), nil
}

// absent tells what becomes of a run that has no row.
func (q *inquiry) absent(p experiment.Point) string {
	const computes = "sweep run computes it"
	if q.plan.Stop() == nil {
		return computes
	}
	if q.view == nil || q.view.Plan != q.plan {
		return computes + " if the stopping rule comes to ask for it"
	}
	i, _ := q.plan.Find(p.Values, p.Seed)
	seeds, decided := q.view.Needed(i % q.plan.Cells())
	switch {
	case i/q.plan.Cells() < seeds:
		return computes
	case decided:
		return fmt.Sprintf("sweep run skips it, the stopping rule has enough with %d seeds of its cell", seeds)
	}
	return fmt.Sprintf("%s if %d seeds of its cell are not enough for the stopping rule", computes, seeds)
}

// explainForeign tells about a run_id that the plan does not have. If the
// directory has it, its spec did.
func (q *inquiry) explainForeign(id string) (string, error) {
	if q.view != nil && q.view.Plan != q.plan {
		i, err := findID(q.view.Plan, id)
		if err != nil {
			return "", err
		}
		if i >= 0 && q.view.Status(i) != "" {
			var b strings.Builder
			q.introduce(&b, q.view.Plan.Point(i))
			fmt.Fprintf(&b, "held:   %s, in %s\n", q.view.Status(i), q.files(i))
			fmt.Fprintf(&b, "so:     the spec does not ask for it, and sweep run refuses %s with that spec\n", q.dir)
			return b.String(), nil
		}
	}
	return "", &usageError{message: fmt.Sprintf("the spec asks for no run whose run_id begins with %s", id)}
}

// introduce says which run it is.
func (q *inquiry) introduce(b *strings.Builder, p experiment.Point) {
	e := p.Experiment
	fmt.Fprintf(b, "run_id: %s\nrun:    %s\n", grid.Identify(p), q.plan.Describe(p))
	var rest []string
	for i, v := range p.Values {
		if !v.IsNull() && !slices.Contains(q.plan.Varying(), i) {
			rest = append(rest, e.Params[i].Name+" = "+v.String())
		}
	}
	if len(rest) > 0 {
		fmt.Fprintf(b, "with:   %s\n", strings.Join(rest, ", "))
	}
	if q.identity {
		for line := range strings.Lines(grid.IdentityText(p)) {
			b.WriteString("text:   " + line)
		}
	}
}

// files names the files that hold a run.
func (q *inquiry) files(i int64) string { return strings.Join(q.view.Files(i), ", again in ") }

// failure returns the error of a failed run.
func (q *inquiry) failure(i int64) (string, error) {
	for row, err := range q.view.Runs(false) {
		if err != nil {
			return "", err
		}
		if row.Index == i {
			return row.Error, nil
		}
	}
	return "", fmt.Errorf("run %d has gone from %s while it was read", i, q.dir)
}

// survey counts several runs and lists the first.
func (q *inquiry) survey(runs []int64) string {
	const most = 20
	var b strings.Builder
	counts := map[string]int64{}
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for k, i := range runs {
		p := q.plan.Point(i)
		_, status := q.held(p)
		if status == "" {
			status = "missing"
		}
		counts[status]++
		if k < most {
			fmt.Fprintf(table, "%s\t%s\t%s\n", grid.Identify(p), status, q.plan.Describe(p))
		}
	}
	flush(table)
	if more := len(runs) - most; more > 0 {
		fmt.Fprintf(&b, "and %d more\n", more)
	}
	fmt.Fprintf(&b, "%s: %d ok, which sweep run skips; %d failed, which it repeats; %d missing, which it computes\n",
		count(int64(len(runs)), "run"), counts[results.OK], counts[results.Failed], counts["missing"])
	return b.String()
}
