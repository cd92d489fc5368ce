package experiment

import (
	"fmt"
	"reflect"
	"slices"
)

// A Field is a parameter and the place in a configuration C that its value
// goes to. Configure does not call Set for null, which sets the zero value.
type Field[C any] struct {
	Param
	Set func(c *C, v Value)
}

// Bind returns the field whose value goes to what at points to. The type of
// that is the parameter's Kind, which p need not name; the default of a
// parameter with Choices is the first unless p names another.
func Bind[C any, T bool | int | int64 | float64 | ~string](at func(*C) *T, p Param) Field[C] {
	to := reflect.TypeFor[T]()
	p.Kind = map[reflect.Kind]Kind{reflect.Bool: Bool, reflect.Int: Int, reflect.Int64: Int, reflect.Float64: Float, reflect.String: String}[to.Kind()]
	if len(p.Choices) > 0 && p.Default.IsNull() {
		p.Default = StringValue(p.Choices[0])
	}
	return Field[C]{p, func(c *C, v Value) {
		field := reflect.ValueOf(at(c)).Elem()
		if field.SetZero(); !v.IsNull() {
			field.Set(reflect.ValueOf(v.x).Convert(to))
		}
	}}
}

// Group returns the fields with their Group set.
func Group[C any](group string, fields ...Field[C]) []Field[C] {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Group = group
	}
	return fields
}

// Within returns the fields of a part as fields of the configuration C that
// contains it.
func Within[C, P any](fields []Field[P], part func(*C) *P) []Field[C] {
	outer := make([]Field[C], len(fields))
	for i, f := range fields {
		outer[i] = Field[C]{f.Param, func(c *C, v Value) { f.Set(part(c), v) }}
	}
	return outer
}

// Params returns the parameters of fields, for Experiment.Params.
func Params[C any](fields []Field[C]) []Param {
	params := make([]Param, len(fields))
	for i, f := range fields {
		params[i] = f.Param
	}
	return params
}

// Configure sets in c what the point says. A parameter that the point does
// not use leaves its field as it is. The fields are those that the
// experiment's Params were made of.
func Configure[C any](c *C, fields []Field[C], p Point) {
	for i, v := range p.Values {
		if !v.IsNull() {
			fields[i].Set(c, v)
		}
	}
}

// Require returns the rule that check demands of the named parameters, of
// which those come first that are most likely at fault. check sees a
// configuration in which nothing else is set. It panics if no field has one
// of the names.
func Require[C any](fields []Field[C], check func(*C) error, params ...string) Rule {
	var read []Field[C]
	for _, name := range params {
		i := slices.IndexFunc(fields, func(f Field[C]) bool { return f.Name == name })
		if i < 0 {
			panic(fmt.Sprintf("experiment: a rule is on the unknown parameter %q", name))
		}
		read = append(read, fields[i])
	}
	return Rule{Params: params, Check: func(p Point) error {
		var c C
		for _, f := range read {
			if v := p.Value(f.Name); !v.IsNull() {
				f.Set(&c, v)
			}
		}
		return check(&c)
	}}
}

// A Measure is a metric, or a column of a series, and how to get it from
// what a run measured: M is the measurements, or one row of the series. NaN
// stands for "not defined".
type Measure[M any] struct {
	Metric
	Get func(m *M) float64
}

// Metrics returns the metrics of measures, for Experiment.Metrics.
func Metrics[M any](measures []Measure[M]) []Metric {
	metrics := make([]Metric, len(measures))
	for i, m := range measures {
		metrics[i] = m.Metric
	}
	return metrics
}

// SeriesOf returns the series whose axis is the first of the columns, for
// Experiment.Series.
func SeriesOf[W any](columns []Measure[W]) Series {
	metrics := Metrics(columns)
	return Series{Axis: metrics[0], Columns: metrics[1:]}
}

// Rows returns the numbers of some rows, one row after another: of the one
// row of metrics for Result.Metrics, of those of a series for Result.Series.
func Rows[M any](measures []Measure[M], rows ...M) []float64 {
	numbers := make([]float64, 0, len(rows)*len(measures))
	for i := range rows {
		for _, m := range measures {
			numbers = append(numbers, m.Get(&rows[i]))
		}
	}
	return numbers
}
