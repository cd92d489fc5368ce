package experiments

import (
	"context"

	"sweep/algorithms/ancestors"
	"sweep/experiment"
)

// ancestorsVersion is the model version of both experiments of this file.
const ancestorsVersion = 1

// PointLocation declares the search of a point on a line by the ancestor
// of CGLA.
func PointLocation() *experiment.Experiment {
	type config = ancestors.PointLocation
	const source = thesis + "section 4.1"
	fields := []field[config]{
		number("point", "λ*", "", 0.7, 0, 1, nil, "the point to find", source,
			func(c *config) *float64 { return &c.Point }),
		number("truth", "p", "", 0.8, 0, 1, nil, "probability that an answer of the environment is right", source,
			func(c *config) *float64 { return &c.Truth }),
		whole("N", "N", "", 64, 1, 1e6, nil, "resolution: the automaton's states are 0, 1/N, …, 1", source,
			func(c *config, n int) { c.N = n }),
		whole("steps", "", "", 20_000, 2, 1e7, nil, "answers taken; the first half is a warm-up", chosen,
			func(c *config, n int) { c.Steps = n }),
	}
	return &experiment.Experiment{
		Name:    "point_location",
		Version: ancestorsVersion,
		Title:   "stochastic point location, which the competitive game of learning automata extends: to find a point by asking an environment that may lie",
		Source:  "Oommen: Stochastic searching on the line and its applications to parameter learning in nonlinear optimization",
		Params:  params(fields),
		Metrics: []experiment.Metric{
			{Name: "mean_lambda", Kind: experiment.Float, Source: source, Meaning: "λ, mean after the warm-up"},
			{Name: "lambda_error", Kind: experiment.Float, Source: source, Meaning: "|λ − λ*|, mean after the warm-up"},
		},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			var c config
			configure(&c, fields, p.Values)
			found := c.Run(p.Seed)
			*out = experiment.Result{Metrics: []float64{found.Mean, found.Error}}
			return nil
		},
	}
}

// Equipartition declares the recovery of an equipartition by the ancestor
// of FPA.
func Equipartition() *experiment.Experiment {
	type config = ancestors.Equipartition
	const source = thesis + "section 4.2"
	fields := []field[config]{
		whole("objects", "W", "objects", 12, 4, 1000, nil, "objects, a multiple of groups and at least twice as many", source,
			func(c *config, n int) { c.Objects = n }),
		whole("groups", "R", "groups", 3, 2, 500, nil, "groups of equal size", source,
			func(c *config, n int) { c.Groups = n }),
		whole("N", "N", "states", 10, 1, 1e6, nil, "states of each class", source,
			func(c *config, n int) { c.N = n }),
		number("truth", "", "", 0.9, 0, 1, nil, "probability that a pair that is used together is of one group", source,
			func(c *config) *float64 { return &c.Truth }),
		whole("queries", "", "pairs", 50_000, 1, 1e6, nil, "pairs at most", chosen,
			func(c *config, n int) { c.Queries = n }),
	}
	return &experiment.Experiment{
		Name:    "equipartition",
		Version: ancestorsVersion,
		Title:   "the object migration automaton, which the fixed partitioning automaton extends: to recover groups from pairs that are used together",
		Source:  "Oommen, Ma: Deterministic learning automata solutions to the equipartitioning problem",
		Params:  params(fields),
		Rules:   []experiment.Rule{rule(fields, (*config).CheckGroups, "objects", "groups")},
		Metrics: []experiment.Metric{
			{Name: "converged", Kind: experiment.Int, Source: source, Meaning: "1 if every object came to the most internal state of its class at once, or else 0"},
			{Name: "queries_taken", Kind: experiment.Int, Unit: "pairs", Source: source, Meaning: "pairs until then, or all"},
			{Name: "recovered", Kind: experiment.Float, Source: source, Meaning: "share of the pairs of one group that are in one class at the end"},
		},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			var c config
			configure(&c, fields, p.Values)
			if err := c.CheckGroups(); err != nil {
				return err
			}
			r := c.Run(p.Seed)
			converged := 0.0
			if r.Converged {
				converged = 1
			}
			*out = experiment.Result{Metrics: []float64{converged, float64(r.Queries), r.Recovered}}
			return nil
		},
	}
}
