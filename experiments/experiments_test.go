package experiments

import (
	"context"
	"slices"

	"sweep/experiment"
)

// must returns what was made without an error.
func must[T any](v T, err error) T {
	ok(err)
	return v
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}

type values = map[string]experiment.Value

// defaults returns the point of an algorithm with all other parameters at
// their defaults.
func defaults(e *experiment.Experiment, algorithm string, seed int64) experiment.Point {
	p := experiment.Point{Experiment: e, Seed: seed}
	for i := range e.Params {
		param := &e.Params[i]
		v := param.Default
		switch {
		case param.Name == experiment.Algorithm:
			v = experiment.StringValue(algorithm)
		case !param.Uses(algorithm):
			v = experiment.Value{}
		}
		p.Values = append(p.Values, v)
	}
	return p
}

// with returns a point with some parameters changed.
func with(p experiment.Point, changed values) experiment.Point {
	p.Values = slices.Clone(p.Values)
	for name, v := range changed {
		_, i := p.Experiment.Param(name)
		p.Values[i] = v
	}
	return p
}

// result runs a point.
func result(p experiment.Point) (r experiment.Result) {
	ok(p.Experiment.Run(context.Background(), p, &r))
	return r
}
