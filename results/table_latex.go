package results

import (
	"fmt"
	"strings"
)

// writeLaTeX writes tabulars for the package booktabs. Titles, notes and
// warnings are comments, for captions belong to the document.
func writeLaTeX(b *strings.Builder, d *document) {
	escape := strings.NewReplacer(
		`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
		`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
		`±`, `$\pm$`, missing, `--`, `−`, `$-$`)
	for _, t := range d.sheets {
		fmt.Fprintf(b, "%% %s\n\\begin{tabular}{", t.title)
		for _, c := range t.columns {
			if c.left {
				b.WriteByte('l')
			} else {
				b.WriteByte('r')
			}
		}
		b.WriteString("}\n\\toprule\n")
		t.writeLaTeXGroups(b, escape)
		for k, c := range t.columns {
			if k > 0 {
				b.WriteString(" & ")
			}
			b.WriteString(escape.Replace(strings.TrimSpace(c.name + " " + bracketed(c.unit))))
		}
		b.WriteString(" \\\\\n\\midrule\n")
		for _, row := range t.rows {
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
	for _, note := range d.notes {
		fmt.Fprintf(b, "%% %s\n", note)
	}
	for _, warning := range d.warnings {
		fmt.Fprintf(b, "%% warning: %s\n", warning)
	}
}

// writeLaTeXGroups writes the line with the names of groups, if any.
func (t *sheet) writeLaTeXGroups(b *strings.Builder, escape *strings.Replacer) {
	var names, rules []string
	for k := 0; k < len(t.columns); {
		end := k + 1
		if g := t.columns[k].group; g == "" {
			names = append(names, "")
		} else {
			for end < len(t.columns) && t.columns[end].group == g {
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
