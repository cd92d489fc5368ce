package results

import (
	"os"
	"path/filepath"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
	"sweep/grid"
)

// A Summary is what came out of the runs in one directory, cell by cell.
type Summary struct {
	Spec       string // its name
	Experiment *experiment.Experiment
	Runs       int64 // in the plan; those that its stopping rule asks for, if it has one
	OK, Failed int64 // of Runs; the others are missing

	Axes   []int             // parameters that tell the cells apart
	Cells  []Cell            // those with at least one run, in the order of the plan
	Paper  *experiment.Table // the table that the spec names, or nil
	Stop   *grid.Stop        // the stopping rule, or nil
	Unsure int64             // cells that have all their seeds and do not meet it
}

// A Cell is a set of runs that differ only in their seeds.
type Cell struct {
	Values  []experiment.Value // of all parameters, null where unused
	Metrics []Statistics       // one for each metric of the experiment
	Failed  int64              // runs, which the statistics leave out
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
	s := &Summary{Experiment: e, Runs: plan.Runs(), Stop: plan.Stop()}
	if spec.PaperTable != "" {
		s.Paper = e.Table(spec.PaperTable)
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
	if !final || s.Stop != nil {
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
	if len(s.Cells) == 0 {
		return nil, none
	}
	cells := make([][]experiment.Value, len(s.Cells))
	for i := range s.Cells {
		cells[i] = s.Cells[i].Values
	}
	s.Axes = Axes(e, plan.Varying(), cells)
	if s.Stop != nil {
		s.Runs = s.OK + s.Failed + t.missing(plan, nil)
		s.Unsure = t.judge.unsure()
	}
	return s, nil
}

// Axes returns those of the varying parameters of a plan that tell cells
// with the given canonical parameters apart, in the order of varying. A
// parameter that has one value wherever it is used does not: the algorithm,
// or the input that takes its place, already says whether it is used. An
// input itself does, since null is one of its values.
func Axes(e *experiment.Experiment, varying []int, cells [][]experiment.Value) []int {
	var axes []int
	for _, p := range varying {
		input := e.Params[p].Input != nil
		first := cells[0][p]
		for _, c := range cells {
			v := c[p]
			if first.IsNull() && !input {
				first = v
			} else if v != first && (input || !v.IsNull()) {
				axes = append(axes, p)
				break
			}
		}
	}
	return axes
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
				s.Cells = append(s.Cells, newCell(e, row, texts))
			}
			s.Cells[c].Metrics[m] = statisticsOf(row[len(e.Params)+2:])
			if err := rows.next(); err != nil {
				return err
			}
		}
	}
	for _, c := range s.Cells {
		s.Failed += c.Failed
	}
	s.OK = runs.rows - s.Failed
	return nil
}

func newCell(e *experiment.Experiment, row parquet.Row, texts map[string]string) Cell {
	c := Cell{
		Values:  make([]experiment.Value, len(e.Params)),
		Metrics: make([]Statistics, len(e.Metrics)),
		Failed:  row[len(row)-1].Int64(),
	}
	for i := range e.Params {
		c.Values[i] = paramValue(e.Params[i].Kind, row[i], texts)
	}
	return c
}

// statisticsOf reads the columns from n on, in the order of summaryColumns.
func statisticsOf(row parquet.Row) Statistics {
	return Statistics{
		N:    row[0].Int64(),
		Mean: number(row[1]), Std: number(row[2]), SEM: number(row[3]),
		CILow: number(row[4]), CIHigh: number(row[5]),
		Min: number(row[6]), Median: number(row[7]), Max: number(row[8]),
	}
}
