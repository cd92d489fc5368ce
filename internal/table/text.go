package table

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A style is how a format for people writes a table and what stands around it.
type style struct {
	between string // before each part but the first
	title   string // the last three are formats of a text
	note    string
	warning string
	escape  func(string) string // of title, notes and warnings
	body    func(*view, *bufio.Writer)
}

var styles = map[string]style{
	Text: {
		between: "\n",
		title:   "%s\n",
		note:    "%s\n",
		warning: "warning: %s\n",
		escape:  Plain,
		body:    (*view).writeText,
	},
	Markdown: {
		between: "\n",
		title:   "**%s**\n",
		note:    "%s\n",
		warning: "\n> warning: %s\n",
		escape:  EscapeMarkdown,
		body:    (*view).writeMarkdown,
	},
	LaTeX: {
		title:   "%% %s\n",
		note:    "%% %s\n",
		warning: "%% warning: %s\n",
		escape:  Plain,
		body:    (*view).writeLaTeX,
	},
}

// write writes tables, each with its title, notes and warnings.
func (s style) write(b *bufio.Writer, tables []*view) {
	between := ""
	begin := func() {
		b.WriteString(between)
		between = s.between
	}
	for _, t := range tables {
		if t.Title != "" {
			begin()
			fmt.Fprintf(b, s.title, s.escape(t.Title))
		}
		if len(t.columns) > 0 {
			begin()
			s.body(t, b)
		}
		if len(t.Notes)+len(t.Warnings) > 0 {
			begin()
		}
		for _, note := range t.Notes {
			fmt.Fprintf(b, s.note, s.escape(note))
		}
		for _, warning := range t.Warnings {
			fmt.Fprintf(b, s.warning, s.escape(warning))
		}
	}
}

const (
	defaultWidth = 118  // of a line, in characters
	minWrapped   = 30   // minimum width of a last column that is wrapped
	gap          = "  " // between columns; twice as much between groups
)

// A column is a column of a table as text.
type column struct {
	Cell
	at    int // in a row
	width int // in characters
}

// writeText writes the table for a terminal. A table that is too wide is broken
// into parts, between groups of columns. A last column of text is wrapped.
func (v *view) writeText(b *bufio.Writer) {
	rows := v.texts(v.Limit)
	columns := make([]column, len(v.columns))
	for k, cell := range v.columns {
		c := column{Cell: cell, at: k}
		for _, word := range c.words() {
			c.width = max(c.width, utf8.RuneCountInString(word))
		}
		for _, row := range rows {
			c.width = max(c.width, utf8.RuneCountInString(row[k]))
		}
		columns[k] = c
	}
	line := v.Width
	if line == 0 {
		line = defaultWidth
	}
	last := &columns[len(columns)-1]
	room := line - len(gap) - width(columns[:last.at])
	if last.Left && room >= minWrapped {
		last.width = min(last.width, room)
	}
	part := slices.Clone(columns[:v.lead])
	rest := columns[v.lead:]
	for _, group := range Groups(v.columns[v.lead:]) {
		next := rest[:len(group)]
		rest = rest[len(group):]
		if len(part) > v.lead && width(part)+width(next) > line {
			v.writePart(b, part, rows)
			b.WriteByte('\n')
			part = part[:v.lead]
		}
		part = append(part, next...)
	}
	v.writePart(b, part, rows)
}

// width returns the width of columns, each with the gap behind it.
func width(columns []column) (sum int) {
	for _, c := range columns {
		sum += c.width + len(gap)
	}
	return sum
}

// writePart writes some columns of the rows. The name of a group stands over
// its first column.
func (v *view) writePart(b *bufio.Writer, part []column, rows [][]string) {
	cells := make([][]string, len(part))
	height := 0
	group := ""
	for k, c := range part {
		if c.Group != group && c.Group != "" {
			cells[k] = []string{Plain(c.Group)}
		}
		group = c.Group
		height = max(height, len(c.words()))
	}
	writeCells(b, part, cells)
	for k, c := range part {
		words := c.words()
		above := make([]string, height-len(words))
		cells[k] = append(above, words...)
	}
	writeCells(b, part, cells)
	for _, row := range rows {
		for k, c := range part {
			cells[k] = Wrap(row[c.at], c.width)
		}
		writeCells(b, part, cells)
	}
	if more := v.more(v.Limit); more > 0 {
		fmt.Fprintf(b, "… %s; table --format csv shows all\n", Count(int64(more), "more row"))
	}
}

// writeCells writes cells of several lines beside each other. Spaces are
// written before the next text: lines do not end with them.
func writeCells(b *bufio.Writer, part []column, cells [][]string) {
	height := 0
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for y := range height {
		spaces := 0
		for k, c := range part {
			if k > 0 && c.Group != part[k-1].Group {
				spaces += len(gap)
			}
			text := ""
			if y < len(cells[k]) {
				text = strings.TrimRight(cells[k][y], " ")
			}
			rest := max(0, c.width-utf8.RuneCountInString(text))
			if !c.Left {
				spaces += rest
				rest = 0
			}
			if text != "" {
				writeSpaces(b, spaces)
				b.WriteString(text)
				spaces = 0
			}
			spaces += rest + len(gap)
		}
		b.WriteByte('\n')
	}
}

func writeSpaces(b *bufio.Writer, n int) {
	for range n {
		b.WriteByte(' ')
	}
}

// words returns the lines of a heading: each word of its name, and its unit.
func (c *Cell) words() []string {
	words := strings.Fields(Plain(c.Name))
	if c.Unit != "" {
		words = append(words, "["+Plain(c.Unit)+"]")
	}
	return words
}

// Groups divides columns into those that share a Group. A column without a
// Group stands alone.
func Groups(columns []Cell) (groups [][]Cell) {
	begin := 0
	for k, c := range columns {
		end := k + 1
		if end == len(columns) || c.Group == "" || columns[end].Group != c.Group {
			groups = append(groups, columns[begin:end])
			begin = end
		}
	}
	return groups
}

// Wrap breaks text between words into lines of at most width characters, at
// least one line. A longer word has a line of its own.
func Wrap(text string, width int) []string {
	fits := func(line string) bool { return utf8.RuneCountInString(line) <= width }
	words := strings.Fields(text)
	if fits(text) || len(words) == 0 {
		return []string{text}
	}
	return Lines(words, fits)
}

// Lines joins words by spaces into lines that fit. A word that does not fit has
// a line of its own.
func Lines(words []string, fits func(line string) bool) (lines []string) {
	for _, word := range words {
		last := len(lines) - 1
		if last >= 0 && fits(lines[last]+" "+word) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
