package bayes

import (
	"encoding/binary"
	"iter"
	"math"

	"sweep/environments/sources"
	"sweep/internal/detmath"
)

// The belief about a node is a gamma distribution of the rate θ = −ln(1−p) at
// which it changes, with a density in proportion to θ^(a−1)·e^(−bθ): a changes
// were seen in b slots. A poll g slots after the last one finds nothing with
// probability e^(−gθ), so that the belief gives a miss, and nothing waiting
// after g slots, the probability
//
//	M(g) = E e^(−gθ) = (b/(b+g))^a
//
//   - A miss multiplies the density by e^(−gθ): b grows by g.
//   - A hit multiplies it by 1 − e^(−gθ). The result is replaced by the gamma
//     distribution of the same mean and variance
//     (belief.AfterHit).
//   - The polls of a lease are taken at once, by a tangent to the logarithm of
//     the likelihood (afterMany).
//
// Both a and b are sums of the prior, which all nodes share, and of evidence,
// which fades because nodes change.

// evidence is what was seen of a node. With the prior it makes a belief.
type evidence struct {
	weight   float32     // importance-value per cost
	polled   int32       // the slot of the last poll that is part of the evidence, or of forgetting
	seen     likelihoods // all 0 while nothing was seen; off the grid the bytes of counts
	settled  bool        // whether the node has left the grid
	leaseGap int8        // slots between the polls of its lease; 0 without one
}

// counts are the evidence of a node that is not on the grid.
type counts struct {
	a, b float32 // changes and slots, beyond those of the prior
	odds float32 // that the node was replaced by another: the ratio of Shiryaev and Roberts
}

// counts returns the evidence of a node that is not on the grid.
func (e *evidence) counts() counts {
	return counts{
		a:    math.Float32frombits(binary.LittleEndian.Uint32(e.seen[0:])),
		b:    math.Float32frombits(binary.LittleEndian.Uint32(e.seen[4:])),
		odds: math.Float32frombits(binary.LittleEndian.Uint32(e.seen[8:])),
	}
}

// setCounts sets the evidence of a node to a belief, from which the prior is
// taken, and to the odds that it was replaced.
func (p *prior) setCounts(e *evidence, a, b, odds float64) {
	binary.LittleEndian.PutUint32(e.seen[0:], math.Float32bits(float32(a-p.a)))
	binary.LittleEndian.PutUint32(e.seen[4:], math.Float32bits(float32(b-p.b)))
	binary.LittleEndian.PutUint32(e.seen[8:], math.Float32bits(float32(odds)))
}

// prior is the belief about a node of which nothing was seen.
type prior struct {
	a, b float64
	once float64 // M(1)

	overwrite  bool // the model
	disappear  bool
	accumulate bool

	// bonus is the number of changes that are added to those seen of a node in
	// disappear, where only polled nodes are learned of, lest they be given up
	// too early.
	bonus float64

	fixed  bool    // whether it is never learned
	fading float64 // the share of evidence that fades in a slot

	grid *grid // overwrite only
	*curves
}

func newPrior(model string) prior {
	p := prior{
		a:          firstShape,
		b:          firstSlots,
		overwrite:  model == sources.Overwrite,
		disappear:  model == sources.Disappear,
		accumulate: model == sources.Accumulate,
		bonus:      bonus,
		curves:     sharedCurves(),
	}
	p.once = p.miss(p.a, p.b, 1)
	if p.overwrite {
		p.grid = newGrid()
	}
	return p
}

// learn learns the prior from the nodes that were polled, by a step of
// expectation maximisation.
func (p *prior) learn(nodes []evidence, slot int) {
	if p.grid != nil {
		p.learnRates(nodes, slot)
	} else {
		p.learnGamma(nodes, slot)
	}
	p.once = p.miss(p.a, p.b, 1)
}

// learnGamma makes the prior the gamma distribution whose mean of θ and mean of
// ln θ are those of the nodes.
func (p *prior) learnGamma(nodes []evidence, slot int) {
	count := float64(pseudoNodes)
	mean := count * firstShape / firstSlots
	logs := count * p.meanLog(firstShape, firstSlots)
	for e := range sample(nodes) {
		a, b := p.belief(e, float64(slot-int(e.polled)))
		mean += a / b
		logs += p.meanLog(a, b)
		count++
	}
	mean /= count
	p.a = max(shape(detmath.Log(mean)-logs/count), minShape)
	p.b = p.a / mean
}

// sample returns the nodes of which something was seen; some of them if there
// are many.
func sample(nodes []evidence) iter.Seq[*evidence] {
	step := 1 + len(nodes)/maxSample
	return func(yield func(*evidence) bool) {
		for i := 0; i < len(nodes); i += step {
			if nodes[i].seen != (likelihoods{}) && !yield(&nodes[i]) {
				return
			}
		}
	}
}

// shape returns the shape of the gamma distribution of which d is by how much
// the logarithm of the mean of θ exceeds the mean of ln θ, about (Minka 2002,
// Estimating a gamma distribution).
func shape(d float64) float64 {
	root := math.Sqrt(float64((d-3)*(d-3)) + float64(24*d))
	return (3 - d + root) / float64(12*d)
}

// belief returns the belief of the prior and evidence that is some slots old.
// On the grid it is the gamma distribution that stands for it.
func (p *prior) belief(e *evidence, ago float64) (a, b float64) {
	if p.onGrid(e) {
		var w weights
		p.grid.posterior(&e.seen, &w)
		return p.fit(&w)
	}
	keep := max(1-float64(p.fading*ago), 0)
	seen := e.counts()
	a = p.a + float64(keep*float64(seen.a))
	b = p.b + float64(keep*float64(seen.b))
	if a < minParameter || b < minParameter { // rare: evidence of surprising hits
		a = max(a, minParameter)
		b = max(b, minParameter)
	}
	return a, b
}

// onGrid reports whether the grid holds what is known of a node.
func (p *prior) onGrid(e *evidence) bool { return p.grid != nil && !e.settled }

// miss returns M(g).
func (c *curves) miss(a, b, g float64) float64 {
	return c.decay(float64(a * c.log(1+g/b)))
}

// changing returns about the probability of a change in a slot, if there was
// none in the g slots before: 1 − M(g+1)/M(g).
func (c *curves) changing(a, b, g float64) float64 {
	return 1 - c.decay(a/(b+g+0.5))
}

// meanLog returns about the mean of ln θ, ψ(a) − ln b, with ψ(a) = ψ(a+1) − 1/a
// and e^ψ(a+1) ≈ a + ½ + 1/(24a + 12).
func (c *curves) meanLog(a, b float64) float64 {
	exp := a + 0.5 + 1/(12+float64(24*a))
	return c.log(exp/b) - 1/a
}

// afterMany returns the gamma distribution after n polls of gap g with some
// hits. The logarithm of a hit's likelihood, ln(1 − e^(−gθ)), is replaced by
// the α·ln θ − βθ of the same slope and curvature where the mean of θ comes to
// lie.
func (c *curves) afterMany(a, b, g, n, hits float64) (afterA, afterB float64) {
	b += float64(g * (n - hits))
	if hits == 0 {
		return a, b
	}
	afterA = a
	afterB = b
	for range tangentSteps {
		theta := afterA / afterB
		x := max(float64(g*theta), minExponent)
		e := c.decay(x)
		slope := float64(hits * (float64(x*e) / (1 - e)))
		alpha := float64(slope * (x / (1 - e)))
		afterA = a + alpha
		afterB = b + (alpha-slope)/theta
	}
	return afterA, afterB
}

// surprise returns how much likelier hits of n polls of gap g are with an
// unknown miss probability, uniform in (0, 1), than with a belief. Its
// logarithm is about n·KL(hits/n, p) − ln(n+1), where p is that of the mean of
// θ. As θ is known from a changes only, the divergence is smaller by 1 +
// hits/a.
func (c *curves) surprise(a, b, g, n, hits float64) float64 {
	miss := c.decay(float64(g*a) / b)
	miss = min(max(miss, minSurpriseMiss), 1-minSurpriseMiss)
	h := min(max(hits, minHits), n-minHits)
	ofHits := float64(h * c.log(h/float64(n*(1-miss))))
	ofMisses := float64((n - h) * c.log((n-h)/float64(n*miss)))
	x := (ofHits+ofMisses)/(1+h/a) - c.log(n+1)
	// decay is above 0 for a quarter of the exponent only.
	root := c.decay(min(math.Abs(x), maxSurprise) / 4)
	if x > 0 {
		root = 1 / root
	}
	return root * root * root * root
}
