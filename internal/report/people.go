package report

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// A style is how a format for people writes what is around and in a table.
type style struct {
	between, title, note, warning string
	escape                        func(string) string // of what is around it
	body                          func(*Table, *bufio.Writer)
}

var styles = map[Format]style{
	Text:     {"\n", "%s\n", "%s\n", "warning: %s\n", Plain, (*Table).writeText},
	Markdown: {"\n", "**%s**\n", "%s\n", "\n> warning: %s\n", markdown, (*Table).writeMarkdown},
	LaTeX:    {"", "%% %s\n", "%% %s\n", "%% warning: %s\n", Plain, (*Table).writeLaTeX},
}

// write writes tables, each with its title, notes and warnings.
func (s style) write(b *bufio.Writer, tables []*Table) {
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
		if len(t.Columns) > 0 {
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
	gap          = "  " // between columns; twice as much between groups
	leastWrapped = 30   // to which width the last column is wrapped at least
)

// writeText lays the table out for a terminal: in pieces, if it is wider.
// Groups are kept together.
func (t *Table) writeText(b *bufio.Writer) {
	t.Width, t.Limit = cmp.Or(t.Width, defaultWidth), cmp.Or(t.Limit, math.MaxInt)
	rows := t.measure()
	from, used := t.Lead, width(t.Columns[:t.Lead])
	k := t.Lead
	for _, g := range Groups(t.Columns[t.Lead:]) {
		next := width(t.Columns[k : k+g.Span])
		if used+next > t.Width && k > from {
			t.writePiece(b, from, k, rows)
			b.WriteByte('\n')
			from, used = k, width(t.Columns[:t.Lead])
		}
		used, k = used+next, k+g.Span
	}
	t.writePiece(b, from, len(t.Columns), rows)
}

// measure sets the widths of the columns, and narrows the last one if it is
// of text and the lines would be too long. It returns the number of rows.
func (t *Table) measure() (rows int) {
	widen := func(k int, text string) {
		t.Columns[k].width = max(t.Columns[k].width, utf8.RuneCountInString(text))
	}
	for k := range t.Columns {
		for _, word := range t.Columns[k].words() {
			widen(k, word)
		}
	}
	for row := range t.Each {
		if rows++; rows > t.Limit {
			continue
		}
		for k := range t.Columns {
			widen(k, t.Columns[k].show(row))
		}
	}
	n := len(t.Columns) - 1
	if room := t.Width - len(gap) - width(t.Columns[:n]); t.Columns[n].Left && room >= leastWrapped {
		t.Columns[n].width = min(t.Columns[n].width, room)
	}
	return rows
}

// width returns what columns and the gaps beside them take of a line.
func width(columns []Column) (sum int) {
	for i := range columns {
		sum += columns[i].width + len(gap)
	}
	return sum
}

// writePiece writes the leading columns and those in [from, to). Names of
// groups stand over their first column.
func (t *Table) writePiece(b *bufio.Writer, from, to, rows int) {
	t = &Table{Columns: slices.Concat(t.Columns[:t.Lead], t.Columns[from:to]), Each: t.Each, Limit: t.Limit}
	cells, height, n := make([][]string, len(t.Columns)), 0, 0
	for k, c := range t.Columns {
		if c.Group != "" && (k == 0 || c.Group != t.Columns[k-1].Group) {
			cells[k] = []string{Plain(c.Group)}
		}
		height = max(height, len(c.words()))
	}
	t.writeCells(b, cells)
	for k := range cells { // at the bottom
		words := t.Columns[k].words()
		cells[k] = append(make([]string, height-len(words)), words...)
	}
	t.writeCells(b, cells)
	for row := range t.Each {
		if n++; n > t.Limit {
			fmt.Fprintf(b, "… %s; --format csv shows all\n", Count(int64(rows-t.Limit), "more row"))
			return
		}
		for k := range cells {
			cells[k] = Wrap(t.Columns[k].show(row), t.Columns[k].width)
		}
		t.writeCells(b, cells)
	}
}

// words are the lines of a heading: its name, a word on each, and its unit.
func (c *Column) words() []string {
	words := strings.Fields(Plain(c.Name))
	if c.Unit != "" {
		words = append(words, "["+Plain(c.Unit)+"]")
	}
	return words
}

// writeCells writes cells of several lines beside each other.
func (t *Table) writeCells(b *bufio.Writer, cells [][]string) {
	height := 0
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for y := range height {
		var line strings.Builder
		for k := range t.Columns {
			c, s := &t.Columns[k], ""
			if y < len(cells[k]) {
				s = cells[k][y]
			}
			if k > 0 {
				line.WriteString(gap)
				if c.Group != t.Columns[k-1].Group {
					line.WriteString(gap)
				}
			}
			fmt.Fprintf(&line, "%*s", align(*c, -c.width, c.width), s)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// Wrap breaks text between words into lines of at most so many characters,
// at least one line. A longer word has a line of its own.
func Wrap(text string, width int) []string {
	if utf8.RuneCountInString(text) <= width {
		return []string{text}
	}
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

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`, "`", "\\`", "$", `\$`)

func markdown(s string) string { return markdownEscapes.Replace(Plain(s)) }

func (t *Table) writeMarkdown(b *bufio.Writer) {
	line := func(text func(k int) string) {
		t.writeLine(b, "| ", " | ", " |\n", func(k int) string { return markdown(text(k)) })
	}
	line(func(k int) string {
		return strings.TrimSpace(t.Columns[k].Group + " " + strings.Join(t.Columns[k].words(), " "))
	})
	t.writeLine(b, "|", "|", "|\n", func(k int) string { return align(t.Columns[k], ":---", "---:") })
	for row := range t.Each {
		line(func(k int) string { return t.Columns[k].show(row) })
	}
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`±`, `$\pm$`, missing, `--`, `−`, `$-$`)

// writeLaTeX writes a tabular. Captions belong to the author.
func (t *Table) writeLaTeX(b *bufio.Writer) {
	t.writeLine(b, "\\begin{tabular}{", "", "}\n\\toprule\n", func(k int) string { return align(t.Columns[k], "l", "r") })
	var groups, rules []string
	k := 0
	for _, g := range Groups(t.Columns) {
		if k += g.Span; g.Name != "" {
			g.Name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, g.Span, latexEscapes.Replace(Plain(g.Name)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k-g.Span+1, k))
		}
		groups = append(groups, g.Name)
	}
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(groups, " & "), strings.Join(rules, " "))
	}
	line := func(text func(k int) string) {
		t.writeLine(b, "", " & ", " \\\\\n", func(k int) string { return latexEscapes.Replace(text(k)) })
	}
	line(func(k int) string { return strings.Join(t.Columns[k].words(), " ") })
	b.WriteString("\\midrule\n")
	for row := range t.Each {
		line(func(k int) string { return t.Columns[k].show(row) })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// writeLine writes a text for each column, and what is around them.
func (t *Table) writeLine(b *bufio.Writer, begin, between, end string, text func(k int) string) {
	for k := range t.Columns {
		b.WriteString(begin)
		b.WriteString(text(k))
		begin = between
	}
	b.WriteString(end)
}

// align returns one of what stands for flush left and flush right.
func align[T any](c Column, left, right T) T {
	if c.Left {
		return left
	}
	return right
}

// A Group heads so many neighbouring columns. One without a name has a single
// column, and is nothing.
type Group struct {
	Name string
	Span int
}

// Groups returns the groups of columns.
func Groups(columns []Column) (list []Group) {
	for k, c := range columns {
		if k == 0 || c.Group == "" || c.Group != columns[k-1].Group {
			list = append(list, Group{Name: c.Group})
		}
		list[len(list)-1].Span++
	}
	return list
}
