package inference

import "math"

// A Proportion is an estimated probability with confidence limits.
type Proportion struct {
	Value, Low, High float64 // NaN without observations
}

// Superiority estimates the probability that a difference is
// positive; one of zero counts half. The limits are Wilson's (1927), which
// ties make wider than they need be.
func Superiority(differences []float64, level float64) Proportion {
	n := float64(len(differences))
	if n == 0 {
		return Proportion{math.NaN(), math.NaN(), math.NaN()}
	}
	wins := 0.0
	for _, d := range differences {
		switch {
		case d > 0:
			wins++
		case d == 0:
			wins += 0.5
		}
	}
	p := wins / n
	z := normalFactor(level)
	z2 := z * z
	center := (wins + z2/2) / (n + z2)
	margin := z * math.Sqrt(float64(n*p*(1-p))+z2/4) / (n + z2)
	return Proportion{p, max(0, center-margin), min(1, center+margin)}
}
