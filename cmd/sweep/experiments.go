package main

import (
	"sweep/internal/schema"
	"sweep/simulation"
)

// experiments is the table of all that the program can sweep over.
func experiments() []*schema.Experiment {
	return simulation.Experiments(simulation.Options{WorldMemory: simulation.DefaultWorldMemory})
}
