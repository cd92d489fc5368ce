package analysis

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/report"
	"sweep/results"
)

// Formats returns the formats of comparisons and differences in the order of
// help texts. CSV and JSON have one record per number.
func Formats() []results.Format {
	return []results.Format{results.Text, results.Markdown, results.CSV, results.JSON}
}

// writeSheets writes a document as Text or Markdown.
func writeSheets(w io.Writer, format results.Format, d *report.Document) error {
	return d.Write(w, report.Format(format))
}

// writeCSV writes lines, the first of which is the header.
func writeCSV(w io.Writer, lines [][]string) error {
	c := csv.NewWriter(w)
	return c.WriteAll(lines) // it flushes, too
}

// A number is a float that JSON shows as null where it is not defined.
type number float64

// MarshalJSON returns the number, or null for NaN and infinities.
func (n number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(n)) || math.IsInf(float64(n), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// probability returns p as a table shows it.
func probability(p float64) string {
	switch {
	case math.IsNaN(p):
		return report.Missing
	case p < 0.0001:
		return "<0.0001"
	case p < 0.001:
		return strconv.FormatFloat(p, 'f', 4, 64)
	}
	return strconv.FormatFloat(p, 'f', 3, 64)
}

// signed returns x with its sign and so many decimals.
func signed(x float64, decimals int) string {
	text := report.Fixed(x, decimals)
	if x > 0 {
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// value returns a parameter's value as a table shows it.
func value(v experiment.Value) string {
	if v.IsNull() {
		return report.Missing
	}
	return v.String()
}

// where describes a cell by the given parameters, as in "N = 32, f = 0.1".
func where(e *experiment.Experiment, axes []int, values []experiment.Value) string {
	var parts []string
	for _, p := range axes {
		if !values[p].IsNull() {
			parts = append(parts, fmt.Sprintf("%s = %s", e.Params[p].Name, values[p]))
		}
	}
	return strings.Join(parts, ", ")
}

// used returns the parameters that a cell uses, for JSON.
func used(e *experiment.Experiment, values []experiment.Value) map[string]experiment.Value {
	m := map[string]experiment.Value{}
	for i, v := range values {
		if !v.IsNull() {
			m[e.Params[i].Name] = v
		}
	}
	return m
}

// join lists words, or says that there are none.
func join(words []string, none string) string {
	if len(words) == 0 {
		return none
	}
	return strings.Join(words, ", ")
}

// tests counts the p-values that are defined, and so the members of the
// family that Holm adjusts them for.
func tests(p []float64) int {
	n := 0
	for _, v := range p {
		if !math.IsNaN(v) {
			n++
		}
	}
	return n
}

// together says what is seen as one family.
func together(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "this one " + noun
	}
	return fmt.Sprintf("these %d %ss together", n, noun)
}

// title returns a metric's name with its unit.
func title(m experiment.Metric) string {
	if m.Unit == "" {
		return m.Name
	}
	return m.Name + " [" + m.Unit + "]"
}

// Footnotes gather doubts about the rows of a table under letters.
type footnotes struct{ texts []string }

// marks returns the letters of a row's doubts.
func (f *footnotes) marks(doubts []string) string {
	marks := ""
	for _, d := range doubts {
		at := -1
		for i, t := range f.texts {
			if t == d {
				at = i
			}
		}
		if at < 0 {
			at = len(f.texts)
			f.texts = append(f.texts, d)
		}
		marks += string(rune('a' + at))
	}
	return marks
}

// warnings returns the doubts with their letters.
func (f *footnotes) warnings() []string {
	var list []string
	for i, t := range f.texts {
		list = append(list, fmt.Sprintf("%c: %s", 'a'+i, t))
	}
	return list
}

// axisColumns returns the columns of parameters.
func axisColumns(e *experiment.Experiment, axes []int, group string) (list []report.Column) {
	for _, p := range axes {
		kind := e.Params[p].Kind
		list = append(list, report.Column{Group: group, Name: e.Params[p].Name, Left: kind == experiment.String || kind == experiment.Bool})
	}
	return list
}

// axisCells returns the values of parameters.
func axisCells(axes []int, values []experiment.Value) (list []any) {
	for _, p := range axes {
		if list = append(list, values[p]); values[p].IsNull() {
			list[len(list)-1] = nil
		}
	}
	return list
}
