package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/document"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/lists"
	"sweep/results"
)

// mostClaimCells bounds the plans that claims can be made about: their
// cells are listed, and each name in a claim looks at all of them.
const mostClaimCells = 1 << 12

// CheckClaims reports what is wrong with the claims of a spec, as a
// *grid.Error, before anything is computed.
func CheckClaims(spec *grid.Spec) error {
	_, _, err := understand(spec)
	return err
}

// understand makes a Claim of each claim, of one about a paper's table one for
// each of its rows, without their verdicts. The resolver has the measures of
// their terms. The error is a *grid.Error.
func understand(spec *grid.Spec) (list []*Claim, r *resolver, err error) {
	defer document.Catch[*grid.Error](&err)
	r = &resolver{experiment: spec.Experiment}
	plan := spec.Plan()
	for i := range spec.Claims {
		r.claim = &spec.Claims[i]
		if n := plan.Cells(); n > mostClaimCells {
			panic(r.claim.Errorf("claims about a sweep of %d cells, want at most %d", n, mostClaimCells))
		}
		for k := int64(len(r.cells)); k < plan.Cells(); k++ {
			r.cells = append(r.cells, plan.Point(k).Values)
		}
		list = append(list, r.claims()...)
	}
	return list, r, nil
}

// A resolver finds out what the names in claims mean. Its methods panic
// with a *grid.Error.
type resolver struct {
	experiment *experiment.Experiment
	cells      [][]experiment.Value
	claim      *grid.Claim
	each, over []int // parameters

	measures []func(run *results.Row) float64 // what is taken from each run, every number once
	keys     []string                         // tell the measures apart
	series   bool                             // some are taken from the series
}

// measure returns the position of a measure.
func (r *resolver) measure(key string, take func(run *results.Row) float64) int {
	at := slices.Index(r.keys, key)
	if at < 0 {
		at, r.keys, r.measures = len(r.measures), append(r.keys, key), append(r.measures, take)
	}
	return at
}

// A term is a number that is taken from each run of a cell.
type term struct {
	node    *expr.Node
	measure int
	filters []condition // on parameters
	window  []condition // on the axis of the series
}

// fixes reports whether a parameter has one value wherever the term stands.
func (t *term) fixes(param int) bool {
	return slices.ContainsFunc(t.filters, func(c condition) bool { return c.param == param && c.sign == "=" })
}

// A condition compares a parameter, or the axis of the series, with a value.
type condition struct {
	param      int
	sign, text string  // text: the value as written
	number     float64 // the value, if it is a number
}

// fits reports whether a parameter's value meets the condition.
func (c condition) fits(v experiment.Value) bool {
	switch v.Kind() {
	case experiment.Null:
		return false
	case experiment.String, experiment.Bool:
		return (v.String() == c.text || v.Name() == c.text) == (c.sign == "=")
	}
	return c.holds(v.Float())
}

func (c condition) holds(x float64) bool { return expr.Holds(c.sign, cmp.Compare(x, c.number)) }

// flipped are the signs with the sides exchanged.
var flipped = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}

// fault is a fault at a node of the claim's expression.
func (r *resolver) fault(n *expr.Node, format string, args ...any) *grid.Error {
	return r.claim.ErrorIn("expect", 0, n.Start, format, args...)
}

// unknown is the fault of a name that is not known.
func (r *resolver) unknown(n *expr.Node, what string, known []string) *grid.Error {
	return r.fault(n, "%s has no %s %q", r.experiment.Name, what, n.Text).Suggest(n.Text, known)
}

func (r *resolver) claims() (list []*Claim) {
	if r.claim.Untested != "" {
		return []*Claim{{Claim: r.claim, Text: r.claim.Text}}
	}
	r.each = append(r.params("each", r.claim.Each), r.params("some", r.claim.Some)...) // one has none
	r.over = r.params("over", r.claim.Over)
	root, err := expr.Parse(r.claim.Expect)
	if fault, ok := err.(*document.Fault); ok {
		panic(r.claim.ErrorIn("expect", 0, fault.At.Pos, "%s", fault.Message))
	}
	comparisons := r.comparisons(root)
	for _, c := range comparisons {
		if len(comparisons) > 1 && c.Where == "" {
			named := c.left
			if degree(named) == 0 {
				named = c.right
			}
			c.Where = r.claim.Expect[named.Start:named.End]
		}
		if text := r.claim.Text + c.row; len(list) == 0 || list[len(list)-1].Text != text {
			list = append(list, &Claim{Claim: r.claim, Text: text})
		}
		last := list[len(list)-1]
		last.Cases = append(last.Cases, r.cases(c)...)
	}
	return list
}

// params finds parameters by the names that a key of the claim has.
func (r *resolver) params(key string, names []string) (list []int) {
	for k, name := range names {
		p, i := r.experiment.Param(name)
		if p == nil {
			fault := r.claim.ErrorIn(key, k, -1, "%s has no parameter %q", r.experiment.Name, name)
			panic(fault.Suggest(name, r.experiment.ParamNames()))
		}
		list = append(list, i)
	}
	return list
}

// comparisons returns, of each comparison that the expression joins by and, what
// its cases have in common: Where sets it apart from the others, the terms are
// those of both sides, from left to right. Of a trend there is no right side yet.
func (r *resolver) comparisons(n *expr.Node) []*Case {
	c := &Case{node: n, PaperMean: math.NaN(), PaperStd: math.NaN()}
	switch {
	case n.Op == "and":
		return append(r.comparisons(n.Args[0]), r.comparisons(n.Args[1])...)
	case n.Text == "!=":
		panic(r.fault(n, "no sample can show that means are not the same, want <, <=, >, >=, = or within"))
	case n.Op == expr.Compare, n.Op == expr.Within && len(n.Args) == 2:
		c.left, c.right = n.Args[0], n.Args[1]
	case n.Op == expr.Within, n.Op == expr.Trend:
		c.left = n.Args[0]
	default:
		first := r.experiment.Metrics[0].Name
		panic(r.fault(n, "the claim compares nothing, want an expression such as %s > 0", first))
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

// rows repeats a comparison that names a paper's table for the metric of
// each of its rows; one with the table alone also for each of its columns,
// against what is printed there.
func (r *resolver) rows(c *Case) (list []*Case) {
	var t *experiment.Table
	c.left.Walk(func(n *expr.Node) {
		if n.Op == expr.Name && t == nil {
			t = r.experiment.Table(n.Text)
		}
	})
	alone := c.node.Op == expr.Within && c.right == nil
	switch {
	case t == nil && alone:
		panic(r.unknown(c.left, "table", r.experiment.TableNames()))
	case t == nil:
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
		for h, header := range t.Headers {
			cell := one
			cell.Where = fmt.Sprintf("%s = %s", t.Column, header)
			cell.row = ": " + row.Label
			cell.PaperMean, cell.PaperStd = row.Mean[h], row.Std[h]
			sides := []*expr.Node{{Op: expr.Name, Text: t.Column}, {Op: expr.String, Text: header}}
			column := &expr.Node{Op: expr.Compare, Text: "=", Args: sides}
			cell.left = &expr.Node{Op: expr.Select, Args: []*expr.Node{one.left, column}}
			cell.right = &expr.Node{Op: expr.Number, Value: row.Mean[h]}
			list = append(list, &cell)
		}
	}
	return list
}

// clone copies an expression.
func clone(n *expr.Node) *expr.Node {
	c := *n
	c.Args = lists.Map(n.Args, clone)
	return &c
}

// resolve finds out what the names of an arithmetic expression mean. It
// returns its terms from left to right.
func (r *resolver) resolve(n *expr.Node) (terms []*term) {
	switch n.Op {
	case expr.Number:
		return nil
	case "+", "-", "*", "/", expr.Negate:
		for _, a := range n.Args {
			terms = append(terms, r.resolve(a)...)
		}
		return terms
	case expr.Call:
		return r.call(n)
	case expr.Name, expr.Select:
		return []*term{r.term(n, n, "")}
	}
	panic(r.fault(n, "want a number here, such as the name of a metric"))
}

// aggregates are the functions that make one number of a column of a run's series.
var aggregates = map[string]func([]float64) float64{
	"mean": func(x []float64) float64 { return inference.Describe(x).Mean },
	"std":  func(x []float64) float64 { return inference.Describe(x).Std },
	"min":  slices.Min[[]float64],
	"max":  slices.Max[[]float64],
}

// call resolves a function, of a series or cv.
func (r *resolver) call(n *expr.Node) []*term {
	known := append(slices.Sorted(maps.Keys(aggregates)), "cv")
	if !slices.Contains(known, n.Text) || len(n.Args) != 1 {
		text := "found %s with %d arguments, want one of %s with one"
		panic(r.fault(n, text, n.Text, len(n.Args), strings.Join(known, ", ")).Suggest(n.Text, known))
	}
	arg := n.Args[0]
	if n.Text == "cv" && degree(arg) == 1 {
		return r.resolve(arg)
	}
	if n.Text == "cv" || arg.Op != expr.Name && arg.Op != expr.Select {
		panic(r.fault(arg, "%s wants a metric or a column of the series", n.Text))
	}
	return []*term{r.term(n, arg, n.Text)}
}

// term reads a name with what is selected from it. aggregate is the function of
// the series that surrounds it, if any.
func (r *resolver) term(at, n *expr.Node, aggregate string) *term {
	t := &term{node: at}
	name := n
	if n.Op == expr.Select {
		name = n.Args[0]
		for _, s := range n.Args[1:] {
			r.selector(t, s)
		}
	}
	columns := r.experiment.ColumnNames()
	i, column := r.experiment.Metric(name.Text), slices.Index(columns, name.Text)
	series := aggregate != "" || t.window != nil
	switch {
	case name.Op != expr.Name:
		panic(r.fault(name, "only from a name can be selected"))
	case series && column < 0:
		panic(r.unknown(name, "column in its series", columns))
	case series:
		t.measure = r.column(column, aggregate, t.window)
	case i >= 0:
		t.measure = r.measure(fmt.Sprint("metric ", i), results.Metrics([]int{i})[0])
	default:
		fault := r.unknown(name, "metric", append(r.experiment.MetricNames(), r.experiment.TableNames()...))
		if column >= 0 {
			fault.Hint = fmt.Sprintf("of its series it is mean(%s)", name.Text)
		}
		panic(fault)
	}
	return t
}

// column adds the measure that takes one number from those rows of a column
// of the series that meet all conditions, the mean unless said otherwise. Rows
// in which the column is not defined do not count; without any other it is NaN.
func (r *resolver) column(i int, aggregate string, window []condition) int {
	aggregate = cmp.Or(aggregate, "mean")
	r.series = true
	width := len(r.experiment.Series)
	var x []float64
	return r.measure(fmt.Sprint(aggregate, i, window), func(run *results.Row) float64 {
		x = x[:0]
		for row := run.Result.Series; len(row) >= width; row = row[width:] {
			outside := slices.ContainsFunc(window, func(c condition) bool { return !c.holds(row[0]) })
			if v := row[1+i]; !outside && !math.IsNaN(v) {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			return math.NaN()
		}
		return aggregates[aggregate](x)
	})
}

// selector reads what stands in brackets: a value that says by itself of
// which parameter it is, or a comparison with a parameter or the axis of the
// series.
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

func (r *resolver) condition(t *term, s *expr.Node) {
	name, value, sign := s.Args[0], s.Args[1], s.Text
	if name.Op == expr.Number {
		name, value, sign = value, name, flipped[sign]
	}
	axis := r.experiment.Axis().Name
	p, i := r.experiment.Param(name.Text)
	ordered := p == nil || p.Kind == experiment.Int || p.Kind == experiment.Float
	equality := sign == "=" || sign == "!="
	switch {
	case name.Op != expr.Name || p == nil && (name.Text != axis || axis == ""):
		panic(r.unknown(name, "parameter", append(r.experiment.ParamNames(), axis)))
	case !ordered && !equality:
		panic(r.fault(name, "the values of %s have no order, want = or !=", name.Text))
	case ordered && value.Op != expr.Number:
		panic(r.fault(value, "want a number to compare %s with", name.Text))
	}
	c := condition{param: i, sign: sign, text: value.Text, number: value.Value}
	if p == nil {
		t.window = append(t.window, c)
		return
	}
	if _, err := p.Parse(value.Text); equality && err != nil {
		panic(r.fault(value, "%v", err).Suggest(value.Text, p.Choices))
	}
	t.filters = append(t.filters, c)
}

// value reads a value that says by itself of which parameter it is.
func (r *resolver) value(t *term, s *expr.Node) {
	all, owners := r.experiment.ParamNames(), []string(nil)
	for i, p := range r.experiment.Params {
		all = append(all, p.Choices...)
		if slices.Contains(p.Choices, s.Text) {
			owners = append(owners, p.Name)
			t.filters = append(t.filters, condition{param: i, sign: "=", text: s.Text})
		}
	}
	if len(owners) == 0 {
		panic(r.fault(s, "%q is the value of no parameter", s.Text).Suggest(s.Text, all))
	} else if len(owners) > 1 {
		text := "%[1]q may be the value of %[2]s, want for example %[3]s = %[1]s"
		panic(r.fault(s, text, s.Text, strings.Join(owners, " or "), owners[0]))
	}
}
