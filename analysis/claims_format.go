package analysis

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"

	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// CheckFormats returns the formats of WriteChecks in the order of help
// texts. Text has a line for each verdict and claim, and below it what was
// measured; Markdown a row for each case.
func CheckFormats() []results.Format {
	return []results.Format{results.Text, results.Markdown, results.JSON}
}

// WriteChecks writes checks one after another. It returns only w's errors.
func WriteChecks(w io.Writer, format results.Format, checks []*Check) error {
	if format == results.JSON {
		return report.WriteJSON(w, jsonChecksOf(checks))
	}
	var b strings.Builder
	for _, c := range checks {
		if format == results.Markdown {
			c.markdown(&b)
		} else {
			c.text(&b)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary counts the verdicts, as in "12 claims: 11 hold, 1 undecided".
func (c *Check) summary() string {
	var parts []string
	for _, v := range Verdicts() {
		switch n := c.Count(v); {
		case n == 0:
		case v == Holds && n > 1:
			parts = append(parts, fmt.Sprintf("%d hold", n))
		case v == Fails && n > 1:
			parts = append(parts, fmt.Sprintf("%d fail", n))
		default:
			parts = append(parts, fmt.Sprintf("%d %s", n, v))
		}
	}
	noun := "claims"
	if len(c.Claims) == 1 {
		noun = "claim"
	}
	return fmt.Sprintf("%d %s: %s", len(c.Claims), noun, strings.Join(parts, ", "))
}

// indent stands before what belongs to a claim; verdicts fit into it.
const indent = "           "

func (c *Check) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s, %s\n\n", c.Name, c.summary())
	for _, j := range c.Claims {
		fmt.Fprintf(b, "%-*s%s\n%s%s\n", len(indent), j.Verdict, j.Claim.Says, indent, j.Claim.Source)
		if j.Verdict == Untested {
			fmt.Fprintf(b, "%suntested: %s\n\n", indent, j.Claim.Untested)
			continue
		}
		fmt.Fprintf(b, "%s%s\n", indent, j.Claim.Asks)
		t := tabwriter.NewWriter(b, 0, 0, 3, ' ', 0) // a strings.Builder takes everything
		decimals := decimalsOf(j.Cases)
		for i := range j.Cases {
			line := j.Cases[i].columns(decimals[j.Cases[i].Case.Measure])
			fmt.Fprintf(t, "%s%s\n", indent, strings.Join(line, "\t"))
		}
		t.Flush()
		b.WriteString("\n")
	}
	for _, warning := range c.Warnings {
		fmt.Fprintf(b, "warning: %s\n\n", warning)
	}
}

// columns describes a case: where, what was measured, its limits, what the
// rule accepts, the comparison with the paper, the verdict, the doubts.
func (r *JudgedCase) columns(decimals int) []string {
	show := report.Fixed
	if r.Quantity == Difference {
		show = signed
	}
	measured := fmt.Sprintf("%s %s", r.Quantity, show(r.Measured, decimals))
	if r.Case.Right != nil {
		measured = fmt.Sprintf("%s against %s: %s", plain(r.Left), plain(r.Right), measured)
	}
	paper := ""
	if r.Case.Std > 0 {
		paper = fmt.Sprintf("paper %s ± %s, ratio %.3f, z %s", report.Exact(r.Case.Number), report.Exact(r.Case.Std), r.PaperRatio, signed(r.Z, 1))
	}
	var line []string
	for _, text := range []string{r.Case.Where, measured,
		fmt.Sprintf("[%s, %s]", show(r.Low, decimals), show(r.High, decimals)), r.wanted(), paper, string(r.Verdict), join(r.Doubts, "")} {
		if text != "" {
			line = append(line, text)
		}
	}
	return line
}

// plain returns a number with four digits, or all of those of its whole part.
func plain(x float64) string { return report.Fixed(x, report.Decimals([]float64{x}, nil)) }

// wanted says what the rule accepts.
func (r *JudgedCase) wanted() string {
	short := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	switch {
	case math.IsInf(r.Most, 1):
		return "want above " + short(r.Least)
	case math.IsInf(r.Least, -1):
		return "want below " + short(r.Most)
	}
	return fmt.Sprintf("want %s to %s", short(r.Least), short(r.Most))
}

// decimalsOf returns how many decimals the numbers of each measure have.
func decimalsOf(cases []JudgedCase) map[int]int {
	numbers, errors := map[int][]float64{}, map[int][]float64{}
	for _, c := range cases {
		m := c.Case.Measure
		if !math.IsNaN(c.Measured) {
			numbers[m] = append(numbers[m], c.Measured)
		}
		errors[m] = append(errors[m], (c.High-c.Low)/4) // about the standard error
	}
	decimals := map[int]int{}
	for m := range numbers {
		decimals[m] = report.Decimals(numbers[m], errors[m])
	}
	return decimals
}

func (c *Check) markdown(b *strings.Builder) {
	t := report.Sheet{Title: c.Name + ", " + c.summary()}
	for _, name := range []string{"verdict", "claim", "source", "tested as", "where", "measured", "95 % limits", "wanted", "case", "paper", "ratio", "z", "doubts"} {
		t.Columns = append(t.Columns, report.Heading{Name: name, Left: true})
	}
	for _, j := range c.Claims {
		if j.Verdict == Untested {
			row := make([]string, len(t.Columns))
			copy(row, []string{string(j.Verdict), j.Claim.Says, j.Claim.Source, j.Claim.Untested})
			t.Rows = append(t.Rows, row)
		}
		decimals := decimalsOf(j.Cases)
		for i := range j.Cases {
			r := &j.Cases[i]
			d := decimals[r.Case.Measure]
			lead := []string{"", "", "", ""}
			if i == 0 {
				lead = []string{string(j.Verdict), j.Claim.Says, j.Claim.Source, j.Claim.Asks}
			}
			paper := []string{"", "", ""}
			if r.Case.Std > 0 {
				paper = []string{report.Exact(r.Case.Number) + " ± " + report.Exact(r.Case.Std), report.Fixed(r.PaperRatio, 3), signed(r.Z, 1)}
			}
			row := append(lead, r.Case.Where, fmt.Sprintf("%s %s", r.Quantity, report.Fixed(r.Measured, d)),
				fmt.Sprintf("%s … %s", report.Fixed(r.Low, d), report.Fixed(r.High, d)), r.wanted(), string(r.Verdict))
			t.Rows = append(t.Rows, append(append(row, paper...), join(r.Doubts, "")))
		}
	}
	(&report.Document{Sheets: []report.Sheet{t}, Warnings: c.Warnings}).Write(b, report.Markdown) // a strings.Builder takes everything
}

// The JSON documents. Fields may be added; those that are there stay.
type (
	jsonCheck struct {
		Spec     string          `json:"spec"`
		Counts   map[Verdict]int `json:"counts"`
		Warnings []string        `json:"warnings"`
		Claims   []jsonClaim     `json:"claims"`
	}
	jsonClaim struct {
		Verdict  Verdict    `json:"verdict"`
		Says     string     `json:"says"`
		Source   string     `json:"source"`
		Asks     string     `json:"asks,omitempty"`
		Untested string     `json:"untested,omitempty"`
		Some     bool       `json:"some,omitempty"`
		Cases    []jsonCase `json:"cases,omitempty"`
	}
	jsonCase struct {
		Where      string   `json:"where"`
		Verdict    Verdict  `json:"verdict"`
		Runs       int      `json:"runs"`
		Left       number   `json:"left"`
		Right      number   `json:"right"`
		Quantity   Quantity `json:"quantity"`
		Measured   number   `json:"measured"`
		CILow      number   `json:"ci_low"`
		CIHigh     number   `json:"ci_high"`
		Confidence float64  `json:"confidence"`
		Least      number   `json:"least"` // null: no bound
		Most       number   `json:"most"`
		PaperMean  number   `json:"paper_mean"`
		PaperStd   number   `json:"paper_std"`
		Ratio      number   `json:"ratio"`
		Z          number   `json:"z"`
		Warnings   []string `json:"warnings"`
	}
)

func jsonChecksOf(checks []*Check) []jsonCheck {
	list := []jsonCheck{}
	for _, c := range checks {
		j := jsonCheck{Spec: c.Name, Counts: map[Verdict]int{}, Warnings: append([]string{}, c.Warnings...)}
		for _, v := range Verdicts() {
			j.Counts[v] = c.Count(v)
		}
		for _, claim := range c.Claims {
			k := jsonClaim{Verdict: claim.Verdict, Says: claim.Claim.Says, Source: claim.Claim.Source,
				Asks: claim.Claim.Asks, Untested: claim.Claim.Untested, Some: claim.Claim.Some}
			for _, r := range claim.Cases {
				paperMean, paperStd := math.NaN(), math.NaN()
				if r.Case.Std > 0 {
					paperMean, paperStd = r.Case.Number, r.Case.Std
				}
				k.Cases = append(k.Cases, jsonCase{
					Where: r.Case.Where, Verdict: r.Verdict, Runs: r.Runs,
					Left: number(r.Left), Right: number(r.Right), Quantity: r.Quantity, Measured: number(r.Measured),
					CILow: number(r.Low), CIHigh: number(r.High), Confidence: inference.Confidence,
					Least: number(r.Least), Most: number(r.Most), PaperMean: number(paperMean), PaperStd: number(paperStd),
					Ratio: number(r.PaperRatio), Z: number(r.Z), Warnings: append([]string{}, r.Doubts...),
				})
			}
			j.Claims = append(j.Claims, k)
		}
		list = append(list, j)
	}
	return list
}
