package cli

import (
	"fmt"
	"io"
	"time"

	"sweep/analysis"
	"sweep/internal/progress"
	"sweep/internal/report"
)

// writeJSON writes the status with the table of what came out so far, as
// "sweep table --layout limits --format json" prints it.
func (s *status) writeJSON(w io.Writer) error {
	var table any
	if s.set != nil {
		t, err := analysis.NewTable(s.set, analysis.Limits, nil, 0)
		if err != nil {
			return err
		}
		table = t.JSON()
	}
	return report.WriteJSON(w, struct {
		*status
		Table any `json:"table"` // null before the first run
	}{s, table})
}

// writeText writes the status for a person.
func (s *status) writeText(w io.Writer) error {
	t := &report.Table{Title: fmt.Sprintf("%s: %d of %d runs done, %d failed, %d missing", s.Spec, s.OK, s.Runs, s.Failed, s.Missing)}
	switch {
	case len(s.Parts) == 0:
		t.Notes = []string{"there is no manifest that says who worked here"}
	case len(s.Parts) == 1 && s.Parts[0].Shard == "":
		t.Notes = []string{s.Parts[0].text()}
	default:
		t.Columns = []report.Column{{Name: "shard"}, {Name: "runs"}, {Name: "done"}, {Name: "failed"}, {Name: "state", Left: true}}
		for _, p := range s.Parts {
			t.Rows = append(t.Rows, []any{p.Shard, p.Runs, p.OK, p.Failed, p.text()})
		}
	}
	if err := report.Write(w, report.Text, t); err != nil || s.set == nil {
		return err
	}
	if _, err := io.WriteString(w, "\n"); err != nil {
		return err
	}
	return writeTable(w, report.Text, s.set, analysis.Limits, nil)
}

// text describes a part in a line.
func (p *part) text() string {
	process := fmt.Sprintf("process %d on %s", p.PID, p.Host)
	switch p.State {
	case complete:
		return "complete since " + p.End.Format(time.RFC3339)
	case stopped:
		return fmt.Sprintf("not running: stopped at %s, the same command goes on from there", p.End.Format(time.RFC3339))
	case lost:
		return fmt.Sprintf("not running: %s gave its last sign of life at %s, the same command goes on from there",
			process, p.Updated.Format(time.RFC3339))
	}
	line := fmt.Sprintf("running: %s, since %s", process, p.Start.Format(time.RFC3339))
	if p.PerSecond != nil {
		line += ", " + progress.PerTime(*p.PerSecond)
	}
	if p.Left != nil {
		line += ", " + progress.Human(time.Duration(*p.Left*float64(time.Second))) + " left"
	}
	return line
}
