package grid

import (
	"fmt"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// ruled has the rule low ≤ high, but for the algorithm "free", which does
// not use high.
func ruled() *experiment.Experiment {
	number := func(name string, value int64, by ...string) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.Int, Default: experiment.IntValue(value), Max: 1e12, UsedBy: by, Meaning: "m", Source: "s"}
	}
	e := plainExperiment()
	e.Name = "ruled"
	e.Params = []experiment.Param{
		{Name: experiment.Algorithm, Kind: experiment.String, Default: experiment.StringValue("bound"), Choices: []string{"bound", "free"}, Meaning: "m", Source: "s"},
		number("low", 1), number("high", 5, "bound"), number("other", 0),
		{Name: "file", Symbol: "φ", Kind: experiment.String, Meaning: "m", Source: "s", Input: &experiment.Input{Accepts: "a file",
			Read: func(path string, _ map[string]string) (experiment.Value, error) {
				return experiment.StringValue(path + "@sha256"), nil
			}}},
	}
	e.Rules = []experiment.Rule{{Params: []string{"low", "high", "file"}, Check: func(p experiment.Point) error {
		if low, high := p.Value("low"), p.Value("high"); low.Int() > high.Int() {
			return fmt.Errorf("low %s is above high %s", low, high)
		}
		return nil
	}}}
	return e
}

// A broken rule is a fault with its place. One that only warns refuses nothing:
// the doubt has the same place.
func TestRules(t *testing.T) {
	e := ruled()
	const head = "experiment = \"ruled\"\n" // line 1
	const hint = "\nhint: if only these must not meet: exclude = [{ "
	for _, c := range []struct{ text, want string }{
		{"[grid]\nlow = 5\nother = [1, 2]", ""},
		{"[grid]\nlow = 6", "3:7: low 6 is above high 5"},
		{"[grid]\nhigh = 0", "3:8: low 1 is above high 0"},
		{"[grid]\nhigh = 3\nlow = 4", "4:7: low 4 is above high 3"},
		{"[grid]\nlow = [1, 2, 9]\n'φ' = ['x', '']", "3:14: low 9 is above high 5" + hint + "low = 9, file = \"x\" }]"},
		{"[grid]\nhigh = [2, 9, 0]\nfile = ['', 'x']", "3:15: low 1 is above high 0" + hint + "high = 0, file = \"\" }]"},
		{"[grid]\nlow = [1, 7]\nhigh = [6, 8]", "3:11: low 7 is above high 6" + hint + "low = 7, high = 6 }]"},
		{"[grid]\nlow = [1, 7]\nhigh = [6, 8]\nexclude = [{ low = 7, high = 6 }]", ""},
		{"[grid]\nlow = [1, 7]\nhigh = [6, 8]\nexclude = [{ low = 7, high = 8 }]", "3:11: low 7 is above high 6" + hint + "low = 7, high = 6 }]"},
		{"[grid]\nlow = [1, 7]\nhigh = [6, 8]\nzip = [['low', 'high']]", ""},
		{"[grid]\nlow = [7, 1]\nhigh = [6, 8]\nzip = [['low', 'high']]", "3:8: low 7 is above high 6" + hint + "low = 7, high = 6 }]"},
		{"[grid]\nalgorithm = 'free'\nlow = 9", ""},
		{"[grid]\nalgorithm = ['free', 'bound']\nlow = [9, 3]\nexclude = [{ algorithm = 'bound', low = 9 }]", ""},
		{"[grid]\nalgorithm = ['free', 'bound']\nlow = [9, 3]\nexclude = [{ algorithm = 'free', low = 9 }]", "4:8: low 9 is above high 5" + hint + "low = 9 }]"},
		{"[grid]\nlow = 3\n[[grid.include]]\nlow = 8\nhigh = 9\n[[grid.include]]\nhigh = 2", "8:8: low 3 is above high 2"},
		{"[grid]\nlow = 3\ninclude = [{ low = 8 }]", "4:20: low 8 is above high 5"},
		{"[grid]\nlow = 3\ninclude = [{ algorithm = 'free', low = 8 }]", ""},
		{"[[grid]]\nlow = 3\n[[grid]]\nlow = 6", "5:7: low 6 is above high 5"},
		{"[grid]\nhigh = '10..1000'\nlow = { from = 1, to = 10 }", ""},
		{"[grid]\nhigh = '10..1000'\nlow = { from = 1, to = 11 }", "4:7: low 11 is above high 10" + hint + "low = 11, high = 10 }]"},
	} {
		e.Rules[0].Warns = false
		got := faultOf(head+c.text, []*experiment.Experiment{e})
		if got != c.want {
			t.Errorf("%s\n got %q\nwant %q", c.text, got, c.want)
		}
		e.Rules[0].Warns = true
		got = ""
		if doubts := testutil.Must(Parse("t.toml", []byte(head+c.text), []*experiment.Experiment{e})).Warnings; len(doubts) > 0 {
			got = strings.TrimPrefix(doubts[0].Error(), "t.toml:")
		}
		if want, _, _ := strings.Cut(c.want, "\n"); got != want {
			t.Errorf("%s\nwarns %q\nwant  %q", c.text, got, want)
		}
	}
	const twice = "[[grid]]\nlow = [1, 6, 7]\nwhere = \"algorithm = 'fre' or low > 1\"\n[[grid]]\ninclude = [{ low = 9 }]"
	doubts := testutil.Must(Parse("t.toml", []byte(head+twice), []*experiment.Experiment{e})).Warnings
	if len(doubts) != 2 || !strings.HasPrefix(doubts[0].Error(), "t.toml:4:22: where: algorithm is \"fre\", want") || doubts[1].Error() != "t.toml:3:11: low 6 is above high 5" {
		t.Errorf("doubts %v, want one of where and one of the rule", doubts)
	}
}
