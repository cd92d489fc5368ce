package analysis

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"sweep/internal/expr"
	"sweep/internal/inference"
	"sweep/results"
)

// A term is a number that is taken from each run of a cell.
type term struct {
	node    *expr.Node
	measure int
	filters []condition // on parameters
	window  []condition // on the axis of the series
}

// fixes reports whether a parameter has one value wherever the term stands.
func (t *term) fixes(param int) bool {
	for _, c := range t.filters {
		if c.param == param && c.sign == "=" {
			return true
		}
	}
	return false
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

// aggregates are the functions that make one number of a column of a run's
// series.
var aggregates = map[string]func([]float64) float64{
	"mean": mean,
	"std":  std,
	"min":  slices.Min[[]float64],
	"max":  slices.Max[[]float64],
}

func mean(x []float64) float64 { return inference.Describe(x).Mean }

func std(x []float64) float64 { return inference.Describe(x).Std }

// call resolves a function, of a series or cv.
func (r *resolver) call(n *expr.Node) []*term {
	known := append(slices.Sorted(maps.Keys(aggregates)), "cv")
	if !slices.Contains(known, n.Text) || len(n.Args) != 1 {
		fault := r.fault(n, "found %s with %d arguments, want one of %s with one",
			n.Text, len(n.Args), strings.Join(known, ", "))
		panic(fault.Suggest(n.Text, known))
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
	metric := r.experiment.Metric(name.Text)
	column := slices.Index(columns, name.Text)
	series := aggregate != "" || t.window != nil
	switch {
	case name.Op != expr.Name:
		panic(r.fault(name, "only from a name can be selected"))
	case series && column < 0:
		panic(r.unknown(name, "column in its series", columns))
	case series:
		t.measure = r.column(column, aggregate, t.window)
	case metric >= 0:
		t.measure = r.measure(fmt.Sprint("metric ", metric), results.Metrics([]int{metric})[0])
	default:
		known := append(r.experiment.MetricNames(), r.experiment.TableNames()...)
		fault := r.unknown(name, "metric", known)
		if column >= 0 {
			fault.Hint = fmt.Sprintf("of its series it is mean(%s)", name.Text)
		}
		panic(fault)
	}
	return t
}

// column adds the measure that takes one number from those rows of a column
// of the series that meet all conditions, the mean unless said otherwise. Rows
// in which the column is not defined do not count; if there are no others, the
// measure is NaN.
func (r *resolver) column(i int, aggregate string, window []condition) int {
	if aggregate == "" {
		aggregate = "mean"
	}
	r.series = true
	width := len(r.experiment.Series)
	var x []float64
	return r.measure(fmt.Sprint(aggregate, i, window), func(run *results.Row) float64 {
		x = x[:0]
		for row := run.Result.Series; len(row) >= width; row = row[width:] {
			if v := row[1+i]; !math.IsNaN(v) && inside(window, row[0]) {
				x = append(x, v)
			}
		}
		if len(x) == 0 {
			return math.NaN()
		}
		return aggregates[aggregate](x)
	})
}

// inside reports whether a place on the axis of the series meets all
// conditions.
func inside(window []condition, place float64) bool {
	for _, c := range window {
		if !c.holds(place) {
			return false
		}
	}
	return true
}
