package grid

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
)

// claimed is an experiment with a series and a table, to make claims about.
func claimed() *experiment.Experiment {
	e := foraging()
	e.Metrics = append(e.Metrics, experiment.Metric{Name: "relevant", Kind: experiment.Int, Meaning: "documents found"})
	e.Series = experiment.Series{
		Axis:    experiment.Metric{Name: "hours", Kind: experiment.Float, Meaning: "time"},
		Columns: []experiment.Metric{{Name: "sent", Kind: experiment.Int, Meaning: "sent in the window"}},
	}
	e.Tables = []experiment.Table{{Name: "table2", Column: experiment.Algorithm, Headers: []string{"RL", "WL"}, Rows: []experiment.TableRow{
		{Metric: "sent", Label: "sent", Mean: []float64{10, 20}, Std: []float64{1, 2}},
		{Metric: "relevant", Label: "relevant", Mean: []float64{3, 4}, Std: []float64{0.1, 0.2}},
	}}}
	return e
}

const claimedGrid = `experiment = "foraging"
[[grid]]
algorithm = ["RL", "WL"]
rewired = [false, true]
[[grid]]
algorithm = "FPA"
rewired = [false, true]
N = 16
f = [0.1, 0.5, 0.8]
`

func parseClaims(text string) (*Spec, error) {
	return Parse("t.toml", []byte(claimedGrid+text), []*experiment.Experiment{claimed()})
}

const words = "[[claim]]\nsays = \"S\"\nsource = \"P\"\n"

// outlineCases describes a claim's cases by the parameters of their cells.
func outlineCases(s *Spec, c Claim) []string {
	term := func(t Term) string {
		v := s.Plan().Point(t.Cell).Values
		text := fmt.Sprintf("%s/%s/%s", v[0], v[6], v[5])
		if !math.IsInf(t.After, -1) || !math.IsInf(t.To, 1) {
			text += fmt.Sprintf("(%v,%v]", t.After, t.To)
		}
		return text
	}
	side := func(s Side) string {
		if s.Minus != nil {
			return term(s.Of) + "-" + term(*s.Minus)
		}
		return term(s.Of)
	}
	var list []string
	for _, k := range c.Cases {
		right := fmt.Sprint(k.Number)
		if k.Right != nil {
			right = side(*k.Right)
		}
		list = append(list, fmt.Sprintf("[%s] m%d %s : %s", k.Where, k.Measure, side(k.Left), right))
	}
	return list
}

func TestClaims(t *testing.T) {
	for _, c := range []struct {
		text  string
		asks  string
		rule  Rule
		cases []string
	}{
		{"metric='sent'\nof={algorithm='WL', rewired=false}\nabove={algorithm='RL'}",
			"sent of algorithm = WL, rewired = false above that of algorithm = RL",
			Rule{Relation: Above, Times: 1},
			[]string{"[] m0 WL/false/null : RL/false/null"}},
		{"metric='sent'\nof={algorithm='WL'}\nabove={algorithm='RL'}\nevery='rewired'\nby=3",
			"sent of algorithm = WL above that of algorithm = RL by 3, in every rewired",
			Rule{Relation: Above, Times: 1, By: 3},
			[]string{"[rewired = false] m0 WL/false/null : RL/false/null", "[rewired = true] m0 WL/true/null : RL/true/null"}},
		// A partner that does not use a parameter of every goes with all its values.
		{"metric='sent'\nof={algorithm='FPA', rewired=true}\nbelow={algorithm='RL'}\ntimes=2.5\nsome=['f']",
			"sent of algorithm = FPA, rewired = true below 2.5 times that of algorithm = RL, in some f",
			Rule{Relation: Below, Times: 2.5},
			[]string{"[f = 0.1] m0 FPA/true/0.1 : RL/true/null", "[f = 0.5] m0 FPA/true/0.5 : RL/true/null", "[f = 0.8] m0 FPA/true/0.8 : RL/true/null"}},
		{"metric='sent'\nof={algorithm='FPA', f=[0.1, 0.8]}\nnear={f=0.5}\nevery=['rewired', 'f']\nwithin='10%'",
			"sent of algorithm = FPA, f = 0.1 or 0.8 near that of f = 0.5, within 10 %, in every rewired, f",
			Rule{Relation: Near, Times: 1, Within: 0.1, Relative: true},
			[]string{"[rewired = false, f = 0.1] m0 FPA/false/0.1 : FPA/false/0.5", "[rewired = false, f = 0.8] m0 FPA/false/0.8 : FPA/false/0.5",
				"[rewired = true, f = 0.1] m0 FPA/true/0.1 : FPA/true/0.5", "[rewired = true, f = 0.8] m0 FPA/true/0.8 : FPA/true/0.5"}},
		{"metric=['sent','relevant']\nof={algorithm='RL', rewired=false}\nnear=7\nwithin=0.5",
			"sent, relevant of algorithm = RL, rewired = false near 7, within 0.5",
			Rule{Relation: Near, Times: 1, Within: 0.5},
			[]string{"[sent] m0 RL/false/null : 7", "[relevant] m1 RL/false/null : 7"}},
		{"metric='sent'\nof={algorithm='FPA'}\nfalls='f'\nevery='rewired'\nminus={algorithm='RL'}",
			"sent of algorithm = FPA less that of algorithm = RL falls with f, in every rewired",
			Rule{Relation: Below, Times: 1},
			[]string{
				"[rewired = false, f = 0.5 after 0.1] m0 FPA/false/0.5-RL/false/null : FPA/false/0.1-RL/false/null",
				"[rewired = false, f = 0.8 after 0.5] m0 FPA/false/0.8-RL/false/null : FPA/false/0.5-RL/false/null",
				"[rewired = true, f = 0.5 after 0.1] m0 FPA/true/0.5-RL/true/null : FPA/true/0.1-RL/true/null",
				"[rewired = true, f = 0.8 after 0.5] m0 FPA/true/0.8-RL/true/null : FPA/true/0.5-RL/true/null"}},
		{"series='sent'\ntake='max'\nof={algorithm='RL', hours={after=3, to=6}}\nabove={hours={to=3}}\nevery='rewired'",
			"max of sent in a run of algorithm = RL, hours after 3 up to 6 above that of hours up to 3, in every rewired",
			Rule{Relation: Above, Times: 1},
			[]string{"[rewired = false] m0 RL/false/null(3,6] : RL/false/null(-Inf,3]", "[rewired = true] m0 RL/true/null(3,6] : RL/true/null(-Inf,3]"}},
	} {
		s, err := parseClaims(words + c.text)
		if err != nil {
			t.Errorf("%v\n%s", err, c.text)
			continue
		}
		got := s.Claims[0]
		if cases := outlineCases(s, got); got.Asks != c.asks || got.Rule != c.rule || !slices.Equal(cases, c.cases) {
			t.Errorf("%s\ngot  %s, %+v\n%s\nwant %s, %+v\n%s", c.text, got.Asks, got.Rule, strings.Join(cases, "\n"), c.asks, c.rule, strings.Join(c.cases, "\n"))
		}
		if got.Says != "S" || got.Source != "P" || got.Line != 10 || got.Some != strings.Contains(c.text, "some") {
			t.Errorf("claim %+v", got)
		}
	}
}

func TestClaimsOfATable(t *testing.T) {
	s, err := parseClaims(words + "table='table2'\nwithin='10%'\nevery='rewired'")
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Claims) != 2 || s.Claims[1].Says != "S: relevant" {
		t.Fatalf("claims %+v, want one for each row", s.Claims)
	}
	want := []string{
		"[rewired = false, algorithm = RL] m0 RL/false/null : 3", "[rewired = true, algorithm = RL] m0 RL/true/null : 3",
		"[rewired = false, algorithm = WL] m0 WL/false/null : 4", "[rewired = true, algorithm = WL] m0 WL/true/null : 4",
	}
	got := outlineCases(s, s.Claims[1])
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) || s.Claims[1].Cases[0].Std == 0 || s.Claims[1].Measures[0].Index != 1 {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Claims do not change what is run.
func TestClaimsAreNoPartOfARun(t *testing.T) {
	plain, err := parseClaims("")
	if err != nil {
		t.Fatal(err)
	}
	with, err := parseClaims(words + "untested='not simulated'\n" + words + "metric='sent'\nof={algorithm='RL'}\nabove=3\nevery='rewired'")
	if err != nil {
		t.Fatal(err)
	}
	if len(with.Claims) != 2 || with.Claims[0].Untested != "not simulated" {
		t.Errorf("claims %+v", with.Claims)
	}
	for i := range plain.Plan().Runs() {
		if Identify(plain.Plan().Point(i)) != Identify(with.Plan().Point(i)) {
			t.Fatalf("run %d has another identity with claims", i)
		}
	}
}

func TestFaultsOfClaims(t *testing.T) {
	const rule = "above=3\n" // line 13 follows
	for _, c := range []struct{ text, want string }{
		{"claim = 3", `10:1: unknown key "claim", foraging has no such parameter * claim belongs above the first [grid]`},
		{"[[claim]]\nsource='x'", `10:3: the claim has no key "says"`},
		{"[[claim]]\nsays='x'", `10:3: the claim has no key "source"`},
		{"[[claim]]\nsays=' '", `11:6: says is the string " ", want a text`},
		{words + "untested='x'\nmetric='sent'", `14:1: an untested claim has a key "metric"`},
		{words + "metrik='sent'", `13:1: unknown key "metrik", want says, ` + `* did you mean "metric"?`},
		{words + rule, "10:3: the claim has none of metric, series, table, untested, want one"},
		{words + rule + "metric='sent'\nseries='sent'", "15:1: the claim has both metric and series, want one"},
		{words + rule + "metric='sent'\ntake='max'", "15:1: take needs a series"},
		{words + rule + "series='sent'\ntake='most'", `15:6: take is "most", want one of mean, min, max, std`},
		{words + rule + "metric='snet'", `14:8: metric is "snet", want one of sent, relevant * did you mean "sent"?`},
		{words + rule + "metric=[]", "14:8: metric is an empty list"},
		{words + "metric='sent'", "10:3: the claim has no rule, want one of above, below, near, rises, falls"},
		{words + rule + "metric='sent'\nbelow=4", "15:1: the claim has both above and below"},
		{words + "metric='sent'\nabove='much'", `14:7: above is the string "much", want a number, or a cell such as`},
		{words + rule + "metric='sent'\nof=3", "15:4: of is the integer 3, want a table of parameters"},
		{words + rule + "metric='sent'\nof={algoritm='RL'}", `15:5: unknown key "algoritm"`},
		{words + rule + "metric='sent'\nof={algorithm='Rl'}", `15:15: algorithm is "Rl", want one of RL, ` + `* did you mean "RL"?`},
		{words + rule + "metric='sent'\nof={f=[]}", "15:7: f has no values"},
		{words + rule + "metric='sent'\nof={algorithm='CGLA'}", "15:4: no cell of the sweep has algorithm = CGLA"},
		{words + rule + "metric='sent'\nof={algorithm='RL'}", "15:4: several cells fit, for example with rewired = false and with rewired = true * give rewired a value, or add it to every"},
		{words + "metric='sent'\nof={algorithm='RL'}\nabove={algorithm='FPA'}\nevery='rewired'", "15:7: several cells fit, for example with f = 0.1 and with f = 0.5"},
		{words + "metric='sent'\nof={algorithm='FPA', f=0.1}\nabove={algorithm='FPA', f=0.2}\nevery='rewired'", "15:7: no cell of the sweep has algorithm = FPA, f = 0.2"},
		{words + "metric='sent'\nof={algorithm='RL'}\nabove={algorithm='RL'}\nevery='rewired'", "15:7: a cell is compared with itself, the one with algorithm = RL"},
		{words + rule + "metric='sent'\nevery='rewird'", `15:7: every is "rewird", want one of `},
		{words + rule + "metric='sent'\nevery='rewired'\nsome='f'", "16:1: the claim has both every and some"},
		{words + rule + "metric='sent'\ntimes=2", "15:1: times needs a positive number and a cell to multiply"},
		{words + rule + "metric='sent'\nby=-1", "15:1: by needs a number of at least 0"},
		{words + rule + "metric='sent'\nwithin=1", "15:1: within needs near, but the claim has above"},
		{words + "metric='sent'\nnear=3", `10:3: the claim has no key "within"`},
		{words + "metric='sent'\nnear=3\nwithin='much'", `15:8: within is the string "much", want a number of at least 0, or a percentage such as "10%"`},
		{words + "metric='sent'\nnear=3\nwithin=-1", "15:8: within is the integer -1"},
		{words + "metric='sent'\nnear={f=0.1}\ntimes=2\nwithin=0.1", "16:8: within is the number 0.1, want a percentage where times is"},
		{words + "metric='sent'\nrises='algorithm'", `14:7: rises is "algorithm", whose values have no order`},
		{words + "metric='sent'\nrises='x'\nof={algorithm='RL'}\nevery='rewired'", "14:7: rises along x, which has one value only"},
		{words + "metric='sent'\nfalls='f'\nof={algorithm='FPA'}", "15:4: several cells fit"},
		{words + rule + "metric='sent'\nof={hours={to=3}}", "15:5: hours chooses rows of a series, but the claim is not about a series"},
		{words + rule + "series='sent'\nof={hours=3}", "15:11: hours is the integer 3, want a window"},
		{words + rule + "series='sent'\nof={hours={after=3,to=3}}", "15:11: the window ends at 3 and begins after 3"},
		{words + rule + "series='sent'\nof={hours={from=3}}", `15:12: unknown key "from", want after, to`},
		{words + "statistic='variation'\nmetric='sent'\nabove={algorithm='RL'}", "13:1: the variation can be compared with a number only"},
		{words + "table='table3'\nwithin='10%'", `13:7: unknown table "table3"`},
		{words + "table='table2'", `10:3: the claim has no key "within"`},
		{words + "table='table2'\nmetric='sent'", `14:1: a claim about a table has a key "metric"`},
		{words + "table='table2'\nwithin='10%'\nevery='rewired'\nof={algorithm='RL'}", "16:5: algorithm heads the columns of the table"},
		{words + "table='table2'\nwithin='10%'", "10:3: several cells fit, for example with rewired = false"},
	} {
		_, err := parseClaims(c.text)
		var fault *Error
		if !errors.As(err, &fault) {
			t.Errorf("%s\nerror %v, want a fault", c.text, err)
			continue
		}
		message, hint, _ := strings.Cut(c.want, " * ")
		if got := strings.TrimPrefix(fault.Error(), "t.toml:"); !strings.HasPrefix(got, message) || hint != "" && fault.Hint != hint {
			t.Errorf("%s\ngot  %s (hint %s)\nwant %s", c.text, got, fault.Hint, c.want)
		}
	}
}

func TestParseUntested(t *testing.T) {
	list, err := ParseUntested("u.toml", []byte(words+"untested='why'\n"+words+"untested='also'"))
	if err != nil || len(list) != 2 || list[1].Untested != "also" {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		words:              "u.toml:1:3: the claim has no sweep that tests it, want untested: why not",
		"experiment = 'x'": `u.toml:1:1: unknown key "experiment", want claim`,
		"claim = 3":        "u.toml:1:9: claim is the integer 3, want tables such as [[claim]]",
		"claim = [3]":      "u.toml:1:10: claim holds the integer 3, want tables such as [[claim]]",
		words + "metric=1": "u.toml:1:3: the claim has no sweep that tests it",
	} {
		if _, err := ParseUntested("u.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestClaimsNeedAPlanThatCanBeListed(t *testing.T) {
	_, err := Parse("t.toml", []byte("experiment='foraging'\n[grid]\nx={from=1,to=5000,step=1}\n"+words+"metric='sent'\nabove=3\nevery='x'"), []*experiment.Experiment{claimed()})
	if err == nil || !strings.Contains(err.Error(), "claims about a sweep of 5000 cells, want at most 4096") {
		t.Errorf("got %v", err)
	}
}
