package results

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/report"
)

// A comparison is what the paper has for a record.
type comparison struct {
	label     string
	mean, std float64
}

// ratio returns ours/paper's, NaN if there is none.
func (c *comparison) ratio(ours float64) float64 {
	if c.mean == 0 {
		return math.NaN()
	}
	return ours / c.mean
}

// A paperSet holds the cells for one copy of the paper's table.
type paperSet struct {
	title string
	cells []*Cell // for each of the table's headers; nil if not in the sweep
}

// papers distributes the cells over copies of the paper's table, one for
// each combination of the other axes. If that cannot be done it says why.
func (s *Summary) papers() (sets []paperSet, why string) {
	if s.Paper == nil {
		return nil, "the spec names no table of a paper"
	}
	_, column := s.Experiment.Param(s.Paper.Column)
	axes := slices.DeleteFunc(s.Axes, func(p int) bool { return p == column })
	at := map[string]int{} // in sets, by title
	for i := range s.Cells {
		c := &s.Cells[i]
		header := slices.Index(s.Paper.Headers, c.Values[column].String())
		if header < 0 {
			return nil, fmt.Sprintf("%s is %s in some runs, which the table does not have", s.Paper.Column, c.Values[column])
		}
		var title []string
		for _, p := range axes {
			name, v := s.Experiment.Params[p].Name, c.Values[p]
			if v.IsNull() {
				return nil, fmt.Sprintf("%s varies, and only for some values of %s", name, s.Paper.Column)
			}
			title = append(title, fmt.Sprintf("%s = %s", name, v))
		}
		key := strings.Join(title, ", ")
		k, ok := at[key]
		if !ok {
			k = len(sets)
			at[key] = k
			sets = append(sets, paperSet{key, make([]*Cell, len(s.Paper.Headers))})
		}
		sets[k].cells[header] = c
	}
	return sets, ""
}

func (s *Summary) paperDocument(sets []paperSet) document {
	d := document{layout: Paper}
	for _, set := range sets {
		d.Sheets = append(d.Sheets, s.paperSheet(set))
		for h, c := range set.cells {
			if c == nil {
				continue
			}
			for _, row := range s.Paper.Rows {
				d.records = append(d.records, tableRecord{
					cell: c, metric: s.Experiment.Metric(row.Metric),
					paper: &comparison{label: row.Label, mean: row.Mean[h], std: row.Std[h]},
				})
			}
		}
	}
	return d
}

func (s *Summary) paperSheet(set paperSet) report.Sheet {
	t := report.Sheet{Title: s.Paper.Title, Columns: []report.Heading{{Name: "", Left: true}}, Lead: 1}
	if s.Paper.Source != "" {
		t.Title += " (" + s.Paper.Source + ")"
	}
	if set.title != "" {
		t.Title += ", " + set.title
	}
	for h, c := range set.cells {
		if c != nil {
			for _, name := range []string{"mean", "std", "paper mean", "paper std", "ratio"} {
				t.Columns = append(t.Columns, report.Heading{Group: s.Paper.Headers[h], Name: name})
			}
		}
	}
	for _, row := range s.Paper.Rows {
		m := s.Experiment.Metric(row.Metric)
		line := []string{paperLabel(row, s.Experiment.Metrics[m])}
		for h, c := range set.cells {
			if c == nil {
				continue
			}
			ours, paper := c.Metrics[m], comparison{mean: row.Mean[h], std: row.Std[h]}
			line = append(line,
				report.Fixed(ours.Mean, row.Digits+1), report.Fixed(ours.Std, row.Digits+1),
				report.Fixed(paper.mean, row.Digits), report.Fixed(paper.std, row.Digits),
				report.Fixed(paper.ratio(ours.Mean), 3))
		}
		t.Rows = append(t.Rows, line)
	}
	return t
}

// paperLabel adds the metric's unit to the paper's title of a row, unless
// the title already names one.
func paperLabel(row experiment.TableRow, m experiment.Metric) string {
	if m.Unit == "" || strings.Contains(row.Label, "(") {
		return row.Label
	}
	return row.Label + " [" + m.Unit + "]"
}
