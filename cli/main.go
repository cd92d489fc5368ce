// Package cli is the command line: it runs parameter sweeps over the
// experiments of a program, and tabulates, draws, compares and checks what
// comes out. A program of one's own is
//
//	func main() { cli.Main(walk()) } // walk declares an *experiment.Experiment
//
// and "--help" teaches the rest by example.
//
// The package holds one file per command, named after it, and what commands
// share. Commands parse flags and print; the work is done in the packages that
// they call.
package cli

import (
	"io/fs"
	"os"
	"path/filepath"

	"sweep/experiment"
)

// A Program is a command line over experiments.
type Program struct {
	// Name is what people type; empty: the base name of the executable.
	Name string

	// Experiments are what specs may sweep over.
	Experiments []*experiment.Experiment

	// Sweeps, if not nil, holds specs that come with the program: NAME.toml is
	// run by NAME. Claims that no sweep tests may be listed in
	// claims/untested.toml.
	Sweeps fs.FS
}

// Main runs a program with only these experiments and exits: 0 if all went
// well; "--help" lists the other codes.
func Main(experiments ...*experiment.Experiment) {
	Program{Experiments: experiments}.Main()
}

// Main runs the program's command line and exits.
func (p Program) Main() {
	if p.Name == "" {
		p.Name = filepath.Base(os.Args[0])
	}
	os.Exit(p.execute(os.Args[1:], os.Stdout, os.Stderr))
}
