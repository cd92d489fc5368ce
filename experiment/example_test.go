package experiment_test

import (
	"context"
	"fmt"

	"sweep/experiment"
)

// A coin is what one point of a sweep sets.
type coin struct {
	bias   float64
	tosses int
}

// A count is what is measured after a toss.
type count struct{ heads, tosses int }

// coinParams declares the parameters, each with the field that it sets.
func coinParams(c *coin) []experiment.Param {
	return []experiment.Param{
		{
			To:      &c.bias,
			Name:    "bias",
			Symbol:  "p",
			Default: experiment.FloatValue(0.5),
			Max:     1,
			Meaning: "probability of heads",
			Source:  "assumed",
		},
		{
			To:      &c.tosses,
			Name:    "tosses",
			Unit:    "tosses",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e6,
			Meaning: "how often the coin is tossed",
			Source:  "assumed",
		},
	}
}

// coinMetrics declares what is measured of a run.
func coinMetrics(c *count) []experiment.Measure {
	share := float64(c.heads) / float64(c.tosses)
	return []experiment.Measure{
		experiment.Measured("share", "", "heads / tosses", "", share),
	}
}

// coinSeries declares the axis of the series and then its columns.
func coinSeries(c *count) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("toss", "tosses", "number of the toss", "", c.tosses),
		experiment.Measured("heads_so_far", "", "heads up to this toss", "", c.heads),
	}
}

// toss simulates: it is a pure function of the configuration and the seed.
func toss(_ context.Context, c *coin, seed int64) (last count, all []count, err error) {
	for i := range c.tosses {
		last.tosses++
		if float64((seed*31+int64(i)*17)%100) < c.bias*100 {
			last.heads++
		}
		all = append(all, last)
	}
	return last, all, nil
}

// An experiment is declared by its parameters, its metrics, its series and the
// function that simulates one point. cli.Main(coins) makes a program of it, in
// which specs may vary bias and tosses.
func Example() {
	coins := experiment.Simulation(experiment.Experiment{
		Name:    "coin",
		Version: 1,
		Title:   "a biased coin",
		Source:  "none",
	}, coinParams, coinMetrics, coinSeries, toss)

	point := experiment.Point{
		Experiment: coins,
		Seed:       1,
		Values:     []experiment.Value{experiment.FloatValue(0.3), experiment.IntValue(100)},
	}
	var result experiment.Result
	if err := coins.Run(context.Background(), point, &result); err != nil {
		fmt.Println(err)
	}
	fmt.Println(coins.Metrics[0].Name, "=", result.Metrics[0])
	fmt.Println("valid:", coins.Validate() == nil)
	// Output:
	// share = 0.3
	// valid: true
}
