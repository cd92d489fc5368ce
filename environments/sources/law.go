package sources

import (
	"fmt"
	"math"

	"sweep/internal/bitset"
	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// A Law is what the nodes of a world are drawn from.
type Law struct {
	Nodes    int // R, at least 1
	Capacity int // C, polls in a slot at cost 1, at least 1

	// ChangeRatio is Σp/C, the expected change-capacity ratio of section 7.1.
	// With 0 it is not prescribed: the exponents θ are below 2, which gives
	// about 1.56 at R = 10·C.
	ChangeRatio float64

	// CostSpread s, in [0, 1), draws costs uniformly from (1−s, 1+s),
	// independent of all else; 0 makes all costs 1.
	CostSpread float64
}

// CheckChangeRatio returns an error if no exponents give the prescribed change
// ratio: nodes of the first rank change in every slot, and no node changes more
// often. (Another node may draw the exponent 0, too; the odds are 2⁻⁵³.)
func (l *Law) CheckChangeRatio() error {
	if l.ChangeRatio == 0 {
		return nil
	}
	first := (l.Nodes + ranks - 1) / ranks
	want := l.updates()
	if !(want > float64(first) && want < float64(l.Nodes)) {
		return fmt.Errorf("change_ratio %v: %.6g updates are wanted in a slot, "+
			"of %d nodes between %d and %d are possible",
			l.ChangeRatio, want, l.Nodes, first, l.Nodes)
	}
	return nil
}

// updates returns the prescribed number of updates in a slot, Σp.
func (l *Law) updates() float64 {
	return float64(l.ChangeRatio * float64(l.Capacity))
}

const (
	// ranks is the number of ranks, after Figure 7.1, which shows the law for
	// 100 nodes: node i has rank 1 + i mod ranks.
	ranks = 100

	// minP is the smallest change probability of a node.
	minP = 1.0 / (1 << bitset.Depth)

	// maxTheta bounds the exponents if no ratio is prescribed ("by
	// letting θ randomly vary between 0 to 2").
	maxTheta = 2
)

// Draw draws the world of a seed. It fails if no exponents give the prescribed
// change ratio.
//
// Node i of rank r changes with probability p = r^−θ, θ uniform in (0, θmax),
// and has an importance-value uniform in (p, 1): random, but biased towards
// what changes often. All p are raised to one power, that is, θmax is chosen,
// so that Σp is exactly as prescribed.
func Draw(law Law, seed int64) (*World, error) {
	if err := law.CheckChangeRatio(); err != nil {
		return nil, err
	}
	s := rng.New("sources", uint64(seed))
	steepness := make([]float64, law.Nodes) // u·ln r, where θ = u·θmax
	importance := make([]float64, law.Nodes)
	for i := range steepness {
		steepness[i] = float64(s.Float64() * detmath.Log(float64(1+i%ranks)))
		importance[i] = s.Float64()
	}
	theta := float64(maxTheta)
	if law.ChangeRatio > 0 {
		theta = solveTheta(steepness, law.updates())
	}
	p := steepness // in place
	for i, x := range steepness {
		p[i] = max(bitset.Round(detmath.Exp(float64(-theta*x))), minP)
		importance[i] = bitset.Round(p[i] + float64((1-p[i])*importance[i]))
	}
	var cost []float64
	if law.CostSpread > 0 {
		s := rng.New("source costs", uint64(seed))
		cost = make([]float64, law.Nodes)
		for i := range cost {
			exact := 1 + float64(law.CostSpread*(2*s.Float64()-1))
			cost[i] = math.Round(exact*(1<<bitset.Depth)) / (1 << bitset.Depth)
		}
	}
	return newDrawn(law, p, importance, cost, rng.NewWords("source updates", uint64(seed))), nil
}

// solveTheta returns θ ≥ 0 with Σ exp(−θ·x) = want. The sum is convex and falls
// from the number of nodes, at θ = 0, towards the number of zeros, so that
// Newton's method climbs to the solution from the left, without overshooting.
// want must be between the two.
func solveTheta(steepness []float64, want float64) float64 {
	theta := 0.0
	for range 200 {
		var sum, slope float64
		for _, x := range steepness {
			p := detmath.Exp(float64(-theta * x))
			sum += p
			slope += float64(x * p)
		}
		step := (sum - want) / slope
		theta += step
		if step <= 1e-12*theta {
			break
		}
	}
	return theta
}
