package grid_test

import (
	"context"
	"fmt"

	"sweep/experiment"
	"sweep/grid"
)

// walk is a declaration with two algorithms, one of which has no beta.
var walk = &experiment.Experiment{
	Name:    "walk",
	Version: 1,
	Params: []experiment.Param{
		{Name: "algorithm", Kind: experiment.String, Default: experiment.StringValue("RL"), Choices: []string{"RL", "WL"},
			Meaning: "what walks", Source: "example"},
		{Name: "beta", Kind: experiment.Float, Default: experiment.FloatValue(0.3), Max: 1, UsedBy: []string{"WL"},
			Meaning: "weight of the newest path", Source: "example"},
	},
	Metrics: []experiment.Metric{{Name: "steps", Kind: experiment.Int, Meaning: "steps walked"}},
	Run:     func(context.Context, experiment.Point, *experiment.Result) error { return nil },
}

// A parameter that an algorithm does not use is null and multiplies
// nothing: RL runs once per seed. All cells of a seed come before the next
// seed.
func Example() {
	spec, err := grid.Parse("walk.toml", []byte(`
experiment = "walk"
seeds      = 2

[grid]
algorithm = ["RL", "WL"]
beta      = { from = 0.1, to = 0.5, step = 0.2 }
exclude   = [{ beta = 0.3 }]
`), []*experiment.Experiment{walk})
	if err != nil {
		fmt.Println(err)
		return
	}
	plan := spec.Plan()
	for i := range plan.Runs() {
		p := plan.Point(i)
		fmt.Println(i, p.Value("algorithm"), p.Value("beta"), "seed", p.Seed, grid.Identify(p).String()[:8])
	}
	b := spec.Blocks()[0]
	fmt.Println(b.Combinations, "combinations,", b.Nulled, "nulled,", b.Excluded, "excluded,", b.Cells, "cells")
	// Output:
	// 0 RL null seed 1 265db2d0
	// 1 WL 0.1 seed 1 790e4fc1
	// 2 WL 0.5 seed 1 aec3ac0f
	// 3 RL null seed 2 67f70e80
	// 4 WL 0.1 seed 2 9ce110ee
	// 5 WL 0.5 seed 2 18109fb2
	// 6 combinations, 2 nulled, 1 excluded, 3 cells
}
