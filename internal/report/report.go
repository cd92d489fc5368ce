// Package report writes tables: for people as text, Markdown and LaTeX with
// rounded numbers, for programs as CSV and JSON in full precision. Whatever
// a command prints as a table is a Table, written by Write.
package report

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/dustin/go-humanize"

	"sweep/internal/lists"
)

// A Table is what one command prints. A cell is nil (not defined), a float64
// (NaN: not defined), or else what fmt and, for JSON, encoding/json take:
// strings, integers, Stringers.
type Table struct {
	Title    string
	Columns  []Column
	Rows     [][]any
	Each     iter.Seq[[]any] // the rows in place of Rows, if there are too many to hold
	Notes    []string        // what the numbers are made of
	Warnings []string        // what to doubt about them

	// In text only:
	Lead  int // columns at the left that are repeated when a wide table is broken
	Limit int // show at most so many rows, and say how many more there are; 0: all
	Width int // characters of a line; 0: 118
}

// A Column heads the cells below it. Neighbours with one Group share it.
type Column struct {
	Group, Name, Unit string
	Key               string   // names the column in CSV and JSON; empty: Name does
	Decimals          int      // of a float64 for people; -1: the shortest exact text; or Significant
	Signed            bool     // a float64 above 0 has a plus sign for people
	Left              bool     // flush left: text
	In                []string // the formats that have the column; nil: all

	at    int // its cell's place in a row
	width int // in text, in characters
}

// Texts returns columns of text.
func Texts(names ...string) []Column {
	return lists.Map(names, func(name string) Column { return Column{Name: name, Left: true} })
}

// Data returns columns for programs alone.
func Data(names ...string) []Column {
	return lists.Map(names, func(name string) Column { return Column{Name: name, In: Programs} })
}

// Significant, as the Decimals of a column whose numbers differ in size, shows four
// significant digits of each.
const Significant = -2

// The formats in which tables are written. LaTeX is a tabular for the package
// booktabs.
const (
	Text     = "text"
	Markdown = "markdown"
	CSV      = "csv"
	LaTeX    = "latex"
	JSON     = "json"
)

// People and Programs are for whom the formats are, for Column.In.
var (
	People   = []string{Text, Markdown, LaTeX}
	Programs = []string{CSV, JSON}
)

// Formats returns the formats in the order of help texts.
func Formats() []string { return []string{Text, Markdown, CSV, LaTeX, JSON} }

// Write writes tables one after another. CSV and JSON have records only, a
// row each: no titles, notes and warnings. Tables with the same columns
// share their CSV header, and all are one JSON array. Write returns w's
// errors, and panics if the format is none of those above.
func Write(w io.Writer, f string, tables ...*Table) error {
	chosen := lists.Map(tables, func(t *Table) *Table { return t.in(f) })
	b := bufio.NewWriter(w)
	switch s, forPeople := styles[f]; {
	case forPeople:
		s.write(b, chosen)
	case f == CSV:
		writeCSV(b, chosen)
	case f == JSON:
		text, err := records(chosen)
		if err == nil {
			err = WriteJSON(b, json.RawMessage(text))
		}
		if err != nil {
			return err
		}
	default:
		panic(fmt.Sprintf("report: format %q", f))
	}
	return b.Flush()
}

// in returns the table with those columns that a format has, and its rows
// in Each.
func (t *Table) in(f string) *Table {
	chosen := *t
	chosen.Columns, chosen.Lead = nil, 0
	for k, c := range t.Columns {
		if c.In == nil || slices.Contains(c.In, f) {
			c.at, c.Key = k, cmp.Or(c.Key, c.Name)
			chosen.Columns = append(chosen.Columns, c)
			if k < t.Lead {
				chosen.Lead++
			}
		}
	}
	if t.Each == nil {
		chosen.Each = slices.Values(t.Rows)
	}
	return &chosen
}

// Shown returns the columns that people see and at most limit rows (0: all) of
// the text that they see there, and how many more rows there are.
func (t *Table) Shown(limit int) (columns []Column, rows [][]string, more int) {
	chosen := t.in(Markdown)
	rows, more = chosen.texts(limit)
	return chosen.Columns, rows, more
}

// texts returns at most limit rows (0: all) as people see them, and how many more
// there are.
func (t *Table) texts(limit int) (rows [][]string, more int) {
	for row := range t.Each {
		if limit > 0 && len(rows) == limit {
			more++
			continue
		}
		rows = append(rows, lists.Map(t.Columns, func(c Column) string { return c.show(row) }))
	}
	return rows, more
}

// missing stands for a number that is not defined.
const missing = "–"

// show returns the column's cell of a row as people see it.
func (c *Column) show(row []any) string {
	switch v := row[c.at].(type) {
	case nil:
		return missing
	case string:
		return Plain(v)
	case float64:
		decimals := c.Decimals
		if decimals == Significant {
			decimals = Decimals([]float64{v}, nil)
		}
		text := Fixed(v, decimals)
		if c.Signed && v > 0 && text != missing {
			text = "+" + text
		}
		return text
	}
	return minus(Plain(fmt.Sprint(row[c.at])))
}

// Plain makes text harmless for a terminal: of what is no graphic character,
// line breaks and tabs become spaces, and all else, such as the beginning of
// an escape sequence, U+FFFD.
func Plain(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsGraphic(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return unicode.ReplacementChar
	}, s)
}

// minus replaces the hyphen with which a number begins by a minus.
func minus(s string) string {
	if len(s) > 1 && s[0] == '-' && '0' <= s[1] && s[1] <= '9' {
		return "−" + s[1:]
	}
	return s
}

// Fixed returns x with so many decimals, or the shortest exact text if
// decimals is negative, for people: with U+2212 for a minus, and a dash for
// NaN and infinities. Very large and very small numbers have an exponent.
func Fixed(x float64, decimals int) string {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return missing
	case decimals < 0:
		return minus(Exact(x))
	case decimals > 12 || math.Abs(x) >= 1e15: // nobody counts the zeros
		return strings.ReplaceAll(strconv.FormatFloat(x, 'g', 4, 64), "-", "−")
	}
	return minus(strconv.FormatFloat(x, 'f', decimals, 64))
}

// Exact returns the shortest text that reads back as x; empty for NaN.
func Exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
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

// Count writes a number of things, as in "1 run" and "2,000 runs".
func Count(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return humanize.Comma(n) + " " + thing
}
