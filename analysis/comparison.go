package analysis

import (
	"fmt"
	"math"
	"strings"

	"sweep/experiment"
	"sweep/internal/expr"
)

// comparisons returns, for each comparison that the expression joins by and,
// what its cases have in common. Where sets it apart from the others. Its terms
// are those of both sides, from left to right; a trend has no right side yet.
func (r *resolver) comparisons(n *expr.Node) []*Case {
	switch {
	case n.Op == "and":
		return append(r.comparisons(n.Args[0]), r.comparisons(n.Args[1])...)
	case n.Text == "!=":
		panic(r.fault(n, "no sample can show that means are not the same, "+
			"want <, <=, >, >=, = or within"))
	case n.Op != expr.Compare && n.Op != expr.Within && n.Op != expr.Trend:
		first := r.experiment.Metrics[0].Name
		panic(r.fault(n, "the claim compares nothing, want an expression such as %s > 0", first))
	}
	c := &Case{node: n, PaperMean: math.NaN(), PaperStd: math.NaN()}
	c.left = n.Args[0]
	if n.Op != expr.Trend && len(n.Args) == 2 {
		c.right = n.Args[1]
	}
	list := r.rows(c)
	for _, c := range list {
		c.terms = r.resolve(c.left)
		if c.right != nil {
			c.terms = append(c.terms, r.resolve(c.right)...)
		}
	}
	return list
}

// rows repeats a comparison that names a paper's table for the metric of each
// of its rows. A comparison with the table alone is repeated for each of its
// columns too, against what is printed there.
func (r *resolver) rows(c *Case) (list []*Case) {
	var t *experiment.Table
	c.left.Walk(func(n *expr.Node) {
		if n.Op == expr.Name && t == nil {
			t = r.experiment.Table(n.Text)
		}
	})
	alone := c.node.Op == expr.Within && c.right == nil
	if t == nil && alone {
		panic(r.unknown(c.left, "table", r.experiment.TableNames()))
	}
	if t == nil {
		return []*Case{c}
	}
	for _, row := range t.Rows {
		one := *c
		one.Where = row.Metric
		one.left = clone(c.left)
		one.left.Walk(func(n *expr.Node) {
			if n.Op == expr.Name && n.Text == t.Name {
				n.Text = row.Metric
			}
		})
		if !alone {
			list = append(list, &one)
			continue
		}
		for column := range t.Headers {
			list = append(list, one.printed(t, row, column))
		}
	}
	return list
}

// printed returns the comparison of a metric with the number that the paper
// prints of it in one column.
func (k Case) printed(t *experiment.Table, row experiment.TableRow, column int) *Case {
	header := t.Headers[column]
	k.Where = fmt.Sprintf("%s = %s", t.Column, header)
	k.row = ": " + row.Label
	k.PaperMean = row.Mean[column]
	k.PaperStd = row.Std[column]
	sides := []*expr.Node{
		{Op: expr.Name, Text: t.Column},
		{Op: expr.String, Text: header},
	}
	selector := &expr.Node{Op: expr.Compare, Text: "=", Args: sides}
	k.left = &expr.Node{Op: expr.Select, Args: []*expr.Node{k.left, selector}}
	k.right = &expr.Node{Op: expr.Number, Value: k.PaperMean}
	return &k
}

// clone copies an expression.
func clone(n *expr.Node) *expr.Node {
	c := *n
	c.Args = nil
	for _, arg := range n.Args {
		c.Args = append(c.Args, clone(arg))
	}
	return &c
}

// flip replaces a sign by the one with the sides exchanged.
var flip = strings.NewReplacer("<", ">", ">", "<").Replace

// complete determines what a comparison estimates, and what it accepts of it.
func (r *resolver) complete(c *Case) {
	sign := ""
	if c.node.Op == expr.Compare {
		sign = c.node.Text
	}
	center := 0.0
	switch {
	case c.node.Op == expr.Trend:
		c.Quantity = Difference
		if c.node.Relative { // its margin
			c.Quantity = Ratio
			center = 1
		}
		c.right = clone(c.left) // at the value before
		c.terms = append(c.terms, r.resolve(c.right)...)
		sign = ">"
		if c.node.Text == "falls" {
			sign = "<"
		}
	case degree(c.right) == 0:
		c.Quantity = Value
		center = c.right.Arithmetic(nil)
	case c.node.Op == expr.Within && c.node.Relative:
		c.Quantity = Ratio
		center = 1
	case degree(c.left) == 0:
		c.Quantity = Value
		c.left, c.right = c.right, c.left
		sign = flip(sign)
		center = c.right.Arithmetic(nil)
	case c.node.Relative: // a margin, of both sides
		c.Quantity = Ratio
		center = 1
	default:
		c.Quantity = Difference
	}
	sides := []*expr.Node{c.left, c.right}
	switch c.Quantity {
	case Value:
		c.number = c.left
	case Difference:
		c.number = &expr.Node{Op: "-", Args: sides}
	case Ratio:
		c.number = &expr.Node{Op: "/", Args: sides}
	}
	tolerance := c.node.Value // or margin
	if c.node.Relative {
		tolerance = float64(tolerance * math.Abs(center))
	}
	if c.node.Op != expr.Within {
		c.Margin = tolerance
		tolerance = 0
		if c.node.Relative && c.Margin == 0 {
			panic(r.fault(c.node, "a share of 0 is no margin, want a number such as margin 0.01"))
		}
	}
	c.Least = center - tolerance
	c.Most = center + tolerance
	switch sign {
	case "<", "<=":
		c.Least = math.Inf(-1)
	case ">", ">=":
		c.Most = math.Inf(1)
	}
	c.open = sign == "<" || sign == ">"
}
