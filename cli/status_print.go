package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"sweep/internal/progress"
	"sweep/internal/report"
	"sweep/results"
)

// writeJSON writes the status with the table of what came out so far, as
// "sweep table --layout limits --format json" prints it.
func (s *status) writeJSON(w io.Writer) error {
	table := bytes.NewBufferString("null")
	if s.set != nil {
		table.Reset()
		if err := s.set.Table(table, results.JSON, results.Limits); err != nil {
			return err
		}
	}
	return report.WriteJSON(w, struct {
		*status
		Table json.RawMessage `json:"table"` // null before the first run
	}{s, table.Bytes()})
}

// writeText writes the status for a person.
func (s *status) writeText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d of %d runs done, %d failed, %d missing\n", s.Spec, s.OK, s.Runs, s.Failed, s.Missing)
	if s.OK+s.Failed > 0 {
		fmt.Fprintf(&b, "digest %s\n", s.Digest)
	}
	for _, p := range s.Parts {
		if p.Shard != "" {
			fmt.Fprintf(&b, "shard %s: %d of %d runs done, %d failed, ", p.Shard, p.OK, p.Runs, p.Failed)
		}
		fmt.Fprintf(&b, "%s\n", p.text())
	}
	if len(s.Parts) == 0 {
		b.WriteString("there is no manifest that says who worked here\n")
	}
	if s.set != nil {
		b.WriteByte('\n')
		if err := s.set.Table(&b, results.Text, results.Limits); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
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
