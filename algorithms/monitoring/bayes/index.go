package bayes

import (
	"math"

	"sweep/algorithms/belief"
)

// indexNow returns the index of a node in the current slot.
func (l *Learner) indexNow(i int32) float64 {
	e := &l.nodes[i]
	weight := float64(e.weight)
	if l.hasGridIndex(i) {
		return float64(weight * l.grid.gridShare(&e.seen, l.slot-int(e.polled)))
	}
	a, b, ago := l.belief(i)
	if l.links != nil {
		none, less := l.links.unchanged(l.nodes, i)
		ago -= less
		if none < 1 {
			// The node counts as if it had waited until M(ago) is as small.
			shrink := l.decay(-l.log(none) / a)
			ago = (b+ago)/max(shrink, minShrink) - b
		}
	}
	return float64(weight * l.share(a, b, ago))
}

// gapTo returns about how many slots after its last poll the index of a node
// reaches a level.
func (l *Learner) gapTo(i int32, level float64) float64 {
	e := &l.nodes[i]
	weight := float64(e.weight)
	if l.hasGridIndex(i) {
		return l.grid.gridGap(&e.seen, level/weight)
	}
	a, b, _ := l.belief(i)
	return l.gap(a, b, level, weight)
}

// hasGridIndex reports whether the index of a node is that of the grid. A page
// with links has that of its gamma distribution.
func (l *Learner) hasGridIndex(i int32) bool {
	return l.onGrid(&l.nodes[i]) && !l.links.has(i)
}

// share returns the index of a belief g slots after a poll, as a share of the
// importance-value.
func (p *prior) share(a, b, g float64) float64 {
	if p.disappear {
		return 1 - p.decay((a+p.bonus)/b)
	}
	if p.accumulate {
		return float64(g * p.changing(a, b, 0))
	}
	none := p.miss(a, b, g)
	later := b + g + 0.5
	// soon is p.changing(a, b, g), 1 − e^(−x) with the rate x = a/later, by the
	// approximation x/(1 + x/2 + x²/12).
	soon := float64(12*a*later) / (float64(12*later*later) + float64(a*(float64(6*later)+a)))
	return belief.Index(none, g, soon)
}

// gap returns about how many slots after a poll the index of a belief reaches
// the cutoff, if the node has some weight; in disappear, how many polls that
// find nothing bring it down to the cutoff.
func (p *prior) gap(a, b, cutoff, weight float64) float64 {
	switch {
	case p.accumulate:
		return cutoff / float64(weight*p.changing(a, b, 0))
	case p.disappear:
		return (a+p.bonus)/-p.log(max(1-cutoff/weight, minRest)) - b
	case cutoff >= weight:
		return math.Inf(1)
	}
	// Slots are ahead of continuous time by half of one.
	return float64(b*p.wait(a, cutoff/(weight-cutoff))) - 0.5
}
