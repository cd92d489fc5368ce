package grid

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/expr"
)

// A condition is the value of where, for example "beta * gamma < 1". It drops
// the points of a block that do not meet it. A point in which a parameter of
// the condition is null meets it.
type condition struct {
	reader *reader
	node   *document.Node
	root   *expr.Node
	params map[string]int              // in it, by name
	point  map[string]experiment.Value // their values in the current point
	fails  bool                        // for some point
}

// condition reads the where key; it returns nil without.
func (r *reader) condition(n *document.Node) *condition {
	if n == nil {
		return nil
	}
	root, err := expr.Parse(r.text(n, `a condition such as "beta * gamma < 1"`))
	c := &condition{
		reader: r,
		node:   n,
		root:   root,
		params: map[string]int{},
		point:  map[string]experiment.Value{},
	}
	c.check(err)
	root.Walk(c.resolve)
	return c
}

// check rejects the spec if there is an error in the condition.
func (c *condition) check(err error) {
	if fault, is := errors.AsType[*document.Fault](err); is {
		c.reader.fail(c.reader.within(c.node, fault.Pos), "where: %s", fault.Message)
	}
}

// resolve looks up a parameter that the condition names, and replaces the
// name of a file by what the file holds.
func (c *condition) resolve(e *expr.Node) {
	r := c.reader
	switch e.Op {
	case expr.String:
		if in := r.inputs.files[e.Text]; in != nil {
			e.Text = in.holds // as in points
		}
	case expr.Compare:
		if e.Value != 0 {
			r.refuse(r.at(r.within(c.node, e.Start), "where: a margin is for claims"))
		}
		if e.Args[1].Op == expr.String {
			c.doubt(e.Args[0], e.Args[1])
		}
	case expr.Name:
		if e.Text == "true" || e.Text == "false" {
			return
		}
		p, i := find(r.experiment, e.Text)
		if p == nil {
			fault := r.at(r.within(c.node, e.Start), "where: %s has no parameter %q\n"+
				"hint: sweep params %[1]s lists the parameters; a text needs quotation marks",
				r.experiment.Name, e.Text)
			if quoted := expr.HintQuotes(e.Text, r.experiment.ParamNames()); quoted != "" {
				fault.Hint = quoted
			}
			r.refuse(fault.Suggest(e.Text, r.experiment.ParamNames()))
		}
		c.params[e.Text] = i
	}
}

// doubt warns of a text that the parameter never has that it is compared with.
func (c *condition) doubt(name, text *expr.Node) {
	r := c.reader
	p, _ := find(r.experiment, name.Text)
	if p == nil || name.Op != expr.Name || p.Kind != experiment.String {
		return
	}
	err := p.Check(experiment.StringValue(text.Text))
	if p.Input != nil && r.inputs.files[text.Text] == nil {
		err = fmt.Errorf("%s is %q, want a file that the spec names", p.Name, text.Text)
	}
	if err != nil {
		fault := r.at(r.within(c.node, text.Start), "where: %v", err)
		r.warnings = append(r.warnings, fault.Suggest(text.Text, p.Choices))
	}
}

// meets reports whether a point meets the condition.
func (c *condition) meets(values []experiment.Value) bool {
	for name, i := range c.params {
		c.point[name] = values[i]
		if values[i].IsNull() {
			return true
		}
	}
	met, err := holds(c.root, c.point)
	c.check(err)
	return met
}

// holds reports whether a condition is true for the values of a point. The
// error is a *document.Fault.
func holds(n *expr.Node, point map[string]experiment.Value) (is bool, err error) {
	defer document.Catch[*document.Fault](&err)
	return truth(n, point), nil
}

// eval returns the value of an expression: a bool, float64 or string. It
// panics with a *document.Fault.
func eval(n *expr.Node, point map[string]experiment.Value) any {
	switch n.Op {
	case expr.String:
		return n.Text
	case expr.Name:
		v := point[n.Text]
		switch v.Kind() {
		case experiment.Int, experiment.Float:
			return v.Float()
		case experiment.String:
			return v.Text()
		}
		return v.Bool() || n.Text == "true" // true and false are no parameters
	case "and", "or": // both sides are looked at, so that either may be wrong
		a := truth(n.Args[0], point)
		b := truth(n.Args[1], point)
		if n.Op == "or" {
			return a || b
		}
		return a && b
	case "not":
		return !truth(n.Args[0], point)
	case expr.Compare:
		return compared(n, eval(n.Args[0], point), eval(n.Args[1], point))
	case expr.Number, expr.Negate, "+", "-", "*", "/":
		return n.Arithmetic(func(leaf *expr.Node) float64 {
			x, ok := eval(leaf, point).(float64)
			if !ok {
				fail(leaf, "found no number, want numbers around + - * /")
			}
			return x
		})
	}
	fail(n, "want names of parameters, numbers and + - * /")
	return nil
}

// fail panics with the fault that holds returns.
func fail(n *expr.Node, message string) {
	panic(document.FaultAt(n.Start, "%s", message))
}

func truth(n *expr.Node, point map[string]experiment.Value) bool {
	is, ok := eval(n, point).(bool)
	if !ok {
		fail(n, "want comparisons, joined by and, or, not")
	}
	return is
}

// compared returns the value of a comparison.
func compared(n *expr.Node, a, b any) bool {
	x, isNumber := a.(float64)
	y, _ := b.(float64)
	isEquality := n.Text == "=" || n.Text == "!="
	ok := isNumber || isEquality
	if x != x || y != y || reflect.TypeOf(a) != reflect.TypeOf(b) {
		ok = false
	}
	if !ok {
		fail(n, "want two numbers around "+n.Text+" (0/0 is not a number), "+
			"or two values of one kind around = and !=")
	}
	if isNumber {
		return expr.Holds(n.Text, cmp.Compare(x, y))
	}
	return (a == b) == (n.Text == "=")
}
