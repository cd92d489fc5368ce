package inference

import "math"

// Moments describe a sample.
type Moments struct {
	N    int
	Mean float64 // NaN if N is 0
	Std  float64 // with N−1; NaN if N is below 2
	Skew float64 // the moment coefficient m₃/m₂^(3/2); 0 if all values are equal, NaN if N is 0
}

// Describe returns the moments of a sample. It sums in the order of the
// values.
func Describe(x []float64) Moments {
	m := Moments{N: len(x), Mean: math.NaN(), Std: math.NaN(), Skew: math.NaN()}
	if len(x) == 0 {
		return m
	}
	n := float64(len(x))

	// Relative to the first value, so that equal values have exactly
	// themselves as their mean, and no deviation.
	sum := 0.0
	for _, v := range x {
		sum += v - x[0]
	}
	m.Mean = x[0] + sum/n

	squares, cubes := 0.0, 0.0
	for _, v := range x {
		d := v - m.Mean
		square := float64(d * d)
		squares += square
		cubes += float64(square * d)
	}
	m.Skew = 0
	if squares > 0 {
		variance := squares / n
		m.Skew = cubes / n / (variance * math.Sqrt(variance))
	}
	if len(x) > 1 {
		m.Std = math.Sqrt(squares / (n - 1))
	}
	return m
}

// SE returns the standard error of the mean, NaN if N is below 2.
func (m Moments) SE() float64 { return m.Std / math.Sqrt(float64(m.N)) }
