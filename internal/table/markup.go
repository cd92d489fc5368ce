package table

import (
	"bufio"
	"fmt"
	"strings"
)

var markdownEscapes = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "_", `\_`, "*", `\*`, "<", `\<`, "`", "\\`", "$", `\$`,
	"&", `\&`, "~", `\~`, "](", `\](`)

// EscapeMarkdown returns a text that Markdown shows as it is, also in a cell of
// a table.
func EscapeMarkdown(s string) string { return markdownEscapes.Replace(Plain(s)) }

func (v *view) writeMarkdown(b *bufio.Writer) {
	var head []string
	rule := "|"
	for _, c := range v.columns {
		name := c.Group + " " + strings.Join(c.words(), " ")
		head = append(head, strings.TrimSpace(name))
		if c.Left {
			rule += ":---|"
		} else {
			rule += "---:|"
		}
	}
	writeMarkdownRow(b, head)
	fmt.Fprintln(b, rule)
	for _, row := range v.texts(0) {
		writeMarkdownRow(b, row)
	}
}

func writeMarkdownRow(b *bufio.Writer, row []string) {
	b.WriteString("|")
	for _, text := range row {
		fmt.Fprintf(b, " %s |", EscapeMarkdown(text))
	}
	b.WriteString("\n")
}

var latexEscapes = strings.NewReplacer(
	missing, `--`,
	`\`, `\textbackslash{}`, `&`, `\&`, `%`, `\%`, `$`, `\$`, `#`, `\#`, `_`, `\_`,
	`{`, `\{`, `}`, `\}`, `~`, `\textasciitilde{}`, `^`, `\textasciicircum{}`,
	`±`, `$\pm$`, `−`, `$-$`, `<`, `$<$`, `>`, `$>$`, `|`, `$|$`, `≤`, `$\leq$`)

// writeLaTeX writes a tabular. Captions belong to the author.
func (v *view) writeLaTeX(b *bufio.Writer) {
	var head []string
	kinds := ""
	for _, c := range v.columns {
		head = append(head, strings.Join(c.words(), " "))
		if c.Left {
			kinds += "l"
		} else {
			kinds += "r"
		}
	}
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", kinds)
	v.writeLaTeXGroups(b)
	writeLaTeXRow(b, head)
	b.WriteString("\\midrule\n")
	for _, row := range v.texts(0) {
		writeLaTeXRow(b, row)
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
}

// writeLaTeXGroups writes the names of groups, each with a rule below it, if
// there are any.
func (v *view) writeLaTeXGroups(b *bufio.Writer) {
	var names, rules []string
	end := 0
	for _, group := range Groups(v.columns) {
		begin := end + 1
		end += len(group)
		name := group[0].Group
		if name != "" {
			name = latexEscapes.Replace(Plain(name))
			name = fmt.Sprintf(`\multicolumn{%d}{c}{%s}`, len(group), name)
			rules = append(rules, fmt.Sprintf(`\cmidrule(lr){%d-%d}`, begin, end))
		}
		names = append(names, name)
	}
	if rules != nil {
		fmt.Fprintf(b, "%s \\\\\n%s\n", strings.Join(names, " & "), strings.Join(rules, " "))
	}
}

func writeLaTeXRow(b *bufio.Writer, row []string) {
	separator := ""
	if len(row) > 0 && strings.IndexAny(row[0], "[*") == 0 {
		b.WriteString("{}") // or it would belong to the command before
	}
	for _, text := range row {
		b.WriteString(separator + latexEscapes.Replace(text))
		separator = " & "
	}
	b.WriteString(" \\\\\n")
}
