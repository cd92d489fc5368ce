package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/internal/suggest"
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

// An assertion is what a claim expects, in the terms of the plan.
type assertion struct {
	claim *grid.Claim
	text  string
	cases []*Case
}

// understand makes an assertion of each claim, of one about a paper's table
// one for each of its rows.
func understand(spec *grid.Spec) ([]assertion, *measures, error) {
	if len(spec.Claims) == 0 {
		return nil, nil, nil
	}
	plan := spec.Plan()
	m := &measures{experiment: spec.Experiment, at: map[string]int{}}
	if n := plan.Cells(); n > mostClaimCells {
		return nil, nil, spec.Claims[0].Errorf("claims about a sweep of %d cells, want at most %d", n, mostClaimCells)
	}
	cells := make([][]experiment.Value, plan.Cells())
	for c := range cells {
		cells[c] = make([]experiment.Value, len(spec.Experiment.Params))
		plan.Cell(int64(c), cells[c])
	}
	var list []assertion
	for i := range spec.Claims {
		r := &resolver{experiment: spec.Experiment, cells: cells, measures: m, claim: &spec.Claims[i], terms: map[*expr.Node]*term{}}
		more, err := r.assertions()
		if err != nil {
			return nil, nil, err
		}
		list = append(list, more...)
	}
	return list, m, nil
}

// A measures lists what is taken from each run, every number once.
type measures struct {
	experiment *experiment.Experiment
	list       []measure
	at         map[string]int // in list, by a text that tells them apart
	series     bool           // some are taken from the series
}

func (m *measures) add(key string, take measure) int {
	if _, ok := m.at[key]; !ok {
		m.at[key] = len(m.list)
		m.list = append(m.list, take)
	}
	return m.at[key]
}

// A resolver finds out what the names in a claim mean.
type resolver struct {
	experiment *experiment.Experiment
	cells      [][]experiment.Value
	measures   *measures
	claim      *grid.Claim
	terms      map[*expr.Node]*term
	each, over []int // parameters
}

// A term is a number that is taken from each run of a cell.
type term struct {
	node    *expr.Node
	measure int
	filters []filter
	fixed   map[int]bool // parameters with one value wherever the term stands
}

// A filter is a condition on the value of a parameter.
type filter struct {
	param int
	sign  string
	value experiment.Value
}

func (f filter) fits(v experiment.Value) bool {
	switch {
	case v.IsNull():
		return false
	case f.sign == "=":
		return v == f.value
	case f.sign == "!=":
		return v != f.value
	}
	return holds(v.Float(), f.sign, f.value.Float())
}

func holds(x float64, sign string, y float64) bool {
	switch sign {
	case "<":
		return x < y
	case "<=":
		return x <= y
	case ">":
		return x > y
	case ">=":
		return x >= y
	case "=":
		return x == y
	}
	return x != y
}

// flipped are the signs with the sides exchanged.
var flipped = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}

// fault is a fault at a node of the claim's expression.
func (r *resolver) fault(n *expr.Node, format string, args ...any) *grid.Error {
	return r.claim.Expect.At(n.Start).Errorf(format, args...)
}

func (r *resolver) assertions() ([]assertion, error) {
	a := assertion{claim: r.claim, text: r.claim.Text}
	if r.claim.Untested != "" {
		return []assertion{a}, nil
	}
	root, err := expr.Parse(r.claim.Expect.Text)
	if fault, ok := err.(*expr.Error); ok {
		return nil, r.claim.Expect.At(fault.At).Errorf("%s", fault.Message)
	}
	for _, list := range []struct {
		names []grid.Quoted
		to    *[]int
	}{{r.claim.Each, &r.each}, {r.claim.Some, &r.each}, {r.claim.Over, &r.over}} {
		for _, name := range list.names {
			p, i := r.experiment.Param(name.Text)
			if p == nil {
				return nil, unknown(name.Place, "parameter", name.Text, r.experiment.Name, paramNames(r.experiment))
			}
			*list.to = append(*list.to, i)
		}
	}
	if root.Op == expr.Within && len(root.Args) == 1 {
		return r.table(root)
	}
	comparisons, err := r.comparisons(root)
	if err != nil {
		return nil, err
	}
	for _, c := range comparisons {
		if len(comparisons) > 1 {
			c.label = r.claim.Expect.Text[c.left.Start:c.left.End]
			if c.metric != "" {
				c.label = c.metric
			}
		}
		cases, err := r.cases(c)
		if err != nil {
			return nil, err
		}
		a.cases = append(a.cases, cases...)
	}
	return []assertion{a}, nil
}

// unknown is the fault of a name that is not known.
func unknown(at grid.Place, what, name, owner string, known []string) *grid.Error {
	fault := at.Errorf("%s has no %s %q", owner, what, name)
	if word := suggest.Nearest(name, known); word != "" {
		fault.Hint = fmt.Sprintf("did you mean %q?", word)
	}
	return fault
}

// table makes an assertion of each row of a paper's table: that the means
// are those that are printed.
func (r *resolver) table(n *expr.Node) ([]assertion, error) {
	t := r.experiment.Table(n.Args[0].Text)
	if t == nil {
		return nil, unknown(r.claim.Expect.At(n.Start), "table", n.Args[0].Text, r.experiment.Name, tableNames(r.experiment))
	}
	_, column := r.experiment.Param(t.Column)
	if !slices.Contains(r.each, column) {
		r.each = append(r.each, column)
	}
	var list []assertion
	for _, row := range t.Rows {
		a := assertion{claim: r.claim, text: r.claim.Text + ": " + row.Label}
		for h, header := range t.Headers {
			number := &expr.Node{Op: expr.Number, Value: row.Mean[h]}
			metric := &expr.Node{Op: expr.Name, Text: row.Metric, Start: n.Start, End: n.End}
			c := &comparison{node: &expr.Node{Op: expr.Within, Value: n.Value, Relative: true}, left: metric, right: number}
			r.terms[metric] = &term{node: metric, measure: r.metric(r.experiment.Metric(row.Metric)),
				filters: []filter{{column, "=", experiment.StringValue(header)}}}
			cases, err := r.cases(c)
			if err != nil {
				return nil, err
			}
			for _, k := range cases {
				k.PaperMean, k.PaperStd = row.Mean[h], row.Std[h]
			}
			a.cases = append(a.cases, cases...)
		}
		list = append(list, a)
	}
	return list, nil
}

func tableNames(e *experiment.Experiment) (names []string) {
	for _, t := range e.Tables {
		names = append(names, t.Name)
	}
	return names
}

// A comparison is one of those that a claim's expression joins by and.
type comparison struct {
	node        *expr.Node
	sign        string // of Compare
	left, right *expr.Node
	metric      string // the row of a table that left is about; empty if it names none
	label       string // sets it apart from the others
}

func (r *resolver) comparisons(n *expr.Node) ([]*comparison, error) {
	var list []*comparison
	switch n.Op {
	case "and":
		for _, a := range n.Args {
			more, err := r.comparisons(a)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		return list, nil
	case expr.Compare:
		for i, sign := range n.Signs {
			if sign == "!=" {
				return nil, r.fault(n.Args[i+1], "no sample can show that means are not the same, want <, <=, >, >=, = or within")
			}
			list = append(list, &comparison{node: n, sign: sign, left: n.Args[i], right: n.Args[i+1]})
		}
	case expr.Within:
		list = []*comparison{{node: n, left: n.Args[0], right: n.Args[1]}}
	case expr.Trend:
		list = []*comparison{{node: n, left: n.Args[0]}}
	default:
		return nil, r.fault(n, "the claim compares nothing, want an expression such as %s[…] > 0", r.experiment.Metrics[0].Name)
	}
	var all []*comparison
	for _, c := range list {
		all = append(all, r.rows(c)...)
	}
	for _, c := range all {
		for _, side := range []*expr.Node{c.left, c.right} {
			if side == nil {
				continue
			}
			if err := r.resolve(side); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}

// rows repeats a comparison that names a paper's table for the metric of
// each of its rows.
func (r *resolver) rows(c *comparison) []*comparison {
	var table *experiment.Table
	c.left.Walk(func(n *expr.Node) {
		if n.Op == expr.Name && table == nil {
			table = r.experiment.Table(n.Text)
		}
	})
	if table == nil {
		return []*comparison{c}
	}
	var list []*comparison
	for _, row := range table.Rows {
		one := *c
		one.metric = row.Metric
		one.left = clone(c.left, func(n *expr.Node) {
			if n.Op == expr.Name && n.Text == table.Name {
				n.Text = row.Metric
			}
		})
		list = append(list, &one)
	}
	return list
}

// clone copies an expression and lets edit change the copies.
func clone(n *expr.Node, edit func(*expr.Node)) *expr.Node {
	if n == nil {
		return nil
	}
	c := *n
	c.Args = nil
	for _, a := range n.Args {
		c.Args = append(c.Args, clone(a, edit))
	}
	edit(&c)
	return &c
}

// resolve finds out what the names of an arithmetic expression mean.
func (r *resolver) resolve(n *expr.Node) error {
	switch n.Op {
	case expr.Number:
		return nil
	case "+", "-", "*", "/", expr.Negate:
		for _, a := range n.Args {
			if err := r.resolve(a); err != nil {
				return err
			}
		}
		return nil
	case expr.Call:
		return r.call(n)
	case expr.Name, expr.Select:
		return r.term(n, n, "")
	}
	return r.fault(n, "want a number here, such as the name of a metric")
}

// takes are the functions of the rows of a series.
var takes = map[string]func([]float64) float64{
	"mean": func(x []float64) float64 { return inference.Describe(x).Mean },
	"std":  func(x []float64) float64 { return inference.Describe(x).Std },
	"min":  slices.Min[[]float64],
	"max":  slices.Max[[]float64],
}

func (r *resolver) call(n *expr.Node) error {
	switch {
	case n.Text != "cv" && takes[n.Text] == nil:
		return unknown(r.claim.Expect.At(n.Start), "function", n.Text, "the language", []string{"cv", "max", "mean", "min", "std"})
	case len(n.Args) != 1:
		return r.fault(n, "%s has %d arguments, want 1", n.Text, len(n.Args))
	case n.Text == "cv" && degree(n.Args[0]) != 0:
		return r.resolve(n.Args[0])
	case n.Args[0].Op != expr.Name && n.Args[0].Op != expr.Select:
		return r.fault(n.Args[0], "%s takes a metric or a column of the series", n.Text)
	}
	return r.term(n, n.Args[0], n.Text)
}

// term reads a name with what is selected from it. take is the function of
// the series that surrounds it, if any.
func (r *resolver) term(at, n *expr.Node, take string) error {
	t := &term{node: at, fixed: map[int]bool{}}
	var window []condition
	name := n
	if n.Op == expr.Select {
		name = n.Args[0]
		for _, s := range n.Args[1:] {
			rows, err := r.selector(t, s)
			if err != nil {
				return err
			}
			window = append(window, rows...)
		}
	}
	if name.Op != expr.Name {
		return r.fault(name, "only from a name can be selected")
	}
	var err error
	if take != "" || window != nil {
		t.measure, err = r.column(name, take, window)
	} else if i := r.experiment.Metric(name.Text); i >= 0 {
		t.measure = r.metric(i)
	} else {
		known := append(metricNames(r.experiment.Metrics), tableNames(r.experiment)...)
		fault := unknown(r.claim.Expect.At(name.Start), "metric", name.Text, r.experiment.Name, known)
		if slices.Contains(metricNames(r.experiment.Series.Columns), name.Text) {
			fault.Hint = fmt.Sprintf("of the series it is mean(%s)", name.Text)
		}
		err = fault
	}
	r.terms[at] = t
	return err
}

func (r *resolver) metric(i int) int {
	return r.measures.add(fmt.Sprint("metric ", i), metric(i))
}

// A condition is one on the axis of the series.
type condition struct {
	sign  string
	value float64
}

// column adds the measure that takes one number from the rows of the series
// that meet all conditions, the mean unless said otherwise. Rows in which the
// column is not defined do not count; without any other it is NaN.
func (r *resolver) column(name *expr.Node, take string, window []condition) (int, error) {
	names := metricNames(r.experiment.Series.Columns)
	i := slices.Index(names, name.Text)
	if i < 0 {
		return 0, unknown(r.claim.Expect.At(name.Start), "column in its series", name.Text, r.experiment.Name, names)
	}
	if take == "" {
		take = "mean"
	}
	r.measures.series = true
	width := 1 + len(names)
	var x []float64
	return r.measures.add(fmt.Sprint(take, i, window), func(run *results.Row) float64 {
		x = x[:0]
		for row := run.Result.Series; len(row) >= width; row = row[width:] {
			inside := !slices.ContainsFunc(window, func(c condition) bool { return !holds(row[0], c.sign, c.value) })
			if v := row[1+i]; inside && !math.IsNaN(v) {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			return math.NaN()
		}
		return takes[take](x)
	}), nil
}

// selector reads one of the conditions in brackets: the value of a
// parameter, a comparison with a parameter, or, which it returns, one with the
// axis of the series.
func (r *resolver) selector(t *term, s *expr.Node) ([]condition, error) {
	if s.Op == expr.Name || s.Op == expr.String {
		return nil, r.value(t, s)
	}
	at := -1
	if s.Op == expr.Compare {
		at = slices.IndexFunc(s.Args, func(a *expr.Node) bool {
			p, _ := r.experiment.Param(a.Text)
			return a.Op == expr.Name && (p != nil || a.Text == r.experiment.Series.Axis.Name)
		})
	}
	if at < 0 || len(s.Args) > 3 || len(s.Args) == 3 && at != 1 {
		known := paramNames(r.experiment)
		if axis := r.experiment.Series.Axis.Name; axis != "" {
			known = append(known, axis)
		}
		if s.Op == expr.Compare && s.Args[0].Op == expr.Name {
			return nil, unknown(r.claim.Expect.At(s.Start), "parameter", s.Args[0].Text, r.experiment.Name, known)
		}
		return nil, r.fault(s, "want the value of a parameter, or a condition such as N = 16 or 2 < %s <= 9", known[len(known)-1])
	}
	var window []condition
	for i, other := range s.Args {
		if i == at {
			continue
		}
		sign := s.Signs[min(i, at)]
		if i < at {
			sign = flipped[sign]
		}
		rows, err := r.condition(t, s.Args[at], sign, other)
		if err != nil {
			return nil, err
		}
		window = append(window, rows...)
	}
	return window, nil
}

// condition reads a comparison of a parameter, or of the axis, with a value.
func (r *resolver) condition(t *term, name *expr.Node, sign string, value *expr.Node) ([]condition, error) {
	p, i := r.experiment.Param(name.Text)
	ordered := p == nil || p.Kind == experiment.Int || p.Kind == experiment.Float
	switch {
	case !ordered && sign != "=" && sign != "!=":
		return nil, r.fault(name, "the values of %s have no order, want = or !=", name.Text)
	case ordered && value.Op != expr.Number:
		return nil, r.fault(value, "want a number to compare %s with", name.Text)
	case p == nil:
		return []condition{{sign, value.Value}}, nil
	}
	v, err := p.Parse(value.Text)
	if sign != "=" && sign != "!=" { // any bound will do
		v, err = experiment.FloatValue(value.Value), nil
	}
	if err != nil {
		fault := r.fault(value, "%v", err)
		if word := suggest.Nearest(value.Text, p.Choices); word != "" {
			fault.Hint = fmt.Sprintf("did you mean %q?", word)
		}
		return nil, fault
	}
	t.filters = append(t.filters, filter{i, sign, v})
	if sign == "=" {
		t.fixed[i] = true
	}
	return nil, nil
}

// value reads a value that says by itself of which parameter it is.
func (r *resolver) value(t *term, s *expr.Node) error {
	var all, owners []string
	for i := range r.experiment.Params {
		p := &r.experiment.Params[i]
		all = append(all, p.Choices...)
		if slices.Contains(p.Choices, s.Text) {
			owners = append(owners, p.Name)
			t.filters = append(t.filters, filter{i, "=", experiment.StringValue(s.Text)})
			t.fixed[i] = true
		}
	}
	switch {
	case len(owners) == 0:
		fault := r.fault(s, "%q is the value of no parameter", s.Text)
		if word := suggest.Nearest(s.Text, append(all, paramNames(r.experiment)...)); word != "" {
			fault.Hint = fmt.Sprintf("did you mean %q?", word)
		}
		return fault
	case len(owners) > 1:
		return r.fault(s, "%q may be the value of %s, want for example %s = %s", s.Text, strings.Join(owners, " or "), owners[0], s.Text)
	}
	return nil
}

func paramNames(e *experiment.Experiment) (names []string) {
	for _, p := range e.Params {
		names = append(names, p.Name)
	}
	return names
}

func metricNames(metrics []experiment.Metric) (names []string) {
	for _, m := range metrics {
		names = append(names, m.Name)
	}
	return names
}
