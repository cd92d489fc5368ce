package results

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
)

// A foreign is what a directory holds and a plan does not have.
type foreign struct {
	rows   int64
	values []experiment.Value // of the first of them
	seed   int64
}

func (f *foreign) add(values []experiment.Value, seed int64) {
	if f.rows == 0 {
		f.values, f.seed = slices.Clone(values), seed
	}
	f.rows++
}

// refuse returns an error if there are such rows. It says how one of them
// differs from the runs of the plan.
func (f *foreign) refuse(dir string, plan Plan) error {
	if f.rows == 0 {
		return nil
	}
	noun := "runs"
	if f.rows == 1 {
		noun = "run"
	}
	return &DataError{
		Path:    dir,
		Message: fmt.Sprintf("holds %d %s that this spec does not have, such as %s", f.rows, noun, f.difference(plan)),
		Hint:    "use another directory for this spec, or extend the spec that is there",
	}
}

// difference describes the first foreign run, and how the plan's nearest
// cell is different from it.
func (f *foreign) difference(plan Plan) string {
	e := plan.Experiment()
	near, differing := f.nearest(plan)
	shown := append(slices.Clone(differing), plan.Varying()...)
	slices.Sort(shown)
	run := assignments(e, f.values, slices.Compact(shown))
	run = append(run, fmt.Sprintf("seed = %d", f.seed))
	text := strings.Join(run, ", ")
	if len(differing) > 0 {
		return text + "; the nearest that it has is " + strings.Join(assignments(e, near, differing), ", ")
	}
	return text + "; it has these parameters, but not with this seed"
}

// mostNear bounds how many cells are compared for a message.
const mostNear = 1 << 16

// nearest returns the values of the cell that has most values in common
// with the foreign run, and the parameters in which it is different.
func (f *foreign) nearest(plan Plan) (near []experiment.Value, differing []int) {
	values := make([]experiment.Value, len(f.values))
	for c := range min(plan.Cells(), mostNear) {
		plan.Cell(c, values)
		var d []int
		for i, v := range values {
			if v != f.values[i] {
				d = append(d, i)
			}
		}
		if near == nil || len(d) < len(differing) {
			near, differing = slices.Clone(values), d
		}
	}
	return near, differing
}

// assignments writes the given parameters as a spec would, but for null,
// which is what a parameter is that the algorithm does not use.
func assignments(e *experiment.Experiment, values []experiment.Value, params []int) []string {
	var texts []string
	for _, i := range params {
		v := values[i].String()
		if values[i].Kind() == experiment.String {
			v = fmt.Sprintf("%q", v)
		}
		texts = append(texts, e.Params[i].Name+" = "+v)
	}
	return texts
}
