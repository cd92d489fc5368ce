package cli

import (
	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/table"
)

// schema defines "sweep schema".
func (p *Program) schema(cmd *cobra.Command) {
	cmd.RunE = func(*cobra.Command, []string) error {
		return table.WriteJSON(cmd.OutOrStdout(), grid.Schema(p.Experiments))
	}
}
