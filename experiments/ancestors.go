package experiments

import (
	"context"

	"sweep/algorithms/ancestors"
	"sweep/experiment"
)

// PointLocation declares the search of a point on a line by the ancestor
// of CGLA.
func PointLocation() *experiment.Experiment {
	type config = ancestors.PointLocation
	const source = thesis + "section 4.1"
	params := func(c *config) []experiment.Param {
		return []experiment.Param{
			{
				To:      &c.Point,
				Name:    "point",
				Symbol:  "λ*",
				Default: experiment.FloatValue(0.7),
				Max:     1,
				Meaning: "the point to find",
				Source:  source,
			},
			{
				To:      &c.Truth,
				Name:    "truth",
				Symbol:  "p",
				Default: experiment.FloatValue(0.8),
				Max:     1,
				Meaning: "probability that an answer of the environment is right",
				Source:  source,
			},
			{
				To:      &c.N,
				Name:    "N",
				Symbol:  "N",
				Default: experiment.IntValue(64),
				Min:     1,
				Max:     1e6,
				Meaning: "resolution: the automaton's states are 0, 1/N, …, 1",
				Source:  source,
			},
			{
				To:      &c.Steps,
				Name:    "steps",
				Default: experiment.IntValue(20_000),
				Min:     2,
				Max:     1e7,
				Meaning: "answers taken; the first half is a warm-up",
				Source:  chosen,
			},
		}
	}
	measures := func(m *ancestors.Located) []experiment.Measure {
		return []experiment.Measure{
			experiment.Measured("mean_lambda", "", "λ, mean after the warm-up", source, m.Mean),
			experiment.Measured("lambda_error", "",
				"|λ − λ*|, mean after the warm-up", source, m.Error),
		}
	}
	return experiment.Simulation(experiment.Experiment{
		Name:    "point_location",
		Version: ancestorsVersion,
		Title: "stochastic point location, which the competitive game of learning automata " +
			"extends: to find a point by asking an environment that may lie",
		Source: "Oommen: Stochastic searching on the line and its applications to parameter " +
			"learning in nonlinear optimization",
	}, params, measures, nil, locate)
}

func locate(_ context.Context, c *ancestors.PointLocation, seed int64) (
	ancestors.Located, []struct{}, error,
) {
	return c.Run(seed), nil, nil
}

// Equipartition declares the recovery of an equipartition by the ancestor
// of FPA.
func Equipartition() *experiment.Experiment {
	type config = ancestors.Equipartition
	const source = thesis + "section 4.2"
	params := func(c *config) []experiment.Param {
		return []experiment.Param{
			{
				To:      &c.Objects,
				Name:    "objects",
				Symbol:  "W",
				Unit:    "objects",
				Default: experiment.IntValue(12),
				Min:     4,
				Max:     1000,
				Meaning: "objects, a multiple of groups and at least twice as many",
				Source:  source,
			},
			{
				To:      &c.Groups,
				Name:    "groups",
				Symbol:  "R",
				Unit:    "groups",
				Default: experiment.IntValue(3),
				Min:     2,
				Max:     500,
				Meaning: "groups of equal size",
				Source:  source,
			},
			{
				To:      &c.N,
				Name:    "N",
				Symbol:  "N",
				Unit:    "states",
				Default: experiment.IntValue(10),
				Min:     1,
				Max:     1e6,
				Meaning: "states of each class",
				Source:  source,
			},
			{
				To:      &c.Truth,
				Name:    "truth",
				Default: experiment.FloatValue(0.9),
				Max:     1,
				Meaning: "probability that a pair that is used together is of one group",
				Source:  source,
			},
			{
				To:      &c.Queries,
				Name:    "queries",
				Unit:    "pairs",
				Default: experiment.IntValue(50_000),
				Min:     1,
				Max:     1e6,
				Meaning: "pairs at most",
				Source:  chosen,
			},
		}
	}
	measures := func(m *ancestors.Partitioned) []experiment.Measure {
		converged := 0
		if m.Converged {
			converged = 1
		}
		return []experiment.Measure{
			experiment.Measured("converged", "",
				"1 if every object came to the most internal state of its class at once, or else 0",
				source, converged),
			experiment.Measured("queries_taken", "pairs",
				"pairs until then, or all", source, m.Queries),
			experiment.Measured("recovered", "",
				"share of the pairs of one group that are in one class at the end",
				source, m.Recovered),
		}
	}
	return experiment.Simulation(experiment.Experiment{
		Name:    "equipartition",
		Version: ancestorsVersion,
		Title: "the object migration automaton, which the fixed partitioning automaton " +
			"extends: to recover groups from pairs that are used together",
		Source: "Oommen, Ma: Deterministic learning automata solutions to the equipartitioning " +
			"problem",
		Rules: []experiment.Rule{
			experiment.Rules(params)((*config).CheckGroups, "objects", "groups"),
		},
	}, params, measures, nil, partition)
}

func partition(_ context.Context, c *ancestors.Equipartition, seed int64) (
	m ancestors.Partitioned, rows []struct{}, err error,
) {
	if err := c.CheckGroups(); err != nil {
		return m, nil, err
	}
	return c.Run(seed), nil, nil
}
