package grid

import (
	"fmt"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

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

// stop reads the [stop] table. It returns the seeds up to the rule's Max.
func (r *reader) stop(n, seedsNode *document.Node, s seeds) (*Stop, seeds) {
	if n == nil {
		return nil, s
	}
	r.table(n, "a table such as [stop] with the keys metric and half_width", "metric", "half_width", "confidence", "min", "max")
	metric, names := n.Entry("metric"), namesOf(r.Experiment.Metrics, func(m experiment.Metric) string { return m.Name })
	r.must(metric != nil, n.Pos, "the rule has no metric, want one of %s", strings.Join(names, ", "))
	rule := &Stop{Metric: r.choose(metric, names), Confidence: 0.95, Min: defaultMin, Max: s.count}
	r.halfWidth(n, rule)
	if e := n.Entry("confidence"); e != nil {
		x, ok := e.Value.(float64)
		r.want(ok && x > 0 && x < 1, e, "a number in (0, 1)")
		rule.Confidence = x
	}
	if e := n.Entry("min"); e != nil {
		rule.Min = r.integer(e, 2)
	}
	if e := n.Entry("max"); e != nil {
		rule.Max = r.integer(e, rule.Min)
		if seedsNode == nil {
			s = seeds{first: 1, count: rule.Max}
		}
		r.must(rule.Max <= s.count, e.Pos, "max is %d, but there are %d seeds\n"+
			"hint: leave out the seeds, or max, which then is their number", rule.Max, s.count)
	} else {
		r.must(seedsNode != nil, n.Pos, "the rule has no max, and the spec no seeds: one of them has to end the sweep\n"+
			"hint: add a line such as: max = 1000")
	}
	r.must(rule.Min <= rule.Max, n.Pos, "a cell gets at least %d seeds (min), but there are %d", rule.Min, rule.Max)
	return rule, s.head(rule.Max)
}

// halfWidth reads a width such as 25, or "1%" of the mean.
func (r *reader) halfWidth(n *document.Node, rule *Stop) {
	const accepted = `a number above 0 in the metric's unit, or a share of the mean such as "1%"`
	e := n.Entry("half_width")
	r.must(e != nil, n.Pos, "the rule has no half_width, want %s", accepted)
	v := experiment.ValueOf(e.Value)
	ok := v.Float() > 0
	rule.HalfWidth = v.Float()
	if v.Kind() == experiment.String {
		percent, is := strings.CutSuffix(v.Text(), "%")
		share, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		rule.HalfWidth, rule.Relative = share/100, true
		ok = is && err == nil && share > 0 && share <= 100
	}
	r.want(ok, e, "%s", accepted)
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
