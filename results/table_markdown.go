package results

import (
	"fmt"
	"strings"
)

func writeMarkdown(b *strings.Builder, d *document) {
	escape := strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`)
	for _, t := range d.sheets {
		fmt.Fprintf(b, "**%s**\n\n", escape.Replace(t.title))
		for _, c := range t.columns {
			fmt.Fprintf(b, "| %s ", escape.Replace(oneLine(c)))
		}
		b.WriteString("|\n")
		for _, c := range t.columns {
			if c.left {
				b.WriteString("|:---")
			} else {
				b.WriteString("|---:")
			}
		}
		b.WriteString("|\n")
		for _, row := range t.rows {
			for _, s := range row {
				fmt.Fprintf(b, "| %s ", escape.Replace(s))
			}
			b.WriteString("|\n")
		}
		b.WriteByte('\n')
	}
	for _, note := range d.notes {
		fmt.Fprintf(b, "%s\n", escape.Replace(note))
	}
	for _, warning := range d.warnings {
		fmt.Fprintf(b, "\n> warning: %s\n", escape.Replace(warning))
	}
}

// oneLine returns a heading with its group and unit.
func oneLine(h heading) string {
	parts := []string{h.group, h.name, bracketed(h.unit)}
	return strings.TrimSpace(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
}
