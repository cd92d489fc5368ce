// Package report writes the results of sweeps for people: as one HTML page that
// needs nothing else, no network and no file, or as Markdown with its figures
// beside it. A running sweep can be watched on the same page.
//
// sweep.go gathers the contents of one directory, claims.go those of its
// claims, and figures.go its drawings. totals.go counts the claims of all
// sweeps. page.go writes the page, and live.go serves it. The page's look is in
// page.html and style.css; script.js sorts and filters its tables, and updates
// a page that is watched.
package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"sweep/analysis"
	"sweep/internal/table"
	"sweep/plots"
	"sweep/results"
)

// A Sweep is what a page says of the directory of one sweep.
type Sweep struct {
	*results.Reader
	ID       string // on the page
	Dir      string // as commands name it
	Took     string // how long its runs, together
	Effort   results.Effort
	Claims   []*Claim
	Prices   []*analysis.Price // of those that are undecided
	Warnings []string
	Paper    []*table.Table // the paper's tables beside our numbers; nil if none fits
	Search   []*table.Table // what a search found, and how it was judged; nil without one
	Cells    *table.Table   // nil before the first run
	Axes     int            // number of leading columns of Cells
	Failures *table.Table
	Columns  *table.Table // what they mean
	Commands *table.Table // those that ran it
	Figures  []*Figure    // those that fit
}

// maxFailures is the number of failed runs that are listed.
const maxFailures = 50

// Read gathers the contents of a page about a directory, of a finished or an
// unfinished sweep. It reads the runs once, for all parts of the page. Errors
// are the reader's.
func Read(r *results.Reader) (*Sweep, error) {
	judge, err := analysis.NewJudge(r)
	if err != nil {
		return nil, err
	}
	summary := r.NewSummarySampler()
	data := plots.New(r, nil)
	s := &Sweep{Reader: r, Dir: r.Dir}
	s.Failures = &table.Table{Title: "failed runs"}
	for run, err := range r.Runs(judge.Series || data.Series) {
		if err != nil {
			return nil, err
		}
		s.add(run)
		summary.Add(run)
		judge.Add(run)
		data.Add(run)
	}

	s.Took = table.Seconds(s.Effort.Seconds)
	if more := r.Failed() - int64(len(s.Failures.Rows)); more > 0 {
		note := table.Count(more, "more run") + " failed, see the column error in runs.parquet"
		s.Failures.Notes = []string{note}
	}
	manifests, err := results.Manifests(r.Dir)
	if err != nil {
		return nil, err
	}
	s.Commands = commands(manifests)
	s.addWarnings()
	s.Columns = s.meanings()
	if r.OK()+r.Failed() > 0 {
		if err := s.addCells(summary); err != nil {
			return nil, err
		}
	}
	if r.OK() > 0 {
		data.Pool(r.Plan.Experiment().NamesOf(r.PaperOver()))
		s.Figures = fitting(data)
	}
	if r.Plan.Search != nil {
		s.Search, err = analysis.SearchTables(r)
		if err != nil {
			return nil, err
		}
	}
	for _, c := range judge.Claims() {
		s.Claims = append(s.Claims, s.claim(c))
	}
	s.Prices = judge.Prices()
	return s, nil
}

// About returns the paragraphs of what the spec says of the sweep.
func (s *Sweep) About() (paragraphs []string) {
	for part := range strings.SplitSeq(s.Spec.Description, "\n\n") {
		if strings.TrimSpace(part) != "" {
			paragraphs = append(paragraphs, part)
		}
	}
	return paragraphs
}

// ProcessorTime returns the processor time of the programs; empty if it is not
// known.
func (s *Sweep) ProcessorTime() string {
	if s.Effort.CPURuns == 0 {
		return ""
	}
	return table.Seconds(s.Effort.CPUSeconds)
}

// PeakMemory returns what the largest run took; empty if it is not known.
func (s *Sweep) PeakMemory() string {
	if s.Effort.PeakMemory == 0 {
		return ""
	}
	return humanize.IBytes(uint64(s.Effort.PeakMemory))
}

// add adds up what runs took, and lists those that failed.
func (s *Sweep) add(run *results.Row) {
	s.Effort.Add(run)
	if run.Status == results.Failed && len(s.Failures.Rows) < maxFailures {
		s.Failures.Add([]table.Cell{
			table.Left("run", s.Plan.Describe(run.Point)),
			table.Left("error", run.Error),
		})
	}
}

// addWarnings adds what to doubt about the directory and its spec.
func (s *Sweep) addWarnings() {
	for _, d := range s.Damage {
		s.Warnings = append(s.Warnings, "corrupt: "+d.Error())
	}
	for _, w := range s.Spec.Warnings {
		text := fmt.Sprintf("%s:%d: %s", filepath.Base(w.File), w.Line, w.Message)
		s.Warnings = append(s.Warnings, text)
	}
}

// addCells adds the table of the cells and, if it fits, that of the paper.
func (s *Sweep) addCells(sampler *results.Sampler) error {
	summary, err := s.Summarize(sampler, nil)
	if err != nil {
		return err
	}
	cells, err := analysis.NewTable(summary, analysis.Limits, nil, 0)
	if err != nil {
		return err
	}
	s.Cells = cells.Tables()[0]
	s.Cells.Title = "each cell of the grid"
	s.Axes = len(summary.Axes)
	s.Warnings = append(s.Warnings, s.Cells.Warnings...)
	s.Cells.Warnings = nil
	pooled, err := s.Summarize(sampler, s.PaperOver())
	if err != nil {
		return err
	}
	paper, err := analysis.NewTable(pooled, analysis.Paper, nil, 0)
	if err == nil { // else it does not fit
		s.Paper = paper.Tables()
		s.Paper[len(s.Paper)-1].Warnings = nil // the same
	}
	return nil
}

// commands lists the commands that ran the sweep. It leaves out the names of
// machines: pages are sent to others.
func commands(manifests []*results.Manifest) *table.Table {
	t := &table.Table{Title: "the last command, of each shard"}
	for _, m := range manifests {
		t.Add([]table.Cell{
			table.Left("shard", cmp.Or(m.Shard, "all")),
			table.Left("start, UTC", m.Start.UTC().Format(time.DateTime)),
			table.Right("took", table.Duration(m.Updated.Sub(m.Start))),
			table.Right("runs", m.Executed),
			table.Right("workers", m.Workers),
			table.Right("processors", m.CPUs),
			table.Left("processor model", m.CPUModel),
			table.Left("program", m.ToolVersion),
			table.Left("Go", m.GoVersion),
			table.Left("platform", m.OS+"/"+m.Arch),
		})
	}
	return t
}

// meanings explains the columns of the results.
func (s *Sweep) meanings() *table.Table {
	e := s.Plan.Experiment()
	t := &table.Table{Title: "what the columns mean"}
	add := func(name, symbol, unit, meaning, source string) {
		t.Add([]table.Cell{
			table.Left("name", name),
			table.Left("symbol", symbol),
			table.Left("unit", unit),
			table.Left("meaning", meaning),
			table.Left("source", source),
		})
	}
	for _, i := range s.Plan.Varying {
		p := &e.Params[i]
		add(p.Name, p.Symbol, p.Unit, p.Meaning, p.Source)
	}
	for _, m := range e.Metrics {
		add(m.Name, "", m.Unit, m.Meaning, m.Source)
	}
	return t
}
