package runner

import (
	"slices"
	"sync"
	"time"

	"sweep/experiment"
	"sweep/grid"
)

// reserve is kept free before a deadline: for attempts to notice that they
// have to end (cancelGrace), and for the last commit.
const reserve = cancelGrace + time.Second

// A deadline learns what runs cost, each algorithm for itself, and says
// whether there is time for another one. A nil deadline has all the time in
// the world.
type deadline struct {
	plan     *grid.Plan
	selector int       // index of the parameter "algorithm", or -1
	end      time.Time // of the last run

	mu     sync.Mutex
	values []experiment.Value          // scratch
	recent map[experiment.Value]*costs // by algorithm
	under  map[int64]start             // the runs under way
}

// A start is the beginning of a run.
type start struct {
	algorithm experiment.Value
	time      time.Time
}

// newDeadline returns a deadline that lasts until the deadline, less the
// reserve; nil if the deadline is zero.
func newDeadline(plan *grid.Plan, at time.Time) *deadline {
	if at.IsZero() {
		return nil
	}
	e := plan.Experiment()
	_, selector := e.Param(experiment.Algorithm)
	return &deadline{
		plan: plan, selector: selector, end: at.Add(-reserve),
		values: make([]experiment.Value, len(e.Params)),
		recent: map[experiment.Value]*costs{},
		under:  map[int64]start{},
	}
}

// admit reports whether run i, started now, can be expected to end in
// time. If so, it counts as started.
func (b *deadline) admit(i int64) bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := start{time: time.Now()}
	if b.selector >= 0 {
		b.plan.Cell(i%b.plan.Cells(), b.values)
		s.algorithm = b.values[b.selector]
	}
	if s.time.Add(b.estimate(s)).After(b.end) {
		return false
	}
	b.under[i] = s
	return true
}

// ended counts a run that was admitted as ended.
func (b *deadline) ended(i int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.under[i]
	delete(b.under, i)
	if b.recent[s.algorithm] == nil {
		b.recent[s.algorithm] = &costs{}
	}
	b.recent[s.algorithm].add(time.Since(s.time))
}

// estimate returns what a run that starts now is not likely to exceed: the
// high quantile of the recent costs of its algorithm. Of an algorithm that
// has not shown its cost, those of the others tell, and for how long runs
// have been under way.
func (b *deadline) estimate(s start) time.Duration {
	if own := b.recent[s.algorithm]; own != nil {
		return own.high
	}
	most := time.Duration(0)
	for _, c := range b.recent {
		most = max(most, c.high)
	}
	for _, u := range b.under {
		most = max(most, s.time.Sub(u.time))
	}
	return most
}

// costs are those of the last runs of one algorithm.
type costs struct {
	last [64]time.Duration // a ring
	n    int               // how many there were in all

	// high is what 95 % of the last costs do not exceed; of fewer than 20
	// it is the highest. A single straggler does not end the sweep.
	high time.Duration
}

func (c *costs) add(cost time.Duration) {
	c.last[c.n%len(c.last)] = cost
	c.n++
	sorted := c.last // a copy
	known := sorted[:min(c.n, len(sorted))]
	slices.Sort(known)
	c.high = known[(19*len(known)+19)/20-1]
}
