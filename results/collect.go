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

// A Naming returns the name that a column of a sweep has in a collection.
type Naming func(sweep, column string) string

// Collect writes the runs of several sweeps into one Parquet file, sweep by
// sweep, and returns the number of rows and of different runs. The columns are
// those of runs.parquet and the name of the sweep, without the parameters that
// are the same in all sweeps that have them. What a sweep does not have is null
// in its rows. A run that is in several sweeps is a row of each. A run that is
// in several directories of a sweep is a row of the first, or of one in which
// it succeeded.
//
// Parameters and metrics are called as naming says. A *DataError tells of a
// name that has two meanings, and of a run that succeeded with two outcomes.
func Collect(path string, sweeps []*Reader, naming Naming) (rows, runs int64, err error) {
	params, metrics, err := commonColumns(sweeps, naming)
	if err != nil {
		return 0, 0, err
	}
	owners, runs, err := ownersOf(sweeps)
	if err != nil {
		return 0, 0, err
	}
	d, err := disk.Open(filepath.Dir(path))
	if err != nil {
		return 0, 0, err
	}
	defer d.Close()
	name := Column{Name: "sweep", Role: "engine", Kind: "string", Meaning: "name of the sweep"}
	columns := slices.Concat([]Column{name}, engine[:2], params, engine[2:], metrics)
	w, err := newParquetWriter(d, filepath.Base(path), columns, joint(sweeps), names(params), "")
	if err != nil {
		return 0, 0, err
	}
	for k, r := range sweeps {
		if err != nil {
			break
		}
		own, _ := ownColumns(r, naming)
		paramAt := places(params, own, "parameter")
		metricAt := places(metrics, own, "metric")
		err = w.collect(r, paramAt, metricAt, func(id grid.ID) bool {
			return owners[membership{r.Name, id}] == k
		})
	}
	if err == nil {
		err = w.finish()
	}
	err = disk.Publish(d, w.file, w.name, err)
	if err != nil {
		w.discard()
		return 0, 0, err
	}
	return int64(len(owners)), runs, nil
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
	r *Reader, params, metrics []int, owns func(id grid.ID) bool,
) error {
	for row, err := range r.Runs(true) {
		if err != nil {
			return err
		}
		if owns(row.ID) {
			w.Add(parquetfile.Text(r.Name))
			w.addRun(row, row.ID.String(), params, metrics)
		}
	}
	return w.Err
}

// A membership is a run as a part of the sweep with a name.
type membership struct {
	sweep string
	id    grid.ID
}

// ownersOf returns the position of the directory whose row a run of a sweep is,
// and the number of different runs.
func ownersOf(sweeps []*Reader) (owners map[membership]int, runs int64, err error) {
	type outcome struct {
		entry
		in int // a position in sweeps
	}
	ofRun := map[grid.ID]outcome{} // the first that succeeded, or the first
	owners = map[membership]int{}
	isOK := map[membership]bool{}
	for k, r := range sweeps {
		for i, e := range r.entries() {
			id := r.Plan.ID(i)
			first, known := ofRun[id]
			if known && e.ok() && first.ok() && e.hash != first.hash {
				return nil, 0, disk.Refuse(r.Dir, `"sweep diff" of the two directories tells more`,
					"the run with run_id %s has another outcome than in %s",
					id, sweeps[first.in].Dir)
			}
			if !known || e.ok() && !first.ok() {
				ofRun[id] = outcome{e, k}
			}
			member := membership{r.Name, id}
			_, known = owners[member]
			if !known || e.ok() && !isOK[member] {
				owners[member] = k
				isOK[member] = e.ok()
			}
		}
	}
	return owners, int64(len(ofRun)), nil
}

// ownColumns returns the parameters and metrics of a sweep in their order, as a
// collection calls them.
func ownColumns(r *Reader, naming Naming) ([]Column, error) {
	var own []Column
	runs, _, _ := Columns(r.Plan.Experiment())
	for _, c := range runs {
		if c.Role == "engine" {
			continue
		}
		before := c.Name
		c.Name = naming(r.Name, before)
		if has(own, c.Name) || has(engine, c.Name) || c.Name == "sweep" {
			return nil, disk.Refuse(r.Dir, "choose another name",
				"%s cannot be called %s: another column has that name", before, c.Name)
		}
		own = append(own, c)
	}
	return own, nil
}

// has reports whether a column has the name.
func has(columns []Column, name string) bool {
	return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
}

// places returns where the columns are among those of a role that a sweep has;
// -1 for a column that it lacks.
func places(columns, own []Column, role string) []int {
	var names []string
	for _, c := range own {
		if c.Role == role {
			names = append(names, c.Name)
		}
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = slices.Index(names, c.Name)
	}
	return at
}

// commonColumns returns the columns of the parameters and metrics that the
// sweeps have.
func commonColumns(sweeps []*Reader, naming Naming) (params, metrics []Column, err error) {
	vary := varying(sweeps, naming)
	var all []Column
	for _, r := range sweeps {
		own, err := ownColumns(r, naming)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range own {
			if c.Role == "parameter" && !vary[c.Name] {
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
		return disk.Refuse(dir, "rename one of them, use --prefix, or collect them into two files",
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
func varying(sweeps []*Reader, naming Naming) map[string]bool {
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
				name := naming(r.Name, p.Name)
				k := key{e.Name, name}
				old, known := first[k]
				if !known {
					first[k] = v
				} else if v != old {
					vary[name] = true
				}
			}
		}
	}
	return vary
}
