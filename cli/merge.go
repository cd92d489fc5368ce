package cli

import (
	"context"
	"fmt"
	"io"
	"math"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/internal/report"
	"sweep/results"
)

// mergeFlags are the flags of "sweep merge".
type mergeFlags struct {
	dir     string // empty: in place
	partial bool
	quiet   bool
	wait    time.Duration
}

// newMerge returns "sweep merge".
func newMerge(prog *Program) *cobra.Command {
	var flags mergeFlags
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Make one machine's results of those of several",
		Long: `Merge the runs in each DIR and in its shards, and print the table: the files
are those that one machine would have written. With one DIR and no -o, they
are written into DIR itself. The inputs stay as they are.

The DIRs must be of one sweep and model version, and no run may have two
outcomes. Of a run that failed in one and succeeded in another, the success is
taken. If runs are missing, the exit code is 1, and nothing is written without
--partial. With --wait, processes that compute the shards of a DIR have so long
to complete them.`,
		Example: `  sweep merge out/table2                        its shards, in place
  sweep merge node1/table2 node2/table2 -o all
  sweep merge out/table2 --partial              what is there so far
  sweep merge out/table2 --quiet                silent if all is well`,
		Args:              arguments(1, math.MaxInt),
		ValidArgsFunction: completeDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if flags.dir == "" {
				if len(args) > 1 {
					return usage("name it with -o DIR", "several directories, but not where to merge them")
				}
				flags.dir = args[0]
			}
			if err := awaitShards(cmd.Context(), args, flags.wait); err != nil {
				return err
			}
			return mergeDirs(cmd, args, flags, prog)
		},
	}
	f := cmd.Flags()
	outputFlag(cmd, &flags.dir, "write into `DIR` (default: the only DIR)")
	f.BoolVar(&flags.partial, "partial", false, "write the runs that are there although others are missing")
	f.BoolVar(&flags.quiet, "quiet", false, "print no table")
	f.Func("wait", "wait up to `D`, such as 24h, until all shards are complete", duration(&flags.wait))
	return cmd
}

// awaitShards waits until the shards in each directory are complete, or the
// time is up. A directory may appear meanwhile.
func awaitShards(ctx context.Context, dirs []string, patience time.Duration) error {
	ctx, stop := interruptible(ctx, func(syscall.Signal) {})
	defer stop()
	for end := time.Now().Add(patience); time.Now().Before(end); {
		missing := int64(0)
		for _, dir := range dirs {
			shards, _ := results.ShardCount(dir) // the merge will say what is wrong with it
			manifests, _ := results.Manifests(dir)
			missing += max(1, shards)
			for _, m := range manifests {
				if m.Shard != "" && m.Complete {
					missing--
				}
			}
		}
		if missing == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(min(time.Until(end), 5*time.Second)):
		}
	}
	return nil
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
	var left error
	if view.Failed()+missing > 0 {
		left = &failure{code: exitFailedRuns, complete: missing == 0,
			message: fmt.Sprintf("not complete: %s failed, %d missing", count(view.Failed(), "run"), missing)}
	}
	if missing > 0 && !flags.partial {
		for _, d := range view.Damage {
			say(stderr, "corrupt: %s", d)
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
	manifest, err := newManifest(store, 0, store.Assigned()-store.OK())
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
		if err := printTable(cmd.OutOrStdout(), store.Reader, nil, analysis.Auto, report.Text); err != nil {
			return err
		}
	}
	if store.Damage != nil && left == nil {
		return errRecomputed
	}
	return left
}

// printGaps tells which shards lack runs, if the directories are shards of
// one division, or hold them.
func printGaps(w io.Writer, view *results.Reader, from []string) error {
	shards := int64(0)
	for _, dir := range from {
		n, err := results.ShardCount(dir)
		if err != nil || n != 0 && shards != 0 && n != shards {
			return err
		}
		shards = max(shards, n)
	}
	told := 0
	for i := range shards {
		shard := view.Plan.Shard(i, shards)
		missing := view.MissingIn(shard)
		if missing == 0 {
			continue
		}
		if told++; told > 20 {
			say(w, "missing: more, of further shards")
			return nil
		}
		of := "%s of shard %s"
		if view.Plan.Stop() != nil { // how many there will be is not known
			of = "at least " + of
		}
		say(w, "missing: "+of, count(missing, "run"), shard)
	}
	return nil
}
