package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// textWidth is the width beyond which a sheet is broken into several, each
// with the leading columns.
const textWidth = 118

// gap separates columns; a wider one separates groups.
const gap = 2

// Text writes the document for a terminal.
func Text(b *strings.Builder, d *Document) {
	for i := range d.Sheets {
		t := textSheet{Sheet: &d.Sheets[i]}
		for k := range t.Columns {
			t.widths = append(t.widths, t.width(k))
		}
		fmt.Fprintf(b, "%s\n", t.Title)
		for _, block := range t.blocks() {
			b.WriteByte('\n')
			t.writeBlock(b, block)
		}
		b.WriteByte('\n')
	}
	for _, note := range d.Notes {
		fmt.Fprintf(b, "%s\n", note)
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(b, "warning: %s\n", warning)
	}
}

// A textSheet is a sheet with the widths of its columns.
type textSheet struct {
	*Sheet
	widths []int
}

// width measures column k.
func (t *textSheet) width(k int) int {
	w := 0
	for _, word := range t.Columns[k].words() {
		w = max(w, utf8.RuneCountInString(word))
	}
	for _, row := range t.Rows {
		w = max(w, utf8.RuneCountInString(row[k]))
	}
	return w
}

// words are the lines of a heading: its name, a word on each, and its unit.
func (h *Heading) words() []string {
	words := strings.Fields(h.Name)
	if h.Unit != "" {
		words = append(words, bracketed(h.Unit))
	}
	return words
}

func bracketed(unit string) string {
	if unit == "" {
		return ""
	}
	return "[" + unit + "]"
}

// blocks returns the columns of the pieces into which the sheet is broken.
// Groups are kept together.
func (t *textSheet) blocks() [][]int {
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
		if width+w > textWidth && len(block) > len(lead) {
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

func (t *textSheet) writeBlock(b *strings.Builder, block []int) {
	line := func(text func(k int) string) {
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
	groups, height := false, 0
	for _, k := range block {
		groups = groups || t.Columns[k].Group != ""
		height = max(height, len(t.Columns[k].words()))
	}
	if groups {
		// A group's name stands over its first column.
		previous := ""
		line(func(k int) string {
			if g := t.Columns[k].Group; g != previous {
				previous = g
				return g
			}
			return ""
		})
	}
	for up := height - 1; up >= 0; up-- { // headings stand on the table
		line(func(k int) string {
			words := t.Columns[k].words()
			if up >= len(words) {
				return ""
			}
			return words[len(words)-1-up]
		})
	}
	for _, row := range t.Rows {
		line(func(k int) string { return row[k] })
	}
}
