package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweep/results"
)

// merge defines "sweep merge".
func (p *Program) merge(cmd *cobra.Command) {
	f := cmd.Flags()
	m := &merger{cmd: cmd}
	var wait time.Duration
	outputFlag(cmd, &m.to, "write into `DIR` (default: the only DIR)")
	f.BoolVar(&m.partial, "partial", false,
		"write the runs that are there although others are missing")
	f.BoolVar(&m.quiet, "quiet", false, "print no table")
	f.Func("wait", "wait up to `D`, such as 24h, until all shards are complete", duration(&wait))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if m.to == "" && len(args) > 1 {
			return usage("name it with -o DIR", "several directories, but not where to merge them")
		}
		if m.to == "" {
			m.to = args[0]
		}
		for _, dir := range args {
			_, err := os.Stat(dir)
			if errors.Is(err, fs.ErrNotExist) {
				return usage(helpHint(cmd), "there is no directory %s", dir)
			}
		}
		m.from = args
		awaitShards(args, wait)
		reader, err := results.OpenMerge(m.to, m.from, p.Experiments)
		if err != nil {
			return err
		}
		return m.merge(reader)
	}
}

// awaitShards waits until the shards of each directory are complete, at most
// for a while.
func awaitShards(dirs []string, limit time.Duration) {
	const period = 5 * time.Second
	end := time.Now().Add(limit)
	for _, dir := range dirs {
		for time.Now().Before(end) && !shardsComplete(dir) {
			time.Sleep(min(time.Until(end), period))
		}
	}
}

// shardsComplete reports whether all shards of a directory are complete, of
// which there must be one. It is silent about errors: the merge reports them.
func shardsComplete(dir string) bool {
	shards, _ := results.ShardCount(dir)
	manifests, _ := results.Manifests(dir)
	var complete int64
	for _, m := range manifests {
		if m.Shard != "" && m.Complete && !m.Locked { // its process has closed it
			complete++
		}
	}
	return complete >= max(1, shards)
}

// A merger is what the command line of "sweep merge" says.
type merger struct {
	cmd     *cobra.Command
	to      string
	from    []string
	partial bool
	quiet   bool
}

// merge writes the runs that a reader of all directories has.
func (m *merger) merge(reader *results.Reader) (err error) {
	stderr := m.cmd.ErrOrStderr()
	if err := m.nameLackingShards(stderr, reader); err != nil {
		return err
	}
	missing := reader.Missing()
	var incomplete *failure
	if reader.Failed()+missing > 0 {
		incomplete = failed(exitFailedRuns, "not complete: %s failed, %d missing",
			runs(reader.Failed()), missing)
	}
	if missing > 0 && !m.partial {
		sayEach(stderr, "corrupt", reader.Damage)
		incomplete.message = "nothing is written, " + incomplete.message
		incomplete.hint = "--partial writes the runs that are there"
		return incomplete
	}
	store, err := results.Open(m.to, reader.Spec, nil)
	if err != nil {
		return err
	}
	defer closeInto(store, &err)
	if err := store.Take(m.from, true); err != nil {
		return err
	}
	printFindings(stderr, store)
	manifest, err := beginManifest(store, 0, store.Assigned()-store.OK())
	if err != nil {
		return err
	}
	if err := exportAndFinish(m.cmd.Context(), store, manifest, missing == 0, nil); err != nil {
		return err
	}
	if !m.quiet {
		all := runs(store.OK() + store.Failed())
		fmt.Fprintf(stderr, "digest %s of %s\n", store.Digest(), all)
		w := m.cmd.OutOrStdout()
		if err := printTable(w, store.Reader); err != nil {
			return err
		}
	}
	if incomplete != nil {
		return incomplete
	}
	if store.Damage != nil {
		return errRecomputed
	}
	return nil
}

// nameLackingShards names the first shards that lack runs.
func (m *merger) nameLackingShards(w io.Writer, reader *results.Reader) error {
	const maxShown = 20
	var shards int64
	for _, dir := range m.from {
		n, err := results.ShardCount(dir)
		if err != nil {
			return err
		}
		shards = max(shards, n)
	}
	if shards == 0 || shards > reader.Plan.Runs() { // then the name of a directory is no count
		return nil
	}
	list := lacking(reader, shards)
	if len(list) > 0 {
		shown := strings.Join(list[:min(len(list), maxShown)], ", ")
		say(w, "runs are missing in shards %s of %d", shown, shards)
	}
	return nil
}

// lacking returns the indices of shards that lack runs, out of a number of
// shards.
func lacking(reader *results.Reader, shards int64) (list []string) {
	for i, missing := range reader.MissingIn(shards) {
		if missing > 0 {
			list = append(list, fmt.Sprint(i))
		}
	}
	return list
}
