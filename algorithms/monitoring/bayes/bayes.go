// Package bayes learns how often nodes change, and polls those whose index is
// largest. It is not from the thesis. READINGS.md in the parent directory has
// what it retrieves on nodes on which no constant was chosen.
//
// The indices are those that are optimal if the rates θ of changes are known
// (Whittle's in overwrite), averaged over the belief about θ. With M(g) as in
// belief.go, and g slots after the last poll, they are
//
//   - overwrite: ω(1 − M(g) − g(M(g) − M(g+1)));
//   - accumulate: what waits at the node, ω·g·(1 − M(1));
//   - disappear: ω·p, for a belief with some more changes than were seen
//     (prior.bonus).
//
// On the grid, some standard deviations of the index are added (gridindex.go).
//
// Most nodes are not looked at in a slot. The calendar lists each node under
// the slot in which its index comes near the cutoff, which follows the smallest
// index that is polled. The nodes of the current slot are the candidates. They
// are polled by falling classes of their index, as long as capacity is left. A
// node that is known well gets a lease: its next polls are decided at once, and
// learned from at once.
//
//	bayes.go      the learner: one slot, and how it forgets
//	belief.go     beliefs about rates, and the prior that all nodes share
//	grid.go       the same of nodes of which little is known, in overwrite
//	gridindex.go  the index of a node on the grid, and when it reaches a level
//	index.go      the index of a belief, and when it reaches the cutoff
//	curves.go     exponential function, logarithm and waits in tables
//	calendar.go   which nodes are looked at in a slot, and polled
//	lease.go      polls that are decided in advance
//	links.go      pages that change together
//	mechanisms.go what can be switched off, for ablations
//	constants.go  every constant, and on what it was chosen
package bayes

import (
	"sweep/algorithms/belief"
	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// A Learner learns from hits and misses and chooses the polls of each slot.
// Call Begin before the first slot, then Choose and Learn in every slot. It is
// not safe for concurrent use.
type Learner struct {
	prior
	calendar
	leases
	links      *links // nil without links
	nodes      []evidence
	importance []float64
	cost       sources.Costs
	capacity   float64 // cost of polls in a slot

	slot    int // the current slot; the first one is 1
	since   int // the slot of the last alarm or switch
	renewal int // the slot after which the prior is learned anew

	cutoff float64
	cusum  float64 // Σ of logarithms of likelihood ratios; see Learn
	alarm  float64 // the cusum at which everything is forgotten

	settling int // slots after an alarm or a switch without another alarm

	changeRate float64 // see constants.go
	fadingRate float64
	patient    float64 // 1/patience

	tries    float64 // recent polls
	replaced float64 // how often these found that a node was replaced by another
}

// New returns a learner for nodes that follow one of the models of sources. The
// capacity is the cost of all polls in a slot. Links are pairs of nodes that
// may change together; they are used in sources.Overwrite only. It learns
// without one of Mechanisms, for ablations.
func New(model string, nodes, capacity int, pairs [][2]int32, without string) *Learner {
	l := &Learner{
		prior:    newPrior(model),
		calendar: newCalendar(nodes, capacity),
		leases:   newLeases(model, nodes, capacity),
		nodes:    make([]evidence, nodes),
		capacity: float64(capacity),
		renewal:  firstRenewal,
		tries:    firstTries,
		alarm:    alarmCusum,
		settling: settling,

		changeRate: changeRate,
		fadingRate: fadingRate,
		patient:    1.0 / patience,
	}
	switch model {
	case sources.Overwrite:
		l.settling = max(settling, settlingTurns*nodes/capacity)
		l.alarm = overwriteAlarmCusum + float64(nodes)/l.capacity
		l.links = newLinks(pairs, nodes)
		if l.links != nil {
			l.maxWait = maxLinkedWait
		}
	case sources.Disappear:
		l.tries = firstDisappearTries
	}
	l.switchOff(without)
	l.cutoff = l.share(l.prior.a, l.prior.b, 1)
	return l
}

// Begin tells the importance-values of the nodes and the costs of polls from
// the coming slot on. A node whose importance-value differs from before counts
// as another node.
func (l *Learner) Begin(importance []float64, cost sources.Costs) {
	before := l.importance
	l.importance = importance
	l.cost = cost
	l.recall()
	if before == nil {
		return
	}
	for i, value := range importance {
		if value != before[i] {
			l.forget(i)
		}
	}
}

// recall ends all leases and has every node looked at in the next slot.
func (l *Learner) recall() {
	l.since = l.slot
	for i := range l.nodes {
		e := &l.nodes[i]
		if e.leaseGap > 0 {
			l.settle(int32(i), l.slot)
		}
		weight := l.importance[i] / l.cost.Of(i)
		e.weight = float32(min(max(weight, minWeight), maxWeight))
		l.put(int32(i), 1)
	}
	l.middle = l.cutoff
}

// forget drops the evidence of a node. What may wait there from before counts
// as nothing.
func (l *Learner) forget(i int) {
	e := &l.nodes[i]
	e.seen = likelihoods{}
	e.settled = false
	if l.overwrite {
		e.polled = int32(l.slot)
	}
}

// Choose sets polls to the nodes to poll in this slot.
func (l *Learner) Choose(polls bitset.Set) {
	if l.slot == l.renewal {
		l.renew()
	}
	l.slot++
	l.tries += l.capacity
	l.pollLeases(polls)
	l.gather(l.capacity - l.load)
	l.take(l.capacity - l.load)
	if n := len(l.polled); n > 0 {
		last := l.indexNow(l.polled[n-1])
		l.cutoff += float64(cutoffGain * (last - l.cutoff))
	}
	for _, i := range l.polled {
		polls.Add(int(i))
	}
}

// renew learns anew what all nodes share: how fast evidence fades, and the
// prior.
func (l *Learner) renew() {
	recent := min(1, maxTries/l.tries)
	l.tries = float64(l.tries * recent)
	l.replaced = float64(l.replaced * recent)
	l.fading = l.fadingRate * (l.replaced + firstReplaced) / l.tries
	if !l.fixed {
		l.prior.learn(l.nodes, l.slot)
	}
	l.middle = l.cutoff
	if l.disappear {
		for i := range l.nodes {
			if l.nodes[i].leaseGap == 0 {
				l.enter(int32(i), l.indexNow(int32(i)))
			}
		}
	}
	l.renewal += min(max(firstRenewal, l.slot/renewalPart), maxRenewal)
}

// Learn takes the hits among the polls of this slot.
//
// It forgets all evidence if the feedback of recent slots is much likelier
// without it, by a cumulative sum (Page 1954) of logarithms of likelihood
// ratios, which falls while nodes stay as they are.
func (l *Learner) Learn(hits bitset.Set) {
	l.countHits(hits)
	for _, i := range l.polled {
		hit := int(hits[i>>6] >> (i & 63) & 1)
		if l.links != nil {
			l.learnLinks(i, hit == 1)
		}
		gap := l.slot - int(l.nodes[i].polled)
		a, b := l.learnPolls(i, gap, 1, hit)
		l.schedule(i, a, b)
	}
	for _, i := range l.ending {
		l.load -= l.cost.Of(int(i))
		a, b := l.settle(i, l.slot)
		l.schedule(i, a, b)
	}
	l.cusum = max(0, l.cusum)
	if l.slot < l.since+l.settling {
		l.cusum = 0
	} else if l.cusum > l.alarm {
		l.recall()
		for i := range l.nodes {
			l.forget(i)
		}
	}
}

// learnLinks has links learn from a poll of a node, before the evidence of the
// node changes. After a hit the nodes linked with it are looked at in the next
// slot.
func (l *Learner) learnLinks(i int32, hit bool) {
	a, b, ago := l.belief(i)
	l.links.learn(l.nodes, i, int(ago), l.miss(a, b, ago), hit)
	if !hit {
		return
	}
	for _, k := range l.links.of[i] {
		l.put(k.other, 1) // a linked node has no lease
	}
}

// learnPolls takes the hits of n polls at equal gaps, and returns the new
// belief about the node.
func (l *Learner) learnPolls(i int32, gap, n, hits int) (a, b float64) {
	e := &l.nodes[i]
	waited := gap * n
	g := float64(gap)
	if l.disappear {
		g = 1
	}
	if l.onGrid(e) {
		a, b = l.learnGrid(e, g, float64(n), float64(hits))
		if a >= settledChanges {
			e.settled = true
			l.setCounts(e, a, b, 0)
		}
	} else {
		a, b = l.learnSettled(e, g, float64(waited), n, hits)
	}
	e.polled += int32(waited)
	return a, b
}

// learnSettled takes the hits of n polls at equal gaps of g slots, or of one
// slot in disappear, and returns the new belief about a node that is not on the
// grid.
//
// The hits also tell how likely it is that the node was replaced by another
// one. In disappear a single node that was replaced raises no alarm, since
// others are explored anyway. In overwrite alarms have rarely polled nodes
// learned anew.
func (l *Learner) learnSettled(e *evidence, g, waited float64, n, hits int) (a, b float64) {
	a, b = l.prior.belief(e, waited)

	// How likely n misses are for the node and for a new one, and how much
	// likelier the hits are for a new one.
	var miss, newMiss, ratio float64
	if n > 1 && hits > 0 {
		ratio = l.surprise(a, b, g, float64(n), float64(hits))
	} else {
		all := g * float64(n)
		miss = l.miss(a, b, all)
		newMiss = l.once
		if all > 1 {
			newMiss = l.miss(l.prior.a, l.prior.b, all)
		}
		if hits > 0 {
			ratio = (1 - newMiss + minMiss) / (1 - miss + minMiss)
		} else {
			ratio = (newMiss + minMiss) / (miss + minMiss)
		}
	}
	odds := float64(e.counts().odds) + float64(l.changeRate*waited)
	alarm := ratio
	if l.disappear {
		alarm *= (1 + odds) / (1 + float64(odds*ratio))
	}
	l.cusum += l.log(alarm)

	odds *= ratio
	replaced := odds > replacedOdds
	if replaced {
		a = l.prior.a
		b = l.prior.b
		miss = newMiss
		odds = 0
		l.replaced++
	}
	switch {
	case replaced && l.grid != nil:
		e.settled = false
		e.seen = likelihoods{}
		return l.learnGrid(e, g, float64(n), float64(hits))
	case n == 1 && hits == 1:
		a, b = belief.AfterHit(a, b, g, miss)
	default:
		a, b = l.afterMany(a, b, g, float64(n), float64(hits))
	}
	l.setCounts(e, a, b, odds)
	return a, b
}

// belief returns the belief about a node, and the slots since its last poll.
func (l *Learner) belief(i int32) (a, b, ago float64) {
	e := &l.nodes[i]
	ago = float64(l.slot - int(e.polled))
	a, b = l.prior.belief(e, ago)
	return a, b, ago
}
