package cli_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"sweep/cli"
	"sweep/experiment"
)

// A program of your own has one statement in its main:
//
//	cli.Main(dice())
//
// Here its command line is executed by itself: the run of a small spec, which
// prints the table of the results.
func Example() {
	dir, err := os.MkdirTemp("", "dice")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "mine.toml")
	const spec = `
experiment = "dice"
seeds      = 10
[grid]
dice = [1, 2, 3]
`
	if err := os.WriteFile(file, []byte(spec), 0o666); err != nil {
		fmt.Println(err)
		return
	}
	program := cli.Program{Name: "dice", Experiments: []*experiment.Experiment{dice()}}
	root := program.Command()
	root.SetArgs([]string{"run", file, "-o", filepath.Join(dir, "out")})
	if err := root.Execute(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// mine: the sum of some dice
	//
	// dice   n          sum
	//    1  10  3.00 ± 1.25
	//    2  10  6.60 ± 2.27
	//    3  10  9.10 ± 2.23
	//
	// mean and standard deviation (n−1) over n = 10 runs
}

// dice declares an experiment: what a spec may vary, what is measured, and how
// a run computes it from the parameters and the seed alone.
func dice() *experiment.Experiment {
	return &experiment.Experiment{
		Name:    "dice",
		Version: 1,
		Title:   "the sum of some dice",
		Source:  "none",
		Params: []experiment.Param{{
			Name:    "dice",
			Kind:    experiment.Int,
			Default: experiment.IntValue(2),
			Min:     1,
			Max:     100,
			Meaning: "how many dice are rolled",
			Source:  "assumed",
		}},
		Metrics: []experiment.Metric{{
			Name:    "sum",
			Kind:    experiment.Int,
			Meaning: "the sum of their numbers",
		}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			random := rand.New(rand.NewPCG(uint64(p.Seed), 0))
			sum := 0
			for range p.Value("dice").Int() {
				sum += 1 + random.IntN(6)
			}
			out.Metrics = []float64{float64(sum)}
			return nil
		},
	}
}
