package command

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
)

var (
	errNoNumber = errors.New("want a number")
	errRounded  = errors.New("which no floating-point number holds exactly: want an integer " +
		"up to 2⁵³, or one with an exponent, as in 9e15, if it may be rounded")
)

// number reads a finite number as programs write it. What is empty, NA, NaN or
// null is not defined: NaN.
func number(text string) (float64, error) {
	switch strings.ToLower(text) {
	case "", "na", "nan", "-nan", "null":
		return math.NaN(), nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN(), errNoNumber
	}
	if isRounded(text, x) {
		return math.NaN(), errRounded
	}
	return x, nil
}

// jsonNumber reads a number from valid JSON; null is NaN.
func jsonNumber(text json.RawMessage) (float64, error) {
	isNumber := text[0] == '-' || '0' <= text[0] && text[0] <= '9'
	if !isNumber && string(text) != "null" {
		return math.NaN(), errNoNumber
	}
	return number(string(text))
}

// isRounded reports whether a text is an integer, and x another one.
func isRounded(text string, x float64) bool {
	const exact = 1 << 53 // floating-point numbers hold all integers up to here
	digits := strings.TrimLeft(text, "+-")
	if math.Abs(x) < exact || strings.Trim(digits, "0123456789") != "" {
		return false
	}
	return strings.TrimLeft(digits, "0") != strconv.FormatFloat(math.Abs(x), 'f', 0, 64)
}
