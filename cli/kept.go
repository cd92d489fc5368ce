package cli

import (
	"fmt"
	"path/filepath"

	"sweep/grid"
	"sweep/internal/command"
	"sweep/results"
)

// runsDir is where runs keep files, in a sweep's directory.
const runsDir = "runs"

// A change is what a directory holds for a spec whose metrics or series are not
// those of the runs there.
type change struct {
	done int64 // runs that have measured what the spec asks for, in earlier times
	kept int64 // others whose answers can be read again
	left int64 // others
}

// changeIn finds out what a directory holds.
func changeIn(dir string, spec *grid.Spec) (c change, err error) {
	reader, err := results.OpenOtherReader(spec, dir)
	if err != nil {
		return c, err
	}
	kept, err := command.Kept(filepath.Join(dir, runsDir))
	if err != nil {
		return c, err
	}
	plan := spec.Plan()
	for i := range plan.Runs() {
		switch {
		case !reader.Needs(i): // as far as is known
		case reader.Status(i) == results.OK:
			c.done++
		case kept[plan.ID(i).String()]:
			c.kept++
		default:
			c.left++
		}
	}
	return c, nil
}

// refuse returns the error that refuses a directory, with advice, if nothing
// there is of use for the spec.
func (c change) refuse(spec *grid.Spec, fault error) error {
	if c.done+c.kept > 0 {
		return nil
	}
	hint := "use another directory"
	if spec.Experiment.Name == command.Name {
		hint = "no answers were kept there: use another directory; " +
			"keep = true in [command] keeps the answers, for metrics that come later"
	}
	return &failure{code: exitData, message: fault.Error(), hint: hint}
}

// openOther opens the directory of a sweep whose runs have measured something
// else, if something there is of use. fault is why they are refused otherwise.
func (j *job) openOther(fault error) (*results.Store, error) {
	if j.shard != nil {
		const message = "%w; only a command without --shard changes the metrics of a sweep"
		return nil, fmt.Errorf(message, fault)
	}
	c, err := changeIn(j.dir, j.spec)
	if err != nil {
		return nil, err
	}
	if err := c.refuse(j.spec, fault); err != nil {
		return nil, err
	}
	if c.left > 0 && !j.quiet && j.logFormat == logText {
		say(j.cmd.ErrOrStderr(), "note: the metrics or series are not those of %s: "+
			"%s without a kept answer, to be executed", j.dir, runs(c.left))
	}
	if c.left == 0 {
		j.unready = nil // nothing is executed
	}
	return results.OpenOther(j.dir, j.spec)
}

// sayReadAgain says how many runs were not executed, since their answers had
// been kept.
func (j *job) sayReadAgain() {
	n := command.ReadAgain()
	if n == 0 || j.quiet || j.logFormat != logText {
		return
	}
	say(j.cmd.ErrOrStderr(), "note: %s read again from what was kept, %d executed",
		runs(n), j.report.OK+j.report.Failed-n)
}
