package report

import (
	"bufio"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"sweep/internal/lists"
)

// A style is how a format for people writes what is around and in a table.
type style struct {
	between, title, note, warning string
	escape                        func(string) string // of what is around it
	body                          func(*Table, *bufio.Writer)
}

var styles = map[string]style{
	Text:     {"\n", "%s\n", "%s\n", "warning: %s\n", Plain, (*Table).writeText},
	Markdown: {"\n", "**%s**\n", "%s\n", "\n> warning: %s\n", EscapeMarkdown, (*Table).writeMarkdown},
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
// Groups are kept together. A last column of text is wrapped.
func (t *Table) writeText(b *bufio.Writer) {
	rows, more := t.texts(t.Limit)
	width := func(columns []Column) (sum int) { // with the gaps beside them
		for _, c := range columns {
			sum += c.width + len(gap)
		}
		return sum
	}
	for k := range t.Columns {
		c := &t.Columns[k]
		c.at = k // in rows
		for _, word := range c.words() {
			c.width = max(c.width, utf8.RuneCountInString(word))
		}
		for _, row := range rows {
			c.width = max(c.width, utf8.RuneCountInString(row[k]))
		}
	}
	line := cmp.Or(t.Width, defaultWidth)
	last := &t.Columns[len(t.Columns)-1]
	if room := line - len(gap) - width(t.Columns[:len(t.Columns)-1]); last.Left && room >= leastWrapped {
		last.width = min(last.width, room)
	}
	piece := slices.Clone(t.Columns[:t.Lead])
	for _, group := range Groups(t.Columns[t.Lead:]) {
		if width(piece)+width(group) > line && len(piece) > t.Lead {
			writePiece(b, piece, rows, more)
			b.WriteByte('\n')
			piece = piece[:t.Lead]
		}
		piece = append(piece, group...)
	}
	writePiece(b, piece, rows, more)
}

// writePiece writes some columns of the rows. Names of groups stand over their
// first column.
func writePiece(b *bufio.Writer, columns []Column, rows [][]string, more int) {
	cells, height := make([][]string, len(columns)), 0
	for k, c := range columns {
		if c.Group != "" && (k == 0 || c.Group != columns[k-1].Group) {
			cells[k] = []string{Plain(c.Group)}
		}
		height = max(height, len(c.words()))
	}
	writeCells(b, columns, cells)
	for k, c := range columns { // at the bottom
		words := c.words()
		cells[k] = append(make([]string, height-len(words)), words...)
	}
	writeCells(b, columns, cells)
	for _, row := range rows {
		wrap := func(c Column) []string { return Wrap(row[c.at], c.width) }
		writeCells(b, columns, lists.Map(columns, wrap))
	}
	if more > 0 {
		fmt.Fprintf(b, "… %s; --format csv shows all\n", Count(int64(more), "more row"))
	}
}

// writeCells writes cells of several lines beside each other.
func writeCells(b *bufio.Writer, columns []Column, cells [][]string) {
	height := 0
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for y := range height {
		line := ""
		for k, c := range columns {
			text := ""
			if y < len(cells[k]) {
				text = cells[k][y]
			}
			if k > 0 && c.Group != columns[k-1].Group {
				line += gap
			}
			line += fmt.Sprintf("%*s", align(c, -c.width, c.width), text) + gap
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
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

// Wrap breaks text between words into lines of at most so many characters,
// at least one line. A longer word has a line of its own.
func Wrap(text string, width int) []string {
	fits := func(line string) bool { return utf8.RuneCountInString(line) <= width }
	words := strings.Fields(text)
	if fits(text) || len(words) == 0 {
		return []string{text}
	}
	return lists.Wrap(words, fits)
}

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`, "`", "\\`", "$", `\$`)

// EscapeMarkdown returns a text as Markdown shows it, also in a cell of a table.
func EscapeMarkdown(s string) string { return markdownEscapes.Replace(Plain(s)) }

func (t *Table) writeMarkdown(b *bufio.Writer) {
	rows, _ := t.texts(0)
	head := lists.Map(t.Columns, func(c Column) string {
		return strings.TrimSpace(c.Group + " " + strings.Join(c.words(), " "))
	})
	rule := lists.Map(t.Columns, func(c Column) string { return align(c, ":---", "---:") })
	for i, row := range append([][]string{head}, rows...) {
		fmt.Fprintf(b, "| %s |\n", strings.Join(lists.Map(row, EscapeMarkdown), " | "))
		if i == 0 {
			fmt.Fprintf(b, "|%s|\n", strings.Join(rule, "|"))
		}
	}
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`±`, `$\pm$`, missing, `--`, `−`, `$-$`, `<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `≤`, `$\leq$`)

// writeLaTeX writes a tabular. Captions belong to the author.
func (t *Table) writeLaTeX(b *bufio.Writer) {
	rows, _ := t.texts(0)
	var head, groups, rules []string
	kinds, k := "", 0
	for _, c := range t.Columns {
		head, kinds = append(head, strings.Join(c.words(), " ")), kinds+align(c, "l", "r")
	}
	for _, group := range Groups(t.Columns) {
		name, n := group[0].Group, len(group)
		if k += n; name != "" {
			name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, n, latexEscapes.Replace(Plain(name)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k-n+1, k))
		}
		groups = append(groups, name)
	}
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", kinds)
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(groups, " & "), strings.Join(rules, " "))
	}
	for i, row := range append([][]string{head}, rows...) {
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(lists.Map(row, latexEscapes.Replace), " & "))
		if i == 0 {
			b.WriteString("\\midrule\n")
		}
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// align returns one of what stands for flush left and flush right.
func align[T any](c Column, left, right T) T {
	if c.Left {
		return left
	}
	return right
}

// Groups divides columns into those that share a Group. One without stands alone.
func Groups(columns []Column) (groups [][]Column) {
	begin := 0
	for k, c := range columns {
		if k+1 == len(columns) || c.Group == "" || columns[k+1].Group != c.Group {
			groups, begin = append(groups, columns[begin:k+1]), k+1
		}
	}
	return groups
}
