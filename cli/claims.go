package cli

import (
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/results"
)

// A claimsRun runs what is missing of sweeps whose claims are to be judged,
// for the commands check and report.
type claimsRun struct {
	cmd     *cobra.Command
	workers int
	quiet   bool
	all     bool // complete every sweep that comes with the program

	// timeLimit and keepFailed are those of the job that run starts; see job.
	timeLimit  time.Duration
	keepFailed bool

	// left is what the command is to end with after it has judged: that runs
	// failed or had to be recomputed. It is nil if all went well.
	left error
}

// newClaimsRun defines the flags of a claimsRun; usage explains --all.
func newClaimsRun(cmd *cobra.Command, usage string) *claimsRun {
	c := &claimsRun{cmd: cmd, timeLimit: -1}
	workersFlag(cmd, &c.workers)
	cmd.Flags().BoolVar(&c.quiet, "quiet", false, "print no progress")
	cmd.Flags().BoolVar(&c.all, "all", false, usage)
	return c
}

// run runs what is missing of a spec that makes claims.
func (c *claimsRun) run(spec *grid.Spec, dir string) error {
	if err := mustClaim(spec); err != nil {
		return err
	}
	j := newJob(c.cmd)
	j.unready = ready(spec)
	j.dir = dir
	j.Workers = c.workers
	j.quiet = c.quiet
	j.noTable = true
	j.timeLimit = c.timeLimit
	j.KeepFailed = c.keepFailed
	err := j.run(spec)
	if isComplete(err) {
		c.left = err
		return nil
	}
	return err
}

// mustClaim refuses a spec that makes no claims.
func mustClaim(spec *grid.Spec) error {
	if len(spec.Claims) > 0 {
		return nil
	}
	return &results.DataError{
		Path:    spec.File,
		Message: "the spec makes no claims",
		Hint:    `"sweep check --help" shows one`,
	}
}

// runAllMissing runs what is missing of the sweeps that come with the program
// and make claims, each in a directory below base. It returns their
// directories, and the claims that no sweep tests.
func (p *Program) runAllMissing(
	c *claimsRun, base string,
) (dirs []string, untested []grid.Claim, err error) {
	if base == "" {
		base = defaultOutput
	}
	for _, name := range p.sweeps() {
		spec, err := p.loadSpec(name, "")
		if err != nil {
			return nil, nil, err
		}
		if len(spec.Claims) == 0 {
			continue
		}
		if !c.quiet {
			say(c.cmd.ErrOrStderr(), "%s:", name)
		}
		dir := filepath.Join(base, name)
		if err := c.run(spec, dir); err != nil {
			return nil, nil, err
		}
		dirs = append(dirs, dir)
	}
	if dirs == nil {
		return nil, nil, usage("", "no sweep that comes with this program makes claims")
	}
	file, source, err := p.shipped("claims/untested.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return dirs, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	untested, err = grid.ParseClaims(file, source)
	return dirs, untested, err
}
