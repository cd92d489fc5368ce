package inference

import (
	"fmt"
	"math"
)

// A Ratio is the estimated ratio of the means of two paired samples, with
// Fieller's limits (E. C. Fieller, Some Problems in Interval Estimation,
// Journal of the Royal Statistical Society B 16, 1954). They are exact for
// normal samples, and are none if the denominator may be zero.
type Ratio struct {
	N             int
	a, b          float64 // the means
	vaa, vab, vbb float64 // variances and covariance of the means
	doubts        []string
}

// RatioOfMeans estimates mean(a)/mean(b); a[i] and b[i] are a pair. It
// panics if the lengths differ.
func RatioOfMeans(a, b []float64) *Ratio {
	if len(a) != len(b) {
		panic("inference: RatioOfMeans of unpaired samples")
	}
	ma, mb := Describe(a), Describe(b)
	r := &Ratio{N: len(a), a: ma.Mean, b: mb.Mean}
	if r.N < 2 {
		return r
	}
	if r.N < FewRuns {
		r.doubts = append(r.doubts, fmt.Sprintf("fewer than %d runs", FewRuns))
	}
	n := float64(r.N)
	for i := range a {
		da, db := a[i]-ma.Mean, b[i]-mb.Mean
		r.vaa += float64(da * da)
		r.vab += float64(da * db)
		r.vbb += float64(db * db)
	}
	scale := n * (n - 1)
	r.vaa, r.vab, r.vbb = r.vaa/scale, r.vab/scale, r.vbb/scale
	// The limits are those ratios ρ at which the mean of a − ρb is not
	// surely different from 0: it is that mean's skewness that matters.
	difference := make([]float64, r.N)
	for i := range a {
		difference[i] = a[i] - float64(r.Point()*b[i])
	}
	if skew := Describe(difference).Skew / math.Sqrt(n); math.Abs(skew) > mostSkew {
		r.doubts = append(r.doubts, "skewed: the limits of the ratio are Student's")
	}
	return r
}

// Point returns the ratio of the means, NaN if the denominator is 0.
func (r *Ratio) Point() float64 {
	if r.b == 0 {
		return math.NaN()
	}
	return r.a / r.b
}

// Doubts tell what may be wrong with the limits.
func (r *Ratio) Doubts() []string { return r.doubts }

// Interval returns Fieller's two-sided limits.
func (r *Ratio) Interval(level float64) (low, high float64) {
	none := math.NaN()
	if r.N < 2 {
		return none, none
	}
	// (a − ρb)² = t²(vaa − 2ρ·vab + ρ²·vbb), a quadratic in ρ.
	t := StudentFactor(float64(r.N-1), level)
	t2 := t * t
	square := float64(r.b*r.b) - float64(t2*r.vbb)
	if square <= 0 {
		return none, none
	}
	half := float64(r.a*r.b) - float64(t2*r.vab)
	constant := float64(r.a*r.a) - float64(t2*r.vaa)
	root := math.Sqrt(max(0, float64(half*half)-float64(square*constant)))
	return (half - root) / square, (half + root) / square
}
