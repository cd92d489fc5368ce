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
	recent map[experiment.Value][]time.Duration // the last costs, by algorithm
	under  map[int64]time.Time                  // when the runs under way began
}

// newDeadline returns a deadline that lasts until the deadline, less the
// reserve; nil if the deadline is zero.
func newDeadline(plan *grid.Plan, at time.Time) *deadline {
	if at.IsZero() {
		return nil
	}
	_, selector := plan.Experiment().Param(experiment.Algorithm)
	return &deadline{
		plan: plan, selector: selector, end: at.Add(-reserve),
		recent: map[experiment.Value][]time.Duration{}, under: map[int64]time.Time{},
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
	now := time.Now()
	if now.Add(b.estimate(i, now)).After(b.end) {
		return false
	}
	b.under[i] = now
	return true
}

// ended counts a run that was admitted as ended.
func (b *deadline) ended(i int64) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	const most = 64
	costs := append(b.recent[b.algorithm(i)], time.Since(b.under[i]))
	b.recent[b.algorithm(i)] = costs[max(0, len(costs)-most):]
	delete(b.under, i)
}

func (b *deadline) algorithm(i int64) (a experiment.Value) {
	if b.selector >= 0 {
		a = b.plan.Point(i).Values[b.selector]
	}
	return a
}

// estimate returns what run i is not likely to exceed if it starts now: the
// high cost of its algorithm. Of an algorithm that has not shown its cost, those
// of the others tell, and for how long runs have been under way.
func (b *deadline) estimate(i int64, now time.Time) (most time.Duration) {
	if own := b.recent[b.algorithm(i)]; own != nil {
		return high(own)
	}
	for _, costs := range b.recent {
		most = max(most, high(costs))
	}
	for _, begin := range b.under {
		most = max(most, now.Sub(begin))
	}
	return most
}

// high returns what 95 % of costs do not exceed; of fewer than 20 it is the
// highest. A single straggler does not end the sweep.
func high(costs []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(costs))
	return sorted[(19*len(sorted)+19)/20-1]
}
