package plots

import (
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// linearTicks puts at most the given number of labelled ticks at round values.
type linearTicks int

func (most linearTicks) Ticks(low, high float64) []plot.Tick {
	if !(high > low) {
		return []plot.Tick{{Value: low, Label: formatNumber(low)}}
	}
	step := roundStep((high - low) / float64(most))
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	if step*math.Pow10(decimals) != math.Round(step*math.Pow10(decimals)) {
		decimals++ // steps of 2.5
	}
	var ticks []plot.Tick
	for k := math.Ceil(low/step - 1e-9); k <= math.Floor(high/step+1e-9); k++ {
		v := k * step
		ticks = append(ticks, plot.Tick{Value: v, Label: withMinus(groupDigits(strconv.FormatFloat(v+0, 'f', decimals, 64)))})
	}
	return ticks
}

// roundStep returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is
// at least x.
func roundStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, f := range []float64{1, 2, 2.5, 5} {
		if f*power >= x*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// logTicks labels powers of ten, every second or third if there are many,
// and marks what is between them.
type logTicks struct{}

func (logTicks) Ticks(low, high float64) []plot.Tick {
	first, last := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(high)-1e-9)
	every := max(1, int(math.Ceil((last-first)/6)))
	var ticks []plot.Tick
	for e := first; e <= last; e++ {
		for digit := 1.; digit < 10; digit++ {
			t := plot.Tick{Value: digit * math.Pow(10, e)}
			if digit == 1 && int(e)%every == 0 {
				t.Label = formatNumber(t.Value)
			}
			if low*(1-1e-9) <= t.Value && t.Value <= high*(1+1e-9) {
				ticks = append(ticks, t)
			}
		}
	}
	return ticks
}

// ofLogarithm puts ticks on an axis of decimal logarithms.
type ofLogarithm struct{ plot.Ticker }

func (o ofLogarithm) Ticks(low, high float64) []plot.Tick {
	ticks := o.Ticker.Ticks(math.Pow(10, low), math.Pow(10, high))
	for i := range ticks {
		ticks[i].Value = math.Log10(ticks[i].Value)
	}
	return ticks
}

// rounded widens a range to the next round value where that is near, so
// that the axis ends with a tick, and gives a single value some room.
func rounded(low, high float64, most int) (float64, float64) {
	if low > high { // nothing is shown
		return 0, 1
	}
	if !(high-low > 1e-9*max(math.Abs(low), math.Abs(high))) {
		room := max(0.05*math.Abs(low), 1e-3)
		return low - room, high + room
	}
	step := roundStep((high - low) / float64(most))
	const near = 0.3
	if below := math.Floor(low/step) * step; low-below < near*step {
		low = below
	}
	if above := math.Ceil(high/step) * step; above-high < near*step {
		high = above
	}
	return low, high
}

// valueTicks puts a tick at each of the values.
type valueTicks []float64

func (values valueTicks) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(values))
	for i, v := range values {
		ticks[i] = plot.Tick{Value: v, Label: formatNumber(v)}
	}
	return ticks
}

// nameTicks puts names at 0, 1, 2, …
type nameTicks []string

func (names nameTicks) Ticks(_, _ float64) []plot.Tick {
	ticks := make([]plot.Tick, len(names))
	for i, n := range names {
		ticks[i] = plot.Tick{Value: float64(i), Label: n}
	}
	return ticks
}

// formatNumber writes a number with three significant digits, or with all if
// it is whole.
func formatNumber(x float64) string {
	size := math.Abs(x)
	switch {
	case x == math.Trunc(x) && size < 1e6:
		return withMinus(groupDigits(strconv.FormatFloat(x, 'f', 0, 64)))
	case size >= 1e6 || size < 1e-3:
		text := strconv.FormatFloat(x, 'e', 2, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		mantissa = strings.TrimSuffix(strings.TrimRight(mantissa, "0"), ".")
		power, _ := strconv.Atoi(exponent)
		return withMinus(mantissa + "e" + strconv.Itoa(power))
	case size >= 1000:
		return withMinus(groupDigits(strconv.FormatFloat(x, 'f', 0, 64)))
	}
	return withMinus(strconv.FormatFloat(x, 'g', 3, 64))
}

// threeDigits returns how to write numbers up to a size alike: with as many
// decimals as give the largest three significant digits.
func threeDigits(size float64) func(float64) string {
	if size == 0 || size >= 1e6 || size < 1e-3 {
		return formatNumber
	}
	decimals := max(0, 2-int(math.Floor(math.Log10(size))))
	return func(x float64) string { return withMinus(groupDigits(strconv.FormatFloat(x, 'f', decimals, 64))) }
}

// groupDigits puts spaces between the thousands of a number from 10,000 on.
func groupDigits(text string) string {
	whole, rest, fraction := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	if len(digits) < 5 {
		return text
	}
	var b strings.Builder
	b.WriteString(whole[:len(whole)-len(digits)])
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteRune(' ')
		}
		b.WriteRune(d)
	}
	if fraction {
		b.WriteString("." + rest)
	}
	return b.String()
}

// withMinus writes minus signs as such.
func withMinus(text string) string { return strings.ReplaceAll(text, "-", "−") }
