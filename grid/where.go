package grid

import (
	"errors"
	"slices"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/expr"
	"sweep/internal/suggest"
)

// whereKey is the key of a block whose value is the condition that its points
// must meet, for example "beta * gamma < 1". Points in which a parameter that
// it names is null meet it.
const whereKey = "where"

// A condition is a where.
type condition struct {
	node   *document.Node
	root   *expr.Node
	params map[string]int
	failed bool // by a point
}

// where reads the where key.
func (r *reader) where(n *document.Node) *condition {
	if n == nil {
		return nil
	}
	text, ok := n.Value.(string)
	if !ok {
		panic(r.at(n.Pos, "where is %s, want a condition such as \"beta * gamma < 1\"", found(n)))
	}
	root, err := expr.Parse(text)
	if fault, is := errors.AsType[*expr.Error](err); is {
		panic(r.at(n.Pos, "where: at character %d: %s", fault.At+1, fault.Message))
	}
	c := &condition{node: n, root: root, params: map[string]int{}}
	r.truth(c, root)
	return c
}

// truth refuses what is no condition.
func (r *reader) truth(c *condition, n *expr.Node) {
	switch n.Op {
	case "and", "or", "not":
		for _, a := range n.Args {
			r.truth(c, a)
		}
	case expr.Name:
		if p := r.operand(c, n); p.Kind != experiment.Bool {
			panic(r.at(c.node.Pos, "where: %s is no condition, want a comparison", n.Text))
		}
	case expr.Compare:
		left, right := r.kindOf(c, n.Args[0]), r.kindOf(c, n.Args[1])
		if left != right || left != experiment.Float && n.Text != "=" && n.Text != "!=" {
			panic(r.at(c.node.Pos, "where: a %v and a %v are compared by %s", left, right, n.Text))
		}
	default:
		panic(r.at(c.node.Pos, "where: want comparisons, joined by and, or, not"))
	}
}

// kindOf returns the kind of an operand, Float for all numbers.
func (r *reader) kindOf(c *condition, n *expr.Node) experiment.Kind {
	switch n.Op {
	case expr.Number:
		return experiment.Float
	case expr.String:
		return experiment.String
	case expr.Name:
		if n.Text == "true" || n.Text == "false" {
			return experiment.Bool
		}
		if p := r.operand(c, n); p.Kind != experiment.Int {
			return p.Kind
		}
		return experiment.Float
	case "+", "-", "*", "/", expr.Negate:
		for _, a := range n.Args {
			if r.kindOf(c, a) != experiment.Float {
				panic(r.at(c.node.Pos, "where: want numbers beside %s", n.Op))
			}
		}
		return experiment.Float
	}
	panic(r.at(c.node.Pos, "where: want names of parameters, numbers and + - * /"))
}

// operand returns the parameter that an expression names.
func (r *reader) operand(c *condition, n *expr.Node) *experiment.Param {
	name := n.Text
	if spelled := symbols(r.model.experiment)[name]; spelled != "" {
		name = spelled
	}
	p, i := r.model.experiment.Param(name)
	if p == nil {
		var names []string
		for i := range r.model.experiment.Params {
			names = append(names, r.model.experiment.Params[i].Name)
		}
		panic(r.at(c.node.Pos, "where: %s has no parameter %q", r.model.experiment.Name, n.Text).meant(suggest.Nearest(n.Text, names)))
	}
	c.params[n.Text] = i
	return p
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
	met := c.holds(c.root, values)
	c.failed = c.failed || !met
	return met
}

func (c *condition) holds(n *expr.Node, values []experiment.Value) bool {
	holds := func(i int) bool { return c.holds(n.Args[i], values) }
	switch n.Op {
	case "and":
		return holds(0) && holds(1)
	case "or":
		return holds(0) || holds(1)
	case "not":
		return !holds(0)
	case expr.Name:
		return values[c.params[n.Text]].Bool()
	}
	left, right := n.Args[0], n.Args[1]
	if a, ok := c.word(left, values); ok {
		b, _ := c.word(right, values)
		return (a == b) == (n.Text == "=")
	}
	number := func(n *expr.Node) float64 {
		return n.Arithmetic(func(n *expr.Node) float64 { return values[c.params[n.Text]].Float() })
	}
	a, b := number(left), number(right)
	switch n.Text {
	case "<":
		return a < b
	case "<=":
		return a <= b
	case ">":
		return a > b
	case ">=":
		return a >= b
	case "!=":
		return a != b
	}
	return a == b
}

// word returns an operand that is no number as text.
func (c *condition) word(n *expr.Node, values []experiment.Value) (string, bool) {
	switch n.Op {
	case expr.String:
		return n.Text, true
	case expr.Name:
		i, is := c.params[n.Text]
		if !is {
			return n.Text, true // true or false
		}
		v := values[i]
		return v.String(), slices.Contains([]experiment.Kind{experiment.String, experiment.Bool}, v.Kind())
	}
	return "", false
}
