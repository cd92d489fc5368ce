package main

import (
	"sweep/internal/schema"
	"sweep/simulation"
)

// experiments is the table of all that the program can sweep over. Worlds
// have their share of the memory limit (memory.go).
func experiments() []*schema.Experiment {
	return simulation.Experiments(simulation.Options{})
}
