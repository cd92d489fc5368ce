package inference

import (
	"math"
	"slices"

	"sweep/internal/rng"
)

// A Share is an estimated share of a variance, which may be a little below 0 or
// above 1, or a probability, with confidence limits. A share of a variance of 0
// is NaN.
type Share struct{ Value, Low, High float64 }

// blockResamples is how many times blocks are resampled: the error of a limit
// is then some hundredths of its margin.
const blockResamples = 1000

// tailResamples is how many of them lie beyond each of the 95 % limits.
const tailResamples = blockResamples * 25 / 1000

// Blocks computes statistics of at least one block of numbers, with 95 %
// limits: percentiles of the statistics of blocks drawn with replacement. The
// draws depend on the numbers alone.
func Blocks(blocks [][]float64, statistics func(blocks [][]float64) []float64) []Share {
	shares, drawn := resampleBlocks(blocks, statistics)
	for i, x := range drawn {
		if len(x) < blockResamples { // some have no variance
			continue
		}
		slices.Sort(x)
		shares[i].Low = x[tailResamples]
		shares[i].High = x[blockResamples-tailResamples-1]
	}
	return shares
}

// resampleBlocks computes statistics of blocks, without limits, and those of
// resamples that are finite.
func resampleBlocks(
	blocks [][]float64, statistics func(blocks [][]float64) []float64,
) (shares []Share, drawn [][]float64) {
	shares = []Share{}
	for _, x := range statistics(blocks) {
		shares = append(shares, Share{x, math.NaN(), math.NaN()})
	}
	n := len(blocks)
	if n < 2 {
		return shares, nil
	}
	first := math.Float64bits(blocks[0][0])
	last := math.Float64bits(blocks[n-1][0])
	stream := rng.New("resampled blocks", uint64(n), first, last)
	drawn = make([][]float64, len(shares))
	chosen := make([][]float64, n)
	for range blockResamples {
		for j := range chosen {
			chosen[j] = blocks[stream.IntN(n)]
		}
		for i, x := range statistics(chosen) {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				drawn[i] = append(drawn[i], x)
			}
		}
	}
	return shares, drawn
}

// Sobol returns the first-order indices of d inputs, then their total ones. A
// block of Saltelli's design holds the outputs at A, B, AB₁ … AB_d. The
// first-order index of an input is the share of the variance that its main
// effect has (Saltelli et al. 2010, table 2 (b)), the total index the share of
// all effects in which it has a part (Jansen, Comput. Phys. Commun. 117, 1999).
func Sobol(blocks [][]float64) []float64 {
	var base []float64
	for _, y := range blocks {
		base = append(base, y[0], y[1])
	}
	m := Describe(base)
	d := len(blocks[0]) - 2
	indices := make([]float64, 2*d)
	for _, block := range blocks {
		a := block[0] - m.Mean
		b := block[1] - m.Mean
		for i, y := range block[2:] {
			ab := y - m.Mean
			indices[i] += float64(b * (ab - a))
			indices[d+i] += float64((a-ab)*(a-ab)) / 2
		}
	}
	squares := float64(m.Std*m.Std) * float64(m.N-1)
	for i := range indices {
		indices[i] /= squares / 2
	}
	return indices
}

// SobolPairs returns what Sobol does, and then the second-order indices of the
// pairs of inputs: of the first with the second, with the third, and so on,
// then of the second with the third. A block holds the outputs at A, B, AB₁ …
// AB_d, BA₁ … BA_d. The second-order index of a pair is the share of the
// variance that the interaction of these two has (Saltelli, Comput. Phys.
// Commun. 145, 2002, theorem 2; the mean of both estimates that a block
// allows).
func SobolPairs(blocks [][]float64) []float64 {
	d := (len(blocks[0]) - 2) / 2
	var base []float64
	var halves [][]float64
	for _, y := range blocks {
		base = append(base, y[0], y[1])
		halves = append(halves, y[:2+d])
	}
	indices := Sobol(halves)
	m := Describe(base)
	squares := float64(m.Std*m.Std) * float64(m.N-1)
	for i := range d {
		for j := i + 1; j < d; j++ {
			closed := 0.0 // the share of i, j and their interaction
			for _, block := range blocks {
				y := func(k int) float64 { return block[k] - m.Mean }
				both := float64(y(2+d+i)*y(2+j)) + float64(y(2+d+j)*y(2+i))
				closed += both/2 - float64(y(0)*y(1))
			}
			indices = append(indices, closed/(squares/2)-indices[i]-indices[j])
		}
	}
	return indices
}

// Morris returns mu* of the inputs, then their sigma, from the elementary
// effects of each trajectory: the mean size of the effects (Campolongo,
// Cariboni and Saltelli, Environ. Model. Softw. 22, 2007) and their standard
// deviation (n−1).
func Morris(effects [][]float64) []float64 {
	d := len(effects[0])
	list := make([]float64, 2*d)
	for i := range d {
		var values []float64
		for _, trajectory := range effects {
			values = append(values, trajectory[i])
			list[i] += math.Abs(trajectory[i]) / float64(len(effects))
		}
		list[d+i] = Describe(values).Std
	}
	return list
}

// Noise returns a statistic of blocks: the share of noise in the variance of a
// single run. A block holds the means of points, and then the variances of
// their runs, k of each. The variance of the means has a k-th of the noise in
// it, which is taken off.
func Noise(k float64) func(blocks [][]float64) []float64 {
	return func(blocks [][]float64) []float64 {
		var means, variances []float64
		for _, block := range blocks {
			means = append(means, block[:len(block)/2]...)
			variances = append(variances, block[len(block)/2:]...)
		}
		std := Describe(means).Std
		within := Describe(variances).Mean
		between := max(0, float64(std*std)-within/k)
		return []float64{within / (within + between)}
	}
}
