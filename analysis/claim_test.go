package analysis

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/internal/testutil"
	"sweep/results"
)

// crawler is an experiment with a series and a table, to make claims about.
func crawler() *experiment.Experiment {
	text := func(name string, choices ...string) experiment.Param {
		return experiment.Param{Name: name, Kind: experiment.String, Default: experiment.StringValue(choices[0]), Choices: choices, Meaning: name, Source: "invented"}
	}
	rewired := experiment.Param{Name: "rewired", Kind: experiment.Bool, Default: experiment.BoolValue(false), Meaning: "m", Source: "s"}
	n := experiment.Param{Name: "N", Kind: experiment.Int, Default: experiment.IntValue(16), Min: 1, Max: 64, UsedBy: []string{"FPA"}, Meaning: "m", Source: "s"}
	f := experiment.Param{Name: "f", Kind: experiment.Float, Default: experiment.FloatValue(0.1), Max: 1, UsedBy: []string{"FPA"}, Meaning: "m", Source: "s"}
	metric := func(name string) experiment.Metric {
		return experiment.Metric{Name: name, Kind: experiment.Float, Meaning: "m"}
	}
	return &experiment.Experiment{Name: "crawler", Version: 1,
		Params:  []experiment.Param{text("algorithm", "RL", "WL", "FPA"), text("order", "fixed", "even"), text("policy", "even", "odd"), rewired, n, f},
		Metrics: []experiment.Metric{metric("sent"), metric("relevant")},
		Series:  []experiment.Metric{metric("hours"), metric("sent"), metric("late")},
		Tables: []experiment.Table{{Name: "table2", Column: "algorithm", Headers: []string{"RL", "WL"}, Rows: []experiment.TableRow{
			{Metric: "sent", Label: "Sent", Mean: []float64{10, 20}, Std: []float64{1, 2}},
			{Metric: "relevant", Label: "Relevant", Mean: []float64{3, 4}, Std: []float64{0.1, 0.2}},
		}}},
	}
}

const crawlerGrid = `experiment = "crawler"
[[grid]]
algorithm = ["RL", "WL"]
rewired = [false, true]
[[grid]]
algorithm = "FPA"
rewired = [false, true]
f = [0.1, 0.5, 0.8]
[[claim]]
text = "T"
source = "S"
`

func understood(claim string) (*grid.Spec, []*Claim, error) {
	spec, err := grid.Parse("t.toml", []byte(crawlerGrid+claim), []*experiment.Experiment{crawler()})
	if err != nil {
		return nil, nil, err
	}
	list, _, err := understand(spec)
	return spec, list, err
}

// outlineCase tells where a case is, and of each set the cells of its terms.
func outlineCase(spec *grid.Spec, k *Case) string {
	var sets []string
	for _, cells := range k.sets {
		var parts []string
		for i, term := range k.terms {
			v := spec.Plan().Point(cells[i]).Values
			parts = append(parts, fmt.Sprintf("m%d %s/%s/%s", term.measure, v[0], v[3], v[5]))
		}
		sets = append(sets, strings.Join(parts, " : "))
	}
	return fmt.Sprintf("[%s]%s %s", k.Where, strings.Trim(fmt.Sprint(k.place), "[]"), strings.Join(sets, " + "))
}

// Of each claim is known what is estimated in its first case, what is accepted
// of that, and where its cases are.
func TestClaims(t *testing.T) {
	for claim, want := range map[string][]string{
		"expect = 'sent[WL, rewired = false] > 2 * sent[RL, rewired = false]'": {"difference 0 to +Inf open", "[] m0 WL/false/null : m0 RL/false/null"},
		"expect = 'sent[WL] > sent[RL]'\neach = 'rewired'": {"difference 0 to +Inf open",
			"[rewired = false] m0 WL/false/null : m0 RL/false/null", "[rewired = true] m0 WL/true/null : m0 RL/true/null"},
		// Who does not use a parameter of each goes with all its values, on
		// either side.
		"expect = 'sent[RL, rewired = true] < relevant[FPA, rewired = true, f >= 0.5]'\nsome = ['f']": {"difference -Inf to 0 open",
			"[f = 0.5]0.5 m0 RL/true/null : m1 FPA/true/0.5", "[f = 0.8]0.8 m0 RL/true/null : m1 FPA/true/0.8"},
		// A value in brackets frees a side from each.
		"expect = 'sent[FPA, f != 0.5] within 10% of sent[f = 0.5]'\neach = ['rewired', 'f']": {"ratio 0.9 to 1.1",
			"[rewired = false, f = 0.1] m0 FPA/false/0.1 : m0 FPA/false/0.5", "[rewired = false, f = 0.8] m0 FPA/false/0.8 : m0 FPA/false/0.5",
			"[rewired = true, f = 0.1] m0 FPA/true/0.1 : m0 FPA/true/0.5", "[rewired = true, f = 0.8] m0 FPA/true/0.8 : m0 FPA/true/0.5"},
		"expect = '6 < sent[RL, rewired = false] <= 7 and cv(relevant[RL, rewired = false]) < 0.1'": {"value 6 to +Inf open",
			"[sent[RL, rewired = false]] m0 RL/false/null", "[sent[RL, rewired = false]] m0 RL/false/null", "[cv(relevant[RL, rewired = false])] m1 RL/false/null"},
		"expect = 'sent[FPA] - sent[RL] falls along f'\neach = 'rewired'": {"difference -Inf to 0 open",
			"[rewired = false, f = 0.5 after 0.1] m0 FPA/false/0.5 : m0 RL/false/null : m0 FPA/false/0.1 : m0 RL/false/null",
			"[rewired = false, f = 0.8 after 0.5] m0 FPA/false/0.8 : m0 RL/false/null : m0 FPA/false/0.5 : m0 RL/false/null",
			"[rewired = true, f = 0.5 after 0.1] m0 FPA/true/0.5 : m0 RL/true/null : m0 FPA/true/0.1 : m0 RL/true/null",
			"[rewired = true, f = 0.8 after 0.5] m0 FPA/true/0.8 : m0 RL/true/null : m0 FPA/true/0.5 : m0 RL/true/null"},
		// Another window is another measure.
		"expect = 'max(late[RL, rewired = false, 3 < hours <= 6]) > late[RL, rewired = false, hours <= 3]'": {"difference 0 to +Inf open",
			"[] m0 RL/false/null : m1 RL/false/null"},
		"expect = 'sent[WL] / sent[RL] > 2'\nover = 'rewired'": {"value 2 to +Inf open", "[] m0 WL/false/null : m0 RL/false/null + m0 WL/true/null : m0 RL/true/null"},
		// Of FPA there are several cells.
		"expect = 'cv(table2[algorithm != FPA]) < 0.1'\neach = 'algorithm'\nover = 'rewired'": {"value -Inf to 0.1 open",
			"[sent, algorithm = RL] m0 RL/false/null + m0 RL/true/null", "[sent, algorithm = WL] m0 WL/false/null + m0 WL/true/null",
			"[relevant, algorithm = RL] m1 RL/false/null + m1 RL/true/null", "[relevant, algorithm = WL] m1 WL/false/null + m1 WL/true/null"},
		"expect = 'sent[WL] > sent[RL] margin 2%'\neach = 'rewired'": {"ratio 1 to +Inf open margin 0.02",
			"[rewired = false] m0 WL/false/null : m0 RL/false/null", "[rewired = true] m0 WL/true/null : m0 RL/true/null"},
		"expect = '4 <= sent[RL, rewired = true] margin 5%'":                       {"value 4 to +Inf margin 0.2", "[] m0 RL/true/null"},
		"expect = '3 > sent[RL, rewired = true]'":                                  {"value -Inf to 3 open", "[] m0 RL/true/null"},
		"expect = 'sent[RL, rewired = true] = 3'":                                  {"value 3 to 3", "[] m0 RL/true/null"},
		"expect = 'sent[RL, rewired = true] <= sent[WL, rewired = true] + 1'":      {"difference -Inf to 0", "[] m0 RL/true/null : m0 WL/true/null"},
		"expect = 'sent[RL, rewired = true] within 10% of -2'":                     {"value -2.2 to -1.8", "[] m0 RL/true/null"},
		"expect = 'sent[RL, rewired = true] within 1 of sent[WL, rewired = true]'": {"difference -1 to 1", "[] m0 RL/true/null : m0 WL/true/null"},
	} {
		spec, list, err := understood(claim)
		if err != nil {
			t.Errorf("%s\n%v", claim, err)
			continue
		}
		first := list[0].Cases[0]
		got := []string{fmt.Sprintf("%s %v to %v", first.Quantity, first.Least, first.Most)}
		if first.open {
			got[0] += " open"
		}
		if list[0].Cases[0].Margin > 0 {
			got[0] += fmt.Sprintf(" margin %v", list[0].Cases[0].Margin)
		}
		for _, k := range list[0].Cases {
			got = append(got, outlineCase(spec, k))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nwant\n%s", claim, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestClaimsOfATable(t *testing.T) {
	spec, list, err := understood("expect = 'table2 within 10%'\neach = 'rewired'")
	if err != nil || len(list) != 2 || list[1].Text != "T: Relevant" || len(list[1].Cases) != 4 {
		t.Fatalf("%+v, %v; want a claim for each row", list, err)
	}
	k := list[1].Cases[3]
	if got := outlineCase(spec, k); got != "[algorithm = WL, rewired = true] m1 WL/true/null" || k.PaperMean != 4 || k.PaperStd != 0.2 || k.Most != 4.4 {
		t.Errorf("%s, %+v", got, k)
	}
}

func TestConditionsOnFiles(t *testing.T) {
	file := experiment.StringValue("c.txt@sha256:9f86d081884c7d65")
	for text, same := range map[string]bool{"c.txt": true, file.Text(): true, "c.tx": false, "": false} {
		for sign, want := range map[string]bool{"=": same, "!=": !same} {
			if (condition{sign: sign, text: text}).fits(file) != want {
				t.Errorf("%v %s %q is not %v", file, sign, text, want)
			}
		}
	}
}

func TestFaultsOfClaims(t *testing.T) {
	for expect, want := range map[string]string{
		"sent[":                              `5: found the end, want a name or a number`,
		"sent[RL]":                           "0: the claim compares nothing, want an expression such as sent > 0",
		"sent[RL] != 3":                      "0: no sample can show that means are not the same",
		"3 > 2":                              "0: the claim says nothing about results",
		"snet[RL] > 3":                       `0: crawler has no metric "snet" * did you mean "sent"?`,
		"late[RL] > 3":                       `0: crawler has no metric "late" * of its series it is mean(late)`,
		"max(relevant[RL]) > 3":              `4: crawler has no column in its series "relevant"`,
		"maxi(sent) > 3":                     `0: found maxi with 1 arguments, want one of max, mean, min, std, cv with one * did you mean "max"?`,
		"cv(3) > 3":                          "3: cv wants a metric or a column of the series",
		"max(sent + 1) > 3":                  "4: max wants a metric or a column of the series",
		"(sent > 2) > 3":                     "0: want a number here",
		"cv(sent)[RL] > 3":                   "0: only from a name can be selected",
		"sent[Rl] > 3":                       `5: "Rl" is the value of no parameter * did you mean "RL"?`,
		"sent[even] > 3":                     `5: "even" may be the value of order or policy, want for example order = even`,
		"sent[order = odd] > 3":              `13: order is "odd", want one of fixed, even`,
		"sent[algoritm = RL] > 3":            `5: crawler has no parameter "algoritm" * did you mean "algorithm"?`,
		"sent[algorithm > RL] > 3":           "5: the values of algorithm have no order, want = or !=",
		"sent[f = RL] > 3":                   "9: want a number to compare f with",
		"sent[RL] > 0 margin 2%":             "0: a share of 0 is no margin, want a number such as margin 0.01",
		"sent[f > 0.1 margin 1] > 3":         "5: a margin is for what is claimed, not for what is selected",
		"sent[f = 2] > 3":                    "9: f is 2, want a number in [0, 1]",
		"sent[2 + 2] > 3":                    "5: want the value of a parameter, or a condition such as N = 16",
		"sent[FPA] > 3":                      "0: several cells fit, for example with f = 0.1 and with f = 0.5 * give f a value in brackets, or add it to each",
		"sent[FPA, f = 0.2] > 3":             "0: no cell of the sweep has algorithm = FPA, f = 0.2",
		"sent[RL] < sent[FPA, f > 0.1, N<3]": "11: no cell of the sweep has algorithm = FPA, f > 0.1, N < 3, rewired = false",
		"sent[RL] rises along algorithm":     "21: the values of algorithm have no order, want a parameter that is a number",
		"sent[RL] rises along g":             `21: crawler has no parameter "g"`,
		"sent[FPA, f = 0.1] falls along f":   "31: falls along f, which has one value only",
		"table3 within 10%":                  `0: crawler has no table "table3" * did you mean "table2"?`,
		// The parameter that is to blame is named.
		"sent[FPA] > sent[FPA, f < 0.5]; 'f'": "12: no cell of the sweep has algorithm = FPA, f < 0.5, rewired = false, f = 0.5 * its f is 0.1; a value in brackets frees it from each",
	} {
		expect, more, _ := strings.Cut(expect, ";")
		_, _, err := understood("expect = '" + expect + "'\neach = ['rewired', " + more + "]")
		var fault *grid.Error
		if !errors.As(err, &fault) {
			t.Errorf("%s: %v, want a fault", expect, err)
			continue
		}
		message, hint, _ := strings.Cut(want, " * ")
		got := fmt.Sprintf("%d: %s", fault.Column-11, fault.Message)
		if fault.Line != 12 || !strings.HasPrefix(got, message) || hint != "" && fault.Hint != hint {
			t.Errorf("%s\ngot  line %d, %s (hint %s)\nwant %s", expect, fault.Line, got, fault.Hint, want)
		}
	}
	if _, _, err := understood("expect = 'sent > 0'\neach = 'rewird'"); err == nil || !strings.HasPrefix(err.Error(), `t.toml:13:8: crawler has no parameter "rewird"`) {
		t.Error(err)
	}
}

// A claim about each case holds only if each does, and fails only if one does
// at the level of the family; a claim about some is the reverse, of all cases
// of a place.
func TestVerdict(t *testing.T) {
	joined := func(z []float64, places int) string { // z: standard errors above what is accepted
		c := &Claim{Claim: &grid.Claim{}}
		for i, z := range z {
			k := &Case{Most: math.Inf(1), open: true, place: []experiment.Value{experiment.IntValue(int64(i % places))}}
			k.Estimate = &inference.Location{N: 1e6, Value: z, SE: 1}
			c.Cases = append(c.Cases, k)
		}
		return c.verdict()
	}
	for _, k := range []struct {
		z           []float64
		every, some string
	}{
		{[]float64{5, 5}, Holds, Holds},
		{[]float64{2.1, 2.1}, Holds, Undecided},
		{[]float64{5, -2.1}, Undecided, Holds},
		{[]float64{5, -5}, Fails, Holds},
		{[]float64{-2.1, -2.1}, Undecided, Fails},
		{[]float64{5, 0}, Undecided, Holds},
		{[]float64{5, -5, -5, 5}, Fails, Fails},
		{[]float64{5, -2.1, -5, 5}, Fails, Undecided},
		{[]float64{2.3, 5, 2.3, -5}, Fails, Holds},
	} {
		if every, some := joined(k.z, 1), joined(k.z, 2); every != k.every || some != k.some {
			t.Errorf("%v: each %s, some %s; want %s and %s", k.z, every, some, k.every, k.some)
		}
	}
}

// judged judges a claim about the cells RL and WL, whose runs sent x and y.
func judged(expect string, x, y []float64) *Case {
	_, list, err := understood("each = 'rewired'\nexpect = '" + expect + "'")
	testutil.NoError(err)
	samples := []*results.Sample{sampleOf(x), sampleOf(y)}
	k := list[0].Cases[0]
	k.sets = k.sets[:1]
	for i, cell := range k.sets[0] {
		k.sets[0][i] = min(cell, 1) // of the cells that are not rewired
	}
	k.judge(samples)
	return k
}

// Limits are compared with what is accepted, ends included or not. A family's
// member that fails by itself does not make the claim fail as
// long as it might be chance, and z names a paper that is far away.
func TestJudge(t *testing.T) {
	twos := []float64{2, 2, 2, 2, 2} // whose limits are 2 and 2
	for expect, want := range map[string]string{
		"sent[RL] > 2": Fails, "sent[RL] >= 2": Holds, "sent[RL] = 2": Holds, "sent[RL] < 2": Fails, "sent[RL] within 1 of 3": Holds, "sent[RL] within 0.9 of 3": Fails,
	} {
		if k := judged(expect, twos, twos); k.Verdict != want {
			t.Errorf("%s: %s, want %s", expect, k.Verdict, want)
		}
	}
	base := []float64{10, 11, 12, 13, 14, 15, 16, 17}
	_, high := inference.Mean(base).Interval(0.95)
	if k := judged(fmt.Sprintf("sent[RL] > %v", high+0.01), base, base); k.Verdict != Fails || k.at(2) != Undecided {
		t.Errorf("just beyond the limits: %s alone, %s in a family; want fails, undecided", k.Verdict, k.at(2))
	}
	if k := judged("sent[RL] > 13", base, base); k.Verdict != Undecided {
		t.Errorf("13 is within the limits: %s", k.Verdict)
	}
	negative := []float64{-1, -2, -1, -2, 1, 2, 1, 2.1}
	for _, expect := range []string{"sent[RL] / sent[WL] > 1", "cv(sent[WL]) < 99"} {
		if k := judged(expect, base, negative); k.Verdict != Undecided || !slices.Contains(k.Warnings(), "what is divided by may be 0") {
			t.Errorf("%s: %s, warnings %q; want undecided, and why", expect, k.Verdict, k.Warnings())
		}
	}
	k := judged("sent[RL] within 10% of 15", base, base)
	if k.PaperMean, k.PaperStd = 15, 0.5; k.Z() != -3 || !slices.Contains(k.Warnings(), "more than 2 of the paper's standard deviations away") {
		t.Errorf("z %v, %q", k.Z(), k.Warnings())
	}
}

// Limits on both sides of a bound and within the margin are those of a tie, and
// only where a claim has a margin.
func TestTied(t *testing.T) {
	base := []float64{10, 11, 12, 13, 14, 15, 16, 17}
	close := []float64{10.1, 10.9, 12.1, 12.9, 14.1, 14.9, 16.1, 16.9}
	above := []float64{11, 12, 13, 14, 15, 16, 17, 18}
	for _, c := range []struct {
		expect string
		y      []float64
		want   string
	}{
		{"sent[RL] > sent[WL]", close, Undecided},
		{"sent[RL] > sent[WL] margin 0.1", close, Tied},
		{"sent[RL] < sent[WL] margin 0.1", close, Tied},
		{"sent[RL] > sent[WL] margin 0.05", close, Undecided},
		{"sent[RL] > sent[WL] margin 1%", close, Tied},
		{"sent[RL] > sent[WL] margin 0.5%", close, Undecided},
		{"sent[RL] > sent[WL] margin 2", above, Fails},
		{"sent[RL] < sent[WL] margin 2", above, Holds},
		{"sent[RL] > sent[WL] margin 20%", above, Fails},
		{"sent[RL] > 13 margin 20%", base, Tied},
		{"13 > sent[RL] margin 3", base, Tied},
		{"sent[RL] > 13 margin 1", base, Undecided},
	} {
		if k := judged(c.expect, base, c.y); k.Verdict != c.want {
			t.Errorf("%s: %s (%v to %v), want %s", c.expect, k.Verdict, k.Low, k.High, c.want)
		}
	}
	negative := []float64{-10, -11, -12, -13, -14, -15, -16, -17}
	if k := judged("sent[RL] > sent[WL] margin 2%", negative, negative); k.Verdict != Undecided || !slices.Contains(k.Warnings(), "what is divided by may be 0, or is below it") {
		t.Errorf("a share of a negative number: %s, %q", k.Verdict, k.Warnings())
	}
	joined := func(places int, z ...float64) string { // 0: tied
		c := &Claim{Claim: &grid.Claim{}}
		for i, z := range z {
			k := &Case{Most: math.Inf(1), open: true, Margin: 3, place: []experiment.Value{experiment.IntValue(int64(i % places))}}
			k.Estimate = &inference.Location{N: 1e6, Value: z, SE: 1}
			c.Cases = append(c.Cases, k)
		}
		return c.verdict()
	}
	for _, c := range []struct {
		z           []float64
		every, some string
	}{
		{[]float64{0, 5}, Tied, Holds},
		{[]float64{0, 0}, Tied, Tied},
		{[]float64{0, 1.9}, Undecided, Undecided}, // 1.9 is neither
		{[]float64{0, -5}, Fails, Tied},
	} {
		if every, some := joined(1, c.z...), joined(2, c.z...); every != c.every || some != c.some {
			t.Errorf("%v: each %s, some %s; want %s and %s", c.z, every, some, c.every, c.some)
		}
	}
}

// Rows of metrics that differ in size show four digits each, and so do small
// differences.
func TestRowsOfSeveralMetrics(t *testing.T) {
	large, small := []float64{600_000, 610_000, 620_000}, []float64{0.0045, 0.0047, 0.0046}
	one := judged("sent[RL] > sent[WL]", large, []float64{500_000, 510_000, 525_000})
	two := judged("sent[RL] > sent[WL]", small, []float64{0.0041, 0.0042, 0.0044})
	near := judged("sent[RL] > sent[WL]", large, []float64{599_999.999, 609_999.998, 619_999.997})
	for _, c := range []struct {
		cases []*Case
		want  []string
	}{{[]*Case{one}, []string{"610000", "511667"}}, {[]*Case{one, two}, []string{"0.004600", "0.004233"}},
		{[]*Case{near}, []string{"610000", "+0.002000"}}} {
		var b strings.Builder
		claim := &Claim{Claim: &grid.Claim{}, Cases: c.cases}
		testutil.NoError(table.Write(&b, table.Text, claim.Table()))
		for _, want := range c.want {
			if !strings.Contains(b.String(), " "+want+" ") {
				t.Errorf("no %s in\n%s", want, &b)
			}
		}
	}
}
