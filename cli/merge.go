package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/results"
)

// mergeFlags are the flags of "sweep merge".
type mergeFlags struct {
	dir     string // empty: in place
	partial bool
	quiet   bool
}

// newMerge returns "sweep merge".
func newMerge(experiments []*experiment.Experiment) *cobra.Command {
	var flags mergeFlags
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Make one machine's results of those of several",
		Long: `Merge the runs in each DIR and in its shards, and print the table: the files
are those that one machine would have written. With one DIR and no -o, they
are written into DIR itself. The inputs stay as they are; merging again, or
merging what was merged, changes nothing.

The DIRs must be of one sweep and model version, and no run may have two
outcomes: a run that is in several is compared bit for bit. Of a run that
failed in one and succeeded in another, the success is taken; of failures,
the last.

If runs are missing, nothing is written, and the exit code is 1; --partial
writes what is there, also with 1. A directory in which a sweep is running
is refused with 75.`,
		Example: `  sweep merge out/table2                        its shards, in place
  sweep merge node1/table2 node2/table2 -o all
  sweep merge out/table2 --partial              what is there so far
  sweep merge out/table2 --quiet                silent if all is well`,
		Args:              arguments(1, math.MaxInt),
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.dir == "" {
				if len(args) > 1 {
					return &usageError{message: "several directories, but not where to merge them", hint: "name it with -o DIR"}
				}
				flags.dir = args[0]
			}
			return mergeDirs(cmd, args, flags, experiments)
		},
	}
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "write into `DIR` (default: the only DIR)")
	f.BoolVar(&flags.partial, "partial", false, "write the runs that are there although others are missing")
	f.BoolVar(&flags.quiet, "quiet", false, "print no table")
	return cmd
}

func mergeDirs(cmd *cobra.Command, from []string, flags mergeFlags, experiments []*experiment.Experiment) (err error) {
	gathering, err := results.Gather(flags.dir, from, experiments)
	if err != nil {
		return err
	}
	defer closing(gathering, &err)
	stderr := cmd.ErrOrStderr()
	for _, warning := range gathering.Warnings {
		fmt.Fprintf(stderr, "warning: %s\n", warning)
	}
	printGaps(stderr, gathering)
	left := unfinishedRuns{gathering.Failed, gathering.Missing}
	if gathering.Missing > 0 && !flags.partial {
		return fmt.Errorf("nothing is written, %w", left)
	}
	store, err := gathering.Open()
	if err != nil {
		return err
	}
	defer closing(store, &err)
	printFindings(stderr, store)
	ledger, err := openLedger(gathering.Spec, nil, store, 0, store.Assigned()-store.Finished())
	if err != nil {
		return err
	}
	err = store.Finish()
	if ledgerErr := ledger.close(store, err == nil && left.missing == 0); err == nil {
		err = ledgerErr
	}
	if err != nil {
		return err
	}
	if !flags.quiet {
		if err := printTable(cmd.OutOrStdout(), flags.dir, experiments); err != nil {
			return err
		}
	}
	if n := len(store.Damage()); n > 0 && left.asError() == nil {
		return damagedFiles(n)
	}
	return left.asError()
}

// printGaps tells which shards lack runs.
func printGaps(w io.Writer, g *results.Gathering) {
	const most = 20
	for _, gap := range g.Shards[:min(len(g.Shards), most)] {
		if g.Plan.Stop() != nil { // how many there will be is not known
			fmt.Fprintf(w, "missing: at least %s of shard %s\n", count(gap.Missing, "run"), gap.Shard)
			continue
		}
		fmt.Fprintf(w, "missing: %d of the %s of shard %s\n", gap.Missing, count(gap.Shard.Runs(), "run"), gap.Shard)
	}
	if more := len(g.Shards) - most; more > 0 {
		fmt.Fprintf(w, "missing: runs of %d more shards\n", more)
	}
}

// closing closes what a function has opened, when it returns. Its own error
// comes first.
func closing(c io.Closer, err *error) {
	if closeErr := c.Close(); *err == nil {
		*err = closeErr
	}
}
