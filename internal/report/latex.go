package report

import (
	"fmt"
	"strings"
)

// LaTeX writes tabulars for the package booktabs. Titles, notes and
// warnings are comments, for captions belong to the author.
func LaTeX(b *strings.Builder, d *Document) {
	escape := strings.NewReplacer(
		`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
		`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
		`±`, `$\pm$`, Missing, `--`, `−`, `$-$`)
	for _, t := range d.Sheets {
		fmt.Fprintf(b, "%% %s\n\\begin{tabular}{", t.Title)
		for _, c := range t.Columns {
			if c.Left {
				b.WriteByte('l')
			} else {
				b.WriteByte('r')
			}
		}
		b.WriteString("}\n\\toprule\n")
		t.writeLaTeXGroups(b, escape)
		for k, c := range t.Columns {
			if k > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escape.Replace(strings.TrimSpace(c.Name + " " + bracketed(c.Unit))))
		}
		b.WriteString(" \\\\\n\\midrule\n")
		for _, row := range t.Rows {
			for k, s := range row {
				if k > 0 {
					b.WriteString(" & ")
				}
				b.WriteString(escape.Replace(s))
			}
			b.WriteString(" \\\\\n")
		}
		b.WriteString("\\bottomrule\n\\end{tabular}\n")
	}
	for _, note := range d.Notes {
		fmt.Fprintf(b, "%% %s\n", note)
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(b, "%% warning: %s\n", warning)
	}
}

// writeLaTeXGroups writes the line with the names of groups, if any.
func (t *Sheet) writeLaTeXGroups(b *strings.Builder, escape *strings.Replacer) {
	var names, rules []string
	for k := 0; k < len(t.Columns); {
		end := k + 1
		if g := t.Columns[k].Group; g == "" {
			names = append(names, "")
		} else {
			for end < len(t.Columns) && t.Columns[end].Group == g {
				end++
			}
			names = append(names, fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, end-k, escape.Replace(g)))
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, k+1, end))
		}
		k = end
	}
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(names, " & "), strings.Join(rules, " "))
	}
}
