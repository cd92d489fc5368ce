package experiment

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"sync"
)

// Params completes parameters that have To, for Experiment.Params. It sets the
// Kind to that of the field that To points to. The default of a parameter with
// Choices is the first, unless Default is another. Params panics if To does not
// point to a bool, int, int64, float64 or string, or a type of these, or if two
// parameters point to the same field.
func Params(params []Param) []Param {
	kinds := map[reflect.Kind]Kind{
		reflect.Bool:    Bool,
		reflect.Int:     Int,
		reflect.Int64:   Int,
		reflect.Float64: Float,
		reflect.String:  String,
	}
	seen := map[any]string{} // names of parameters, by To
	for i := range params {
		p := &params[i]
		to := reflect.ValueOf(p.To)
		kind, ok := kinds[reflect.Indirect(to).Kind()]
		if !ok || to.Kind() != reflect.Pointer {
			panic(fmt.Sprintf("experiment: To of parameter %q is a %T, want a pointer to a "+
				"bool, int, int64, "+
				"float64 or string", p.Name, p.To))
		}
		if other, taken := seen[p.To]; taken {
			panic(fmt.Sprintf("experiment: parameters %q and %q point To the same field, "+
				"want a field for each", other, p.Name))
		}
		seen[p.To] = p.Name
		p.Kind = kind
		if len(p.Choices) > 0 && p.Default.IsNull() {
			p.Default = StringValue(p.Choices[0])
		}
	}
	return params
}

// Group sets the Group of parameters, and returns them.
func Group(group string, params []Param) []Param {
	for i := range params {
		params[i].Group = group
	}
	return params
}

// Set sets the field that To points to; null becomes 0, false or "".
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

// Configure sets the fields that params, the parameters of the experiment,
// point to, to the values of a point. It leaves the fields of null values
// alone.
func Configure(params []Param, p Point) {
	for i, v := range p.Values {
		if !v.IsNull() {
			params[i].Set(v)
		}
	}
}

// Rules returns a function that makes the rules of an experiment: that check
// must return nil for the named parameters. Names of parameters that are most
// likely at fault come first. params returns the parameters of a configuration;
// check gets a configuration in which only the named ones are set. The function
// panics if a name is that of no parameter.
func Rules[C any](params func(*C) []Param) func(check func(*C) error, names ...string) Rule {
	c := new(C)
	list := params(c)
	var mu sync.Mutex // for c
	return func(check func(*C) error, names ...string) Rule {
		var read []*Param
		for _, name := range names {
			i := slices.IndexFunc(list, func(p Param) bool { return p.Name == name })
			if i < 0 {
				panic(fmt.Sprintf("experiment: a rule is on the unknown parameter %q", name))
			}
			read = append(read, &list[i])
		}
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
}

// A Measure is a metric with its number in a run, or a column of a series with
// its number in a row. NaN stands for "not defined".
type Measure struct {
	Metric
	Value float64
}

// Measured returns a metric with its number. Its kind is Int or Float, as that
// of value is. unit is empty if the number has none, meaning is a sentence, and
// source is empty or says where the metric comes from.
func Measured[T int | int64 | float64](name, unit, meaning, source string, value T) Measure {
	kind := Int
	if _, is := any(value).(float64); is {
		kind = Float
	}
	return Measure{
		Metric: Metric{
			Name:    name,
			Kind:    kind,
			Unit:    unit,
			Meaning: meaning,
			Source:  source,
		},
		Value: float64(value),
	}
}

// Simulation returns the declaration e, completed by its parameters, metrics,
// series and Run.
//
// params returns the parameters of a configuration C, each with a pointer To
// the field that it sets. run simulates the configuration of a point under a
// seed; it must be a pure function, as Experiment.Run. It returns what it
// measured: an M, from which metrics takes the numbers of the run, and for each
// row of the series a W, from which series takes the numbers, the axis first.
// series is nil if the experiment has no series.
//
// Simulation panics if params is wrong: if it returns what the function Params
// refuses, or a To that points to nothing in the configuration.
func Simulation[C, M, W any](
	e Experiment, params func(*C) []Param, metrics func(*M) []Measure, series func(*W) []Measure,
	run func(ctx context.Context, c *C, seed int64) (M, []W, error),
) *Experiment {
	e.Params = Params(params(new(C)))
	mustSet(params)
	e.Metrics = declarations(metrics(new(M)))
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
		out.Metrics = appendValues(nil, metrics(&m))
		out.Series = nil
		for i := range rows {
			out.Series = appendValues(out.Series, series(&rows[i]))
		}
		return nil
	}
	return &e
}

// mustSet panics if a parameter does not set a field of its configuration, but
// a copy, or a variable that all runs would share.
func mustSet[C any](params func(*C) []Param) {
	others := map[Kind]Value{
		Bool:   BoolValue(true),
		Int:    IntValue(1),
		Float:  FloatValue(1),
		String: StringValue("other"),
	}
	c := new(C)
	list := Params(params(c))
	unchanged := new(C)
	params(unchanged)
	for i := range list {
		p := &list[i]
		field := reflect.ValueOf(p.To).Elem()
		before := reflect.New(field.Type()).Elem()
		before.Set(field)
		other := others[p.Kind]
		if !field.IsZero() {
			other = Value{}
		}
		p.Set(other)
		if reflect.DeepEqual(c, unchanged) {
			panic(fmt.Sprintf("experiment: To of parameter %q points to nothing in the %T, "+
				"want a pointer to a field of it", p.Name, *c))
		}
		field.Set(before)
	}
}

func declarations(measures []Measure) []Metric {
	metrics := make([]Metric, len(measures))
	for i := range measures {
		metrics[i] = measures[i].Metric
	}
	return metrics
}

func appendValues(numbers []float64, measures []Measure) []float64 {
	for _, m := range measures {
		numbers = append(numbers, m.Value)
	}
	return numbers
}
