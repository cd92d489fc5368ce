package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"sweep/internal/table"
	"sweep/results"
)

// collect defines "sweep collect".
func (p *Program) collect(cmd *cobra.Command) {
	file := cmd.Flags().StringP("output", "o", "", "write the `FILE`")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if filepath.Ext(*file) != ".parquet" || isDirectory(*file) {
			return usage("for example -o all.parquet",
				"--output is %q, want a file that ends in .parquet", *file)
		}
		readers, err := p.openAll(cmd, args)
		if err != nil {
			return err
		}
		stderr := cmd.ErrOrStderr()
		var found int64
		for _, reader := range readers {
			found += reader.OK() + reader.Failed()
			if missing := reader.Missing(); missing > 0 {
				say(stderr, "warning: %s: %s missing", reader.Dir, runs(missing))
			}
		}
		rows, err := results.Collect(*file, readers)
		if err != nil {
			return err
		}
		sweeps := table.Count(int64(len(readers)), "sweep")
		say(stderr, "%s: %s of %s; %d were in several", *file, runs(rows), sweeps, found-rows)
		return nil
	}
}
