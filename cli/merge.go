package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/spf13/cobra"

	"sweep/results"
)

// mergeFlags are the flags of "sweep merge".
type mergeFlags struct {
	dir     string // empty: in place
	partial bool
	quiet   bool
}

// newMerge returns "sweep merge".
func newMerge(prog *Program) *cobra.Command {
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
			return mergeDirs(cmd, args, flags, prog)
		},
	}
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "write into `DIR` (default: the only DIR)")
	f.BoolVar(&flags.partial, "partial", false, "write the runs that are there although others are missing")
	f.BoolVar(&flags.quiet, "quiet", false, "print no table")
	return cmd
}

func mergeDirs(cmd *cobra.Command, from []string, flags mergeFlags, prog *Program) (err error) {
	view, err := results.OpenMerge(flags.dir, from, prog.Experiments)
	if err != nil {
		return err
	}
	stderr := cmd.ErrOrStderr()
	if err := printGaps(stderr, view, from); err != nil {
		return err
	}
	missing := view.Missing()
	left := unfinishedRuns(view.Failed(), missing)
	if missing > 0 && !flags.partial {
		for _, d := range view.Damage {
			fmt.Fprintf(stderr, "corrupt: %s\n", d)
		}
		return fmt.Errorf("nothing is written, %w", left)
	}
	store, err := results.Open(flags.dir, view.Spec)
	if err != nil {
		return err
	}
	defer closeInto(store, &err)
	if _, err := store.Take(from, true); err != nil {
		return err
	}
	printFindings(stderr, store)
	manifest, err := newManifest(store, 0, store.Assigned()-store.Finished())
	if err != nil {
		return err
	}
	err = store.Finish()
	if closeErr := manifest.close(err == nil && missing == 0); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if !flags.quiet {
		d := store.Digest()
		fmt.Fprintf(stderr, "digest %s of %s\n", d, count(d.OK+d.Failed, "run"))
		if err := printTable(cmd.OutOrStdout(), flags.dir, prog); err != nil {
			return err
		}
	}
	if n := len(store.Damage()); n > 0 && left == nil {
		return corruptFiles(n)
	}
	return left
}

// printGaps tells which shards lack runs, if the directories are shards of
// one division, or hold them.
func printGaps(w io.Writer, view *results.Reader, from []string) error {
	shards := int64(0)
	for _, dir := range from {
		n, err := results.ShardCount(dir)
		if err != nil {
			return err
		}
		if n != 0 && shards != 0 && n != shards {
			return nil
		}
		shards = max(shards, n)
	}
	const most = 20
	more := -most
	for i := range shards {
		shard := view.Plan.Shard(i, shards)
		missing := view.MissingIn(shard)
		if missing == 0 {
			continue
		}
		switch more++; {
		case more > 0:
		case view.Plan.Stop() != nil: // how many there will be is not known
			fmt.Fprintf(w, "missing: at least %s of shard %s\n", count(missing, "run"), shard)
		default:
			fmt.Fprintf(w, "missing: %d of the %s of shard %s\n", missing, count(shard.Runs(), "run"), shard)
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "missing: runs of %d more shards\n", more)
	}
	return nil
}
