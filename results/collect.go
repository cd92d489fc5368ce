package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/parquetfile"
)

// Collect writes the runs of several sweeps into one Parquet file, sweep by
// sweep, and returns the number of runs. The columns are those of runs.parquet
// and the name of the sweep, without the parameters that are the same in all
// sweeps that have them. What a sweep does not have is null in its rows. A run
// that is in several sweeps is a row of the first, or of one in which it
// succeeded.
//
// A *DataError tells of a name that has two meanings, and of a run that
// succeeded with two outcomes.
func Collect(path string, sweeps []*Reader) (runs int64, err error) {
	params, metrics, err := commonColumns(sweeps)
	if err != nil {
		return 0, err
	}
	owners, err := ownersOf(sweeps)
	if err != nil {
		return 0, err
	}
	d, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return 0, err
	}
	defer d.Close()
	name := Column{Name: "sweep", Role: "engine", Kind: "string", Meaning: "name of the sweep"}
	columns := slices.Concat([]Column{name}, engine[:2], params, engine[2:], metrics)
	w, err := newParquetWriter(d, filepath.Base(path), columns, joint(sweeps), names(params), "")
	if err != nil {
		return 0, err
	}
	for k, r := range sweeps {
		if err == nil {
			err = w.collect(r, params, metrics, func(id grid.ID) bool { return owners[id] == k })
		}
	}
	if err == nil {
		err = w.finish()
	}
	err = disk.Publish(d, w.file, w.name, err)
	if err != nil {
		w.discard()
		return 0, err
	}
	return int64(len(owners)), nil
}

// joint returns a spec that stands for several sweeps in the file's footer.
func joint(sweeps []*Reader) *grid.Spec {
	e := sweeps[0].Plan.Experiment()
	var all []string
	for _, r := range sweeps {
		all = append(all, r.Name)
		if r.Plan.Experiment().Name != e.Name {
			e = &experiment.Experiment{Name: "several"}
		}
	}
	return &grid.Spec{Name: strings.Join(all, ", "), Experiment: e}
}

// names returns the names of columns; never nil.
func names(columns []Column) []string {
	list := make([]string, len(columns))
	for i, c := range columns {
		list[i] = c.Name
	}
	return list
}

// collect writes the rows of a sweep for which owns is true.
func (w *parquetWriter) collect(
	r *Reader, params, metrics []Column, owns func(id grid.ID) bool,
) error {
	e := r.Plan.Experiment()
	paramAt := e.Places(names(params))
	var metricAt []int
	for _, c := range metrics {
		metricAt = append(metricAt, e.Metric(c.Name))
	}
	for row, err := range r.Runs(false) {
		if err != nil {
			return err
		}
		if owns(row.ID) {
			w.Add(parquetfile.Text(r.Name))
			w.addRun(row, paramAt, metricAt)
		}
	}
	return w.Err
}

// ownersOf returns, for each run, the position of the sweep whose row it is.
func ownersOf(sweeps []*Reader) (owners map[grid.ID]int, err error) {
	owners = map[grid.ID]int{}
	known := map[grid.ID]*entry{}
	for k, r := range sweeps {
		for i, e := range r.entries() {
			id := r.Plan.ID(i)
			old := known[id]
			if old == nil || e.ok && !old.ok {
				owners[id] = k
				known[id] = e
			} else if e.ok && e.hash != old.hash {
				return nil, disk.Refuse(r.Dir, `"sweep diff" of the two directories tells more`,
					"the run with run_id %s has another outcome than in %s",
					id, sweeps[owners[id]].Dir)
			}
		}
	}
	return owners, nil
}

// commonColumns returns the columns of the parameters and metrics that the
// sweeps have.
func commonColumns(sweeps []*Reader) (params, metrics []Column, err error) {
	vary := varying(sweeps)
	var all []Column
	for _, r := range sweeps {
		runs, _, _ := Columns(r.Plan.Experiment())
		for _, c := range runs {
			if c.Role == "engine" || c.Role == "parameter" && !vary[c.Name] {
				continue
			}
			i := slices.IndexFunc(all, func(old Column) bool { return old.Name == c.Name })
			if i < 0 {
				all = append(all, c)
				continue
			}
			if err := unite(&all[i], &c, r.Dir); err != nil {
				return nil, nil, err
			}
		}
	}
	for _, c := range all {
		if c.Role == "parameter" {
			params = append(params, c)
		} else {
			metrics = append(metrics, c)
		}
	}
	return params, metrics, nil
}

// unite makes a column of a sweep the same as that of another sweep in dir: one
// of integers and one of other numbers become one of numbers.
func unite(c, other *Column, dir string) error {
	isNumber := func(kind string) bool { return kind == "int" || kind == "float" }
	areNumbers := isNumber(c.Kind) && isNumber(other.Kind)
	if c.Role != other.Role || c.Unit != other.Unit || c.Kind != other.Kind && !areNumbers {
		return disk.Refuse(dir, "collect them into two files",
			"%s is %s, and in a sweep before it %s", other.Name, about(other), about(c))
	}
	if c.Kind != other.Kind {
		c.Kind = "float"
	}
	return nil
}

// about describes what a column holds.
func about(c *Column) string {
	return fmt.Sprintf("a %s (%s, unit %q)", c.Role, c.Kind, c.Unit)
}

// varying returns the names of the parameters that have several values in the
// sweeps of an experiment. Sweeps of programs may have different parameters.
func varying(sweeps []*Reader) map[string]bool {
	type key struct{ experiment, param string }
	vary := map[string]bool{}
	first := map[key]experiment.Value{}
	for _, r := range sweeps {
		e := r.Plan.Experiment()
		for values := range r.Plan.CellValues() {
			for i, v := range values {
				p := &e.Params[i]
				if v.IsNull() && p.Input == nil {
					continue
				}
				k := key{e.Name, p.Name}
				old, known := first[k]
				if !known {
					first[k] = v
				} else if v != old {
					vary[p.Name] = true
				}
			}
		}
	}
	return vary
}
