// Command sweep is the command line (package cli) over the papers'
// experiments. "sweep --help" teaches it by example.
package main

import (
	"sweep/cli"
	"sweep/experiments"
	"sweep/sweeps"
)

func main() { cli.Main(experiments.Experiments(experiments.Options{Shipped: sweeps.File})...) }
