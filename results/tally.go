package results

import (
	"math"

	"sweep/grid"
)

// A tally knows of each run of a plan whether it has succeeded, has only
// failed or has no row, and which runs are needed at all.
type tally struct {
	ok, failed *bitmap
	judge      *judge // nil unless the plan has a stopping rule
}

func newTally(plan Plan) *tally {
	return &tally{ok: newBitmap(), failed: newBitmap(), judge: newJudge(plan.Stop(), plan.Cells())}
}

// mark enters a row of run i; metrics are those of a run that succeeded. A
// run that has succeeded once has not failed.
func (t *tally) mark(i int64, succeeded bool, metric float64) {
	switch {
	case succeeded:
		t.ok.set(i)
		t.failed.clear(i)
	case t.ok.has(i):
		return
	default:
		t.failed.set(i)
		metric = math.NaN()
	}
	if t.judge != nil {
		t.judge.record(i, metric)
	}
}

// has reports whether run i has a row.
func (t *tally) has(i int64) bool { return t.ok.has(i) || t.failed.has(i) }

// needs reports whether run i is needed, as far as the rows tell.
func (t *tally) needs(i int64) bool { return t.judge == nil || t.judge.needs(i) }

// missing returns how many runs of the plan, or of a part of it, are needed
// and have no row, as far as the rows tell.
func (t *tally) missing(plan Plan, part *grid.Shard) int64 {
	switch {
	case t.judge != nil:
		return t.judge.missing(plan, part)
	case part == nil:
		return plan.Runs() - t.ok.count - t.failed.count
	}
	n := int64(0)
	for k := range part.Runs() {
		if !t.has(part.Run(k)) {
			n++
		}
	}
	return n
}

// complete reports whether all runs that are needed have succeeded.
func (t *tally) complete(plan Plan) bool {
	return t.failed.count == 0 && t.missing(plan, nil) == 0
}
