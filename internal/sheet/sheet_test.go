package sheet

import (
	"strings"
	"testing"
)

func TestLaTeXEscapes(t *testing.T) {
	var b strings.Builder
	LaTeX(&b, &Document{Sheets: []Sheet{{
		Columns: []Heading{{Name: `a_b & 5% #1 {x}`, Left: true}}, Rows: [][]string{{`\~^$ ±`}},
	}}})
	for _, want := range []string{`a\_b \& 5\% \#1 \{x\} \\`, `\textbackslash{}\textasciitilde{}\textasciicircum{}\$ $\pm$ \\`} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("got\n%s\nwant it to contain %s", b.String(), want)
		}
	}
}
