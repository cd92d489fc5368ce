package results

import (
	"encoding/csv"
	"math"
	"strconv"
	"strings"

	"sweep/internal/report"
)

// writeCSV writes a line per record: the parameters that tell cells apart,
// the metric, its Statistics and, in the paper's layout, the paper's.
func (s *Summary) writeCSV(b *strings.Builder, d *document) {
	e := s.Experiment
	axes := s.Axes
	var header []string
	for _, p := range axes {
		header = append(header, e.Params[p].Name)
	}
	header = append(header, "metric", "unit", "n", "n_failed", "mean", "std", "sem", "ci_low", "ci_high", "min", "median", "max")
	if d.layout == Paper {
		header = append(header, "label", "paper_mean", "paper_std", "ratio")
	}
	w := csv.NewWriter(b)
	w.Write(header) // a strings.Builder takes everything
	for _, r := range d.records {
		var line []string
		for _, p := range axes {
			if v := r.cell.Values[p]; v.IsNull() {
				line = append(line, "")
			} else {
				line = append(line, v.String())
			}
		}
		m, x := e.Metrics[r.metric], r.cell.Metrics[r.metric]
		line = append(line, m.Name, m.Unit, strconv.FormatInt(x.N, 10), strconv.FormatInt(r.cell.Failed, 10),
			report.Exact(x.Mean), report.Exact(x.Std), report.Exact(x.SEM), report.Exact(x.CILow), report.Exact(x.CIHigh), report.Exact(x.Min), report.Exact(x.Median), report.Exact(x.Max))
		if r.paper != nil {
			line = append(line, r.paper.label, report.Exact(r.paper.mean), report.Exact(r.paper.std), report.Exact(r.paper.ratio(x.Mean)))
		}
		w.Write(line)
	}
	w.Flush()
}

// The JSON documents. Fields may be added; those that are there stay.
type (
	jsonTable struct {
		Spec         string     `json:"spec"`
		Experiment   string     `json:"experiment"`
		ModelVersion int        `json:"model_version"`
		Layout       Layout     `json:"layout"`
		Paper        *jsonPaper `json:"paper,omitempty"`
		Runs         int64      `json:"runs"`
		OK           int64      `json:"ok"`
		Failed       int64      `json:"failed"`
		Missing      int64      `json:"missing"`
		Warnings     []string   `json:"warnings"`
		Rows         []jsonRow  `json:"rows"`
	}
	jsonPaper struct {
		Table  string `json:"table"`
		Title  string `json:"title"`
		Source string `json:"source"`
	}
	jsonRow struct {
		Parameters map[string]any `json:"parameters"` // those that the cell uses
		Metric     string         `json:"metric"`
		Unit       string         `json:"unit"`
		N          int64          `json:"n"`
		Failed     int64          `json:"n_failed"`
		Mean       *float64       `json:"mean"`
		Std        *float64       `json:"std"`
		Sem        *float64       `json:"sem"`
		CILow      *float64       `json:"ci_low"`
		CIHigh     *float64       `json:"ci_high"`
		Min        *float64       `json:"min"`
		Median     *float64       `json:"median"`
		Max        *float64       `json:"max"`
		Label      string         `json:"label,omitempty"`
		PaperMean  *float64       `json:"paper_mean,omitempty"`
		PaperStd   *float64       `json:"paper_std,omitempty"`
		Ratio      *float64       `json:"ratio,omitempty"`
	}
)

func (s *Summary) writeJSON(b *strings.Builder, d *document) {
	e := s.Experiment
	t := jsonTable{
		Spec: s.Spec, Experiment: e.Name, ModelVersion: e.Version, Layout: d.layout,
		Runs: s.Runs, OK: s.OK, Failed: s.Failed, Missing: s.Runs - s.OK - s.Failed,
		Warnings: append([]string{}, d.Warnings...), Rows: []jsonRow{},
	}
	if d.layout == Paper {
		t.Paper = &jsonPaper{s.Paper.Name, s.Paper.Title, s.Paper.Source}
	}
	for _, r := range d.records {
		m, x := e.Metrics[r.metric], r.cell.Metrics[r.metric]
		row := jsonRow{
			Parameters: map[string]any{}, Metric: m.Name, Unit: m.Unit, N: x.N, Failed: r.cell.Failed,
			Mean: finite(x.Mean), Std: finite(x.Std), Sem: finite(x.SEM), CILow: finite(x.CILow), CIHigh: finite(x.CIHigh),
			Min: finite(x.Min), Median: finite(x.Median), Max: finite(x.Max),
		}
		for i, v := range r.cell.Values {
			if !v.IsNull() {
				row.Parameters[e.Params[i].Name] = v
			}
		}
		if r.paper != nil {
			row.Label = r.paper.label
			row.PaperMean, row.PaperStd = finite(r.paper.mean), finite(r.paper.std)
			row.Ratio = finite(r.paper.ratio(x.Mean))
		}
		t.Rows = append(t.Rows, row)
	}
	if err := report.WriteJSON(b, t); err != nil {
		panic("results: " + err.Error()) // finite numbers and strings only
	}
}

// finite returns x for JSON, which has no NaN and no infinities: null.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
