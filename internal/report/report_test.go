package report

import (
	"math"
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

// What programs read back is what was measured, and texts are as they are.
func TestForPrograms(t *testing.T) {
	for x, want := range map[float64]string{0.1: "0.1", 1.0 / 3: "0.3333333333333333", 1e21: "1e+21"} {
		if got := Exact(x); got != want {
			t.Errorf("Exact(%v) is %q, want %q", x, got, want)
		}
	}
	if got := Exact(math.NaN()); got != "" {
		t.Errorf("Exact(NaN) is %q, want nothing", got)
	}
	var b strings.Builder
	if err := WriteJSON(&b, map[string]string{"p": "<0.0001 & falling"}); err != nil || b.String() != "{\n  \"p\": \"<0.0001 & falling\"\n}\n" {
		t.Errorf("WriteJSON wrote %q, error %v", &b, err)
	}
	if err := WriteJSON(&b, math.NaN()); err == nil {
		t.Error("WriteJSON wrote a NaN")
	}
}
