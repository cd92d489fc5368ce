package inference

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"sweep/internal/detmath"
)

// Who judges, and buys more runs if the verdict is open, looks at the data
// again and again, and sooner or later limits exclude the truth by chance
// alone. The limits of a Location of Sequential hold at all looks together: the
// probability that they exclude the truth at any look is at most 1 − level.
//
// The number of looks is bounded: the first is at a number of runs that is
// fixed beforehand, each further one at twice as many, and there are Looks. The
// error is spent in equal parts, and the parts are added up (Bonferroni;
// Pocock, Group sequential methods in the design and analysis of clinical
// trials, Biometrika 64, 1977; Lan and DeMets, Discrete sequential boundaries
// for clinical trials, Biometrika 70, 1983). Adding up asks for nothing but
// limits that are right at a single look. So it holds for Student's limits, for
// those of the bootstrap and of the jackknife, for paired differences and for
// ratios alike. Pocock's own constants need the joint distribution of the
// estimates, and would save a tenth of the runs.
//
// The confidence sequences of betting (Waudby-Smith and Ramdas, JRSS B 86,
// 2024) need values between known bounds, which metrics of simulations do not
// have. Those of Howard, Ramdas, McAuliffe and Sekhon (Annals of Statistics 49,
// 2021) need a known variance or tail. Asymptotic ones (Waudby-Smith, Arbour,
// Sinha, Kennedy and Ramdas, Annals of Statistics 52, 2024) hold as the first
// look grows, and have nothing in place of Student's t for twenty runs. All of
// them hold after every single run, and are wider where few looks are made.

// Looks is the number of looks that sequential limits allow.
const Looks = 7

// FewSequential is the size of a sample below which sequential limits are not
// defined: with fewer runs the limits of skewed samples miss the truth too
// often.
const FewSequential = 40

// rarest is the probability of the rarest event that sequential limits are to
// know of. Of a sample whose values are all equal they are not defined before
// such an event would have been seen.
const rarest = 0.05

// minOther is how many values must differ from the value that most others
// have, for limits by Student's t to be used at a look.
const minOther = 5

// LookSizes returns the numbers of runs at which Sequential may be asked, where
// first runs are there in any case.
func LookSizes(first int64) []int64 {
	sizes := []int64{max(first, FewSequential)}
	for len(sizes) < Looks {
		sizes = append(sizes, 2*sizes[len(sizes)-1])
	}
	return sizes
}

// A look is what sequential limits need to know of a sample besides its
// Location.
type look struct {
	least, most float64 // values
	highest     int     // how many values are the most
	two         bool    // there is no value but these two
	others      int     // how many values differ from the one that is most frequent
}

// Sequential estimates the mean of a sample as Mean does, with limits that hold
// at all looks.
func Sequential(x []float64) *Location {
	l := Mean(x)
	l.look = &look{}
	if l.N < FewSequential {
		return l
	}
	sorted := slices.Sorted(slices.Values(x))
	k := l.look
	k.least = sorted[0]
	k.most = sorted[l.N-1]
	k.two = k.least < k.most
	run := 0
	for i, v := range sorted {
		if i == 0 || v != sorted[i-1] {
			run = 0
		}
		run++
		k.others = max(k.others, run)
		if v == k.most {
			k.highest++
		}
		k.two = k.two && (v == k.least || v == k.most)
	}
	k.others = l.N - k.others
	if k.two {
		l.Method = Binomial
		l.Warning = ""
		l.bootstrap = nil
	}
	return l
}

// Needed returns how many values a sample like this one needs for its limits,
// of a level and by Student's t, to be at a distance from the mean that is
// estimated now. By then a verdict that depends on that distance comes with
// even odds, and the estimate may move. It is +Inf if the distance is not
// positive.
func (l *Location) Needed(distance, level float64) float64 {
	switch {
	case l.N < 2:
		return math.NaN()
	case !(distance > 0):
		return math.Inf(1)
	}
	const tMatters = 1000 // up to so many values Student's t is not the normal distribution
	factor := normalFactor(level)
	n := 0.0
	for range 10 { // from below, ever more slowly
		parts := float64(factor*l.SE) / distance
		n = max(2, float64(l.N)*float64(parts*parts))
		if n > tMatters {
			break
		}
		factor = StudentFactor(math.Ceil(n)-1, level)
	}
	return n
}

// NeededAtLooks is Needed for sequential limits.
func (l *Location) NeededAtLooks(distance, level float64) float64 {
	level = Simultaneous(level, Looks)
	if l.N > 1 && l.SE == 0 {
		return math.Ceil(detmath.Log(1-level) / detmath.Log(1-rarest))
	}
	return max(FewSequential, l.Needed(distance, level))
}

// interval returns limits of the mean at one of Looks looks. They are NaN where
// the sample is too small, or too uniform, to tell.
func (k *look) interval(l *Location, level float64) (low, high float64) {
	level = Simultaneous(level, Looks)
	unseen := detmath.Pow(1-rarest, float64(l.N))
	switch {
	case l.N < FewSequential, l.SE == 0 && unseen > 1-level:
		return math.NaN(), math.NaN()
	case l.SE == 0:
		return l.Value, l.Value
	case k.two:
		low, high = k.binomial(l.N, level)
	case k.others < minOther:
		return math.NaN(), math.NaN()
	default:
		low, high = l.limits(level)
	}
	margin := float64(StudentFactor(float64(l.N-1), level) * l.SE)
	return min(low, l.Value-margin), max(high, l.Value+margin)
}

// binomial returns the limits of the mean of n values of two kinds: those of
// Clopper and Pearson (Biometrika 26, 1934).
func (k *look) binomial(n int, level float64) (low, high float64) {
	tail := (1 - level) / 2
	more := float64(k.highest)
	less := float64(n - k.highest)
	below := rounded(mathext.InvRegIncBeta(more, less+1, tail))
	above := rounded(mathext.InvRegIncBeta(more+1, less, 1-tail))
	size := k.most - k.least
	return k.least + float64(below*size), k.least + float64(above*size)
}
