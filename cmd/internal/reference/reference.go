// Package reference writes docs/reference.md and the manual pages from what
// commands, experiments and result files declare. cmd/reference is its program;
// the tests of cmd/sweep, which link all of it anyway, tell a stale page.
package reference

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"sweep/cli"
	"sweep/internal/table"
	"sweep/results"
)

// Manual writes the manual pages of a program into a directory.
func Manual(program cli.Program, dir string) error {
	header := &doc.GenManHeader{Source: "sweep", Manual: "Parameter sweeps"}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return doc.GenManTree(program.Command(), header, dir)
}

// Page returns docs/reference.md for a program.
func Page(program cli.Program) ([]byte, error) {
	page := new(bytes.Buffer)
	root := program.Command()
	fmt.Fprint(page, `<!-- Written by "go generate ./cmd/reference"; do not edit. -->

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
		fmt.Fprintf(page, "\n### %s\n\n```text\n%s\n\n%s```\n",
			cmd.CommandPath(), strings.TrimSpace(cmd.Long), cmd.UsageString())
	}
	fmt.Fprint(page, "\n## Columns\n\nThe files' metadata says the same, with units. "+
		"Where a column does not apply it is null.\n\n")
	runs, series, summary := results.Columns(program.Experiments[0])
	runs = append(runs, results.DesignColumns...)
	err := table.Write(page, table.Markdown, columns("runs.parquet: a row for each run", runs),
		columns("series.parquet: a row for each run and window", series),
		columns("summary.parquet: a row for each cell and metric", summary),
		columns("timings.parquet: a row for each run", results.TimingColumns))
	if err != nil {
		return nil, err
	}
	fmt.Fprint(page, "\n## Experiments\n\n")
	root.SetOut(page)
	root.SetArgs([]string{"params", "--format", "markdown"})
	err = root.Execute()
	return page.Bytes(), err
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
