package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/report"
	"sweep/results"
	"sweep/sweeps"
)

// newCheck returns "sweep check".
func newCheck(experiments []*experiment.Experiment) *cobra.Command {
	flags := newRunFlags()
	flags.noTable = true
	cmd := &cobra.Command{
		Use:   "check DIR | check SPEC | check --all",
		Short: "Check the claims that a spec makes about its results",
		Long: `Judge each [[claim]] of a spec by the confidence limits of what was measured:
it holds, it fails, or it is undecided, because the limits straddle the rule.

Of a DIR the claims are judged that its own spec makes, on the runs that are
there. A SPEC is first carried out as by "sweep run", into the same directory,
as far as its runs are not there. --all does that with every sweep that comes
with the program and makes claims, and lists the claims that nothing tests.

Beside a number that a paper prints with a standard deviation stands z: the
difference in these standard deviations. Claims about what was fitted are marked
as calibrated, and counted apart from predictions.

A claim in a spec, where it stands after the grids:

  [[claim]]
  text   = "WL finds more than RL, in any world"
  source = "my expectation"
  expect = "relevant[WL] > relevant[RL]"
  each   = "world_seed"

docs/analysis.md tells what may be expected.

` + specHelp + `
Whatever else is a directory is a DIR.

Exit codes, besides those of "sweep run":
  0   every claim holds; claims that nothing tests do not count
  1   a claim fails or is undecided, or runs failed

` + sweepList(),
		Example: `  sweep check table2                        run what is missing, then judge
  sweep check out/table2 --format markdown  judge what is there
  sweep check mine.toml --quiet             in CI: does my result still hold?
  sweep check --all                         every claim of the papers`,
		Args:              arguments(0, 1),
		ValidArgsFunction: completeSpec,
	}
	f := cmd.Flags()
	all := f.Bool("all", false, "check every sweep that comes with the program, in DIR/<name> each")
	outputFlag(cmd, &flags.dir, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	workersFlag(cmd, &flags.workers)
	f.BoolVar(&flags.quiet, "quiet", false, "print no progress")
	format := choiceFlag(cmd, "format", "how to print", words(report.Formats())...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := checker{cmd: cmd, flags: *flags, experiments: experiments}
		var err error
		switch {
		case *all == (len(args) == 1):
			return &usageError{message: "want either a DIR or SPEC, or --all", hint: helpHint(cmd)}
		case *all:
			err = c.all()
		case isDirectory(args[0]) && flags.dir != "":
			return &usageError{message: "-o is for what a SPEC runs; a DIR is only read", hint: helpHint(cmd)}
		case isDirectory(args[0]):
			err = c.dir(args[0])
		default:
			err = c.spec(args[0])
		}
		if err != nil {
			return err
		}
		chosen := report.Format(format.value)
		if err := report.Write(cmd.OutOrStdout(), chosen, analysis.Tables(c.checks, chosen)...); err != nil {
			return err
		}
		return c.verdict()
	}
	return cmd
}

// isDirectory reports whether an argument is a directory rather than a SPEC.
func isDirectory(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && (isPath(name) || !slices.Contains(sweeps.List(), name))
}

// A checker gathers what is found.
type checker struct {
	cmd         *cobra.Command
	flags       runFlags
	experiments []*experiment.Experiment
	checks      []*analysis.Check
	blemish     error // of runs that came to their end: some failed, or damage was repaired
}

// dir checks the results in a directory.
func (c *checker) dir(dir string) error {
	v, err := results.OpenReader(dir, c.experiments)
	if err != nil {
		return err
	}
	if len(v.Spec.Claims) == 0 {
		return noClaims(v.Spec)
	}
	check, err := analysis.Judge(v)
	if err != nil {
		return err
	}
	c.checks = append(c.checks, check)
	return nil
}

// noClaims is the fault of a spec without claims.
func noClaims(spec *grid.Spec) error {
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims",
		Hint: "\"sweep check --help\" shows one"}
}

// spec carries a spec out, as far as that is left to do, and checks it.
func (c *checker) spec(name string) error {
	spec, err := loadSpec(name, c.experiments)
	if err != nil {
		return err
	}
	if len(spec.Claims) == 0 {
		return noClaims(spec)
	}
	return c.carryOut(spec, c.flags)
}

// carryOut completes a sweep and checks it.
func (c *checker) carryOut(spec *grid.Spec, flags runFlags) error {
	flags.dir = outputDir(flags.dir, spec)
	err := runSweep(c.cmd, spec, &flags, c.experiments)
	if is[failedRuns](err) || is[damagedFiles](err) {
		c.blemish = err
	} else if err != nil {
		return err
	}
	return c.dir(flags.dir)
}

// all checks the embedded sweeps and lists what nothing tests.
func (c *checker) all() error {
	into := c.flags.dir
	if into == "" {
		into = defaultOutput
	}
	for _, name := range sweeps.List() {
		spec, err := loadSpec(name, c.experiments)
		if err != nil {
			return err
		}
		if len(spec.Claims) == 0 {
			continue
		}
		if !c.flags.quiet {
			fmt.Fprintf(c.cmd.ErrOrStderr(), "%s:\n", name)
		}
		flags := c.flags
		flags.dir = filepath.Join(into, name)
		if err := c.carryOut(spec, flags); err != nil {
			return err
		}
	}
	untested, err := grid.ParseClaims(sweeps.Untested())
	if err != nil {
		return err
	}
	c.checks = append(c.checks, analysis.ListClaims("not simulated", untested))
	return nil
}

// verdict returns an error unless all that was tested holds.
func (c *checker) verdict() error {
	var u unconfirmed
	for _, check := range c.checks {
		u.failing += check.Count(analysis.Fails)
		u.undecided += check.Count(analysis.Undecided)
	}
	if u != (unconfirmed{}) {
		return u
	}
	return c.blemish
}

// An unconfirmed counts the claims that do not hold.
type unconfirmed struct{ failing, undecided int }

func (u unconfirmed) Error() string {
	return fmt.Sprintf("not every claim holds: %d failing, %d undecided", u.failing, u.undecided)
}
