package grid

import (
	"fmt"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/suggest"
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
func (r *reader) stop(n, seedsNode *document.Node, s seeds) (*Stop, seeds, error) {
	if n == nil {
		return nil, s, nil
	}
	if n.Kind != document.Table {
		return nil, s, r.at(n.Pos, "stop is %s, want a table such as [stop] with the keys metric and half_width", found(n))
	}
	if err := r.only(n, "metric", "half_width", "confidence", "min", "max"); err != nil {
		return nil, s, err
	}
	rule := &Stop{Confidence: 0.95, Min: defaultMin, Max: s.len()}
	var err error
	if rule.Metric, err = r.stopMetric(n); err != nil {
		return nil, s, err
	}
	if rule.HalfWidth, rule.Relative, err = r.halfWidth(n); err != nil {
		return nil, s, err
	}
	if e := n.Entry("confidence"); e != nil {
		x, ok := e.Value.(float64)
		if !ok || !(x > 0 && x < 1) {
			return nil, s, r.at(e.Pos, "confidence is %s, want a number in (0, 1)", found(e))
		}
		rule.Confidence = x
	}
	if e := n.Entry("min"); e != nil {
		if rule.Min, err = r.integer(e, 2); err != nil {
			return nil, s, err
		}
	}
	if e := n.Entry("max"); e != nil {
		if rule.Max, err = r.integer(e, rule.Min); err != nil {
			return nil, s, err
		}
		if seedsNode == nil {
			s = seeds{first: 1, count: rule.Max}
		} else if rule.Max > s.len() {
			return nil, s, r.at(e.Pos, "max is %d, but there are %d seeds", rule.Max, s.len()).
				hint("leave out the seeds, or max, which then is their number")
		}
	} else if seedsNode == nil {
		return nil, s, r.at(n.Pos, "the rule has no max, and the spec no seeds: one of them has to end the sweep").
			hint("add a line such as: max = 1000")
	}
	if rule.Min > rule.Max {
		return nil, s, r.at(n.Pos, "a cell gets at least %d seeds (min), but there are %d", rule.Min, rule.Max)
	}
	return rule, s.head(rule.Max), nil
}

func (r *reader) stopMetric(n *document.Node) (int, error) {
	var names []string
	for _, m := range r.model.experiment.Metrics {
		names = append(names, m.Name)
	}
	list := strings.Join(names, ", ")
	e := n.Entry("metric")
	if e == nil {
		return 0, r.at(n.Pos, "the rule has no metric, want one of %s", list)
	}
	name, ok := e.Value.(string)
	if !ok {
		return 0, r.at(e.Pos, "metric is %s, want one of %s", found(e), list)
	}
	i := r.model.experiment.Metric(name)
	if i < 0 {
		return 0, r.at(e.Pos, "unknown metric %q, want one of %s", name, list).meant(suggest.Nearest(name, names))
	}
	return i, nil
}

// halfWidth reads a width such as 25, or "1%" of the mean.
func (r *reader) halfWidth(n *document.Node) (width float64, relative bool, err error) {
	const want = `a number above 0 in the metric's unit, or a share of the mean such as "1%"`
	e := n.Entry("half_width")
	if e == nil {
		return 0, false, r.at(n.Pos, "the rule has no half_width, want %s", want)
	}
	if text, ok := e.Value.(string); ok {
		percent, ok := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(strings.TrimSpace(percent), 64)
		if !ok || err != nil || !(x > 0 && x <= 100) {
			return 0, false, r.at(e.Pos, "half_width is %s, want %s", found(e), want)
		}
		return x / 100, true, nil
	}
	if width, err = r.number(e); err != nil || width <= 0 {
		return 0, false, r.at(e.Pos, "half_width is %s, want %s", found(e), want)
	}
	return width, false, nil
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
