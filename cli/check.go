package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/report"
	"sweep/results"
)

// newCheck returns "sweep check".
func newCheck(prog *Program) *cobra.Command {
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
The exit code is 1 if a claim fails or is undecided, or runs failed.

A claim in a spec, where it stands after the grids:

  [[claim]]
  text   = "WL finds more than RL, in any world"
  source = "my expectation"
  expect = "relevant[WL] > relevant[RL]"
  each   = "world_seed"

docs/analysis.md tells what may be expected, and what the columns mean.

` + specHelp + `
Whatever else is a directory is a DIR.

` + prog.sweepList(),
		Example: `  sweep check table2                        run what is missing, then judge
  sweep check out/table2 --format markdown  judge what is there
  sweep check mine.toml --quiet             in CI: does my result still hold?
  sweep check --all                         every claim of the papers`,
		Args:              arguments(0, 1),
		ValidArgsFunction: prog.completeSpec,
	}
	f := cmd.Flags()
	all := f.Bool("all", false, "check every sweep that comes with the program, in DIR/<name> each")
	outputFlag(cmd, &flags.dir, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	workersFlag(cmd, &flags.workers)
	f.BoolVar(&flags.quiet, "quiet", false, "print no progress")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", report.Formats()...)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		c := checker{cmd: cmd, flags: *flags, prog: prog}
		var err error
		switch {
		case *all == (len(args) == 1):
			return usage(helpHint(cmd), "want either a DIR or SPEC, or --all")
		case *all:
			err = c.all()
		case !isDirectory(args[0], prog):
			err = c.spec(args[0])
		case flags.dir != "":
			return usage(helpHint(cmd), "-o is for what a SPEC runs; a DIR is only read")
		default:
			err = c.dir(args[0])
		}
		if err != nil {
			return err
		}
		if err := report.Write(cmd.OutOrStdout(), *format, analysis.Tables(c.checks, *format)...); err != nil {
			return err
		}
		return c.verdict()
	}
	return cmd
}

// isDirectory reports whether an argument is a directory rather than a SPEC.
func isDirectory(name string, prog *Program) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir() && (isPath(name) || !slices.Contains(prog.sweeps(), name))
}

// A checker gathers the claims that it judges.
type checker struct {
	cmd     *cobra.Command
	flags   runFlags
	prog    *Program
	checks  []*analysis.Check
	dirs    []string // that were judged
	blemish error    // of runs that came to their end: some failed, or were recomputed
}

// dir judges the claims of the spec in a directory.
func (c *checker) dir(dir string) error {
	view, err := c.prog.read(c.cmd, dir)
	if err != nil {
		return err
	}
	if len(view.Spec.Claims) == 0 {
		return noClaims(view.Spec)
	}
	check, err := analysis.Judge(view)
	c.checks, c.dirs = append(c.checks, check), append(c.dirs, dir)
	return err
}

func noClaims(spec *grid.Spec) error {
	return &results.DataError{Path: spec.File, Message: "the spec makes no claims", Hint: `"sweep check --help" shows one`}
}

// spec carries a spec out, as far as that is left to do, and judges its
// claims.
func (c *checker) spec(name string) error {
	spec, err := loadSpec(name, c.prog)
	if err != nil {
		return err
	}
	if len(spec.Claims) == 0 {
		return noClaims(spec)
	}
	return c.carryOut(spec, outputDir(c.flags.dir, spec))
}

func (c *checker) carryOut(spec *grid.Spec, dir string) error {
	flags := c.flags
	flags.dir = dir
	err := runSweep(c.cmd, spec, &flags)
	if end, ok := errors.AsType[*failure](err); ok && end.complete {
		c.blemish = err
	} else if err != nil {
		return err
	}
	return c.dir(dir)
}

// notSimulated stands for a sweep's name where claims are that no sweep tests.
const notSimulated = "not simulated"

// all checks the sweeps that come with the program, and lists the claims
// that none of them tests.
func (c *checker) all() error {
	for _, name := range c.prog.sweeps() {
		spec, err := loadSpec(name, c.prog)
		if err == nil && len(spec.Claims) > 0 {
			if !c.flags.quiet {
				say(c.cmd.ErrOrStderr(), "%s:", name)
			}
			err = c.carryOut(spec, filepath.Join(cmp.Or(c.flags.dir, defaultOutput), name))
		}
		if err != nil {
			return err
		}
	}
	file, source, err := c.prog.shipped("claims/untested.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	untested, err := grid.ParseClaims(file, source)
	c.checks = append(c.checks, analysis.ListClaims(notSimulated, untested))
	return err
}

// verdict returns an error unless all that was tested holds.
func (c *checker) verdict() error {
	failing, undecided := 0, 0
	for _, check := range c.checks {
		failing += check.Count(analysis.Fails)
		undecided += check.Count(analysis.Undecided)
	}
	if failing+undecided > 0 {
		return &failure{code: exitFailedRuns, message: fmt.Sprintf("not every claim holds: %d failing, %d undecided", failing, undecided)}
	}
	return c.blemish
}
