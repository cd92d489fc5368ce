package cli

import (
	"math/big"
	"strings"
	"text/tabwriter"
	"unicode/utf8"
)

// flush ends a table whose writer keeps everything in memory.
func flush(table *tabwriter.Writer) {
	if err := table.Flush(); err != nil {
		panic(err)
	}
}

// trimLines removes what tabwriter pads the last column with.
func trimLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// count writes a number of things with thousands separated.
func count(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return thousands(big.NewInt(n)) + " " + thing + "s"
}

// thousands writes a number with its thousands separated.
func thousands(n *big.Int) string {
	digits := n.String()
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// wrap writes text in lines of at most 80 columns, indented.
func wrap(b *strings.Builder, indent int, text string) {
	column := 0
	for _, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(strings.Repeat(" ", indent))
			column = indent
		case column+1+width > 80:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			column = indent
		default:
			b.WriteString(" ")
			column++
		}
		b.WriteString(word)
		column += width
	}
	b.WriteString("\n")
}
