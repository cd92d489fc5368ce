package bayes

import (
	"math"
	"sync"

	"sweep/algorithms/belief"
	"sweep/internal/detmath"
)

// The grid is the belief about a node of which little is known, in overwrite.
// No gamma distribution says "slow for months, or just now fast". The
// node has one of some rates θ, and is redrawn with the probability redraw in a
// slot. Before each outcome the likelihood L of every rate is mixed with that
// of a fresh draw:
//
//	L ← (ρL/Z + 1 − ρ) · likelihood,  ρ = e^(−redraw·gap)
//
// where Z is the mean of L over the prior. That is exact but for redraws
// between two polls, which count as if they came at the beginning. The
// algorithm filter of the parent package does the same in full.
//
// Once many changes are known of a node, the gamma distribution of the same
// mean of θ and of ln θ is all that is kept of it (evidence.settled), until the
// odds say that it was replaced.
type grid struct {
	*rateTables
	prior    weights
	unseen   [gapClasses]moments // of the indices of nodes of which nothing was seen
	indices  [gapClasses]float64 // what indexOf makes of them
	optimism float64             // standard deviations that are added to an index

	// firsts are what a first miss and a first hit teach, which many nodes have
	// after the same gap.
	firsts [2]first
}

// A first is what a first poll teaches, after some slots.
type first struct {
	gap   float64 // 0: not known
	below likelihoods
	a, b  float64
}

// rates is the number of rates.
const rates = 16

type (
	// weights has a number for each rate.
	weights [rates]float64

	// likelihoods are the logarithms of L, as how far they are below the
	// largest one, in units of 1/perNat.
	likelihoods [rates]uint8
)

// rateTables are what there is to know of the rates. Gaps are in classes.
type rateTables struct {
	theta  weights      // the rates θ, falling by factors of 2
	logs   weights      // ln θ
	powers [256]float64 // e^(−x/perNat)
	byGap  [gapClasses]gapTable

	// classOf has the class of each gap up to maxGap; that of 0 is that of 1.
	classOf [maxGap + 1]uint8
}

// gapTable is what there is to know of the rates at a gap.
type gapTable struct {
	gap       float64 // slots
	stays     float64 // the probability that a node is not redrawn in the gap
	hit, miss weights // logarithms of the probabilities, in units of 1/perNat
	index     weights // Whittle's, as shares of the importance-value
	square    weights // of the indices
}

// sharedRates computes the tables when they are first needed.
var sharedRates = sync.OnceValue(func() *rateTables {
	t := &rateTables{}
	for r := range rates {
		t.logs[r] = detmath.Log(fastestRate) - float64(float64(r)*math.Ln2)
		t.theta[r] = detmath.Exp(t.logs[r])
	}
	for x := range t.powers {
		t.powers[x] = detmath.Exp(-float64(x) / perNat)
	}
	for class := range t.byGap {
		gap := detmath.Exp(float64(class) * math.Ln2 / gapsPerOctave)
		at := &t.byGap[class]
		at.gap = gap
		at.stays = detmath.Exp(-float64(redraw * gap))
		for r, theta := range t.theta {
			x := float64(theta * gap)
			none := detmath.Exp(-x)
			at.hit[r] = perNat * detmath.Log(1-none)
			at.miss[r] = -x * perNat
			at.index[r] = belief.Index(none, gap, 1-detmath.Exp(-theta))
			at.square[r] = at.index[r] * at.index[r]
		}
	}
	for gap := range t.classOf {
		octaves := detmath.Log(float64(max(gap, 1))) / math.Ln2
		t.classOf[gap] = uint8(float64(octaves*gapsPerOctave) + 0.5)
	}
	return t
})

func newGrid() *grid {
	g := &grid{rateTables: sharedRates(), optimism: optimism}
	for r := range g.prior {
		g.prior[r] = 1.0 / rates
	}
	g.learnIndices()
	return g
}

// gapClass returns the class of a gap, which is that of maxGap above it.
func (t *rateTables) gapClass(gap int) int {
	return int(t.classOf[min(gap, maxGap)])
}

// posterior sets w to the belief that likelihoods make of the prior, and
// returns the mean of the likelihoods, of which the largest counts as 1.
func (g *grid) posterior(below *likelihoods, w *weights) (mean float64) {
	for r, x := range below {
		w[r] = float64(g.prior[r] * g.powers[x])
		mean += w[r]
	}
	scale := 1 / mean
	for r := range w {
		w[r] *= scale
	}
	return mean
}

// learnRates makes the prior the mean of the beliefs about the nodes. The gamma
// prior is the distribution that stands for it.
func (p *prior) learnRates(nodes []evidence, slot int) {
	var sum weights
	count := 0.0
	for e := range sample(nodes) {
		p.add(e, slot, &sum)
		count++
	}
	p.grid.renew(&sum, count)
	a, b := p.fit(&p.grid.prior)
	p.a = max(a, minShape)
	p.b = float64(b * (p.a / a))
}

// renew makes the prior the mean of beliefs of which sum is the sum.
func (g *grid) renew(sum *weights, count float64) {
	for r := range sum {
		g.prior[r] = (sum[r] + evenNodes/float64(rates)) / (count + evenNodes)
	}
	g.firsts = [2]first{}
	g.learnIndices()
}

// add adds the belief about a node to a sum. Of a node that is settled it is
// the mean rate, shared by the two rates next to it.
func (p *prior) add(e *evidence, slot int, sum *weights) {
	if !e.settled {
		var w weights
		p.grid.posterior(&e.seen, &w)
		for r, x := range w {
			sum[r] += x
		}
		return
	}
	a, b := p.belief(e, float64(slot-int(e.polled)))
	place := p.log(fastestRate*b/a) / math.Ln2
	place = min(max(place, 0), rates-1)
	r := min(int(place), rates-2)
	part := place - float64(r)
	sum[r] += 1 - part
	sum[r+1] += part
}

// learnGrid takes the hits of n polls at equal gaps of g slots, and returns the
// gamma distribution that stands for the belief after them.
func (p *prior) learnGrid(e *evidence, g, n, hits float64) (a, b float64) {
	if n > 1 || e.seen != (likelihoods{}) {
		return p.mix(&e.seen, g, n, hits)
	}
	f := &p.grid.firsts[int(hits)]
	if f.gap != g {
		*f = first{gap: g}
		f.a, f.b = p.mix(&f.below, g, 1, hits)
	}
	e.seen = f.below
	return f.a, f.b
}

// mix takes the same for likelihoods.
func (p *prior) mix(below *likelihoods, g, n, hits float64) (a, b float64) {
	var w weights
	mean := p.grid.posterior(below, &w)
	stays := p.decay(redraw * float64(g*n))
	o := &p.grid.byGap[p.grid.gapClass(int(g))]
	largest := math.Inf(-1)
	for r, x := range below {
		now := float64(stays*p.grid.powers[x])/mean + (1 - stays)
		outcome := float64(hits*o.hit[r]) + float64((n-hits)*o.miss[r])
		w[r] = float64(perNat*p.log(now)) + outcome
		largest = max(largest, w[r])
	}
	for r, x := range w {
		below[r] = uint8(min(largest-x+0.5, 255))
	}
	p.grid.posterior(below, &w)
	return p.fit(&w)
}

// fit returns the gamma distribution with the mean of θ and the mean of ln θ of
// a belief, if each rate stands for all that are nearer to it than to others.
func (p *prior) fit(w *weights) (a, b float64) {
	mean := 0.0
	logs := 0.0
	for r, x := range w {
		mean += float64(x * p.grid.theta[r])
		logs += float64(x * p.grid.logs[r])
	}
	a = shape(p.log(mean) - logs + betweenRates)
	return a, a / mean
}
