package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/detmath"
	"sweep/internal/document"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/results"
)

// A Fit is what the results of a search say: how far the results at each point
// are from the targets, and where to go on.
type Fit struct {
	reader   *results.Reader
	search   *grid.Search
	resolver *resolver
	samples  []*results.Sample
	weights  []float64 // of the cases of all targets; 0: it is not fitted

	points []fitPoint
}

// A fitPoint is a point of a round.
type fitPoint struct {
	round  int
	values []experiment.Value // of the free parameters
	at     []float64          // as shares of their ranges
	gaps   []float64          // ln(result / wanted) of each case; NaN if it is not defined
}

// CheckSearch reports what is wrong with the targets of a spec, as a
// *grid.Error, before anything is computed.
func CheckSearch(spec *grid.Spec) (err error) {
	defer document.Catch[*grid.Error](&err)
	if spec.Plan().Search == nil {
		return nil
	}
	targets(spec)
	return nil
}

// targets returns a resolver with the measures of the targets of a search.
func targets(spec *grid.Spec) *resolver {
	plan := spec.Plan()
	r := &resolver{experiment: spec.Experiment}
	r.targetCases(plan, plan.Search.PointsOf(0)[0], false)
	return r
}

// targetCases returns the cases of all targets at a point, with the number of
// the target of each, and the cells of the plan that they are about: those
// which are run with the seeds of the search, or with the sealed ones.
func (r *resolver) targetCases(
	plan *grid.Plan, point []experiment.Value, sealed bool,
) (cases []*Case, of []int, cells []int64) {
	s := plan.Search
	r.cells = nil
	values := make([]experiment.Value, len(plan.Experiment().Params))
	for c := range plan.Cells() {
		plan.Cell(c, values)
		if isRunWith(plan, c, sealed) && isAt(values, s.Free, point) {
			cells = append(cells, c)
			r.cells = append(r.cells, slices.Clone(values))
		}
	}
	r.each = nil
	r.over = nil
	for _, p := range plan.Varying {
		isFree := slices.ContainsFunc(s.Free, func(f *grid.Free) bool { return f.Param == p })
		if !isFree {
			r.over = append(r.over, p)
		}
	}
	for i := range s.Targets {
		r.claim = &s.Targets[i].Claim
		for _, k := range r.target() {
			cases = append(cases, k)
			of = append(of, i)
		}
	}
	return cases, of, cells
}

// isRunWith reports whether a cell is run with the seeds of the search or, if
// sealed, with those of the judgement.
func isRunWith(plan *grid.Plan, cell int64, sealed bool) bool {
	first, end := plan.Window(cell)
	if sealed {
		return end > plan.Own()
	}
	return first < plan.Own()
}

// isAt reports whether a cell is one of a point: it may not use some of the
// free parameters.
func isAt(values []experiment.Value, free []*grid.Free, point []experiment.Value) bool {
	for i, f := range free {
		if isSet(values[f.Param]) && values[f.Param] != point[i] {
			return false
		}
	}
	return true
}

// target returns the cases of the target at hand, one for each number that is
// wanted.
func (r *resolver) target() (list []*Case) {
	for _, c := range r.comparisons(r.expression()) {
		if c.node.Op != expr.Within {
			first := r.experiment.Metrics[0].Name
			panic(r.fault(c.node, "a target says what is wanted and how nearly, "+
				"want an expression such as %s within 5%% of 3", first))
		}
		cases := r.cases(c)
		k := cases[0]
		k.Where = r.targetName(c)
		if k.wanted() == 0 {
			panic(r.fault(c.node, "the target is 0, which has no logarithm, want another number\n"+
				"hint: search for something that is not 0 there, such as 1 + x"))
		}
		list = append(list, k)
	}
	return list
}

// targetName names what a comparison is about: by its expression or, of a
// paper's table, by the row and the column.
func (r *resolver) targetName(c *Case) string {
	if c.row != "" { // left is metric[column = header]
		return strings.TrimPrefix(c.row, ": ") + ", " + c.left.Args[1].Args[1].Text
	}
	text := r.claim.Expect[c.left.Start:c.left.End]
	if c.Where != "" {
		text = c.Where + ": " + text
	}
	return text
}

// wanted returns the middle of what is accepted.
func (k *Case) wanted() float64 { return (k.Least + k.Most) / 2 }

// gap returns ln(result / wanted), NaN if that is not defined.
func (k *Case) gap() float64 {
	ratio := k.Estimate.Value / k.wanted()
	if !(ratio > 0) || math.IsInf(ratio, 0) {
		return math.NaN()
	}
	return detmath.Log(ratio)
}

// NewFit reads the results of a search. The error is a *grid.Error about its
// targets, or one of reading.
func NewFit(v *results.Reader) (f *Fit, err error) {
	defer document.Catch[*grid.Error](&err)
	f = &Fit{
		reader:   v,
		search:   v.Plan.Search,
		resolver: targets(v.Spec),
	}
	f.samples, err = v.Samples(f.resolver.series, f.resolver.measures)
	if err != nil {
		return nil, err
	}
	for round := range f.search.Centres {
		for _, values := range f.search.PointsOf(round) {
			if !f.isInPlan(values, false) {
				continue
			}
			point := fitPoint{round: round, values: values}
			for i, free := range f.search.Free {
				point.at = append(point.at, free.Share(values[i]))
			}
			f.weights = nil
			cases, of := f.judged(values, false)
			for i, k := range cases {
				point.gaps = append(point.gaps, k.gap())
				f.weights = append(f.weights, f.search.Targets[of[i]].Weight)
			}
			f.points = append(f.points, point)
		}
	}
	return f, nil
}

// isInPlan reports whether a point has cells, with the seeds of the search or
// with sealed ones: conditions of the spec may drop it.
func (f *Fit) isInPlan(point []experiment.Value, sealed bool) bool {
	plan := f.reader.Plan
	values := make([]experiment.Value, len(plan.Experiment().Params))
	for c := range plan.Cells() {
		plan.Cell(c, values)
		if isRunWith(plan, c, sealed) && isAt(values, f.search.Free, point) {
			return true
		}
	}
	return false
}

// judged returns the cases at a point, judged by the runs of the search or by
// those with sealed seeds, and the target of each.
func (f *Fit) judged(point []experiment.Value, sealed bool) (cases []*Case, of []int) {
	plan := f.reader.Plan
	cases, of, cells := f.resolver.targetCases(plan, point, sealed)
	var samples []*results.Sample
	for _, c := range cells {
		samples = append(samples, within(f.samples[c], plan.Own(), sealed))
	}
	for _, k := range cases {
		k.judge(samples)
	}
	return cases, of
}

// within returns the runs of a sample whose seeds are the search's, the first
// of the plan, or the sealed ones, which follow; nil if there are none.
func within(s *results.Sample, own int64, sealed bool) *results.Sample {
	if s == nil {
		return nil
	}
	at, _ := slices.BinarySearch(s.Seeds, own)
	first := 0
	end := at
	if sealed {
		first = at
		end = len(s.Seeds)
	}
	if first == end {
		return nil
	}
	part := &results.Sample{Seeds: s.Seeds[first:end]}
	for _, values := range s.Values {
		part.Values = append(part.Values, values[first:end])
	}
	return part
}

// near is how many spreads of a round from its centre points count fully; those
// beyond count by the fourth power of how much further they are. It is also the
// longest step along a coordinate.
const near = 2

// surface fits the response surface around the centre of the last round.
func (f *Fit) surface() *inference.Surface {
	last := len(f.search.Centres) - 1
	centre := f.search.Centres[last]
	var at []float64
	for i, free := range f.search.Free {
		at = append(at, free.Share(centre.At[i]))
	}
	var x, y [][]float64
	var weights []float64
	for _, p := range f.points {
		away := 0.0
		for i := range at {
			away = max(away, math.Abs(p.at[i]-at[i]))
		}
		share := 1.0
		if away > near*centre.Spread {
			ratio := near * centre.Spread / away
			share = float64(ratio*ratio) * float64(ratio*ratio)
		}
		x = append(x, p.at)
		y = append(y, p.gaps)
		weights = append(weights, share)
	}
	return inference.NewSurface(at, x, y, weights)
}

// Next returns where to go on after the last round, by a step on the response
// surface to where the weighted squares of the gaps are least. A step leads at
// most twice the spread along each coordinate. Where the results are noisy it
// is pulled to the centre, as by a prior of that width. The spread is halved
// when the step stays within it. The error is a *results.DataError if no target
// has a result.
func (f *Fit) Next() (next grid.Centre, err error) {
	last := len(f.search.Centres) - 1
	spread := f.search.Centres[last].Spread
	s := f.surface()
	if !slices.ContainsFunc(s.Constants, isNumeric) {
		return next, &results.DataError{
			Path: f.reader.Dir,
			Message: fmt.Sprintf("no target has a result in round %d, of whose runs %d failed: "+
				"the search cannot go on", last+1, f.reader.Failed()),
			Hint: `"sweep table --layout cells" shows what was measured`,
		}
	}
	reach := near * spread
	var low, high []float64
	for _, at := range s.Centre {
		low = append(low, max(0, at-reach))
		high = append(high, min(1, at+reach))
	}
	pull := s.Noise(f.weights) / float64(reach*reach)
	lowest := s.Lowest(f.weights, low, high, pull)
	next.Spread = spread / 2
	for i, free := range f.search.Free {
		next.At = append(next.At, free.At(lowest[i]))
		if math.Abs(lowest[i]-s.Centre[i]) > spread {
			next.Spread = spread
		}
	}
	return next, nil
}

func isNumeric(x float64) bool { return !math.IsNaN(x) }

// loss returns the weighted root mean square of the gaps of a point; NaN if
// none is defined.
func (f *Fit) loss(gaps []float64) float64 {
	sum := 0.0
	total := 0.0
	for i, g := range gaps {
		if !math.IsNaN(g) {
			square := float64(f.weights[i] * f.weights[i])
			sum += float64(square * float64(g*g))
			total += square
		}
	}
	return math.Sqrt(sum / total)
}
