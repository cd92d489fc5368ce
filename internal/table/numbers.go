package table

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
)

// missing stands for a number that is not defined.
const missing = "–"

// Plain makes text harmless for a terminal. Line breaks and tabs become spaces;
// other characters that are not graphic, such as the beginning of an escape
// sequence, become U+FFFD.
func Plain(s string) string {
	return strings.Map(plain, s)
}

func plain(r rune) rune {
	switch {
	case unicode.IsGraphic(r):
		return r
	case unicode.IsSpace(r):
		return ' '
	}
	return unicode.ReplacementChar
}

// minus replaces the hyphen before a number by a minus sign.
func minus(s string) string {
	if len(s) > 1 && s[0] == '-' && '0' <= s[1] && s[1] <= '9' {
		return "−" + s[1:]
	}
	return s
}

// Fixed returns x for people, with a number of decimals or, if that is
// negative, as the shortest exact text. It writes U+2212 for a minus, and a
// dash for NaN and infinities. What is rounded to 0 has no minus. Very large
// and very small numbers have an exponent.
func Fixed(x float64, decimals int) string {
	const (
		maxDecimals = 12   // nobody counts more zeros behind the point,
		minExponent = 1e19 // or more digits than nanoseconds since 1970 have
	)
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return missing
	case decimals < 0:
		return minus(Exact(x + 0)) // 0 for negative zero
	case decimals > maxDecimals || math.Abs(x) >= minExponent:
		return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 4, 64), "-", "−")
	}
	text := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return minus(text)
}

// Exact returns the shortest text that reads back as x; empty for NaN.
func Exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Decimals returns the number of decimals for a column of numbers. The most
// exact number gets two digits of its standard error, but none gets more than
// six digits in all. Without standard errors, the largest number gets four
// digits. A standard error that is NaN or 0 is not known.
func Decimals(numbers, standardErrors []float64) int {
	largest := 0.0
	for _, x := range numbers {
		largest = max(largest, math.Abs(x))
	}
	if largest == 0 {
		return 0
	}
	decimals := math.MinInt
	for _, e := range standardErrors {
		if e > 0 {
			decimals = max(decimals, 1-exponent(e))
		}
	}
	if decimals == math.MinInt {
		decimals = 3 - exponent(largest)
	}
	return max(0, min(decimals, 5-exponent(largest)))
}

// exponent returns the power of ten of the first digit of x > 0.
func exponent(x float64) int { return int(math.Floor(math.Log10(x))) }

// Count writes a number of things, for example "1 run" and "2,000 runs".
func Count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(n) + " " + thing
}

// Rate writes a positive rate in the unit that leaves a number above 1.
func Rate(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return fmt.Sprintf("%.0f runs/s", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.1f runs/s", perSecond)
	case perSecond*60 >= 1:
		return fmt.Sprintf("%.1f runs/min", perSecond*60)
	}
	return fmt.Sprintf("%.1f runs/h", perSecond*3600)
}

// Seconds writes a number of seconds as Duration does.
func Seconds(s float64) string { return Duration(time.Duration(s * float64(time.Second))) }

// Duration writes a duration with the precision that a person wants: "0.6 ms",
// "0.4 s", "9.1 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
func Duration(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case d > 0 && d < 50*time.Millisecond:
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d d %d h", s/86400, s/3600%24)
}
