package report

import (
	"bufio"
	"fmt"
	"strings"
)

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`, "`", "\\`", "$", `\$`)

func markdown(s string) string { return markdownEscapes.Replace(Plain(s)) }

func (t *Table) writeMarkdown(b *bufio.Writer) {
	for _, c := range t.Columns {
		fmt.Fprintf(b, "| %s ", markdown(c.heading()))
	}
	b.WriteString("|\n")
	for _, c := range t.Columns {
		if c.Left {
			b.WriteString("|:---")
		} else {
			b.WriteString("|---:")
		}
	}
	b.WriteString("|\n")
	for row := range t.Each {
		for k := range row {
			fmt.Fprintf(b, "| %s ", markdown(t.Columns[k].show(row[k])))
		}
		b.WriteString("|\n")
	}
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`±`, `$\pm$`, Missing, `--`, `−`, `$-$`)

// writeLaTeX writes tabulars. Titles, notes and warnings are comments, for
// captions belong to the author.
func writeLaTeX(b *bufio.Writer, tables []*Table) {
	for _, t := range tables {
		if t.Title != "" {
			fmt.Fprintf(b, "%% %s\n", Plain(t.Title))
		}
		if len(t.Columns) > 0 {
			t.writeTabular(b)
		}
		for _, note := range t.Notes {
			fmt.Fprintf(b, "%% %s\n", Plain(note))
		}
		for _, warning := range t.Warnings {
			fmt.Fprintf(b, "%% warning: %s\n", Plain(warning))
		}
	}
}

func (t *Table) writeTabular(b *bufio.Writer) {
	line := func(text func(k int) string) {
		for k := range t.Columns {
			if k > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(latexEscapes.Replace(text(k)))
		}
		b.WriteString(" \\\\\n")
	}
	b.WriteString("\\begin{tabular}{")
	for _, c := range t.Columns {
		if c.Left {
			b.WriteByte('l')
		} else {
			b.WriteByte('r')
		}
	}
	b.WriteString("}\n\\toprule\n")
	t.writeGroups(b)
	line(func(k int) string {
		c := t.Columns[k]
		c.Group = ""
		return c.heading()
	})
	b.WriteString("\\midrule\n")
	for row := range t.Each {
		line(func(k int) string { return t.Columns[k].show(row[k]) })
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// writeGroups writes the line with the names of groups, if any.
func (t *Table) writeGroups(b *bufio.Writer) {
	var names, rules []string
	for k := 0; k < len(t.Columns); {
		end := k + 1
		if g := t.Columns[k].Group; g == "" {
			names = append(names, "")
		} else {
			for end < len(t.Columns) && t.Columns[end].Group == g {
				end++
			}
			names = append(names, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, end-k, latexEscapes.Replace(Plain(g))))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k+1, end))
		}
		k = end
	}
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(names, " & "), strings.Join(rules, " "))
	}
}
