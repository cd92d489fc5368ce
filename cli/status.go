package cli

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/table"
	"sweep/results"
	"sweep/runner"
)

// status defines "sweep status".
func (p *Program) status(cmd *cobra.Command) {
	check := cmd.Flags().Bool("check", false, "compare everything in DIR with its checksum")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Text, table.JSON)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		defer tuneCollector(whileReading)()
		w := cmd.OutOrStdout()
		dir, err := p.resultsIn(args[0])
		if err != nil {
			return err
		}
		s, err := runner.ReadStatus(dir, p.Experiments, *check)
		if err != nil {
			several := runner.ReadStatuses(dir, p.Experiments, *check)
			if several == nil {
				return err
			}
			return writeSeveral(w, *format, several)
		}
		if s.Reader != nil {
			p.warnOfVersion(cmd, s.Reader)
		}
		means, err := addRuns(s, fewScreens)
		if err != nil {
			return err
		}
		if err := writeDocument(w, *format, s, statusTables(s, means)); err != nil {
			return err
		}
		return faultOf(s)
	}
}

// writeSeveral writes the status of several sweeps. Its error is the first
// fault of one of them.
func writeSeveral(w io.Writer, format string, several []*runner.Status) error {
	tables := []*table.Table{tableOfSeveral(several)}
	if err := writeDocument(w, format, several, tables); err != nil {
		return err
	}
	for _, s := range several {
		if fault := faultOf(s); fault != nil {
			return fault
		}
	}
	return nil
}

// faultOf returns the error with which a command about a sweep ends.
func faultOf(s *runner.Status) error {
	if s.Fault == nil && len(s.Corrupt) > 0 {
		return failed(exitData, "%s is not whole: \"sweep run\" recomputes what is corrupt", s.Dir)
	}
	return s.Fault
}

// statusTables describes a sweep for people. means is what addRuns returned.
func statusTables(s *runner.Status, means *analysis.Table) []*table.Table {
	if s.State == runner.NotBegun {
		const title = "%s: not begun: the sweep was ended before its first run"
		return []*table.Table{{Title: fmt.Sprintf(title, s.Dir)}}
	}
	t := &table.Table{
		Title: fmt.Sprintf("%s: %d of %d runs done, %d failed, %d missing",
			s.Spec, s.Done, s.Runs, s.Failed, s.Missing),
	}
	for _, c := range s.Corrupt {
		t.Notes = append(t.Notes, "corrupt: "+c)
	}
	tables := []*table.Table{t}
	if means != nil {
		t.Notes = append(t.Notes, "digest "+s.Digest, effortText(&s.Effort))
		tables = append(tables, means.Tables()...)
		if len(s.Slowest) > 0 {
			tables = append(tables, slowestTable(s.Slowest))
		}
		if len(s.Failures) > 0 {
			tables = append(tables, failuresTable(s.Failures, s.Failed))
		}
	}
	switch {
	case len(s.Parts) == 0:
		t.Notes = append(t.Notes, "there is no manifest that says who worked here")
	case len(s.Parts) == 1 && s.Parts[0].Shard == "":
		t.Notes = append(t.Notes, partText(&s.Parts[0]))
	default:
		for _, p := range s.Parts {
			t.Add([]table.Cell{
				table.Left("shard", p.Shard),
				table.Right("runs", p.Runs),
				table.Right("done", p.OK),
				table.Right("failed", p.Failed),
				table.Right("missing", p.Missing),
				table.Left("state", partText(&p)),
			})
		}
	}
	return tables
}

// addRuns reads the runs once, adds what the status says of them, and returns
// their table, which has at most limit rows as a text, also in a mail of cron;
// nil if there are no runs.
func addRuns(s *runner.Status, limit int) (*analysis.Table, error) {
	if s.Done+s.Failed == 0 {
		return nil, nil
	}
	const slowest = 5
	summary := s.Reader.NewSummarySampler()
	slow := runner.NewSlowest(s.Reader.Plan)
	causes := runner.NewCauses(s.Reader.Plan)
	for run, err := range s.Reader.Runs(false) {
		if err != nil {
			return nil, err
		}
		summary.Add(run)
		s.Effort.Add(run)
		slow.Add(run)
		causes.Add(run)
	}
	if s.Reader.Plan.Cells() > 1 {
		s.Slowest = append(s.Slowest, slow.List(slowest)...)
	}
	s.Failures = append(s.Failures, causes.List()...)
	means, err := s.Reader.Summarize(summary, nil)
	if err != nil {
		return nil, err
	}
	t, err := analysis.NewTable(means, analysis.Limits, nil, limit)
	if err == nil {
		s.Table = t.JSON()
	}
	return t, err
}

// effortText says what runs took together.
func effortText(e *results.Effort) string {
	text := "computing time " + table.Seconds(e.Seconds)
	if e.CPURuns > 0 {
		text += ", processor time " + table.Seconds(e.CPUSeconds)
	}
	if e.CPURuns > 0 && e.CPURuns < e.Runs {
		text += " of " + runs(e.CPURuns)
	}
	if e.PeakMemory > 0 {
		text += ", at most " + humanize.IBytes(uint64(e.PeakMemory)) + " of memory"
	}
	if len(e.Hosts) > 1 {
		text += ", on " + table.Count(int64(len(e.Hosts)), "machine")
	}
	return text
}

// slowestTable has a row for each of the slowest cells.
func slowestTable(list []runner.SlowCell) *table.Table {
	t := &table.Table{Title: "the slowest cells"}
	for _, c := range list {
		t.Add([]table.Cell{
			table.Left("cell", c.Cell),
			table.Right("runs", c.Runs),
			table.Right("mean time", table.Seconds(c.Seconds)),
		})
	}
	return t
}

// failuresTable tells the most frequent causes of failures, in lines: a cause
// is too long for a column.
func failuresTable(causes []*runner.Cause, failed int64) *table.Table {
	const shown = 10
	t := &table.Table{Title: "why runs failed"}
	for _, c := range causes[:min(len(causes), shown)] {
		failed -= c.Runs
		where := strings.Join(c.Where, "; ")
		if c.Cells > int64(len(c.Where)) {
			where = fmt.Sprintf("%d cells: %s; …", c.Cells, where)
		}
		if where != "" {
			where = "in " + where + "; "
		}
		t.Notes = append(t.Notes, fmt.Sprintf("%s: %s", runs(c.Runs), clip(c.Text)),
			fmt.Sprintf("    %sfor example run_id %s", where, c.RunID))
	}
	if failed > 0 {
		t.Notes = append(t.Notes, runs(failed)+": other causes")
	}
	return t
}

// tableOfSeveral has a row for each of several sweeps.
func tableOfSeveral(list []*runner.Status) *table.Table {
	t := &table.Table{}
	for _, s := range list {
		state := s.State
		text := s.State + andLeft(s.Left)
		fault := faultOf(s)
		if exitCode(fault) == exitData {
			state = "corrupt"
			text += ", corrupt"
		}
		if fault != nil {
			t.Notes = append(t.Notes, state+": "+s.Corrupt[0])
		}
		if s.State == runner.Foreign {
			t.Notes = append(t.Notes, fmt.Sprintf(
				"%s: has results of %s, which this program does not know", s.Dir, s.Experiment))
		}
		t.Add([]table.Cell{
			table.Left("directory", s.Dir),
			table.Right("runs", s.Runs),
			table.Right("done", s.Done),
			table.Right("failed", s.Failed),
			table.Right("missing", s.Missing),
			table.Left("state", text),
		})
	}
	return t
}

// partText describes a part in a line.
func partText(p *runner.Part) string {
	const goesOn = "the same command goes on from there"
	process := fmt.Sprintf("process %d on %s", p.PID, p.Hostname)
	switch p.State {
	case runner.Complete:
		return "complete since " + p.End.Format(time.RFC3339)
	case runner.Stopped:
		return fmt.Sprintf("not running: stopped at %s, %s", p.End.Format(time.RFC3339), goesOn)
	case runner.Lost:
		return fmt.Sprintf("not running: last heartbeat of %s at %s, %s",
			process, p.Updated.Format(time.RFC3339), goesOn)
	}
	line := fmt.Sprintf("running: %s, since %s", process, p.Start.Format(time.RFC3339))
	if p.PerSecond != nil {
		line += ", " + table.Rate(*p.PerSecond)
	}
	return line + andLeft(p.Left)
}

// andLeft says how long the work will take, in seconds; empty if unknown.
func andLeft(seconds *float64) string {
	if seconds == nil {
		return ""
	}
	return ", " + table.Seconds(*seconds) + " left"
}
