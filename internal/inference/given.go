package inference

import (
	"math"
	"slices"

	"sweep/internal/detmath"
)

// The indices of this file are computed from the runs of any sample: a Latin
// hypercube, a Sobol' sequence, random points. They look at ranks of inputs, so
// the scale of an input does not matter.

// Sampled has the indices of each input of a sample, and how well its ranks
// explain those of the output.
type Sampled struct {
	First []Share // first-order: the share of the variance that the main effect has
	SRRC  []Share // standardised rank regression coefficients
	PAWN  []Share

	RankR2 float64 // the share of the output's ranks that the regression explains
}

// harmonics is how many cosines of the rank of an input can make up its main
// effect, the M of random balance designs; a sample of few points has fewer,
// one for each pointsPerHarmonic.
const (
	harmonics         = 10
	pointsPerHarmonic = 10
)

// pawnClasses is the number of classes of equal probability in which PAWN
// compares the output with all of it.
const pawnClasses = 10

// NewSampled computes indices from outputs and, for each input, its values at
// the same points. Limits are of level 95 %, by resampling points; those of a
// statistic which resampling moves are moved back.
//
// The first-order index is that of Plischke's EASI (Reliab. Eng. Syst. Saf. 95,
// 2010): the share of the output's variance in the first harmonics of the rank
// of an input, corrected for what harmonics explain by chance (Tissot and
// Prieur, Reliab. Eng. Syst. Saf. 107, 2012). Computed with cosines (Plischke,
// COSI, 2012) that is the adjusted coefficient of determination of a regression
// on them.
//
// Rank regression is that of Saltelli and Sobol' (Reliab. Eng. Syst. Saf. 50,
// 1995). PAWN (Pianosi and Wagener, Environ. Model. Softw. 108, 2018) is the
// median, over classes of the input, of the largest distance between the
// distribution function of the outputs there and that of all. It is above 0
// even of an input without effect: see InertPAWN.
func NewSampled(inputs [][]float64, outputs []float64) Sampled {
	g := newGiven(inputs, outputs)
	var points [][]float64
	for i, y := range outputs {
		points = append(points, []float64{y, float64(i)})
	}
	chosen := make([]int, len(points))
	shares, drawn := resampleBlocks(points, func(points [][]float64) []float64 {
		for i, p := range points {
			chosen[i] = int(p[1])
		}
		return g.statistics(chosen)
	})
	for i, x := range drawn {
		if len(x) < blockResamples {
			continue
		}
		slices.Sort(x)
		back := shares[i].Value - Describe(x).Mean
		shares[i].Low = x[tailResamples] + back
		shares[i].High = x[blockResamples-tailResamples-1] + back
	}
	for i := range shares {
		s := &shares[i]
		*s = Share{detmath.Round(s.Value, 12), detmath.Round(s.Low, 12), detmath.Round(s.High, 12)}
	}
	d := len(inputs)
	return Sampled{
		First:  shares[:d],
		SRRC:   shares[d : 2*d],
		PAWN:   shares[2*d : 3*d],
		RankR2: detmath.Round(shares[3*d].Value, 12),
	}
}

// InertPAWN returns about what PAWN is for an input without effect, in a sample
// of n points: the median of Kolmogorov's distribution, for a class that is
// drawn from all points.
func InertPAWN(n int) float64 {
	const median = 0.8276
	return median * math.Sqrt((pawnClasses-1)/float64(max(1, n)))
}

// given is what does not change when points are resampled.
type given struct {
	waves   [][][]float64 // of each input: its harmonics at each point
	ranks   [][]float64   // of each input
	classes [][]int       // of each input, from 0 to pawnClasses−1
	output  []float64
	rank    []float64 // of the output
	order   []int     // of points, by the output
}

func newGiven(inputs [][]float64, output []float64) *given {
	n := len(output)
	g := &given{output: output, rank: midRanks(output), order: orderOf(output)}
	count := min(harmonics, n/pointsPerHarmonic)
	for _, x := range inputs {
		ranks := midRanks(x)
		waves := make([][]float64, count)
		classes := make([]int, n)
		for i, rank := range ranks {
			place := (rank - 0.5) / float64(n)                       // in (0, 1)
			class := (rank - 1) * pawnClasses / float64(max(1, n-1)) // between quantiles
			classes[i] = min(int(class), pawnClasses-1)
			for k := range waves {
				waves[k] = append(waves[k], cosine(float64(k+1)*place))
			}
		}
		g.ranks = append(g.ranks, ranks)
		g.waves = append(g.waves, waves)
		g.classes = append(g.classes, classes)
	}
	return g
}

// cosine returns cos(πx) for x ≥ 0: the same bits on every processor.
func cosine(x float64) float64 { return rounded(math.Cos(math.Pi * math.Mod(x, 2))) }

// orderOf returns the positions of values in increasing order.
func orderOf(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case x[i] < x[j]:
			return -1
		case x[i] > x[j]:
			return 1
		}
		return 0
	})
	return order
}

// midRanks returns the ranks of values, from 1; equal ones have their mean
// rank.
func midRanks(x []float64) []float64 {
	ranks := make([]float64, len(x))
	order := orderOf(x)
	for first := 0; first < len(order); {
		after := first + 1
		for after < len(order) && x[order[after]] == x[order[first]] {
			after++
		}
		for _, i := range order[first:after] {
			ranks[i] = float64(first+1+after) / 2
		}
		first = after
	}
	return ranks
}

// statistics returns the indices of all inputs from chosen points: the first-
// order ones, the coefficients of rank regression, PAWN, and then how much that
// regression explains.
func (g *given) statistics(chosen []int) []float64 {
	n := float64(len(chosen))
	var first, pawn []float64
	for j := range g.ranks {
		fit := fitted(g.waves[j], g.output, chosen)
		index := math.NaN()
		if left := n - 1 - float64(fit.rank); fit.rank > 0 && left > 0 {
			index = 1 - float64((1-fit.r2)*(n-1))/left
		}
		first = append(first, index)
		pawn = append(pawn, g.pawn(g.classes[j], chosen))
	}
	fit := fitted(g.ranks, g.rank, chosen)
	if fit.rank < len(g.ranks) { // fewer points than inputs, or equal inputs
		fit.r2 = math.NaN()
		for j := range fit.coefficients {
			fit.coefficients[j] = math.NaN()
		}
	}
	return slices.Concat(first, fit.coefficients, pawn, []float64{fit.r2})
}

// A regression is the least-squares fit of an output.
type regression struct {
	coefficients []float64 // standardised
	r2           float64   // the share of variance that it explains; NaN if there is none
	rank         int       // features that the others before them do not determine
}

// collinear is the share of a feature's variance below which what others leave
// of it is an error of rounding.
const collinear = 1e-9

// leastVariance is the mean square of deviations, in parts of that of the
// numbers themselves, up to which they are errors of rounding: numbers such as
// times since 1970 vary by small parts of themselves.
const leastVariance = 1e-24

// fitted regresses an output on features at chosen points. It solves the normal
// equations by Cholesky's method; a feature that others determine is left out.
func fitted(features [][]float64, output []float64, chosen []int) regression {
	k := len(features)
	columns := slices.Clone(features)
	columns = append(columns, output)
	covariance := make([][]float64, k+1) // lower triangle
	centred := make([][]float64, k+1)
	for a, column := range columns {
		// Relative to the first value, as in Describe.
		first := column[chosen[0]]
		sum := 0.0
		size := 0.0
		for _, i := range chosen {
			sum += column[i] - first
			size += float64(column[i] * column[i])
		}
		mean := first + sum/float64(len(chosen))
		centred[a] = make([]float64, len(chosen))
		for k, i := range chosen {
			centred[a][k] = column[i] - mean
		}
		covariance[a] = make([]float64, a+1)
		for b := range covariance[a] {
			other := centred[b]
			for i, v := range centred[a] {
				covariance[a][b] += float64(v * other[i])
			}
		}
		if covariance[a][a] <= size*leastVariance {
			covariance[a][a] = 0
		}
	}
	total := covariance[k][k]
	fit := regression{coefficients: make([]float64, k), r2: math.NaN()}
	if !(total > 0) {
		return fit
	}
	// The last row becomes what each feature adds.
	root := make([][]float64, k+1)
	for a := range root {
		root[a] = make([]float64, a+1)
		for b := range a {
			if root[b][b] > 0 {
				sum := covariance[a][b]
				for c := range b {
					sum -= float64(root[a][c] * root[b][c])
				}
				root[a][b] = sum / root[b][b]
			}
		}
		left := covariance[a][a]
		for c := range a {
			left -= float64(root[a][c] * root[a][c])
		}
		if left > covariance[a][a]*collinear {
			root[a][a] = math.Sqrt(left)
		}
	}
	explained := 0.0
	for b := k - 1; b >= 0; b-- {
		explained += float64(root[k][b] * root[k][b])
		if root[b][b] == 0 {
			continue
		}
		fit.rank++
		sum := root[k][b]
		for a := b + 1; a < k; a++ {
			sum -= float64(root[a][b] * fit.coefficients[a])
		}
		fit.coefficients[b] = sum / root[b][b]
	}
	for b := range fit.coefficients {
		fit.coefficients[b] *= math.Sqrt(covariance[b][b] / total)
	}
	fit.r2 = explained / total
	return fit
}

// pawn returns the PAWN index of an input by the classes of its values.
func (g *given) pawn(classes, chosen []int) float64 {
	weights := make([]float64, len(g.output)) // how often a point is chosen
	var sizes [pawnClasses]float64
	for _, i := range chosen {
		weights[i]++
		sizes[classes[i]]++
	}
	var farthest, here [pawnClasses]float64
	all := 0.0
	for k, i := range g.order {
		if weights[i] > 0 {
			all += weights[i]
			here[classes[i]] += weights[i]
		}
		isLast := k+1 == len(g.order) || g.output[g.order[k+1]] != g.output[i]
		if !isLast {
			continue
		}
		for c, size := range sizes {
			if size > 0 {
				distance := math.Abs(here[c]/size - all/float64(len(chosen)))
				farthest[c] = max(farthest[c], distance)
			}
		}
	}
	var list []float64
	for c, size := range sizes {
		if size > 0 {
			list = append(list, farthest[c])
		}
	}
	slices.Sort(list)
	n := len(list)
	return (list[(n-1)/2] + list[n/2]) / 2
}
