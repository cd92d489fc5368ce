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

// A condition is a where.
type condition struct {
	*reader
	node   *document.Node
	root   *expr.Node
	params map[string]int // that it names
	failed bool           // by a point
}

// where reads the where key.
func (r *reader) where(n *document.Node) *condition {
	if n == nil {
		return nil
	}
	root, err := expr.Parse(r.text(n, `a condition such as "beta * gamma < 1"`))
	if fault, is := errors.AsType[*document.Fault](err); is {
		panic(r.at(n.Pos, "where: at character %d: %s", fault.At.Pos+1, fault.Message))
	}
	c := &condition{reader: r, node: n, root: root, params: map[string]int{}}
	root.Walk(func(n *expr.Node) {
		if n.Op != expr.Name || n.Text == "true" || n.Text == "false" {
			return
		}
		p, i := find(r.Experiment, n.Text)
		if p == nil {
			panic(c.fault("%s has no parameter %q", r.Experiment.Name, n.Text).Meant(n.Text, names(r.Experiment)))
		}
		c.params[n.Text] = i
	})
	return c
}

func (c *condition) fault(format string, args ...any) *Error {
	return c.at(c.node.Pos, "where: "+format, args...)
}

// meets reports whether a point meets the condition.
func (c *condition) meets(values []experiment.Value) bool {
	if c == nil {
		return true
	}
	for _, i := range c.params {
		if values[i].IsNull() {
			return true
		}
	}
	met := c.truth(c.root, values)
	c.failed = c.failed || !met
	return met
}

// eval returns the value of an expression: a bool, float64 or string.
func (c *condition) eval(n *expr.Node, values []experiment.Value) any {
	switch n.Op {
	case expr.String:
		return n.Text
	case expr.Name:
		i, is := c.params[n.Text]
		switch v := values[i]; {
		case !is || v.Kind() == experiment.Bool:
			return is && v.Bool() || n.Text == "true"
		case v.Kind() == experiment.String:
			return v.Text()
		default:
			return v.Float()
		}
	case "and", "or": // both sides are looked at, so that either may be wrong
		a, b := c.truth(n.Args[0], values), c.truth(n.Args[1], values)
		return a && b || (a || b) && n.Op == "or"
	case "not":
		return !c.truth(n.Args[0], values)
	case expr.Compare:
		return c.compare(n.Text, c.eval(n.Args[0], values), c.eval(n.Args[1], values))
	case expr.Number, expr.Negate, "+", "-", "*", "/":
		return n.Arithmetic(func(leaf *expr.Node) float64 {
			x, ok := c.eval(leaf, values).(float64)
			if !ok {
				panic(c.fault("want numbers beside %s", n.Op))
			}
			return x
		})
	}
	panic(c.fault("want names of parameters, numbers and + - * /"))
}

func (c *condition) truth(n *expr.Node, values []experiment.Value) bool {
	is, ok := c.eval(n, values).(bool)
	if !ok {
		panic(c.fault("want comparisons, joined by and, or, not"))
	}
	return is
}

func (c *condition) compare(sign string, a, b any) bool {
	x, numbers := a.(float64)
	if reflect.TypeOf(a) != reflect.TypeOf(b) || !numbers && sign != "=" && sign != "!=" {
		panic(c.fault("a %T and a %T are compared by %s", a, b, sign))
	}
	if !numbers || sign == "!=" {
		return (a == b) == (sign == "=")
	}
	order := cmp.Compare(x, b.(float64))
	return strings.Contains(sign, "<=>"[order+1:order+2])
}
