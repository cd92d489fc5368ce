package cli

import (
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"sweep/experiment"
	"sweep/grid"
)

// maxSearch bounds how many cells, or runs, are looked at to find those that
// are meant: some seconds of work.
const maxSearch = 10_000_000

// A selection is a set of runs that a person names by some of their
// parameters, for example "algorithm=RL,seed=7".
type selection struct {
	experiment *experiment.Experiment
	params     []int              // those named
	values     []experiment.Value // one for each of params
	seed       int64              // -1: any
}

// seedName names the seed in a selection, as in the columns of results.
const seedName = "seed"

// parseSelection reads NAME=VALUE,… The error is a *usageError.
func parseSelection(e *experiment.Experiment, text string) (*selection, error) {
	s := &selection{experiment: e, seed: -1}
	for _, pair := range strings.Split(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok {
			return nil, &usageError{message: fmt.Sprintf("%q has no value, want NAME=VALUE", pair)}
		}
		if name == seedName {
			seed, err := strconv.ParseInt(value, 10, 64)
			if err != nil || seed < 0 {
				return nil, &usageError{message: fmt.Sprintf("seed is %q, want a whole number of at least 0", value)}
			}
			s.seed = seed
			continue
		}
		param, i := e.Param(name)
		if param == nil {
			return nil, unknownName("parameter", name, e, append(paramNames(e), seedName))
		}
		v, err := param.Parse(value)
		if err != nil {
			return nil, &usageError{message: err.Error(), hint: didYouMean(value, param.Choices, "")}
		}
		if at := slices.Index(s.params, i); at >= 0 && s.values[at] != v {
			return nil, &usageError{message: fmt.Sprintf("%s is given twice, as %s and as %s", name, s.values[at], v)}
		}
		s.params, s.values = append(s.params, i), append(s.values, v)
	}
	return s, nil
}

// find returns the runs of the plan that are meant, in order. If there are
// none, the error says which of the conditions, or that all together, no
// run meets.
func (s *selection) find(plan *grid.Plan) ([]int64, error) {
	if plan.Cells() > maxSearch {
		return nil, &usageError{
			message: fmt.Sprintf("%d cells are too many to search, want at most %d", plan.Cells(), int64(maxSearch)),
			hint:    "name a spec with fewer values by --spec",
		}
	}
	var cells []int64
	met := make([]bool, len(s.params)) // by any cell
	values := make([]experiment.Value, len(s.experiment.Params))
	for c := range plan.Cells() {
		plan.Cell(c, values)
		all := true
		for k, p := range s.params {
			if values[p] == s.values[k] {
				met[k] = true
			} else {
				all = false
			}
		}
		if all {
			cells = append(cells, c)
		}
	}
	for k, p := range s.params {
		if !met[k] {
			return nil, s.none(fmt.Sprintf("%s is never %s", s.experiment.Params[p].Name, s.values[k]), valuesIn(plan, p))
		}
	}
	if len(cells) == 0 {
		return nil, s.none("none has all of these together", s.misfit())
	}
	var runs []int64
	for k := range plan.Seeds() {
		if s.seed >= 0 && plan.Seed(k) != s.seed {
			continue
		}
		if len(runs)+len(cells) > maxSearch {
			return nil, &usageError{message: fmt.Sprintf("more than %d runs are meant, want fewer", maxSearch)}
		}
		for _, c := range cells {
			runs = append(runs, k*plan.Cells()+c)
		}
	}
	if runs == nil {
		return nil, s.none(fmt.Sprintf("seed is never %d", s.seed), "there are "+seedRange(plan))
	}
	return runs, nil
}

// none returns the error that tells why no run is meant.
func (s *selection) none(why, hint string) error {
	return &usageError{message: "the spec asks for no such run: " + why, hint: hint}
}

// misfit names a parameter that the algorithm of the selection does not
// use; empty if there is none.
func (s *selection) misfit() string {
	_, selector := s.experiment.Param(experiment.Algorithm)
	k := slices.Index(s.params, selector)
	if selector < 0 || k < 0 {
		return ""
	}
	algorithm := s.values[k].Text()
	for _, i := range s.params {
		if p := &s.experiment.Params[i]; !p.Uses(algorithm) {
			return fmt.Sprintf("%s does not use %s: leave it out", algorithm, p.Name)
		}
	}
	return ""
}

// valuesIn lists the values that a parameter takes in the plan, as a hint.
func valuesIn(plan *grid.Plan, param int) string {
	const most = 10
	e := plan.Experiment()
	var list []string
	seen := map[experiment.Value]bool{}
	values := make([]experiment.Value, len(e.Params))
	for c := range plan.Cells() {
		plan.Cell(c, values)
		v := values[param]
		if v.IsNull() || seen[v] {
			continue
		}
		if len(list) == most {
			list = append(list, "…")
			break
		}
		seen[v] = true
		list = append(list, v.String())
	}
	return fmt.Sprintf("%s is %s", e.Params[param].Name, strings.Join(list, ", "))
}

// findID returns the run whose run_id begins with the given hexadecimal
// digits; -1 if the plan has none. The error is a *usageError.
func findID(plan *grid.Plan, prefix string) (int64, error) {
	if plan.Runs() > maxSearch {
		return -1, &usageError{
			message: fmt.Sprintf("%d runs are too many to search for a run_id, want at most %d", plan.Runs(), int64(maxSearch)),
			hint:    "name the run by its parameters",
		}
	}
	const chunk = 4096 // runs that a worker takes at a time
	var next, matches, found atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for from := next.Add(chunk) - chunk; from < plan.Runs(); from = next.Add(chunk) - chunk {
				for i := from; i < min(from+chunk, plan.Runs()); i++ {
					if strings.HasPrefix(grid.Identify(plan.Point(i)).String(), prefix) {
						matches.Add(1)
						found.Store(i)
					}
				}
			}
		})
	}
	workers.Wait()
	switch matches.Load() {
	case 0:
		return -1, nil
	case 1:
		return found.Load(), nil
	}
	return -1, &usageError{message: fmt.Sprintf("%d runs have a run_id that begins with %s, want more digits", matches.Load(), prefix)}
}
