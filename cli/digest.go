package cli

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"sweep/internal/report"
	"sweep/results"
)

// newDigest returns "sweep digest".
func newDigest(prog *Program) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "digest DIR...",
		Short: "Print a digest of all runs, to compare machines by",
		Long: `Print a line for each DIR: a digest of the runs in it, the directory, and how
many runs there are. Two directories have the same digest if they hold the
same runs with the same outcomes, bit for bit: parameters, seed, status,
error, every metric and every number of the series. Which machine computed
them, in what order, with how many workers, in shards or not, merged or not
yet, makes no difference.

The exit code is 1 if runs are missing or have failed in any DIR; its digest
is that of the runs that are there. In the directory of a shard, only its own
runs can be missing.`,
		Example: `  sweep digest out/table2
  sweep digest laptop/table2 cluster/table2   one line each
  sweep digest out/table2 | cut -c 1-64       the digest alone
  sweep digest out/table2 --format json`,
		Args:              arguments(1, math.MaxInt),
		ValidArgsFunction: completeDirs,
	}
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var all []jsonDigest
		var left unfinishedRuns
		for _, dir := range args {
			d, err := digestOf(dir, prog)
			if err != nil {
				return err
			}
			all = append(all, d)
			left.failed += d.Failed
			left.missing += d.Missing
			if format.value == "text" {
				_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s  %s  %d ok, %d failed, %d missing\n", d.Digest, d.Dir, d.OK, d.Failed, d.Missing)
				if err != nil {
					return err
				}
			}
		}
		if format.value == "json" {
			if err := report.WriteJSON(cmd.OutOrStdout(), all); err != nil {
				return err
			}
		}
		return left.asError()
	}
	return cmd
}

// jsonDigest is the digest of one directory. Its field names are part of
// the interface.
type jsonDigest struct {
	Dir     string `json:"dir"`
	Digest  string `json:"digest"` // 64 hexadecimal digits
	Runs    int64  `json:"runs"`   // in the plan
	OK      int64  `json:"ok"`
	Failed  int64  `json:"failed"`
	Missing int64  `json:"missing"` // of the plan, or of the shard whose directory it is
}

func digestOf(dir string, prog *Program) (jsonDigest, error) {
	view, err := results.OpenReader(dir, prog.Experiments)
	if err != nil {
		return jsonDigest{}, err
	}
	d, err := view.Digest()
	if err != nil {
		return jsonDigest{}, err
	}
	return jsonDigest{dir, d.String(), view.Assigned(), d.OK, d.Failed, view.Missing()}, nil
}
