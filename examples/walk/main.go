// Command walk sweeps over a random walk: a program of its own with every
// command of sweep. Try "go run . run walk.toml", then table, plot and check.
package main

import (
	"context"
	"math/rand/v2"

	"sweep/cli"
	"sweep/experiment"
)

const source = "this example"

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

// params declares the parameters of a config, each with the field that it sets.
func params(c *config) []experiment.Param {
	return []experiment.Param{
		{
			To:      &c.steps,
			Name:    "steps",
			Unit:    "steps",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e6,
			Meaning: "length of the walk",
			Source:  source,
		},
		{
			To:      &c.drift,
			Name:    "drift",
			Symbol:  "μ",
			Unit:    "m",
			Default: experiment.FloatValue(0),
			Min:     -1,
			Max:     1,
			Meaning: "mean of a step, which is 1 m ahead or back",
			Source:  source,
		},
	}
}

// metrics declares what is measured of a walk, by its last place.
func metrics(p *place) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("end", "m", "where the walk ends", source, p.position),
		experiment.Measured("distance2", "m²", "the square of it", source, p.position*p.position),
	}
}

// series declares the columns of the series, of which each place is a row.
func series(p *place) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("step", "steps", "steps taken", source, p.step),
		experiment.Measured("position", "m", "where the walker is", source, p.position),
	}
}

// walk simulates one walk. It returns the last place, and the places after
// every tenth step and at the end.
func walk(_ context.Context, c *config, seed int64) (last place, places []place, err error) {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	for last.step < c.steps {
		last.step++
		if 2*random.Float64()-1 < c.drift {
			last.position++
		} else {
			last.position--
		}
		if last.step%10 == 0 || last.step == c.steps {
			places = append(places, last)
		}
	}
	return last, places, nil
}

func main() {
	about := experiment.Experiment{
		Name:    "walk",
		Version: 1,
		Title:   "a random walk on a line",
		Source:  source,
	}
	cli.Main(experiment.Simulation(about, params, metrics, series, walk))
}
