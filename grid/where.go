package grid

import (
	"cmp"
	"errors"
	"reflect"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/expr"
)

// whereKey is the key of a block whose value is the condition that its points
// must meet, for example "beta * gamma < 1". Points in which a parameter that
// it names is null meet it.
const whereKey = "where"

// where reads the where key, and returns whether a point meets it; nil without.
func (r *reader) where(n *document.Node) (meets func(values []experiment.Value) bool) {
	if n == nil {
		return nil
	}
	root, err := expr.Parse(r.text(n, `a condition such as "beta * gamma < 1"`))
	if fault, is := errors.AsType[*document.Fault](err); is {
		panic(r.at(n.Pos, "where: at character %d: %s", fault.At.Pos+1, fault.Message))
	}
	params := map[string]int{} // that it names
	root.Walk(func(e *expr.Node) {
		if e.Op != expr.Name || e.Text == "true" || e.Text == "false" {
			return
		}
		p, i := find(r.Experiment, e.Text)
		if p == nil {
			panic(r.at(n.Pos, "where: %s has no parameter %q", r.Experiment.Name, e.Text).Meant(e.Text, names(r.Experiment)))
		}
		params[e.Text] = i
	})
	point := map[string]experiment.Value{}
	return func(values []experiment.Value) bool {
		for name, i := range params {
			if point[name] = values[i]; values[i].IsNull() {
				return true
			}
		}
		met, err := holds(root, point)
		r.must(err == nil, n.Pos, "where: %v", err)
		return met
	}
}

// holds reports whether a condition is true of a point, by name. The error says
// what makes no sense.
func holds(n *expr.Node, point map[string]experiment.Value) (is bool, err error) {
	defer document.Catch[*document.Fault](&err)
	return truth(n, point), nil
}

// eval returns the value of an expression: a bool, float64 or string. It panics
// with a *document.Fault.
func eval(n *expr.Node, point map[string]experiment.Value) any {
	switch n.Op {
	case expr.String:
		return n.Text
	case expr.Name:
		switch v := point[n.Text]; v.Kind() {
		case experiment.Int, experiment.Float:
			return v.Float()
		case experiment.String:
			return v.Text()
		default: // true and false are no parameters
			return v.Bool() || n.Text == "true"
		}
	case "and", "or": // both sides are looked at, so that either may be wrong
		a, b := truth(n.Args[0], point), truth(n.Args[1], point)
		return a && b || (a || b) && n.Op == "or"
	case "not":
		return !truth(n.Args[0], point)
	case expr.Compare:
		return compared(n, eval(n.Args[0], point), eval(n.Args[1], point))
	case expr.Number, expr.Negate, "+", "-", "*", "/":
		return n.Arithmetic(func(leaf *expr.Node) float64 {
			x, ok := eval(leaf, point).(float64)
			if !ok {
				panic(document.FaultAt(n.Start, "want numbers beside %s", n.Op))
			}
			return x
		})
	}
	panic(document.FaultAt(n.Start, "want names of parameters, numbers and + - * /"))
}

func truth(n *expr.Node, point map[string]experiment.Value) bool {
	is, ok := eval(n, point).(bool)
	if !ok {
		panic(document.FaultAt(n.Start, "want comparisons, joined by and, or, not"))
	}
	return is
}

// compared returns the value of a comparison.
func compared(n *expr.Node, a, b any) bool {
	x, numbers := a.(float64)
	if reflect.TypeOf(a) != reflect.TypeOf(b) || !numbers && n.Text != "=" && n.Text != "!=" {
		panic(document.FaultAt(n.Start, "a %T and a %T are compared by %s", a, b, n.Text))
	}
	if !numbers || n.Text == "!=" {
		return (a == b) == (n.Text == "=")
	}
	order := cmp.Compare(x, b.(float64))
	return strings.Contains(n.Text, "<=>"[order+1:order+2])
}
