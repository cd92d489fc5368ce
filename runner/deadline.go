package runner

import (
	"slices"
	"time"

	"sweep/experiment"
)

// reserve is the time kept free before a deadline, for attempts to notice that
// they must end (cancelGrace), and for the last commit.
const reserve = cancelGrace + time.Second

// admit reports whether run i, if it starts now, is likely to end before the
// deadline, judged by what runs of its algorithm have cost. If so, it counts as
// started.
func (s *sweep) admit(i int64) bool {
	if s.options.Deadline.IsZero() {
		return true
	}
	s.costs.Lock()
	defer s.costs.Unlock()
	now := time.Now()
	if now.Add(s.estimate(i, now)).After(s.options.Deadline.Add(-reserve)) {
		return false
	}
	s.begun[i] = now
	return true
}

// ended counts a run that was admitted as ended.
func (s *sweep) ended(i int64) {
	if s.options.Deadline.IsZero() {
		return
	}
	s.costs.Lock()
	defer s.costs.Unlock()
	const kept = 64 // costs of an algorithm: enough for high, few enough to follow a change
	costs := append(s.lastCosts[s.algorithm(i)], time.Since(s.begun[i]))
	s.lastCosts[s.algorithm(i)] = costs[max(0, len(costs)-kept):]
	delete(s.begun, i)
}

// algorithm returns the algorithm of run i; null if the experiment has none.
func (s *sweep) algorithm(i int64) experiment.Value {
	_, k := s.plan.Experiment().Param(experiment.Algorithm)
	if k < 0 {
		return experiment.Value{}
	}
	return s.plan.Point(i).Values[k]
}

// estimate returns the time that run i is unlikely to exceed if it starts now:
// the high cost of its algorithm. If no run of that algorithm has ended, it is
// the highest cost of the others, or the time for which a run has been under
// way if that is longer.
func (s *sweep) estimate(i int64, now time.Time) (most time.Duration) {
	if own := s.lastCosts[s.algorithm(i)]; own != nil {
		return high(own)
	}
	for _, costs := range s.lastCosts {
		most = max(most, high(costs))
	}
	for _, begin := range s.begun {
		most = max(most, now.Sub(begin))
	}
	return most
}

// high returns the time that 95 % of costs do not exceed, so that a single
// straggler does not end the sweep. Of fewer than 20 costs it is the highest.
func high(costs []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(costs))
	return sorted[(19*len(sorted)+19)/20-1] // 19/20 of them, rounded up
}
