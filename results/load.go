package results

import (
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
)

// A Summary is the summary of one directory, ready to be printed.
type Summary struct {
	Spec       string // the spec's name
	Experiment *experiment.Experiment
	Runs       int64 // in the plan; those that its stopping rule asks for, if it has one
	OK, Failed int64 // of Runs; the others are missing

	stop    *grid.Stop        // the rule, or nil
	unsure  int64             // cells that have all their seeds and do not meet it
	paper   *experiment.Table // the table that the spec names, or nil
	varying []int             // parameters with more than one value in the plan
	cells   []cell            // those with at least one run, in the order of the plan
}

// A cell is a set of runs that differ only in their seeds.
type cell struct {
	params  []experiment.Value
	metrics []statistics // one for each metric of the experiment
	failed  int64
}

// LoadSummary reads the directory of a finished or an unfinished sweep, without
// changing it. The experiments are those that its spec may name.
//
// A *DataError tells of a directory that is not a sweep's, has no results
// yet, or is damaged; faults in its spec.toml are a *grid.Error.
func LoadSummary(dir string, experiments []*experiment.Experiment) (*Summary, error) {
	return settled(func() (*Summary, error) {
		spec, err := specOf(osDisk{}, dir, experiments)
		if err != nil {
			return nil, err
		}
		return load(dir, spec, spec.Plan())
	})
}

func load(dir string, spec *grid.Spec, plan Plan) (*Summary, error) {
	e := plan.Experiment()
	s := &Summary{Experiment: e, Runs: plan.Runs(), stop: plan.Stop(), varying: plan.Varying()}
	if spec.PaperTable != "" {
		s.paper = e.Table(spec.PaperTable)
	}
	inv, err := takeInventory(osDisk{}, dir, false)
	if err != nil {
		return nil, err
	}
	sources, err := withShards(osDisk{}, dir, inv.sources, plan, newLayouts(e, "").runs, false)
	if err != nil {
		return nil, err
	}
	none := &DataError{Path: dir, Message: "no run has finished yet"}
	if len(sources) == 0 {
		return nil, none
	}
	// The name in the files, not the spec's: it may come from the name of the
	// file that the spec had before it was called spec.toml.
	if s.Spec, err = specName(sources[0].runs, e); err != nil {
		return nil, err
	}
	l := newLayouts(e, s.Spec)
	l.series = nil // not needed for a summary
	final := len(sources) == 1 && len(inv.sources) == 1 && sources[0].number == finalSource && inv.summary != ""
	var t *tally
	if !final || s.stop != nil {
		if t, err = scanAll(dir, sources, plan, l); err != nil {
			return nil, err
		}
	}
	if !final {
		merged, err := os.MkdirTemp("", "sweep-table-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(merged)
		if err := mergeInto(merged, sources, t, plan, l); err != nil {
			return nil, err
		}
		dir = merged
	}
	if err := s.read(dir, l); err != nil {
		return nil, err
	}
	if len(s.cells) == 0 {
		return nil, none
	}
	if s.stop != nil {
		s.Runs = s.OK + s.Failed + t.missing(plan, nil)
		s.unsure = t.judge.unsure()
	}
	return s, nil
}

// specName returns the name of the spec that a runs file was written for.
func specName(path string, e *experiment.Experiment) (string, error) {
	r, err := openReader(osDisk{}, path, newLayouts(e, "").runs)
	if err != nil {
		return "", err
	}
	return r.spec, r.Close()
}

// scanAll learns which runs of the plan the sources hold.
func scanAll(dir string, sources []source, plan Plan, l layouts) (*tally, error) {
	sc := scanner{disk: osDisk{}, plan: plan, layout: l.runs, tally: newTally(plan)}
	for i := range sources {
		if _, err := sc.scan(&sources[i]); err != nil {
			return nil, err
		}
	}
	forgetFailures(sc.tally)
	forgetSuperfluous(sc.tally)
	return sc.tally, sc.foreign.refuse(dir, plan)
}

// mergeInto makes runs.parquet and summary.parquet of the sources of an
// unfinished sweep in another directory.
func mergeInto(merged string, sources []source, t *tally, plan Plan, l layouts) error {
	f, err := newFinals(osDisk{}, merged, plan, l)
	if err != nil {
		return err
	}
	m := merger{disk: osDisk{}, layouts: l, scratch: merged}
	if err := f.fill(&m, sources, t); err != nil {
		f.discard()
		return err
	}
	return f.publish()
}

// read reads the summary of final files.
func (s *Summary) read(dir string, l layouts) error {
	runs, err := openReader(osDisk{}, filepath.Join(dir, runsFile), l.runs)
	if err != nil {
		return err
	}
	if err := runs.Close(); err != nil {
		return err
	}
	path := filepath.Join(dir, summaryFile)
	rows, err := openRows(osDisk{}, path, l.summary)
	if err != nil {
		return err
	}
	defer rows.close()
	e := s.Experiment
	texts := map[string]string{}
	count := rows.from.rows / int64(len(e.Metrics)) // the same cells for every metric
	for m := range e.Metrics {
		for c := range count {
			row := rows.row()
			if row == nil || string(row[len(e.Params)].ByteArray()) != e.Metrics[m].Name {
				return &DataError{Path: path, Message: "the file does not have a row for every metric and cell"}
			}
			if m == 0 {
				s.cells = append(s.cells, newCell(e, row, texts))
			}
			s.cells[c].metrics[m] = statisticsOf(row[len(e.Params)+2:])
			if err := rows.next(); err != nil {
				return err
			}
		}
	}
	for _, c := range s.cells {
		s.Failed += c.failed
	}
	s.OK = runs.rows - s.Failed
	return nil
}

func newCell(e *experiment.Experiment, row parquet.Row, texts map[string]string) cell {
	c := cell{
		params:  make([]experiment.Value, len(e.Params)),
		metrics: make([]statistics, len(e.Metrics)),
		failed:  row[len(row)-1].Int64(),
	}
	for i := range e.Params {
		c.params[i] = paramValue(e.Params[i].Kind, row[i], texts)
	}
	return c
}

// statisticsOf reads the columns from n on, in the order of summaryColumns.
func statisticsOf(row parquet.Row) statistics {
	return statistics{
		n:    row[0].Int64(),
		mean: number(row[1]), std: number(row[2]), sem: number(row[3]),
		ciLow: number(row[4]), ciHigh: number(row[5]),
		min: number(row[6]), median: number(row[7]), max: number(row[8]),
	}
}
