package grid

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"sweep/experiment"
	"sweep/internal/document"
)

// A Plan is the ordered set of a sweep's runs. Run i belongs to seed
// i / Cells() and cell i % Cells(). Nobody may change it, so it is safe for
// concurrent use. Its cells are listed; its size does not depend on the
// number of seeds.
type Plan struct {
	experiment *experiment.Experiment
	cells      []cell
	stop       *Stop

	// The seeds are consecutive from the first, or else a list.
	first, count int64
	list         []int64         // nil: consecutive
	where        map[int64]int64 // positions in list

	byName []int            // parameters, for identities
	index  func() cellIndex // made when first asked for

	// Varying are the indices of parameters that take more than one value
	// (null counts as a value) in the plan: in document order those that the
	// document names, then the others.
	Varying []int

	Design *Design // how the cells sample ranges; nil: none is sampled
}

// Experiment returns the declaration of what is run.
func (p *Plan) Experiment() *experiment.Experiment { return p.experiment }

// Runs returns the number of runs, Cells times Seeds, at least 1.
func (p *Plan) Runs() int64 { return p.Cells() * p.count }

// Cells returns the number of distinct points without regard to the seed.
func (p *Plan) Cells() int64 { return int64(len(p.cells)) }

// Seeds returns the number of seeds.
func (p *Plan) Seeds() int64 { return p.count }

// Seed returns the k-th seed, 0 ≤ k < Seeds().
func (p *Plan) Seed(k int64) int64 {
	if p.list != nil {
		return p.list[k]
	}
	return p.first + k
}

// Stop returns the rule by which cells get fewer than Seeds() seeds, nil if
// all get all of them. The runs of a plan with a rule are those that it may
// come to need.
func (p *Plan) Stop() *Stop { return p.stop }

// Cell fills values (len = parameters of the experiment) with the
// canonical values of cell 0 ≤ c < Cells(): defaults filled in, null where
// unused.
func (p *Plan) Cell(c int64, values []experiment.Value) { p.cells[c].fill(values) }

// Point returns the point of run 0 ≤ i < Runs().
func (p *Plan) Point(i int64) experiment.Point {
	values := make([]experiment.Value, len(p.experiment.Params))
	p.Cell(i%p.Cells(), values)
	return experiment.Point{Experiment: p.experiment, Values: values, Seed: p.Seed(i / p.Cells())}
}

// Describe names a point of the plan by what sets it apart: the parameters
// that vary, null ones left out, and the seed.
func (p *Plan) Describe(point experiment.Point) string {
	text := ""
	for _, i := range p.Varying {
		if v := point.Values[i]; !v.IsNull() {
			text += point.Experiment.Params[i].Name + " = " + strings.ReplaceAll(v.String(), "\n", " ") + ", "
		}
	}
	return fmt.Sprintf("%sseed = %d", text, point.Seed)
}

// Difference tells in a few words how another plan differs from p, for
// example "3 seeds (1 … 3) and 4 seeds (1 … 4)". It is empty if both have
// the same runs in the same order and the same stopping rule, however their
// specs are written. It looks at every seed and cell.
func (p *Plan) Difference(q *Plan) string {
	e, f := p.Experiment(), q.Experiment()
	switch {
	case e.Name != f.Name:
		return fmt.Sprintf("experiment %s and %s", e.Name, f.Name)
	case e.Version != f.Version:
		return fmt.Sprintf("model version %d and %d of %s", e.Version, f.Version, e.Name)
	case p.Cells() != q.Cells():
		return fmt.Sprintf("%d and %d cells", p.Cells(), q.Cells())
	case p.first != q.first || p.count != q.count || !slices.Equal(p.list, q.list):
		return fmt.Sprintf("%s and %s", p.OutlineSeeds(), q.OutlineSeeds())
	case p.stop != q.stop && (p.stop == nil || q.stop == nil || *p.stop != *q.stop):
		return fmt.Sprintf("%s and %s", p.stop.outline(e), q.stop.outline(e))
	}
	if a, b := strings.Join(e.ParamNames(), ", "), strings.Join(f.ParamNames(), ", "); a != b {
		return fmt.Sprintf("the parameters %s and %s", a, b)
	}
	v, w := make([]experiment.Value, len(e.Params)), make([]experiment.Value, len(e.Params))
	for c := range p.Cells() {
		p.Cell(c, v)
		q.Cell(c, w)
		for i := range v {
			text := v[i].Kind() == experiment.String || w[i].Kind() == experiment.String // 1 and 1.0 make the same run
			if v[i] != w[i] && (text || v[i].String() != w[i].String()) {
				return fmt.Sprintf("%s is %s and %s in cell %d of %d",
					e.Params[i].Name, v[i], w[i], c+1, p.Cells())
			}
		}
	}
	return ""
}

// Contains reports whether a plan has all runs of another.
func (p *Plan) Contains(some *Plan) bool {
	for c := range some.Cells() {
		if _, ok := p.Find(some.CellID(c), some.Seed(0)); !ok {
			return false
		}
	}
	cell := some.CellID(0)
	for k := range some.Seeds() {
		if _, ok := p.Find(cell, some.Seed(k)); !ok {
			return false
		}
	}
	return true
}

// OutlineSeeds describes the seeds in a few words, as in "3 seeds (1 … 3)".
func (p *Plan) OutlineSeeds() string {
	if p.count == 1 {
		return fmt.Sprintf("1 seed (%d)", p.Seed(0))
	}
	return fmt.Sprintf("%s seeds (%d … %d)", humanize.Comma(p.count), p.Seed(0), p.Seed(p.count-1))
}

const seedForms = `30, "1..30", [1, 2, 5] or { from = 1, count = 30 }`

// seeds reads the seeds key in any of its forms. Without it there is one
// seed, 1.
func (s *Spec) seeds(n *document.Node) {
	p := s.plan
	p.first, p.count = 1, 1
	if n == nil {
		return
	}
	switch v := n.Value.(type) {
	case int64:
		s.must(v >= 1, n.Pos, "seeds is %d, want at least 1", v)
		p.count = v
	case string:
		first, last, ok := interval(v)
		s.want(ok && first >= 0 && first <= last && last-first < math.MaxInt64, n,
			`a range such as "1..30" within 0 to 2^63-1`)
		p.first, p.count = first, last-first+1
	default:
		s.want(n.Kind != document.Scalar, n, seedForms)
		if n.Kind == document.Array {
			s.seedList(n)
		} else {
			s.seedRange(n)
		}
	}
}

// seedRange reads { from, count } or { from, to }.
func (s *Spec) seedRange(n *document.Node) {
	s.table(n, "a range", "from", "count", "to")
	from, count, to := n.Entry("from"), n.Entry("count"), n.Entry("to")
	s.must(from != nil, n.Pos, "seeds has no \"from\", want %s", seedForms)
	s.must(count != nil || to != nil, n.Pos, "seeds has no \"count\", want %s", seedForms)
	p := s.plan
	p.first = s.integer(from, 0)
	if to == nil {
		p.count = s.integer(count, 1)
		s.must(p.first <= math.MaxInt64-p.count+1, count.Pos,
			"%d seeds from %d go beyond 2^63-1", p.count, p.first)
		return
	}
	s.must(count == nil, to.KeyPos, "seeds has both \"count\" and \"to\", want one")
	last := s.integer(to, p.first)
	s.must(last-p.first < math.MaxInt64, to.Pos, "seeds from %d to %d are more than 2^63-1", p.first, last)
	p.count = last - p.first + 1
}

func (s *Spec) seedList(n *document.Node) {
	s.must(len(n.Elements) > 0, n.Pos, "seeds is an empty list, want at least one seed")
	p := s.plan
	p.count, p.where = int64(len(n.Elements)), make(map[int64]int64, len(n.Elements))
	consecutive := true
	for i, e := range n.Elements {
		seed := s.integer(e, 0)
		if k, twice := p.where[seed]; twice {
			line, column := s.place(n.Elements[k].Pos)
			panic(s.at(e.Pos, "seed %d is listed twice, first at %d:%d", seed, line, column))
		}
		p.where[seed] = int64(i)
		p.list = append(p.list, seed)
		consecutive = consecutive && seed == p.list[0]+int64(i)
	}
	if p.first = p.list[0]; consecutive {
		p.list = nil
	}
}

// A Stop is a rule by which each cell gets seeds until one of its means is
// known well enough: the [stop] table of a spec. A cell is judged when it
// has the first Checkpoints()[0] seeds of the plan, then Checkpoints()[1],
// and so on; at the first of them at which the confidence interval is
// narrow enough it gets no more.
//
// The more often one looks, the more often an interval is narrow by chance
// (Anscombe, Large-Sample Theory of Sequential Estimation, 1952; Chow and
// Robbins 1965 show that the coverage is right in the limit of narrow
// intervals). Checkpoints are therefore few.
type Stop struct {
	Metric int // whose mean; an index into the experiment's Metrics

	// HalfWidth is the widest half of the confidence interval that is
	// narrow enough: in the metric's unit, or a share of the mean's
	// magnitude if Relative.
	HalfWidth float64
	Relative  bool

	Confidence float64 // of the interval by Student's t, in (0, 1)

	Min, Max int64 // seeds of a cell, 2 ≤ Min ≤ Max
}

// Checkpoints returns the numbers of seeds at which cells are judged,
// ascending: Min, then half as many again each time, at last Max. They
// depend on nothing but the rule, so that its outcome does neither.
func (s *Stop) Checkpoints() []int64 {
	var list []int64
	n := s.Min
	for n < s.Max {
		list = append(list, n)
		n += min((n+1)/2, s.Max-n)
	}
	return append(list, s.Max)
}

const defaultMin = 10

// stop reads the [stop] table, and leaves of the seeds those up to the rule's Max.
func (s *Spec) stop(n, seeds *document.Node) {
	if n == nil {
		return
	}
	s.table(n, "a table such as [stop] with the keys metric and half_width",
		"metric", "half_width", "confidence", "min", "max")
	metric, names := n.Entry("metric"), s.Experiment.MetricNames()
	s.must(metric != nil, n.Pos, "the rule has no metric, want one of %s", strings.Join(names, ", "))
	p := s.plan
	rule := &Stop{Metric: s.choose(metric, names), Confidence: 0.95, Min: defaultMin, Max: p.count}
	s.halfWidth(n, rule)
	if e := n.Entry("confidence"); e != nil {
		x, ok := e.Value.(float64)
		s.want(ok && x > 0 && x < 1, e, "a number in (0, 1)")
		rule.Confidence = x
	}
	if e := n.Entry("min"); e != nil {
		rule.Min = s.integer(e, 2)
	}
	if e := n.Entry("max"); e != nil {
		rule.Max = s.integer(e, rule.Min)
		if seeds == nil {
			p.count = rule.Max
		}
		s.must(rule.Max <= p.count, e.Pos, "max is %d, but there are %d seeds\n"+
			"hint: leave out the seeds, or max, which then is their number", rule.Max, p.count)
	} else {
		s.must(seeds != nil, n.Pos, "the rule has no max, and the spec no seeds: "+
			"one of them has to end the sweep\nhint: add a line such as: max = 1000")
	}
	s.must(rule.Min <= rule.Max, n.Pos,
		"a cell gets at least %d seeds (min), but there are %d", rule.Min, rule.Max)
	p.stop, p.count = rule, rule.Max
}

// halfWidth reads a width such as 25, or "1%" of the mean.
func (s *Spec) halfWidth(n *document.Node, rule *Stop) {
	const accepted = `a number above 0 in the metric's unit, or a share of the mean such as "1%"`
	e := n.Entry("half_width")
	s.must(e != nil, n.Pos, "the rule has no half_width, want %s", accepted)
	v := experiment.ValueOf(e.Value)
	ok := v.Float() > 0
	rule.HalfWidth = v.Float()
	if v.Kind() == experiment.String {
		percent, is := strings.CutSuffix(v.Text(), "%")
		share, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		rule.HalfWidth, rule.Relative = share/100, true
		ok = is && err == nil && share > 0 && share <= 100
	}
	s.want(ok, e, "%s", accepted)
}

// outline describes the rule in a few words; nil is none.
func (s *Stop) outline(e *experiment.Experiment) string {
	if s == nil {
		return "no stopping rule"
	}
	width := fmt.Sprintf("%.6g", s.HalfWidth)
	if s.Relative {
		width = fmt.Sprintf("%.6g%%", 100*s.HalfWidth)
	}
	return fmt.Sprintf("a stopping rule (%s within %s at a confidence of %.6g, at least %d seeds)",
		e.Metrics[s.Metric].Name, width, s.Confidence, s.Min)
}

// CellValues yields the values of each cell, valid until the next.
func (p *Plan) CellValues() iter.Seq[[]experiment.Value] {
	values := make([]experiment.Value, len(p.Experiment().Params))
	return func(yield func([]experiment.Value) bool) {
		for c := range p.Cells() {
			if p.Cell(c, values); !yield(values) {
				return
			}
		}
	}
}

// Axes returns those of the varying parameters of a plan that tell cells
// with the given canonical parameters apart, in the order of varying. A
// parameter that has one value wherever it is used does not: the algorithm,
// or the input that takes its place, already says whether it is used. An
// input itself does, since null is one of its values.
func Axes(e *experiment.Experiment, varying []int, cells iter.Seq[[]experiment.Value]) []int {
	first, differs := make([]*experiment.Value, len(e.Params)), make([]bool, len(e.Params))
	for c := range cells {
		for _, p := range varying {
			input, v := e.Params[p].Input != nil, c[p]
			switch {
			case v.IsNull() && !input:
			case first[p] == nil:
				first[p] = &v
			case v != *first[p]:
				differs[p] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(varying), func(p int) bool { return !differs[p] })
}
