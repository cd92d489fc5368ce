package report

import (
	"bufio"
	"fmt"
	"strings"
)

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`, "`", "\\`", "$", `\$`)

func markdown(s string) string { return markdownEscapes.Replace(Plain(s)) }

func (t *Table) writeMarkdown(b *bufio.Writer) {
	t.writeLine(b, "| ", " | ", " |\n", func(k int) string { return markdown(t.Columns[k].heading()) })
	t.writeLine(b, "|", "|", "|\n", func(k int) string { return t.Columns[k].align(":---", "---:") })
	for row := range t.Each {
		t.writeLine(b, "| ", " | ", " |\n", func(k int) string { return markdown(t.Columns[k].show(row[k])) })
	}
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`±`, `$\pm$`, Missing, `--`, `−`, `$-$`)

// writeLaTeX writes a tabular. Captions belong to the author.
func (t *Table) writeLaTeX(b *bufio.Writer) {
	t.writeLine(b, "\\begin{tabular}{", "", "}\n\\toprule\n", func(k int) string { return t.Columns[k].align("l", "r") })
	var groups, rules []string
	for k, end := 0, 0; k < len(t.Columns); k = end {
		end = t.groupEnd(k)
		g := t.Columns[k].Group
		if g != "" {
			g = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, end-k, latexEscapes.Replace(Plain(g)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k+1, end))
		}
		groups = append(groups, g)
	}
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(groups, " & "), strings.Join(rules, " "))
	}
	line := func(text func(k int) string) {
		t.writeLine(b, "", " & ", " \\\\\n", func(k int) string { return latexEscapes.Replace(text(k)) })
	}
	line(func(k int) string { return (&Column{Name: t.Columns[k].Name, Unit: t.Columns[k].Unit}).heading() })
	b.WriteString("\\midrule\n")
	for row := range t.Each {
		line(func(k int) string { return t.Columns[k].show(row[k]) })
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

func (c *Column) align(left, right string) string {
	if c.Left {
		return left
	}
	return right
}

// groupEnd returns where the group of column k ends; a column without one
// stands alone.
func (t *Table) groupEnd(k int) int {
	end := k + 1
	for g := t.Columns[k].Group; g != "" && end < len(t.Columns) && t.Columns[end].Group == g; {
		end++
	}
	return end
}
