package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/table"
	"sweep/results"
)

// sensitivity defines "sweep sensitivity".
func (p *Program) sensitivity(cmd *cobra.Command) {
	p.onMetrics(cmd, func(reader *results.Reader, metrics []int, format string) error {
		t, err := analysis.Sensitivity(reader, metrics)
		if errors.Is(err, analysis.ErrNoSample) {
			const hint = `"sweep plot" draws how a full grid depends on its parameters`
			return usage(hint, "%v", err)
		}
		if err != nil {
			return err
		}
		return table.Write(cmd.OutOrStdout(), format, t)
	})
}
