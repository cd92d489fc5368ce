package grid

import (
	"fmt"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// A Stop is the [stop] table of a spec: a rule by which each cell gets seeds
// until one of its means is known well enough. A cell is judged when it has
// the first Checkpoints()[0] seeds of the plan, then Checkpoints()[1], and so
// on. At the first checkpoint at which the confidence interval is narrow
// enough it gets no more seeds.
//
// The more often one looks, the more often an interval is narrow by chance
// (Anscombe, Large-Sample Theory of Sequential Estimation, 1952; Chow and
// Robbins 1965 show that the coverage is right in the limit of narrow
// intervals). Checkpoints are therefore few, and the interval is the one that
// holds at all of them (Bonferroni, as in inference.Sequential).
type Stop struct {
	Metric int // whose mean; an index into the experiment's Metrics

	// HalfWidth is the largest half width of the confidence interval that is
	// narrow enough: in the unit of the metric or, if Relative, as a share of
	// the magnitude of the mean.
	HalfWidth float64
	Relative  bool

	// Confidence, in (0, 1), is the probability that the intervals by Student's
	// t hold the mean at all checkpoints.
	Confidence float64

	Min, Max int64 // seeds of a cell, 2 ≤ Min ≤ Max
}

// Checkpoints returns the numbers of seeds at which cells are judged, in
// ascending order: Min, then half as many again each time, and finally Max.
// They depend only on the rule, so that its outcome does too.
func (s *Stop) Checkpoints() []int64 {
	var list []int64
	n := s.Min
	for n < s.Max {
		list = append(list, n)
		n += min((n+1)/2, s.Max-n)
	}
	return append(list, s.Max)
}

func (s *Stop) equal(t *Stop) bool {
	if s == nil || t == nil {
		return s == t
	}
	return *s == *t
}

// outline describes the rule in a few words; nil stands for no rule.
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

// The defaults of a [stop] table.
const (
	defaultConfidence = 0.95
	defaultMin        = 10 // seeds
)

// stop reads the [stop] table; it returns nil if there is none. If the spec
// has no seeds, max is their number; otherwise there must be that many.
func (r *reader) stop(n, seedsKey *document.Node, available seeds) *Stop {
	if n == nil {
		return nil
	}
	keys := r.table(n, "a table such as [stop] with the keys metric and half_width",
		[]string{"metric", "half_width", "confidence", "min", "max"})
	names := r.experiment.MetricNames()
	r.must(keys["metric"] != nil, n,
		"the rule has no metric, want one of %s", strings.Join(names, ", "))
	rule := &Stop{
		Metric:     r.choose(keys["metric"], names),
		Confidence: defaultConfidence,
		Min:        defaultMin,
		Max:        available.count,
	}
	r.halfWidth(n, keys["half_width"], rule)
	if e := keys["confidence"]; e != nil {
		x, ok := e.Value.(float64)
		r.want(ok && x > 0 && x < 1, e, "a number in (0, 1)")
		rule.Confidence = x
	}
	if e := keys["min"]; e != nil {
		rule.Min = r.integer(e, 2)
	}
	if e := keys["max"]; e != nil {
		rule.Max = r.integer(e, rule.Min)
		r.must(seedsKey == nil || rule.Max <= available.count, e,
			"max is %d, but there are %d seeds\n"+
				"hint: leave out the seeds, or max, which then is their number",
			rule.Max, available.count)
	} else {
		r.must(seedsKey != nil, n, "the rule has no max, and the spec no seeds: "+
			"one of them has to end the sweep\nhint: add a line such as: max = 1000")
	}
	r.must(rule.Min <= rule.Max, n,
		"a cell gets at least %d seeds (min), but there are %d", rule.Min, rule.Max)
	return rule
}

// halfWidth reads a width such as 25, or "1%" of the mean.
func (r *reader) halfWidth(table, n *document.Node, rule *Stop) {
	const accepted = `a number above 0 in the metric's unit, or a share of the mean such as "1%"`
	r.must(n != nil, table, "the rule has no half_width, want %s", accepted)
	if text, isText := n.Value.(string); isText {
		percent, isShare := strings.CutSuffix(text, "%")
		share, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		r.want(isShare && err == nil && share > 0 && share <= 100, n, accepted)
		rule.HalfWidth = share / 100
		rule.Relative = true
		return
	}
	width, ok := numberIn(n)
	r.want(ok && width > 0, n, accepted)
	rule.HalfWidth = width
}
