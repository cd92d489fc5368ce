// Package experiments declares the experiments: each joins algorithms and an
// environment to the engine by one experiment.Experiment.
//
// A new experiment is a file with its declaration and a line in
// Experiments.
package experiments

import (
	"slices"

	"sweep/experiment"
)

// Options holds what experiments need to know of the machine. None of it
// can alter a result.
type Options struct {
	// WorldMemory bounds the memory, in bytes, of built worlds that are
	// kept for further runs, each experiment for itself. At least the
	// worlds in use are kept. 0 is half of the memory limit that the Go
	// runtime has when a world is built (debug.SetMemoryLimit), or
	// DefaultWorldMemory if it has none.
	WorldMemory int64

	// Shipped returns the content of files that come with the program, by
	// the paths that its specs give them; nil if there are none.
	Shipped func(path string) (data []byte, ok bool)
}

// DefaultWorldMemory keeps about a hundred worlds of the default size.
const DefaultWorldMemory = 1 << 30

// Experiments returns the declarations of all experiments, each with
// caches of its own.
func Experiments(o Options) []*experiment.Experiment {
	return []*experiment.Experiment{
		Foraging(o),
		Structure(),
		Monitoring(o),
		Sources(),
		PointLocation(),
		Equipartition(),
	}
}

// field joins the declaration of a parameter to the place in a
// configuration C that its value goes to.
type field[C any] struct {
	experiment.Param
	set func(*C, experiment.Value)
}

// within makes fields of a part those of the configuration C that contains
// it.
func within[C, P any](fields []field[P], part func(*C) *P) []field[C] {
	outer := make([]field[C], len(fields))
	for i, f := range fields {
		outer[i] = field[C]{f.Param, func(c *C, v experiment.Value) { f.set(part(c), v) }}
	}
	return outer
}

// params returns the declarations of fields.
func params[C any](fields []field[C]) []experiment.Param {
	declared := make([]experiment.Param, len(fields))
	for i, f := range fields {
		declared[i] = f.Param
	}
	return declared
}

// rule declares a rule on some of the parameters, those first that are most
// likely at fault. check is called with a configuration of nothing else.
func rule[C any](fields []field[C], check func(*C) error, params ...string) experiment.Rule {
	var read []field[C]
	for _, f := range fields {
		if slices.Contains(params, f.Name) {
			read = append(read, f)
		}
	}
	return experiment.Rule{Params: params, Check: func(p experiment.Point) error {
		var c C
		for _, f := range read {
			if v := p.Value(f.Name); !v.IsNull() {
				f.set(&c, v)
			}
		}
		return check(&c)
	}}
}

// configure fills a configuration with the values of a point; a parameter
// that the point does not use leaves its field at zero.
func configure[C any](c *C, fields []field[C], values []experiment.Value) {
	for i, v := range values {
		if !v.IsNull() {
			fields[i].set(c, v)
		}
	}
}
