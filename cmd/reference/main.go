// Command reference writes docs/reference.md from what commands, experiments
// and result files declare, and the manual pages of the commands.
package main

import (
	"flag"
	"fmt"
	"os"

	"sweep/cli"
	"sweep/cmd/internal/reference"
	"sweep/experiments"
	"sweep/sweeps"
)

//go:generate go run . ../../docs/reference.md

func main() {
	man := flag.Bool("man", false, "write manual pages into the directory PATH instead")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: reference [-man] PATH")
		os.Exit(64)
	}
	if err := write(flag.Arg(0), *man); err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(74)
	}
}

// write writes the page, or the manual pages into a directory.
func write(path string, man bool) error {
	program := cli.Program{ // cmd/sweep
		Name:        "sweep",
		Experiments: experiments.Experiments(sweeps.File),
		Sweeps:      sweeps.FS,
	}
	if man {
		return reference.Manual(program, path)
	}
	page, err := reference.Page(program)
	if err != nil {
		return err
	}
	return os.WriteFile(path, page, 0o644)
}
