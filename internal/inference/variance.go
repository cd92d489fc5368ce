package inference

import (
	"math"
	"slices"

	"sweep/internal/rng"
)

// A Share is an estimated share of a variance, which may be a little below 0 or
// above 1, or a probability, with confidence limits. NaN: not defined, as of a
// variance of 0.
type Share struct{ Value, Low, High float64 }

// shareResamples is how many times blocks are resampled: the error of a limit
// is then some hundredths of its margin.
const shareResamples = 1000

// SobolIndices returns first-order and total indices of d inputs from blocks of
// Saltelli's design: what is measured at A, B, AB₁ … AB_d. The first-order index
// of an input is the share of the variance that its main effect has (Saltelli
// et al. 2010, table 2 (b)), the total one the share of all effects in which
// it has a part (Jansen, Comput. Phys. Commun. 117, 1999). Limits are
// percentiles of bootstrap resamples of the blocks. It panics without blocks.
func SobolIndices(blocks [][]float64) (first, total []Share) {
	d := len(blocks[0]) - 2
	shares := resampledShares(len(blocks), blocks, func(chosen []int) []float64 {
		sum := 0.0
		for _, j := range chosen {
			sum += blocks[j][0] + blocks[j][1]
		}
		mean := sum / float64(2*len(chosen))
		variance := 0.0
		indices := make([]float64, 2*d)
		for _, j := range chosen {
			a, b := blocks[j][0]-mean, blocks[j][1]-mean
			variance += float64(a*a) + float64(b*b)
			for i, y := range blocks[j][2:] {
				ab := y - mean
				indices[i] += float64(b * (ab - a))
				indices[d+i] += float64((a-ab)*(a-ab)) / 2
			}
		}
		variance /= 2
		for i := range indices {
			indices[i] /= variance
		}
		return indices
	})
	return shares[:d], shares[d:]
}

// MorrisMeasures returns mu* and sigma of inputs from the elementary effects of
// each trajectory: the mean of their magnitudes (Campolongo, Cariboni and
// Saltelli, Environ. Model. Softw. 22, 2007), and their standard deviation (n−1).
// Limits are percentiles of bootstrap resamples of the trajectories. It panics
// without any.
func MorrisMeasures(effects [][]float64) (size, deviation []Share) {
	d := len(effects[0])
	shares := resampledShares(len(effects), effects, func(chosen []int) []float64 {
		list := make([]float64, 2*d)
		for i := range d {
			var values []float64
			for _, j := range chosen {
				values = append(values, effects[j][i])
				list[i] += math.Abs(effects[j][i]) / float64(len(chosen))
			}
			list[d+i] = Describe(values).Std
		}
		return list
	})
	return shares[:d], shares[d:]
}

// NoiseShare returns the share that noise has in the variance of a single
// run: blocks hold the means of points, noise the variances of their runs, k of
// each, by block. The variance of the means has a k-th of the noise in it, which
// is taken off. It panics without blocks.
func NoiseShare(means, noise [][]float64, k float64) Share {
	return resampledShares(len(means), means, func(chosen []int) []float64 {
		sum, n := 0.0, 0.0
		within := 0.0
		for _, j := range chosen {
			for i, y := range means[j] {
				sum += y
				within += noise[j][i]
				n++
			}
		}
		mean, between := sum/n, 0.0
		for _, j := range chosen {
			for _, y := range means[j] {
				between += float64((y - mean) * (y - mean))
			}
		}
		within /= n
		between = max(0, between/n-within/k)
		return []float64{within / (within + between)}
	})[0]
}

// resampledShares computes statistics of n blocks, and their limits from
// blocks drawn with replacement. The draws depend on the numbers alone.
func resampledShares(n int, blocks [][]float64, statistics func(chosen []int) []float64) []Share {
	chosen := make([]int, n)
	for j := range chosen {
		chosen[j] = j
	}
	shares := []Share{}
	for _, x := range statistics(chosen) {
		shares = append(shares, Share{x, math.NaN(), math.NaN()})
	}
	if n < 2 {
		return shares
	}
	stream := rng.New("resampled blocks", uint64(n), math.Float64bits(blocks[0][0]), math.Float64bits(blocks[n-1][0]))
	drawn := make([][]float64, len(shares))
	for range shareResamples {
		for j := range chosen {
			chosen[j] = stream.IntN(n)
		}
		for i, x := range statistics(chosen) {
			if x == x && !math.IsInf(x, 0) {
				drawn[i] = append(drawn[i], x)
			}
		}
	}
	for i, x := range drawn {
		if len(x) < shareResamples {
			continue // some resamples have no variance
		}
		slices.Sort(x)
		shares[i].Low, shares[i].High = x[shareResamples*25/1000], x[shareResamples*975/1000-1]
	}
	return shares
}
