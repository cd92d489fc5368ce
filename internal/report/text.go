package report

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// defaultWidth is the width beyond which a table is broken into several,
// each with the leading columns.
const defaultWidth = 118

// gap separates columns; a wider one separates groups.
const gap = 2

// least is the width to which the last column is wrapped at least.
const least = 30

// A textTable is a table with the widths of its columns.
type textTable struct {
	*Table
	widths []int
	more   int64 // rows beyond the limit
}

// layOut measures the columns, and wraps the last one if it is of text and
// the lines would be too long.
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
	last, before := len(t.widths)-1, 0
	for _, w := range t.widths[:last] {
		before += w + gap
	}
	if room := t.Width - before - gap; t.Columns[last].Left && t.widths[last] > room && room >= least {
		t.widths[last] = room
	}
	return t
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
			text.writeRow(b, block, row)
		}
		if text.more > 0 {
			fmt.Fprintf(b, "… %s more rows; --format csv shows all\n", Thousands(strconv.FormatInt(text.more, 10)))
		}
	}
}

// words are the lines of a heading: its name, a word on each, and its unit.
func (c *Column) words() []string {
	words := strings.Fields(Plain(c.Name))
	if c.Unit != "" {
		words = append(words, bracketed(Plain(c.Unit)))
	}
	return words
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
		end, w := k+1, gap+t.widths[k]
		for end < len(t.Columns) && t.Columns[end].Group != "" && t.Columns[end].Group == t.Columns[k].Group {
			w += gap + t.widths[end]
			end++
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

// writeHeads writes the names of groups, each over its first column, and
// the headings, which stand on the table.
func (t *textTable) writeHeads(b *bufio.Writer, block []int) {
	groups, height := false, 0
	for _, k := range block {
		groups = groups || t.Columns[k].Group != ""
		height = max(height, len(t.Columns[k].words()))
	}
	if groups {
		previous := ""
		t.writeLine(b, block, func(k int) string {
			if g := t.Columns[k].Group; g != previous {
				previous = g
				return Plain(g)
			}
			return ""
		})
	}
	for up := height - 1; up >= 0; up-- {
		t.writeLine(b, block, func(k int) string {
			if words := t.Columns[k].words(); up < len(words) {
				return words[len(words)-1-up]
			}
			return ""
		})
	}
}

// writeRow writes a row, whose last cell may take more than one line.
func (t *textTable) writeRow(b *bufio.Writer, block []int, row []any) {
	last := len(t.Columns) - 1
	var rest []string
	t.writeLine(b, block, func(k int) string {
		s := t.Columns[k].show(row[k])
		if k == last && utf8.RuneCountInString(s) > t.widths[k] {
			lines := Wrap(s, t.widths[k])
			s, rest = lines[0], lines[1:]
		}
		return s
	})
	for _, s := range rest {
		t.writeLine(b, block, func(k int) string {
			if k == last {
				return s
			}
			return ""
		})
	}
}

func (t *textTable) writeLine(b *bufio.Writer, block []int, text func(k int) string) {
	var l strings.Builder
	for i, k := range block {
		if i > 0 {
			l.WriteString(strings.Repeat(" ", gap))
			if t.Columns[k].Group != t.Columns[block[i-1]].Group {
				l.WriteString(strings.Repeat(" ", gap))
			}
		}
		s := text(k)
		pad := strings.Repeat(" ", max(0, t.widths[k]-utf8.RuneCountInString(s)))
		if t.Columns[k].Left {
			l.WriteString(s + pad)
		} else {
			l.WriteString(pad + s)
		}
	}
	b.WriteString(strings.TrimRight(l.String(), " ") + "\n")
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
