// Package report sets tables of numbers for people: as text for a terminal,
// as Markdown, and as LaTeX. Numbers come to it as text, already rounded.
// Programs get them in full precision (program.go).
package report

import (
	"math"
	"strconv"
)

// A Document is what one command prints.
type Document struct {
	Sheets   []Sheet
	Notes    []string // what the numbers are made of
	Warnings []string // what to doubt about them
}

// A Sheet is one table.
type Sheet struct {
	Title   string
	Columns []Heading
	Lead    int // columns at the left that belong to all others
	Rows    [][]string
}

// A Heading stands above a column. Neighbours with one group share it.
type Heading struct {
	Group string
	Name  string
	Unit  string
	Left  bool // flush left: text
}

// Missing stands for a number that is not defined.
const Missing = "–"

// Fixed returns x with so many decimals.
func Fixed(x float64, decimals int) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return Missing
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

// Decimals returns how many decimals a column of numbers shows: as many as
// give the most exact of them two digits of standard error, and not more
// than six digits in all. Without standard errors, four digits. A standard
// error that is NaN or 0 is not known.
func Decimals(numbers, standardErrors []float64) int {
	most, decimals := 0.0, math.MinInt
	for _, x := range numbers {
		most = max(most, math.Abs(x))
	}
	for _, e := range standardErrors {
		if e > 0 {
			decimals = max(decimals, 1-exponent(e))
		}
	}
	if most == 0 {
		return 0
	}
	if decimals == math.MinInt {
		decimals = 3 - exponent(most)
	}
	return max(0, min(decimals, 5-exponent(most)))
}

// exponent returns the power of ten of the first digit of x > 0.
func exponent(x float64) int { return int(math.Floor(math.Log10(x))) }
