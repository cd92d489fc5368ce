package grid

import (
	"fmt"

	"sweep/experiment"
)

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
	case !p.seeds.equal(&q.seeds):
		return fmt.Sprintf("%s and %s", p.seeds.outline(), q.seeds.outline())
	case p.stop != q.stop && (p.stop == nil || q.stop == nil || *p.stop != *q.stop):
		return fmt.Sprintf("%s and %s", p.stop.outline(e), q.stop.outline(e))
	}
	ours, theirs := make([]experiment.Value, len(e.Params)), make([]experiment.Value, len(e.Params))
	for c := range p.Cells() {
		p.Cell(c, ours)
		q.Cell(c, theirs)
		for i := range ours {
			if ours[i] != theirs[i] {
				return fmt.Sprintf("%s is %s and %s in cell %d of %d", e.Params[i].Name, ours[i], theirs[i], c+1, p.Cells())
			}
		}
	}
	return ""
}

// Describe names a point of the plan by what sets it apart: the parameters
// that vary, null ones left out, and the seed.
func (p *Plan) Describe(point experiment.Point) string {
	text := ""
	for _, i := range p.Varying() {
		if v := point.Values[i]; !v.IsNull() {
			text += fmt.Sprintf("%s = %s, ", point.Experiment.Params[i].Name, v)
		}
	}
	return fmt.Sprintf("%sseed = %d", text, point.Seed)
}

func (s *seeds) equal(t *seeds) bool {
	if s.list == nil && t.list == nil {
		return s.first == t.first && s.count == t.count
	}
	if s.len() != t.len() {
		return false
	}
	for k := range s.len() {
		if s.at(k) != t.at(k) {
			return false
		}
	}
	return true
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

// outline describes the seeds in a few words.
func (s *seeds) outline() string {
	n := s.len()
	if n == 1 {
		return fmt.Sprintf("1 seed (%d)", s.at(0))
	}
	return fmt.Sprintf("%d seeds (%d … %d)", n, s.at(0), s.at(n-1))
}
