package experiment

import (
	"context"
	"fmt"
	"testing"
)

// Each parameter sets a field of its own, in the configuration of its run.
func TestParametersPointToTheirFields(t *testing.T) {
	type config struct {
		a, b  float64
		table []float64
	}
	var shared float64
	number := func(name string, to any) Param { return Param{Name: name, To: to} }
	for _, c := range []struct {
		params func(c *config) []Param
		want   string
	}{
		{func(c *config) []Param { return []Param{number("a", &c.a), number("b", &c.b)} }, ""},
		{func(c *config) []Param {
			c.table = make([]float64, 2)
			return []Param{number("a", &c.table[0]), number("b", &c.table[1])}
		}, ""},
		{func(c *config) []Param { return []Param{number("a", &c.a), number("b", &c.a)} },
			`experiment: parameters "a" and "b" point To the same field, want a field for each`},
		{func(c *config) []Param { return []Param{number("a", &c.a), number("b", &shared)} },
			`experiment: To of parameter "b" points to nothing in the experiment.config, want a pointer to a field of it`},
		{func(c *config) []Param {
			copied := *c
			return []Param{number("a", &copied.a)}
		}, `experiment: To of parameter "a" points to nothing in the experiment.config, want a pointer to a field of it`},
		{func(c *config) []Param {
			c.a = 3
			return []Param{number("a", &c.a), number("b", &c.b)}
		}, ""},
		{func(c *config) []Param { return []Param{number("a", c.a)} },
			`experiment: To of parameter "a" is a float64, want a pointer to a bool, int, int64, float64 or string`},
	} {
		got := panicOf(func() {
			Simulation(Experiment{Name: "test"}, c.params,
				func(m *float64) []Measure { return []Measure{Measured("m", "", "what is measured", "", *m)} },
				func(*struct{}) []Measure { return nil },
				func(context.Context, *config, int64) (float64, []struct{}, error) { return 0, nil, nil })
		})
		if got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// panicOf returns with what a function panics; empty if it does not.
func panicOf(f func()) (text string) {
	defer func() {
		if v := recover(); v != nil {
			text = fmt.Sprint(v)
		}
	}()
	f()
	return ""
}
