package inference

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// StudentFactor returns the factor by which a standard error with df
// degrees of freedom becomes the margin of two-sided limits of the given
// level. It is rounded like all quantiles here.
func StudentFactor(df, level float64) float64 {
	return rounded(studentQuantile((1-level)/2, df))
}

// studentP returns the probability that Student's t with df degrees of
// freedom is at least as far from 0 as t.
func studentP(t, df float64) float64 {
	tail, _ := studentTail(math.Abs(t), df)
	return rounded(2 * tail)
}

func normalFactor(level float64) float64 {
	return rounded(distuv.UnitNormal.Quantile(1 - (1-level)/2))
}

// rounded returns x to twelve digits: the last ones of what comes from
// exponentials and logarithms depend on the processor.
func rounded(x float64) float64 {
	r, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 11, 64), 64)
	if err != nil {
		return x // NaN or an infinity, which are exact
	}
	return r
}
