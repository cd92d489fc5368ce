package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2/maybe"
	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/engines"
	"sweep/internal/report"
	"sweep/results"
)

// submit defines "sweep submit".
func (p *Program) submit(cmd *cobra.Command) {
	job := &engines.Job{Retries: 3, Program: p.Name}
	cmd.Aliases = []string{"slurm"}
	cmd.Args = func(cmd *cobra.Command, args []string) error { // what follows -- is for the engine
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args = args[:dash]
		}
		return arguments(1, 1)(cmd, args)
	}
	cmd.DisableFlagsInUseLine = true // they are in it
	cmd.Annotations = map[string]string{otherFlags: "options for the engine stand after --"}
	load := p.specFlags(cmd)
	f := cmd.Flags()
	to := choiceFlag(cmd, "to", "for `ENGINE`", engines.Engines...)
	dryRun := f.Bool("dry-run", false, "write the files, and hand nothing over")
	var output string // empty: out/<name>
	outputFlag(cmd, &output, "compute into `DIR` (default out/<name of the sweep>)")
	var shards int // 0: as setShards has it
	f.Func("shards", "divide the sweep into `N` shards", atLeast(1, &shards))
	f.Func("nodes", "under Slurm: one job on `N` nodes", atLeast(1, &job.Nodes))
	f.Func("workers", "ask for `N` processors for each shard", atLeast(1, &job.Workers))
	f.Func("retries", "try killed shards up to `N` times again (default 3)", atLeast(0, &job.Retries))
	f.Func("time", "limit a shard to `D`, such as 90m or 12h", duration(&job.Time))
	f.StringVar(&job.Image, "image", "", "under Kubernetes: run the program of `IMAGE`")
	list := f.String("list", "", "print which shards have runs `missing`, or were killed, as --array of sbatch takes it")
	_ = f.MarkHidden("list") // it is defined, for the scripts
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		dir := outputDir(output, spec)
		job.Shards = int64(shards)
		if *list != "" {
			return p.listShards(cmd, dir, job.Shards, *list == "killed")
		}
		job.Engine, job.Options, job.Name, job.Spec = *to, args[1:], spec.Name, string(spec.Source)
		return submit(cmd, spec, dir, job, *dryRun)
	}
}

// submit writes the files for an engine, and hands them over.
func submit(cmd *cobra.Command, spec *grid.Spec, output string, job *engines.Job, dryRun bool) error {
	onKubernetes, command := job.Engine == engines.Kubernetes, engines.Commands[job.Engine]
	_, err := exec.LookPath(command)
	switch {
	case job.Nodes > 0 && job.Engine != "slurm":
		return usage("", "--nodes is for slurm, not for %s", job.Engine)
	case job.Time > 0 && job.Engine == "htcondor":
		return usage("", "--time: HTCondor limits no job's time")
	case onKubernetes != (job.Image != ""):
		return usage("", "--image names what holds the program on kubernetes, and only there")
	case err != nil && !dryRun:
		return usage("--dry-run writes the files without it",
			"%s, which hands work to %s, is not to be found here", command, job.Engine)
	}
	if err := setShards(job, spec.Plan(), output); err != nil {
		return err
	}
	files, err := job.Files()
	if err != nil {
		return usage(helpHint(cmd), "%v", err)
	}
	// What the shards would refuse is to be refused here.
	if err := spec.ReadInputs(); err != nil {
		return err
	}
	store, err := results.Open(output, spec, nil)
	if err != nil {
		return err
	}
	stderr, dir := cmd.ErrOrStderr(), filepath.Join(output, job.Engine)
	printFindings(stderr, store)
	if err := cmp.Or(store.Close(), os.MkdirAll(filepath.Join(dir, "log"), 0o777)); err != nil {
		return err
	}
	if err := stageFiles(stderr, dir, spec, onKubernetes); err != nil {
		return err
	}
	for name, text := range files {
		if err := replaceFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			return err
		}
	}
	script := filepath.Join(dir, "submit.sh")
	say(stderr, "%s: %s in %s", spec.Name, runs(spec.Plan().Runs()), report.Count(job.Shards, "shard"))
	if dryRun {
		say(stderr, "to submit them, run this with bash:")
		_, err := fmt.Fprintln(cmd.OutOrStdout(), script)
		return err
	}
	bash := exec.CommandContext(cmd.Context(), "bash", script)
	bash.Stdout, bash.Stderr = cmd.OutOrStdout(), stderr
	if err := bash.Run(); err != nil {
		return failed(exitIO, "not submitted: %s: %v", script, err)
	}
	return nil
}

// listShards prints the shards that have runs missing, or those of them whose
// last process ended without a word.
func (p *Program) listShards(cmd *cobra.Command, dir string, shards int64, killed bool) error {
	readers, err := p.read(cmd, []string{dir})
	if err != nil {
		return err
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return err
	}
	ended := map[string]bool{} // shards, by a process that had the last word
	for _, m := range manifests {
		ended[m.Shard] = !m.End.IsZero()
	}
	list := slices.DeleteFunc(lacking(readers[0], shards), func(i string) bool {
		end, begun := ended[fmt.Sprintf("%s/%d", i, shards)]
		return killed && (end || !begun)
	})
	if len(list) > 0 {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(list, ","))
	}
	return err
}

// lacking returns which of so many shards lack runs.
func lacking(reader *results.Reader, shards int64) (list []string) {
	for i := range shards {
		if reader.MissingIn(reader.Plan.Shard(i, shards)) > 0 {
			list = append(list, fmt.Sprint(i))
		}
	}
	return list
}

// setShards sets into how many shards the sweep in a directory is divided.
func setShards(job *engines.Job, plan *grid.Plan, output string) error {
	begun, err := results.ShardCount(output)
	switch asked := job.Shards; {
	case err != nil:
		return err
	case asked > 0 && begun > 0 && asked != begun:
		return usage(fmt.Sprintf("take %d, or another directory", begun),
			"--shards is %d, but the sweep in %s is divided into %d shards", asked, output, begun)
	case asked > 0:
	case begun > 0:
		job.Shards = begun
	case job.Nodes > 0: // a node that is done early takes over what another has not begun
		job.Shards = 8 * int64(job.Nodes)
	default:
		job.Shards = min((plan.Runs()-1)/50/int64(max(1, job.Workers))+1, 1000)
		if plan.Stop() != nil { // its cells are not divided
			job.Shards = min(job.Shards, plan.Cells())
		}
	}
	return nil
}

// stageFiles copies this program, the spec and the files that it names into a
// directory: shards that wait in a queue need them as they are now. Pods see no
// such directory.
func stageFiles(stderr io.Writer, dir string, spec *grid.Spec, forPods bool) error {
	for _, name := range spec.Inputs() {
		from, files := spec.Files(name)
		switch {
		case filepath.IsAbs(name) || files == nil: // or it comes with the program
			continue
		case forPods:
			return usage("put it into the image, and give its absolute path there",
				"%s names %q, which pods would not find", spec.File, name)
		case !filepath.IsLocal(filepath.FromSlash(name)):
			return usage("give its absolute path, or put the file into the spec's directory",
				"%s names %q, which a copy of the spec in %s would not find", spec.File, name, dir)
		}
		for _, file := range files {
			if err := copyFile(filepath.Join(dir, file), filepath.Join(from, file)); err != nil {
				return err
			}
		}
	}
	if forPods {
		return nil
	}
	self, err := os.Executable()
	if libraries := linkedTo(self); len(libraries) > 0 {
		say(stderr, "warning: this program needs %s, which a machine with an older system may not have: "+
			"build it with CGO_ENABLED=0", strings.Join(libraries, ", "))
	}
	if err := cmp.Or(err, copyFile(filepath.Join(dir, "sweep"), self)); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	return replaceFile(filepath.Join(dir, spec.Name+suffix), spec.Source, 0o666)
}

// copyFile copies a file; what may be executed stays so.
func copyFile(to, from string) error {
	content, err := os.ReadFile(from)
	info, noInfo := os.Stat(from)
	if err := cmp.Or(err, noInfo); err != nil {
		return err
	}
	return replaceFile(to, content, 0o666|info.Mode()&0o111)
}

// replaceFile writes a file into a directory that is made for it. It appears as
// a whole or not at all. One that has the content already is left alone: it may
// be a program that runs on another machine, over a file system that forgets
// files in use. The umask lessens the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	old, err := os.ReadFile(path)
	if err == nil && bytes.Equal(old, content) || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	return maybe.WriteFile(path, content, perm)
}

// merge defines "sweep merge".
func (p *Program) merge(cmd *cobra.Command) {
	var dir string
	var wait time.Duration
	f := cmd.Flags()
	outputFlag(cmd, &dir, "write into `DIR` (default: the only DIR)")
	partial := f.Bool("partial", false, "write the runs that are there although others are missing")
	quiet := f.Bool("quiet", false, "print no table")
	f.Func("wait", "wait up to `D`, such as 24h, until all shards are complete", duration(&wait))
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if dir == "" && len(args) > 1 {
			return usage("name it with -o DIR", "several directories, but not where to merge them")
		}
		awaitShards(args, wait)
		return p.mergeDirs(cmd, cmp.Or(dir, args[0]), args, *partial, *quiet)
	}
}

// awaitShards waits until the shards in each directory are complete, or the
// time is up. A directory may appear meanwhile.
func awaitShards(dirs []string, limit time.Duration) {
	lacks := func(dir string) bool {
		shards, _ := results.ShardCount(dir) // the merge will say what is wrong with it
		manifests, _ := results.Manifests(dir)
		complete := slices.DeleteFunc(manifests, func(m *results.Manifest) bool { return m.Shard == "" || !m.Complete })
		return int64(len(complete)) < max(1, shards)
	}
	for end := time.Now().Add(limit); time.Now().Before(end) && slices.ContainsFunc(dirs, lacks); {
		time.Sleep(min(time.Until(end), 5*time.Second))
	}
}

func (p *Program) mergeDirs(cmd *cobra.Command, to string, from []string, partial, quiet bool) (err error) {
	reader, err := results.OpenMerge(to, from, p.Experiments)
	if err != nil {
		return err
	}
	stderr, shards := cmd.ErrOrStderr(), int64(0)
	for _, dir := range from {
		n, err := results.ShardCount(dir)
		if err != nil {
			return err
		}
		shards = max(shards, n)
	}
	if list := lacking(reader, shards); list != nil {
		say(stderr, "runs are missing in shards %s of %d", strings.Join(list[:min(len(list), 20)], ", "), shards)
	}
	missing := reader.Missing()
	var left error
	if reader.Failed()+missing > 0 {
		left = failed(exitFailedRuns, "not complete: %s failed, %d missing", runs(reader.Failed()), missing)
	}
	if missing > 0 && !partial {
		sayEach(stderr, "corrupt", reader.Damage)
		return &failure{code: exitFailedRuns, message: "nothing is written, " + left.Error(),
			hint: "--partial writes the runs that are there"}
	}
	store, err := results.Open(to, reader.Spec, nil)
	if err != nil {
		return err
	}
	defer closeInto(store, &err)
	if err := store.Take(from, true); err != nil {
		return err
	}
	printFindings(stderr, store)
	m, err := begin(store, 0, store.Assigned()-store.OK())
	if err == nil {
		err = finish(cmd.Context(), store, m, missing == 0, nil)
	}
	if err != nil {
		return err
	}
	if !quiet {
		fmt.Fprintf(stderr, "digest %s of %s\n", store.Digest(), runs(store.OK()+store.Failed()))
		if err := printTable(cmd.OutOrStdout(), store.Reader, nil, analysis.Auto, report.Text); err != nil {
			return err
		}
	}
	if store.Damage != nil && left == nil {
		return errRecomputed
	}
	return left
}
