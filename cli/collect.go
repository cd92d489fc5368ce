package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/internal/document"
	"sweep/internal/table"
	"sweep/results"
)

// collect defines "sweep collect".
func (p *Program) collect(cmd *cobra.Command) {
	file := cmd.Flags().StringP("output", "o", "", "write the `FILE`")
	renames := cmd.Flags().StringArray("rename", nil,
		"call a column of a sweep otherwise: `SWEEP.COLUMN=NAME`; may be repeated")
	prefix := cmd.Flags().Bool("prefix", false,
		"call the parameters and metrics of each sweep SWEEP.COLUMN")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if filepath.Ext(*file) != ".parquet" || isDirectory(*file) || isSpecial(*file) {
			return usage("for example -o all.parquet",
				"--output is %q, want a file that ends in .parquet", *file)
		}
		if err := refuseResult("--output", *file); err != nil {
			return err
		}
		readers, err := p.openAll(cmd, args)
		if err != nil {
			return err
		}
		renamed, err := parseRenames(*renames, readers)
		if err != nil {
			return err
		}
		stderr := cmd.ErrOrStderr()
		for _, reader := range readers {
			if missing := reader.Missing(); missing > 0 {
				say(stderr, "warning: %s: %s missing", reader.Dir, runs(missing))
			}
		}
		naming := func(sweep, column string) string {
			full := sweep + "." + column
			if name, ok := renamed[full]; ok {
				return name
			}
			if *prefix {
				return full
			}
			return column
		}
		rows, different, err := results.Collect(*file, readers, naming)
		if err != nil {
			return err
		}
		say(stderr, "%s: %s of %s%s", *file, table.Count(rows, "row"),
			table.Count(int64(len(readers)), "sweep"), shared(rows-different))
		return nil
	}
}

// shared says how many rows are of runs that have another row.
func shared(rows int64) string {
	if rows == 0 {
		return ""
	}
	return fmt.Sprintf("; %d are of runs that another sweep has, too", rows)
}

// parseRenames reads arguments of --rename: the new names of columns by
// SWEEP.COLUMN.
func parseRenames(args []string, sweeps []*results.Reader) (map[string]string, error) {
	var known []string
	for _, r := range sweeps {
		e := r.Plan.Experiment()
		for _, name := range slices.Concat(e.ParamNames(), e.MetricNames()) {
			known = append(known, r.Name+"."+name)
		}
	}
	renamed := map[string]string{}
	for _, arg := range args {
		column, name, found := strings.Cut(arg, "=")
		if !found || name == "" {
			return nil, usage("for example --rename one.alpha=growth",
				"--rename is %q, want SWEEP.COLUMN=NAME", arg)
		}
		if !slices.Contains(known, column) {
			return nil, usage(document.DidYouMean(column, known),
				"--rename %s: no sweep has the column %s", arg, column)
		}
		renamed[column] = name
	}
	return renamed, nil
}
