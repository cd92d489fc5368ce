// Package experiments declares the experiments: each joins algorithms and an
// environment to the engine by one experiment.Experiment.
//
// A new experiment is a file with its declaration and a line in
// Experiments.
package experiments

import (
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
		NewsForagers(o),
		Web(o),
		Structure(o),
		Monitoring(o),
		Sources(),
		PointLocation(),
		Equipartition(),
	}
}

// measure declares a metric or a column of a series, with its number.
func measure[T int | int64 | float64](name, unit, meaning, source string, value T) experiment.Measure {
	kind := experiment.Int
	if _, is := any(value).(float64); is {
		kind = experiment.Float
	}
	return experiment.Measure{Metric: experiment.Metric{Name: name, Kind: kind, Unit: unit, Meaning: meaning, Source: source}, Value: float64(value)}
}
