// Command reference writes docs/reference.md from what commands, experiments
// and result files declare, and the manual pages of the commands.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"sweep/cli"
	"sweep/experiments"
	"sweep/internal/table"
	"sweep/results"
	"sweep/sweeps"
)

//go:generate go run . ../../docs/reference.md

// program is cmd/sweep.
var program = cli.Program{
	Name:        "sweep",
	Experiments: experiments.Experiments(sweeps.File),
	Sweeps:      sweeps.FS,
}

func main() {
	man := flag.Bool("man", false, "write manual pages into the directory PATH instead")
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "usage: reference [-man] PATH")
		os.Exit(64)
	}
	if *man {
		manual(flag.Arg(0))
		return
	}
	var page bytes.Buffer
	reference(&page)
	check(os.WriteFile(flag.Arg(0), page.Bytes(), 0o644))
}

// manual writes the manual pages into a directory.
func manual(dir string) {
	header := &doc.GenManHeader{Source: "sweep", Manual: "Parameter sweeps"}
	check(os.MkdirAll(dir, 0o755))
	check(doc.GenManTree(program.Command(), header, dir))
}

// reference writes the page.
func reference(w io.Writer) {
	root := program.Command()
	fmt.Fprint(w, `<!-- Written by "go generate ./cmd/reference"; do not edit. -->

# Reference

[Commands](#commands) and exit codes, [columns](#columns) of the Parquet files,
[experiments](#experiments) with their parameters and metrics. The keys of a spec
are in [specs](specs.md), and those of `+"`[command]` in [any program](commands.md)"+`.

## Commands
`)
	for _, cmd := range append([]*cobra.Command{root}, root.Commands()...) {
		if !cmd.IsAvailableCommand() && cmd != root {
			continue
		}
		cmd.InitDefaultHelpFlag()
		fmt.Fprintf(w, "\n### %s\n\n```text\n%s\n\n%s```\n",
			cmd.CommandPath(), strings.TrimSpace(cmd.Long), cmd.UsageString())
	}
	fmt.Fprint(w, "\n## Columns\n\nThe files' metadata says the same, with units. "+
		"Where a column does not apply it is null.\n\n")
	runs, series, summary := results.Columns(program.Experiments[0])
	check(table.Write(w, table.Markdown, columns("runs.parquet: a row for each run", runs),
		columns("series.parquet: a row for each run and window", series),
		columns("summary.parquet: a row for each cell and metric", summary),
		columns("timings.parquet: a row for each run", results.TimingColumns)))
	fmt.Fprint(w, "\n## Experiments\n\n")
	root.SetOut(w)
	root.SetArgs([]string{"params", "--format", "markdown"})
	check(root.Execute())
}

// columns returns a table of the columns that all experiments have.
func columns(title string, list []results.Column) *table.Table {
	others := map[string]string{ // by role
		"parameter": "one for each parameter of the experiment",
		"metric":    "one for each metric of the experiment",
		"series":    "one for each axis and column of the series of the experiment",
	}
	t := &table.Table{Title: title}
	for i, c := range list {
		if others[c.Role] == "" {
			t.Add(row(c.Name, c.Kind, c.Meaning))
		} else if i == 0 || list[i-1].Role != c.Role {
			t.Add(row("…", "", others[c.Role]))
		}
	}
	return t
}

func row(name, kind, meaning string) []table.Cell {
	return []table.Cell{
		table.Left("column", name),
		table.Left("kind", kind),
		table.Left("meaning", meaning),
	}
}

// check ends the program at an error.
func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "reference:", err)
		os.Exit(74)
	}
}
