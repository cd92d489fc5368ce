package analysis

import (
	"cmp"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/internal/expr"
)

// A condition compares a parameter, or the axis of the series, with a value.
type condition struct {
	param  int
	sign   string
	text   string  // the value as written
	number float64 // the value, if it is a number
}

// fits reports whether a parameter's value meets the condition.
func (c condition) fits(v experiment.Value) bool {
	switch v.Kind() {
	case experiment.Null:
		return false
	case experiment.String, experiment.Bool:
		same := v.String() == c.text || v.Name() == c.text
		return same == (c.sign == "=")
	}
	return c.holds(v.Float())
}

// holds reports whether a number meets the condition.
func (c condition) holds(x float64) bool {
	return expr.Holds(c.sign, cmp.Compare(x, c.number))
}

// selector reads what stands in brackets: the value of a parameter that needs
// no name, or a comparison with a parameter or the axis of the series.
func (r *resolver) selector(t *term, s *expr.Node) {
	switch s.Op {
	case "and":
		r.selector(t, s.Args[0])
		r.selector(t, s.Args[1])
	case expr.Name, expr.String:
		r.value(t, s)
	case expr.Compare:
		r.condition(t, s)
	default:
		panic(r.fault(s, "want the value of a parameter, or a condition such as N = 16"))
	}
}

// condition reads a comparison with a parameter or the axis of the series.
func (r *resolver) condition(t *term, s *expr.Node) {
	if s.Value != 0 {
		panic(r.fault(s, "a margin is for what is claimed, not for what is selected"))
	}
	name := s.Args[0]
	value := s.Args[1]
	sign := s.Text
	if name.Op == expr.Number {
		name, value = value, name
		sign = flip(sign)
	}
	axis := r.experiment.Axis().Name
	p, i := r.experiment.Param(name.Text)
	isAxis := axis != "" && name.Text == axis
	ordered := p == nil || p.Kind.IsNumber()
	equality := sign == "=" || sign == "!="
	switch {
	case name.Op != expr.Name || p == nil && !isAxis:
		known := append(r.experiment.ParamNames(), axis)
		panic(r.unknown(name, "parameter", known))
	case !ordered && !equality:
		panic(r.fault(name, "the values of %s have no order, want = or !=", name.Text))
	case ordered && value.Op != expr.Number:
		panic(r.fault(value, "want a number to compare %s with", name.Text))
	}
	c := condition{
		param:  i,
		sign:   sign,
		text:   value.Text,
		number: value.Value,
	}
	if p == nil {
		t.window = append(t.window, c)
		return
	}
	if _, err := p.Parse(value.Text); equality && err != nil {
		panic(r.fault(value, "%v", err).Suggest(value.Text, p.Choices))
	}
	t.filters = append(t.filters, c)
}

// value reads a value that is a choice of one parameter only, which needs no
// name.
func (r *resolver) value(t *term, s *expr.Node) {
	known := r.experiment.ParamNames()
	var owners []string
	for i, p := range r.experiment.Params {
		known = append(known, p.Choices...)
		if slices.Contains(p.Choices, s.Text) {
			owners = append(owners, p.Name)
			t.filters = append(t.filters, condition{param: i, sign: "=", text: s.Text})
		}
	}
	if len(owners) == 0 {
		fault := r.fault(s, "%q is the value of no parameter", s.Text)
		panic(fault.Suggest(s.Text, known))
	}
	if len(owners) > 1 {
		panic(r.fault(s, "%[1]q may be the value of %[2]s, want for example %[3]s = %[1]s",
			s.Text, strings.Join(owners, " or "), owners[0]))
	}
}
