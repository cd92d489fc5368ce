package analysis

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/inference"
	"sweep/internal/report"
	"sweep/results"
)

// Write writes the differences. CSV has a record for each effect. It
// returns only w's errors.
func (d *Diff) Write(w io.Writer, format results.Format) error {
	switch format {
	case results.CSV:
		return writeCSV(w, d.lines())
	case results.JSON:
		return report.WriteJSON(w, d.json())
	}
	return writeSheets(w, format, d.document())
}

// summary counts the runs.
func (d *Diff) summary() string {
	return fmt.Sprintf("%d identical, %d differing, %d only in the first, %d only in the second",
		d.Identical, d.Differing, d.OnlyA, d.OnlyB)
}

func (d *Diff) document() *report.Document {
	doc := &report.Document{Notes: []string{fmt.Sprintf("runs of %s and %s: %s", d.A.Dir, d.B.Dir, d.summary())}}
	doc.Notes = append(doc.Notes, d.Declarations...)
	for _, x := range d.Examples {
		doc.Notes = append(doc.Notes, fmt.Sprintf("differs: %s", d.example(x)))
	}
	if more := d.Differing - len(d.Examples); more > 0 {
		doc.Notes = append(doc.Notes, fmt.Sprintf("differs: %d more", more))
	}
	if len(d.Effects) == 0 {
		return doc
	}
	t := report.Sheet{Title: "effects, second less first", Lead: len(d.axes) + 1}
	for _, p := range d.axes {
		kind := d.e.Params[p].Kind
		t.Columns = append(t.Columns, report.Heading{Name: d.e.Params[p].Name, Left: kind == experiment.String || kind == experiment.Bool})
	}
	t.Columns = append(t.Columns, report.Heading{Name: "metric", Left: true}, report.Heading{Name: "n"},
		report.Heading{Name: "first mean"}, report.Heading{Name: "second mean"}, report.Heading{Name: "diff."},
		report.Heading{Group: "95 % limits", Name: "low"}, report.Heading{Group: "95 % limits", Name: "high"},
		report.Heading{Name: "p (Holm)"}, report.Heading{Left: true})
	var notes footnotes
	for i := range d.Effects {
		e := &d.Effects[i]
		decimals := report.Decimals([]float64{e.MeanA, e.MeanB}, []float64{e.Difference.SE})
		n := strconv.Itoa(e.NA)
		if !e.Paired {
			n += ", " + strconv.Itoa(e.NB)
		}
		var line []string
		for _, p := range d.axes {
			line = append(line, value(d.cells[e.Cell][p]))
		}
		t.Rows = append(t.Rows, append(line, title(d.e.Metrics[e.Metric]), n,
			report.Fixed(e.MeanA, decimals), report.Fixed(e.MeanB, decimals), signed(e.Difference.Value, decimals),
			signed(e.Low, decimals), signed(e.High, decimals), probability(e.AdjustedP), notes.marks(e.doubts())))
	}
	doc.Sheets = []report.Sheet{t}
	doc.Notes = append(doc.Notes, "p: of no difference, adjusted for "+together(d.tests, "effect")+" after Holm")
	doc.Warnings = notes.warnings()
	return doc
}

func (e *Effect) doubts() []string {
	list := append([]string{}, e.Difference.Doubts()...)
	if e.Difference.Method == inference.Bootstrap {
		list = append(list, "skewed: limits and p by the bootstrap")
	}
	if !e.Paired {
		list = append(list, "no seed in common: unpaired samples")
	}
	return list
}

// example describes a run that differs.
func (d *Diff) example(x Example) string {
	at := where(d.e, d.axes, d.cells[x.Cell])
	return strings.TrimPrefix(fmt.Sprintf("%s, seed = %d: %s", at, x.Seed, x.What), ", ")
}

func (d *Diff) lines() [][]string {
	var header []string
	for _, p := range d.axes {
		header = append(header, d.e.Params[p].Name)
	}
	lines := [][]string{append(header, "metric", "unit", "paired", "n_first", "n_second", "first_mean", "second_mean",
		"difference", "ci_low", "ci_high", "method", "p", "p_holm", "warnings")}
	for i := range d.Effects {
		e := &d.Effects[i]
		var line []string
		for _, p := range d.axes {
			line = append(line, blank(d.cells[e.Cell][p]))
		}
		m := d.e.Metrics[e.Metric]
		lines = append(lines, append(line, m.Name, m.Unit, strconv.FormatBool(e.Paired), strconv.Itoa(e.NA), strconv.Itoa(e.NB),
			report.Exact(e.MeanA), report.Exact(e.MeanB), report.Exact(e.Difference.Value), report.Exact(e.Low), report.Exact(e.High),
			string(e.Difference.Method), report.Exact(e.P), report.Exact(e.AdjustedP), join(e.doubts(), "")))
	}
	return lines
}

// The JSON documents. Fields may be added; those that are there stay.
type (
	jsonDiff struct {
		First        string       `json:"first"`
		Second       string       `json:"second"`
		Same         bool         `json:"same"`
		Declarations []string     `json:"declarations"`
		Identical    int          `json:"identical"`
		Differing    int          `json:"differing"`
		OnlyFirst    int          `json:"only_first"`
		OnlySecond   int          `json:"only_second"`
		Examples     []string     `json:"examples"`
		Effects      []jsonEffect `json:"effects"`
	}
	jsonEffect struct {
		Parameters map[string]experiment.Value `json:"parameters"`
		Metric     string                      `json:"metric"`
		Unit       string                      `json:"unit"`
		Paired     bool                        `json:"paired"`
		NFirst     int                         `json:"n_first"`
		NSecond    int                         `json:"n_second"`
		FirstMean  number                      `json:"first_mean"`
		SecondMean number                      `json:"second_mean"`
		Difference number                      `json:"difference"`
		CILow      number                      `json:"ci_low"`
		CIHigh     number                      `json:"ci_high"`
		Method     inference.Method            `json:"method"`
		P          number                      `json:"p"`
		PHolm      number                      `json:"p_holm"`
		Warnings   []string                    `json:"warnings"`
	}
)

func (d *Diff) json() jsonDiff {
	j := jsonDiff{
		First: d.A.Dir, Second: d.B.Dir, Same: d.Same(), Declarations: append([]string{}, d.Declarations...),
		Identical: d.Identical, Differing: d.Differing, OnlyFirst: d.OnlyA, OnlySecond: d.OnlyB,
		Examples: []string{}, Effects: []jsonEffect{},
	}
	for _, x := range d.Examples {
		j.Examples = append(j.Examples, d.example(x))
	}
	for i := range d.Effects {
		e := &d.Effects[i]
		m := d.e.Metrics[e.Metric]
		j.Effects = append(j.Effects, jsonEffect{
			Parameters: used(d.e, d.cells[e.Cell]), Metric: m.Name, Unit: m.Unit, Paired: e.Paired, NFirst: e.NA, NSecond: e.NB,
			FirstMean: number(e.MeanA), SecondMean: number(e.MeanB), Difference: number(e.Difference.Value),
			CILow: number(e.Low), CIHigh: number(e.High), Method: e.Difference.Method,
			P: number(e.P), PHolm: number(e.AdjustedP), Warnings: append([]string{}, e.doubts()...),
		})
	}
	return j
}
