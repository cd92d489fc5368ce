package experiment_test

import (
	"context"
	"fmt"

	"sweep/experiment"
)

// A coin is what one point of a sweep sets, a count what is measured after a toss.
type (
	coin struct {
		bias   float64
		tosses int
	}
	count struct{ heads, tosses int }
)

// toss stands for a simulation: a pure function of the configuration and the seed.
func toss(_ context.Context, c *coin, seed int64) (last count, all []count, err error) {
	for i := range c.tosses {
		if last.tosses++; float64((seed*31+int64(i)*17)%100) < c.bias*100 {
			last.heads++
		}
		all = append(all, last)
	}
	return last, all, nil
}

// An experiment is declared once: the parameters of a configuration,
// each with its place there, and the metrics and the series with their numbers
// in what a run measured. cli.Main(e) makes a program of it, in which specs may
// vary bias and tosses.
func Example() {
	params := func(c *coin) []experiment.Param {
		return []experiment.Param{
			{To: &c.bias, Name: "bias", Symbol: "p", Default: experiment.FloatValue(0.5), Min: 0, Max: 1,
				Meaning: "probability of heads", Source: "assumed"},
			{To: &c.tosses, Name: "tosses", Unit: "tosses", Default: experiment.IntValue(100), Min: 1, Max: 1e6,
				Meaning: "how often the coin is tossed", Source: "assumed"},
		}
	}
	metrics := func(c *count) []experiment.Measure {
		return []experiment.Measure{
			{Metric: experiment.Metric{Name: "share", Kind: experiment.Float, Meaning: "heads / tosses"}, Value: float64(c.heads) / float64(c.tosses)},
		}
	}
	series := func(c *count) []experiment.Measure {
		return []experiment.Measure{
			{Metric: experiment.Metric{Name: "toss", Kind: experiment.Int, Meaning: "number of the toss"}, Value: float64(c.tosses)},
			{Metric: experiment.Metric{Name: "heads_so_far", Kind: experiment.Int, Meaning: "heads up to it"}, Value: float64(c.heads)},
		}
	}
	e := experiment.Simulation(experiment.Experiment{Name: "coin", Version: 1, Title: "a biased coin", Source: "none"}, params, metrics, series, toss)
	point := experiment.Point{Experiment: e, Seed: 1, Values: []experiment.Value{experiment.FloatValue(0.3), experiment.IntValue(100)}}
	var result experiment.Result
	if err := e.Run(context.Background(), point, &result); err != nil || e.Validate() != nil {
		fmt.Println(err, e.Validate())
	}
	fmt.Println(e.Metrics[0].Name, "=", result.Metrics[0])
	// Output: share = 0.3
}
