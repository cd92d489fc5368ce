// Package sheet sets tables of numbers for people: as text for a terminal,
// as Markdown, and as LaTeX. Numbers come to it as text, already rounded.
package sheet

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

// Exponent returns the power of ten of the first digit of x > 0.
func Exponent(x float64) int { return int(math.Floor(math.Log10(x))) }
