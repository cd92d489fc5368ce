package grid

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"sweep/experiment"
)

// A Plan is the ordered set of a sweep's runs. Run i is cell i % Cells() with
// seed i / Cells(). A plan never changes, so it is safe for concurrent use. It
// lists its cells; its size does not depend on the number of seeds.
type Plan struct {
	experiment *experiment.Experiment
	cells      []cell
	seeds      seeds
	stop       *Stop
	bought     []int64 // the seeds of each cell; nil: all have the same
	own        int64   // the seeds without those bought or sealed; set with bought or Search

	byName []int             // parameters, for identities
	index  func() *cellIndex // made when first asked for
	texts  func() [][]byte   // of the cells, for identities; likewise

	// Varying holds the indices of the parameters that take more than one
	// value in the plan, where null counts as a value: first those that the
	// document names, in its order, then the others.
	Varying []int

	Design *Design // of sampled ranges; nil without [sample]
	Search *Search // nil without [search]
}

// Experiment returns the declaration of what is run.
func (p *Plan) Experiment() *experiment.Experiment {
	return p.experiment
}

// Runs returns the number of runs, Cells times Seeds, at least 1.
func (p *Plan) Runs() int64 {
	return p.Cells() * p.seeds.count
}

// Cells returns the number of distinct points without regard to the seed.
func (p *Plan) Cells() int64 {
	return int64(len(p.cells))
}

// Seeds returns the number of seeds, of the cells that have most.
func (p *Plan) Seeds() int64 {
	return p.seeds.count
}

// Seed returns the k-th seed, 0 ≤ k < Seeds().
func (p *Plan) Seed(k int64) int64 {
	return p.seeds.at(k)
}

// Stop returns the rule by which cells may get fewer than Seeds() seeds, or
// nil if all cells get all of them. The runs of a plan with a rule are those
// that it may need at most.
func (p *Plan) Stop() *Stop {
	return p.stop
}

// Cell fills values, one for each parameter of the experiment, with the
// canonical values of cell 0 ≤ c < Cells(): the default if the spec sets
// none, null if the parameter is not used.
func (p *Plan) Cell(c int64, values []experiment.Value) {
	p.cells[c].fill(values)
}

// Point returns the point of run 0 ≤ i < Runs().
func (p *Plan) Point(i int64) experiment.Point {
	values := make([]experiment.Value, len(p.experiment.Params))
	p.Cell(i%p.Cells(), values)
	return experiment.Point{
		Experiment: p.experiment,
		Values:     values,
		Seed:       p.Seed(i / p.Cells()),
	}
}

// Describe names a point of the plan by the parameters that vary and are not
// null, and the seed.
func (p *Plan) Describe(point experiment.Point) string {
	seed := fmt.Sprintf("seed = %d", point.Seed)
	cell := p.DescribeCell(point.Values)
	if cell == "" {
		return seed
	}
	return cell + ", " + seed
}

// DescribeCell names a cell of the plan by the parameters that vary and are not
// null in its values; it is empty if there are none.
func (p *Plan) DescribeCell(values []experiment.Value) string {
	var list []string
	for _, i := range p.Varying {
		v := values[i]
		if v.IsNull() {
			continue
		}
		onOneLine := strings.ReplaceAll(v.String(), "\n", " ")
		list = append(list, fmt.Sprintf("%s = %s", p.experiment.Params[i].Name, onOneLine))
	}
	return strings.Join(list, ", ")
}

// Difference tells in a few words how plan q differs from p, for example "3
// seeds (1 … 3) and 4 seeds (1 … 4)". It is empty if both have the same runs
// in the same order and the same stopping rule, even if their specs are
// written differently. It compares every seed and cell.
func (p *Plan) Difference(q *Plan) string {
	e := p.experiment
	f := q.experiment
	switch {
	case e.Name != f.Name:
		return fmt.Sprintf("experiment %s and %s", e.Name, f.Name)
	case e.Version != f.Version:
		return fmt.Sprintf("model version %d and %d of %s", e.Version, f.Version, e.Name)
	}
	if text := p.constantDifference(q); text != "" {
		return text
	}
	switch {
	case p.Cells() != q.Cells():
		return fmt.Sprintf("%d and %d cells", p.Cells(), q.Cells())
	case !p.seeds.equal(&q.seeds):
		return fmt.Sprintf("%s and %s", p.seeds.outline(), q.seeds.outline())
	case !p.Search.equal(q.Search):
		return "[search] and its rounds"
	case !slices.Equal(p.bought, q.bought):
		return "seeds that were bought for claims, and none or others"
	case !p.stop.equal(q.stop):
		return fmt.Sprintf("%s and %s", p.stop.outline(e), q.stop.outline(e))
	}
	names := strings.Join(e.ParamNames(), ", ")
	others := strings.Join(f.ParamNames(), ", ")
	if names != others {
		return fmt.Sprintf("the parameters %s and %s", names, others)
	}
	v := make([]experiment.Value, len(e.Params))
	w := make([]experiment.Value, len(e.Params))
	for c := range p.Cells() {
		p.Cell(c, v)
		q.Cell(c, w)
		for i := range v {
			if !sameRun(v[i], w[i]) {
				return fmt.Sprintf("%s is %s and %s in cell %d of %d",
					e.Params[i].Name, v[i], w[i], c+1, p.Cells())
			}
		}
	}
	return ""
}

// constantDifference tells which parameter has one value in all cells of p and
// another one in all cells of q; empty if none has. The program of a sweep of
// programs is such a parameter.
func (p *Plan) constantDifference(q *Plan) string {
	params := p.experiment.Params
	if !slices.Equal(p.experiment.ParamNames(), q.experiment.ParamNames()) {
		return ""
	}
	v := make([]experiment.Value, len(params))
	w := make([]experiment.Value, len(params))
	p.Cell(0, v)
	q.Cell(0, w)
	for i := range params {
		varies := slices.Contains(p.Varying, i) || slices.Contains(q.Varying, i)
		if !varies && !sameRun(v[i], w[i]) {
			return fmt.Sprintf("%s is %s and %s", params[i].Name, v[i], w[i])
		}
	}
	return ""
}

// sameRun reports whether two values make the same run: 1 and 1.0 do.
func sameRun(v, w experiment.Value) bool {
	if v == w {
		return true
	}
	isText := v.Kind() == experiment.String || w.Kind() == experiment.String
	return !isText && v.String() == w.String()
}

// Covers reports whether a plan has all runs of another.
func (p *Plan) Covers(some *Plan) bool {
	for c := range some.Cells() {
		_, ok := p.Find(some.CellID(c), some.Seed(0))
		if !ok {
			return false
		}
	}
	for k := range some.Seeds() {
		_, ok := p.seeds.find(some.Seed(k))
		if !ok {
			return false
		}
	}
	return true
}

// OutlineSeeds describes the seeds in a few words, as in "3 seeds (1 … 3)".
func (p *Plan) OutlineSeeds() string {
	return p.seeds.outline()
}

// CellValues yields the values of each cell. They are valid until the next
// cell.
func (p *Plan) CellValues() iter.Seq[[]experiment.Value] {
	values := make([]experiment.Value, len(p.Experiment().Params))
	return func(yield func([]experiment.Value) bool) {
		for c := range p.Cells() {
			p.Cell(c, values)
			if !yield(values) {
				return
			}
		}
	}
}

// Axes returns the varying parameters that tell the given cells apart, in the
// order of varying. A parameter with one value wherever it is used is left
// out, because the algorithm, or the input that replaces it, tells whether it
// is used. For an input, null is one of its values.
func Axes(
	e *experiment.Experiment, varying []int, cells iter.Seq[[]experiment.Value],
) []int {
	first := make([]*experiment.Value, len(e.Params))
	differs := make([]bool, len(e.Params))
	for c := range cells {
		for _, p := range varying {
			v := c[p]
			switch {
			case v.IsNull() && e.Params[p].Input == nil:
			case first[p] == nil:
				first[p] = &v
			case v != *first[p]:
				differs[p] = true
			}
		}
	}
	var axes []int
	for _, p := range varying {
		if differs[p] {
			axes = append(axes, p)
		}
	}
	return axes
}
