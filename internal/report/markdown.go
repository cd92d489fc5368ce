package report

import (
	"fmt"
	"strings"
)

// Markdown writes the document for a page of text.
func Markdown(b *strings.Builder, d *Document) {
	escape := strings.NewReplacer("|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`)
	for _, t := range d.Sheets {
		fmt.Fprintf(b, "**%s**\n\n", escape.Replace(t.Title))
		for _, c := range t.Columns {
			fmt.Fprintf(b, "| %s ", escape.Replace(oneLine(c)))
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
		for _, row := range t.Rows {
			for _, s := range row {
				fmt.Fprintf(b, "| %s ", escape.Replace(s))
			}
			b.WriteString("|\n")
		}
		b.WriteByte('\n')
	}
	for _, note := range d.Notes {
		fmt.Fprintf(b, "%s\n", escape.Replace(note))
	}
	for _, warning := range d.Warnings {
		fmt.Fprintf(b, "\n> warning: %s\n", escape.Replace(warning))
	}
}

// oneLine returns a heading with its group and unit.
func oneLine(h Heading) string {
	parts := []string{h.Group, h.Name, bracketed(h.Unit)}
	return strings.TrimSpace(strings.Join(strings.Fields(strings.Join(parts, " ")), " "))
}
