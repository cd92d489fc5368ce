package results

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// Collect writes the runs of several sweeps into one Parquet file, sweep by
// sweep, and returns how many they are. Its columns are those of runs.parquet,
// with the name of the sweep, but without the parameters that are the same in
// all sweeps that have them; what a sweep does not have is null in its rows. A
// run that is in several sweeps is a row of the first, unless it failed there
// and not elsewhere.
//
// A *DataError tells of a name that has two meanings, and of a run that
// succeeded with two outcomes.
func Collect(path string, sweeps []*Reader) (runs int64, err error) {
	params, metrics, err := commonColumns(sweeps)
	if err != nil {
		return 0, err
	}
	d, err := openDisk(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	defer d.close()
	now := sweeps[0] // whose rows are written
	engine := runColumns(&experiment.Experiment{})
	engine[1].value = func(*tableRow) parquet.Value { return textValue(now.Plan.Experiment().Name) }
	columns := slices.Concat([]column{{Name: "sweep", Role: "engine", Kind: "string", Meaning: "name of the sweep", few: true,
		value: func(*tableRow) parquet.Value { return textValue(now.Name) }}}, engine[:2], params, engine[2:], metrics)
	names := make([]string, len(sweeps))
	from := tableSource{experiment: now.Plan.Experiment(), axes: []string{}}
	for i, r := range sweeps {
		if names[i] = r.Name; r.Plan.Experiment().Name != from.experiment.Name {
			from.experiment = &experiment.Experiment{Name: "several"}
		}
	}
	from.sweep = strings.Join(names, ", ")
	for _, c := range params {
		from.axes = append(from.axes, c.Name)
	}
	w, err := newParquetWriter(d, filepath.Base(path), &from, columns)
	if err != nil {
		return 0, err
	}
	for k := range sweeps {
		if now = sweeps[k]; err == nil {
			err = w.collect(sweeps, k, &runs)
		}
	}
	if err == nil {
		_, err = w.finish()
	}
	if err == nil {
		err = w.publish()
	}
	if err != nil {
		w.discard()
		return 0, err
	}
	return runs, d.syncDir(".")
}

// commonColumns returns the columns of parameters and metrics that sweeps
// have.
func commonColumns(sweeps []*Reader) (params, metrics []column, err error) {
	vary, all := varying(sweeps), []column(nil)
	for _, r := range sweeps {
		e := r.Plan.Experiment()
		measured := runColumns(e)[len(runColumns(&experiment.Experiment{}))+len(e.Params):]
		for _, c := range slices.Concat(paramColumns(e), measured) {
			i := slices.IndexFunc(all, func(old column) bool { return old.Name == c.Name })
			switch {
			case c.Role == "parameter" && !vary[c.Name]:
			case i < 0:
				all = append(all, c)
			case all[i].Role == c.Role && all[i].Kind == c.Kind && all[i].Unit == c.Unit:
			case all[i].Role == c.Role && isNumber(all[i].Kind) && isNumber(c.Kind) && all[i].Unit == c.Unit:
				all[i].Kind = "float"
			default:
				old := all[i]
				return nil, nil, &DataError{
					Path:    r.dir,
					Message: fmt.Sprintf("%s is a %s (%s %s), and in a sweep before it a %s (%s %s)", c.Name, c.Role, c.Kind, c.Unit, old.Role, old.Kind, old.Unit),
					Hint:    "collect them into two files",
				}
			}
		}
	}
	for _, c := range all {
		if c.Role == "parameter" {
			c.value = func(x *tableRow) parquet.Value {
				e := x.run.Point.Experiment
				i := slices.IndexFunc(e.Params, func(p experiment.Param) bool { return p.Name == c.Name })
				switch {
				case i < 0:
					return parquet.NullValue()
				case c.Kind == "float" && x.run.Point.Values[i].Kind() == experiment.Int:
					return parquet.DoubleValue(float64(x.run.Point.Values[i].Int()))
				}
				return paramValue(x.run.Point.Values[i])
			}
			params = append(params, c)
			continue
		}
		kind := experiment.Float
		if c.Kind == experiment.Int.String() {
			kind = experiment.Int
		}
		c.value = func(x *tableRow) parquet.Value {
			i := slices.IndexFunc(x.run.Point.Experiment.Metrics, func(m experiment.Metric) bool { return m.Name == c.Name })
			if i < 0 || x.run.Status == Failed {
				return parquet.NullValue()
			}
			return numberValue(kind, x.run.Result.Metrics[i])
		}
		metrics = append(metrics, c)
	}
	return params, metrics, nil
}

func isNumber(kind string) bool { return kind == "int" || kind == "float" }

// varying returns the names of the parameters that have several values in the
// sweeps of an experiment. Null counts for an input, as in Axes.
func varying(sweeps []*Reader) map[string]bool {
	type key struct{ experiment, param string }
	first, vary := map[key]experiment.Value{}, map[string]bool{}
	for _, r := range sweeps {
		e := r.Plan.Experiment()
		look, cell := make([]int, len(e.Params)), make([]experiment.Value, len(e.Params))
		for i := range look {
			look[i] = i
		}
		for c := range r.Plan.Cells() {
			r.Plan.Cell(c, cell)
			for _, i := range look {
				p, v := &e.Params[i], cell[i]
				k := key{e.Name, p.Name}
				old, seen := first[k]
				switch {
				case !seen || old.IsNull() && p.Input == nil:
					first[k] = v
				case v != old && (p.Input != nil || !v.IsNull()):
					vary[p.Name] = true
				}
			}
			look = r.Plan.Varying() // the others are the same in all cells
		}
	}
	return vary
}

// collect writes the rows of sweep k, and counts them.
func (w *parquetWriter) collect(sweeps []*Reader, k int, runs *int64) error {
	for row, err := range sweeps[k].Runs(false) {
		elsewhere := false
		if err == nil {
			elsewhere, err = isElsewhere(sweeps, k, row)
		}
		if err == nil && !elsewhere {
			*runs++
			err = w.add(&tableRow{run: row})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// isElsewhere reports whether a run of sweep k is to be a row of another one.
func isElsewhere(sweeps []*Reader, k int, row *Row) (bool, error) {
	cell := sweeps[k].Plan.CellID(row.Index % sweeps[k].Plan.Cells())
	for j, other := range sweeps {
		c, ok := other.Plan.FindCell(cell)
		seed, found := other.Plan.SeedIndex(row.Point.Seed)
		if j == k || !ok || !found {
			continue
		}
		i := seed*other.Plan.Cells() + c
		switch status := other.Status(i); {
		case status == OK && row.Status == Failed:
			return true, nil
		case status == "" || status != row.Status || j > k:
			continue
		case status == Failed:
			return true, nil
		}
		same, err := other.Run(i)
		if err == nil && !slices.EqualFunc(same.Result.Metrics, row.Result.Metrics, func(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }) {
			err = &DataError{
				Path:    sweeps[k].dir,
				Message: fmt.Sprintf("the run with run_id %s has another outcome than in %s", row.ID, other.dir),
				Hint:    `"sweep diff" of the two directories tells more`,
			}
		}
		return true, err
	}
	return false, nil
}
