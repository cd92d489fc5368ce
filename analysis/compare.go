package analysis

import (
	"fmt"
	"slices"

	"github.com/sourcegraph/conc/iter"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/table"
	"sweep/results"
)

// A Question asks how the cells of a sweep differ from a baseline.
type Question struct {
	By       int // the parameter that tells cells from baselines
	Baseline experiment.Value
	Metrics  []int // indices in the experiment's declaration
	Over     []int // parameters over whose values differences are averaged

	experiment *experiment.Experiment
	cells      [][]experiment.Value // of the plan; nil if there is no run
	seedless   int                  // how many seeds cells have that make no difference
}

// Compare compares the runs of each cell in which one parameter has another
// value than the baseline's with those of the baseline in the same
// circumstances, paired by seed. It returns a table for each metric, with a row
// for each comparison.
//
// The circumstances of a cell are its other parameters. If cells differ by the
// algorithm, they are the parameters that every algorithm uses: these make what
// rivals face. Of several baselines in the same circumstances, those count that
// share most of the other parameters. Compare returns a *results.DataError if
// there is nothing to compare.
func Compare(v *results.Reader, q Question, format string) ([]*table.Table, error) {
	sampler := v.NewSummarySampler()
	if err := sampler.AddAll(v.Runs(false)); err != nil {
		return nil, err
	}
	samples := sampler.Cells
	q.experiment = v.Plan.Experiment()
	q.cells = cellsWithRuns(samples, v.Plan)
	groups := q.groups(q.partners())
	if len(groups) == 0 {
		return nil, q.noPair(v.Name)
	}
	contrasts := q.contrasts(groups)
	// On all processors: resampling takes time.
	iter.ForEach(contrasts, func(c **Contrast) {
		(*c).compute(samples)
	})
	q.seedless = results.Seedless(samples)
	if q.seedless > 0 {
		for _, c := range contrasts {
			c.countOnce()
		}
	}
	return q.tables(contrasts, v, format), nil
}

// contrasts returns a contrast for each group of pairs, of one metric after
// another.
func (q *Question) contrasts(groups [][][]int64) (list []*Contrast) {
	left := &expr.Node{Op: expr.Name}
	right := &expr.Node{Op: expr.Name}
	difference := &expr.Node{Op: "-", Args: []*expr.Node{left, right}}
	for _, m := range q.Metrics {
		terms := []*term{
			{node: left, measure: m},
			{node: right, measure: m},
		}
		for _, group := range groups {
			list = append(list, &Contrast{
				terms:  terms,
				sets:   group,
				over:   q.averages(group[0]),
				number: difference,
				left:   left,
				right:  right,
			})
		}
	}
	return list
}

// averages reports whether a cell of a pair uses a parameter of Over.
func (q *Question) averages(pair []int64) bool {
	for _, p := range q.Over {
		if isSet(q.cells[pair[0]][p]) || isSet(q.cells[pair[1]][p]) {
			return true
		}
	}
	return false
}

// partners returns pairs: the cells to compare, each with its baselines.
func (q *Question) partners() (pairs [][]int64) {
	baselines := map[string][]int{} // by their circumstances
	for c, values := range q.cells {
		if values != nil && values[q.By] == q.Baseline {
			key := q.circumstances(values)
			baselines[key] = append(baselines[key], c)
		}
	}
	for c, values := range q.cells {
		if values == nil || values[q.By] == q.Baseline || values[q.By].IsNull() {
			continue
		}
		most := 0
		var nearest [][]int64
		for _, b := range baselines[q.circumstances(values)] {
			shared := 0
			for p, v := range values {
				if v == q.cells[b][p] {
					shared++
				}
			}
			if shared > most {
				most = shared
				nearest = nil
			}
			if shared == most {
				nearest = append(nearest, []int64{int64(c), int64(b)})
			}
		}
		pairs = append(pairs, nearest...)
	}
	return pairs
}

// circumstances returns a text of a cell's other parameters; if algorithms are
// compared, of those that all algorithms use.
func (q *Question) circumstances(cell []experiment.Value) string {
	rivals := q.experiment.Params[q.By].Name == experiment.Algorithm
	var key []byte
	for p, v := range cell {
		own := rivals && q.experiment.Params[p].UsedBy != nil
		if p != q.By && !own {
			key = fmt.Appendf(key, "%q ", v)
		}
	}
	return string(key)
}

// groups puts those pairs together that differ only in the parameters of Over.
func (q *Question) groups(pairs [][]int64) [][][]int64 {
	return grouped(pairs, func(pair []int64) string {
		key := ""
		for p := range q.experiment.Params {
			if !slices.Contains(q.Over, p) {
				key += fmt.Sprintf("%q %q ", q.cells[pair[0]][p], q.cells[pair[1]][p])
			}
		}
		return key
	})
}

// grouped puts items with one key together, in the order of their first.
func grouped[T any](items []T, key func(T) string) (groups [][]T) {
	at := map[string]int{}
	for _, item := range items {
		name := key(item)
		k, ok := at[name]
		if !ok {
			k = len(groups)
			at[name] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], item)
	}
	return groups
}

// noPair is the fault of a comparison without any pair of cells.
func (q *Question) noPair(sweep string) error {
	var list []experiment.Value
	for _, cell := range q.cells {
		if cell != nil && !cell[q.By].IsNull() && !slices.Contains(list, cell[q.By]) {
			list = append(list, cell[q.By])
		}
	}
	text := fmt.Sprintf("no cell differs from %[1]s = %[2]s in %[1]s alone; there is %[1]s = %[3]s",
		q.experiment.Params[q.By].Name, q.Baseline, grid.Outline(list))
	return &results.DataError{Path: sweep, Message: text}
}
