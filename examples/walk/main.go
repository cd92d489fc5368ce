// Command walk sweeps over a random walk: a program of its own with every
// command of sweep. Try "go run . run walk.toml", then table, plot and check.
package main

import (
	"context"
	"math/rand/v2"

	"sweep/cli"
	"sweep/experiment"
)

// A config is what one point of a sweep sets.
type config struct {
	steps int
	drift float64
}

// A place is where the walker is after some steps.
type place struct {
	step     int
	position float64
}

// walk returns the places after every tenth step and at the end.
func (c config) walk(seed int64) []place {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	var places []place
	position := 0.0
	for step := 1; step <= c.steps; step++ {
		if 2*random.Float64()-1 < c.drift {
			position++
		} else {
			position--
		}
		if step%10 == 0 || step == c.steps {
			places = append(places, place{step, position})
		}
	}
	return places
}

func main() { cli.Main(declare()) }

func declare() *experiment.Experiment {
	const source = "this example"
	params := func(c *config) []experiment.Param {
		return []experiment.Param{
			{To: &c.steps, Name: "steps", Unit: "steps", Default: experiment.IntValue(100), Min: 1, Max: 1e6,
				Meaning: "length of the walk", Source: source},
			{To: &c.drift, Name: "drift", Symbol: "μ", Unit: "m", Default: experiment.FloatValue(0), Min: -1, Max: 1,
				Meaning: "mean of a step, which is 1 m ahead or back", Source: source},
		}
	}
	metrics := func(p *place) []experiment.Measure {
		return []experiment.Measure{
			{Metric: experiment.Metric{Name: "end", Kind: experiment.Float, Unit: "m", Meaning: "where the walk ends"}, Value: p.position},
			{Metric: experiment.Metric{Name: "distance2", Kind: experiment.Float, Unit: "m²", Meaning: "the square of it"}, Value: p.position * p.position},
		}
	}
	series := func(p *place) []experiment.Measure {
		return []experiment.Measure{
			{Metric: experiment.Metric{Name: "step", Kind: experiment.Int, Unit: "steps", Meaning: "steps taken"}, Value: float64(p.step)},
			{Metric: experiment.Metric{Name: "position", Kind: experiment.Float, Unit: "m", Meaning: "where the walker is"}, Value: p.position},
		}
	}
	return experiment.Simulation(experiment.Experiment{Name: "walk", Version: 1, Title: "a random walk on a line", Source: source},
		params, metrics, series, func(_ context.Context, c *config, seed int64) (place, []place, error) {
			places := c.walk(seed)
			return places[len(places)-1], places, nil
		})
}
