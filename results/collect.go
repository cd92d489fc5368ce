package results

import (
	"path/filepath"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/disk"
	"sweep/internal/lists"
	"sweep/internal/parquetfile"
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
	axes := lists.Map(params, func(c Column) string { return c.Name })
	all := &grid.Spec{Experiment: sweeps[0].Plan.Experiment()}
	for _, r := range sweeps {
		if r.Plan.Experiment().Name != all.Experiment.Name {
			all.Experiment = &experiment.Experiment{Name: "several"}
		}
	}
	all.Name = strings.Join(lists.Map(sweeps, func(r *Reader) string { return r.Name }), ", ")
	w, err := newParquetWriter(d, filepath.Base(path), columns, all, axes, "")
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
	if err = disk.Publish(d, w.file, w.name, err); err != nil {
		w.discard()
		return 0, err
	}
	return int64(len(owners)), nil
}

// collect writes those rows of a sweep that belong to it.
func (w *parquetWriter) collect(r *Reader, params, metrics []Column, own func(id grid.ID) bool) error {
	e := r.Plan.Experiment()
	paramAt := lists.Map(params, func(c Column) int { return slices.Index(e.ParamNames(), c.Name) })
	metricAt := lists.Map(metrics, func(c Column) int { return e.Metric(c.Name) })
	for row, err := range r.Runs(false) {
		if err != nil {
			return err
		}
		if own(row.ID) {
			w.Add(parquetfile.Text(r.Name))
			w.addRun(row, paramAt, metricAt)
		}
	}
	return w.Err
}

// ownersOf finds for each run the sweep whose row it is, and where it has it.
func ownersOf(sweeps []*Reader) (owners map[grid.ID]int, err error) {
	owners = map[grid.ID]int{}
	places := map[grid.ID]*place{}
	for k, r := range sweeps {
		for i, p := range r.places() {
			id := r.Plan.ID(i)
			switch old := places[id]; {
			case old == nil || p.ok && !old.ok:
				owners[id], places[id] = k, p
			case p.ok && p.hash != old.hash:
				return nil, disk.Refuse(r.Dir, `"sweep diff" of the two directories tells more`,
					"the run with run_id %s has another outcome than in %s", id, sweeps[owners[id]].Dir)
			}
		}
	}
	return owners, nil
}

// commonColumns returns the columns of parameters and metrics that sweeps
// have.
func commonColumns(sweeps []*Reader) (params, metrics []Column, err error) {
	vary, numbers, all := varying(sweeps), map[string]bool{"int": true, "float": true}, []Column(nil)
	for _, r := range sweeps {
		runs, _, _ := Columns(r.Plan.Experiment())
		for _, c := range runs {
			i := slices.IndexFunc(all, func(old Column) bool { return old.Name == c.Name })
			switch {
			case c.Role == "engine" || c.Role == "parameter" && !vary[c.Name]:
			case i < 0:
				all = append(all, c)
			case all[i].Role == c.Role && all[i].Kind == c.Kind && all[i].Unit == c.Unit:
			case all[i].Role == c.Role && numbers[all[i].Kind] && numbers[c.Kind] && all[i].Unit == c.Unit:
				all[i].Kind = "float"
			default:
				old := all[i]
				return nil, nil, disk.Refuse(r.Dir, "collect them into two files",
					"%s is a %s (%s, unit %q), and in a sweep before it a %s (%s, unit %q)",
					c.Name, c.Role, c.Kind, c.Unit, old.Role, old.Kind, old.Unit)
			}
		}
	}
	by := map[string][]Column{}
	for _, c := range all {
		by[c.Role] = append(by[c.Role], c)
	}
	return by["parameter"], by["metric"], nil
}

// varying returns the names of the parameters that have several values in the
// sweeps of an experiment, of which those of programs may have other parameters.
func varying(sweeps []*Reader) map[string]bool {
	vary, first := map[string]bool{}, map[string]experiment.Value{} // by experiment and name
	for _, r := range sweeps {
		e := r.Plan.Experiment()
		keys := lists.Map(e.ParamNames(), func(name string) string { return e.Name + " " + name })
		for values := range r.Plan.CellValues() {
			for p, v := range values {
				switch old, known := first[keys[p]]; {
				case v.IsNull() && e.Params[p].Input == nil:
				case !known:
					first[keys[p]] = v
				case v != old:
					vary[e.Params[p].Name] = true
				}
			}
		}
	}
	return vary
}
