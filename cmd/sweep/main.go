// Command sweep is the command line (package cli) over the papers'
// experiments and the sweeps that come with them. "sweep --help" teaches it
// by example.
package main

import (
	"sweep/cli"
	"sweep/experiments"
	"sweep/sweeps"
)

func main() { program().Main() }

func program() cli.Program {
	return cli.Program{
		Name:        "sweep",
		Experiments: experiments.Experiments(sweeps.File),
		Sweeps:      sweeps.FS,
	}
}
