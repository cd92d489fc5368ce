package grid

import (
	"errors"
	"strings"
	"testing"
)

// FuzzParse: no text panics; every fault has a position within the text
// and a message; what is accepted is consistent with itself.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"",
		"experiment = 'foraging'",
		"experiment = 'plain'\nseeds = '1..30'\n[grid]\nk = { from = 0, to = 9, step = 3 }\n",
		"experiment = 'foraging'\nseeds = { from = 1, count = 30 }\n[paper]\ntable = 'table2'\n[grid]\n" +
			"algorithm = ['RL', 'WL']\nalpha = 0.1\nbeta = [0.1, 0.3, 0.5]\ngamma = { from = 0.5, to = 0.9, step = 0.1 }\n" +
			"exclude = [{ beta = 0.1 }]\ninclude = [{ algorithm = 'RL', alpha = 0.05 }]\n",
		"experiment = 'foraging'\n[[grid]]\nalgorithm = ['CGLA', 'FPA']\nN = { from = 8, to = 128, factor = 2 }\n" +
			"f = { from = 0.1, to = 0.8, count = 8 }\nexclude = [{ N = 8, f = 0.8 }]\n[[grid]]\nalgorithm = 'FPA'\nN = [8, 16]\n" +
			"f = [0.1, 0.2]\nzip = [['N', 'f']]\n",
		"experiment = 'foraging'\n[grid]\nx = { from = 0, to = 1, step = 1e-1 }\ny = { from = 1e-3, to = 1e6, count = 1000, scale = 'log' }\n",
		"experiment = 'foraging'\n[grid]\nalgorithm = ['RL', 'WL']\nN = '8..9'\nx = { from = 0.02, to = 0.5, count = 6, scale = 'log' }\n" +
			"[[claim]]\ntext = 'a'\nsource = 'b'\nexpect = 'sent[RL] > 2 * sent[WL]'\neach = ['x']\n[[claim]]\ntext = 'a'\nsource = 'b'\nuntested = 'c'\n",
		"experiment = 'foraging'\nseeds = [1, 1]\n[grid]\nx = { from = 1, to = 2, factor = 1.5 }\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("t.toml", []byte(text), experiments())
		if err != nil {
			var fault *Error
			if !errors.As(err, &fault) || fault.Message == "" || fault.File != "t.toml" {
				t.Fatalf("Parse: %#v", err)
			}
			lines := strings.Split(text, "\n")
			if fault.Line < 1 || fault.Line > len(lines) || fault.Column < 1 || fault.Column > len(lines[fault.Line-1])+2 {
				t.Fatalf("%v is not in the text", fault)
			}
			return
		}
		checkPlan(t, s)
	})
}
