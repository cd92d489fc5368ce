package experiment

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"

	"sweep/internal/lists"
)

// Params completes parameters that say where their values go, for
// Experiment.Params: what To points to tells the Kind, which they need not name;
// the default of a parameter with Choices is the first unless it names another.
// It panics if To points to something else than a bool, int, int64, float64 or
// string, or a type of these.
func Params(params []Param) []Param {
	kinds := map[reflect.Kind]Kind{
		reflect.Bool: Bool, reflect.Int: Int, reflect.Int64: Int, reflect.Float64: Float, reflect.String: String,
	}
	for i := range params {
		p := &params[i]
		to := reflect.ValueOf(p.To)
		kind, ok := kinds[reflect.Indirect(to).Kind()]
		if !ok || to.Kind() != reflect.Pointer {
			panic(fmt.Sprintf("experiment: To of parameter %q is a %T, want a pointer to a bool, int, int64, "+
				"float64 or string", p.Name, p.To))
		}
		if p.Kind = kind; len(p.Choices) > 0 && p.Default.IsNull() {
			p.Default = StringValue(p.Choices[0])
		}
	}
	return params
}

// Group returns parameters with their Group set.
func Group(group string, params []Param) []Param {
	for i := range params {
		params[i].Group = group
	}
	return params
}

// Set gives what To points to a value; null is 0, false or "".
func (p *Param) Set(v Value) {
	switch to := reflect.ValueOf(p.To).Elem(); v.Kind() {
	case Bool:
		to.SetBool(v.Bool())
	case Int:
		to.SetInt(v.Int())
	case Float:
		to.SetFloat(v.Float())
	case String:
		to.SetString(v.Text())
	default:
		to.SetZero()
	}
}

// Configure sets what the point says in the configuration that params, those of
// the experiment, point to. Where a parameter is null nothing is set.
func Configure(params []Param, p Point) {
	for i, v := range p.Values {
		if !v.IsNull() {
			params[i].Set(v)
		}
	}
}

// Require returns the rule that check demands of the named parameters, of
// which those come first that are most likely at fault. params returns the
// parameters of a configuration; check sees one in which nothing else is set. It
// panics if no parameter has one of the names.
func Require[C any](params func(*C) []Param, check func(*C) error, names ...string) Rule {
	c := new(C)
	list := params(c)
	var read []*Param
	for _, name := range names {
		i := slices.IndexFunc(list, func(p Param) bool { return p.Name == name })
		if i < 0 {
			panic(fmt.Sprintf("experiment: a rule is on the unknown parameter %q", name))
		}
		read = append(read, &list[i])
	}
	var mu sync.Mutex // for c
	return Rule{Params: names, Check: func(p Point) error {
		mu.Lock()
		defer mu.Unlock()
		*c = *new(C)
		for _, to := range read {
			to.Set(p.Value(to.Name))
		}
		return check(c)
	}}
}

// A Measure is a metric, or a column of a series, and its number in a run or a
// row. NaN stands for "not defined".
type Measure struct {
	Metric
	Value float64
}

// Simulation completes a declaration. params returns the parameters of a
// configuration, each pointing to the field that it sets. run is called with the
// configuration of a point, and returns what metrics takes the numbers of a run
// from, and what series takes those of each row from, the axis first; series is
// nil if there is none. What run must be, see Experiment.Run.
func Simulation[C, M, W any](
	e Experiment, params func(*C) []Param, metrics func(*M) []Measure, series func(*W) []Measure,
	run func(ctx context.Context, c *C, seed int64) (M, []W, error),
) *Experiment {
	e.Params, e.Metrics = Params(params(new(C))), declarations(metrics(new(M)))
	if series != nil {
		e.Series = declarations(series(new(W)))
	}
	e.Run = func(ctx context.Context, p Point, out *Result) error {
		var c C
		Configure(params(&c), p)
		m, rows, err := run(ctx, &c, p.Seed)
		if err != nil {
			return err
		}
		out.Metrics, out.Series = appendValues(nil, metrics(&m)), nil
		for i := range rows {
			out.Series = appendValues(out.Series, series(&rows[i]))
		}
		return nil
	}
	return &e
}

func declarations(measures []Measure) []Metric {
	return lists.Map(measures, func(m Measure) Metric { return m.Metric })
}

func appendValues(numbers []float64, measures []Measure) []float64 {
	for _, m := range measures {
		numbers = append(numbers, m.Value)
	}
	return numbers
}
