package report

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"
)

const (
	defaultWidth = 118 // of a line, in characters
	gap          = 2   // between columns; twice as much between groups
	leastWrapped = 30  // to which width the last column is wrapped at least
)

// A textTable is a table with the widths of its columns.
type textTable struct {
	*Table
	widths []int
	more   int64 // rows beyond the limit
}

// writeText lays the table out for a terminal.
func (t *Table) writeText(b *bufio.Writer) {
	text := layOut(t)
	for i, block := range text.blocks() {
		if i > 0 {
			b.WriteByte('\n')
		}
		text.writeHeads(b, block)
		rows := 0
		for row := range t.Each {
			if rows++; t.Limit > 0 && rows > t.Limit {
				break
			}
			text.writeRow(b, block, false, func(k int) []string { return text.lines(k, row[k]) })
		}
		if text.more > 0 {
			fmt.Fprintf(b, "… %s; --format csv shows all\n", Count(text.more, "more row"))
		}
	}
}

// layOut measures the columns, and narrows the last one if it is of text
// and the lines would be too long.
func layOut(table *Table) *textTable {
	t := &textTable{Table: table, widths: make([]int, len(table.Columns))}
	if t.Width == 0 {
		t.Width = defaultWidth
	}
	for k := range t.Columns {
		for _, word := range t.Columns[k].words() {
			t.widths[k] = max(t.widths[k], utf8.RuneCountInString(word))
		}
	}
	rows := 0
	for row := range t.Each {
		if rows++; t.Limit > 0 && rows > t.Limit {
			t.more++
			continue
		}
		for k := range row {
			t.widths[k] = max(t.widths[k], utf8.RuneCountInString(t.Columns[k].show(row[k])))
		}
	}
	last, room := len(t.widths)-1, t.Width-gap
	for _, w := range t.widths[:last] {
		room -= w + gap
	}
	if t.Columns[last].Left && t.widths[last] > room && room >= leastWrapped {
		t.widths[last] = room
	}
	return t
}

// blocks returns the columns of the pieces into which the table is broken.
// Groups are kept together.
func (t *textTable) blocks() [][]int {
	lead, leadWidth := []int{}, 0
	for k := range t.Lead {
		lead = append(lead, k)
		leadWidth += t.widths[k] + gap
	}
	var blocks [][]int
	block, width := lead, leadWidth
	for k := t.Lead; k < len(t.Columns); {
		end, w := t.groupEnd(k), 0
		for _, of := range t.widths[k:end] {
			w += gap + of
		}
		if width+w > t.Width && len(block) > len(lead) {
			blocks = append(blocks, block)
			block, width = lead, leadWidth
		}
		block = block[:len(block):len(block)]
		for ; k < end; k++ {
			block = append(block, k)
		}
		width += w
	}
	return append(blocks, block)
}

// words are the lines of a heading: its name, a word on each, and its unit.
func (c *Column) words() []string {
	words := strings.Fields(Plain(c.Name))
	if c.Unit != "" {
		words = append(words, bracketed(Plain(c.Unit)))
	}
	return words
}

// writeHeads writes the names of groups, if any, each over its first column,
// and the headings.
func (t *textTable) writeHeads(b *bufio.Writer, block []int) {
	t.writeRow(b, block, false, func(k int) []string {
		if g := t.Columns[k].Group; g != "" && (k == 0 || g != t.Columns[k-1].Group) {
			return []string{Plain(g)}
		}
		return nil
	})
	t.writeRow(b, block, true, func(k int) []string { return t.Columns[k].words() })
}

// lines returns a cell, wrapped to the width of its column.
func (t *textTable) lines(k int, cell any) []string {
	s := t.Columns[k].show(cell)
	if utf8.RuneCountInString(s) <= t.widths[k] {
		return []string{s}
	}
	return Wrap(s, t.widths[k])
}

// writeRow writes cells of several lines beside each other, at the bottom or
// the top of as many lines as the highest of them has.
func (t *textTable) writeRow(b *bufio.Writer, block []int, bottom bool, lines func(k int) []string) {
	cells, height := make([][]string, len(block)), 0
	for i, k := range block {
		cells[i] = lines(k)
		height = max(height, len(cells[i]))
	}
	for y := range height {
		var l strings.Builder
		for i, k := range block {
			if i > 0 {
				l.WriteString(strings.Repeat(" ", gap))
				if t.Columns[k].Group != t.Columns[block[i-1]].Group {
					l.WriteString(strings.Repeat(" ", gap))
				}
			}
			s, at := "", y
			if bottom {
				at -= height - len(cells[i])
			}
			if at >= 0 && at < len(cells[i]) {
				s = cells[i][at]
			}
			pad := strings.Repeat(" ", max(0, t.widths[k]-utf8.RuneCountInString(s)))
			if t.Columns[k].Left {
				l.WriteString(s + pad)
			} else {
				l.WriteString(pad + s)
			}
		}
		b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
	}
}

// Wrap breaks text between words into lines of at most so many characters,
// at least one line. A longer word has a line of its own.
func Wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case utf8.RuneCountInString(*last)+1+utf8.RuneCountInString(word) > width:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}
