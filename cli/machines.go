package cli

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
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

// submitFlags are the flags of "sweep submit".
type submitFlags struct {
	engines.Job
	dir    string // empty: out/<name>
	shards int    // 0: as shardCount has it

	dryRun bool
	list   string // of shards, for the scripts; empty: none
}

// submit defines "sweep submit".
func (p *Program) submit(cmd *cobra.Command) {
	flags := submitFlags{Job: engines.Job{Retries: 3, Program: p.Name}}
	cmd.Aliases = []string{"slurm"}
	cmd.Args = func(cmd *cobra.Command, args []string) error { // what follows -- is for the engine
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args = args[:dash]
		}
		return arguments(1, 1)(cmd, args)
	}
	cmd.DisableFlagsInUseLine = true // they are in it
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		err = flagError(cmd, err)
		if strings.HasPrefix(hint(err), "did you mean") {
			return err
		}
		return usage("options for the engine stand after --", "%v", err)
	})
	load := p.specFlags(cmd)
	f := cmd.Flags()
	to := choiceFlag(cmd, "to", "for `ENGINE`", engines.Engines...)
	f.BoolVar(&flags.dryRun, "dry-run", false, "write the files, and hand nothing over")
	outputFlag(cmd, &flags.dir, "compute into `DIR` (default out/<name of the sweep>)")
	f.Func("shards", "divide the sweep into `N` shards", atLeast(1, &flags.shards))
	f.Func("nodes", "under Slurm: one job on `N` nodes", atLeast(1, &flags.Nodes))
	f.Func("workers", "ask for `N` processors for each shard", atLeast(1, &flags.Workers))
	f.Func("retries", "try killed shards up to `N` times again (default 3)", atLeast(0, &flags.Retries))
	f.Func("time", "limit a shard to `D`, such as 90m or 12h", duration(&flags.Time))
	f.StringVar(&flags.Image, "image", "", "under Kubernetes: run the program of `IMAGE`")
	f.StringVar(&flags.list, "list", "", "print which shards have runs `missing`, or were killed, as --array of sbatch takes it")
	_ = f.MarkHidden("list") // it is defined
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		spec, err := load(args[0])
		if err != nil {
			return err
		}
		if flags.list != "" {
			return p.listShards(cmd, spec, &flags)
		}
		flags.Engine, flags.Options = *to, args[1:]
		return submit(cmd, spec, &flags)
	}
}

// submit writes the files for an engine, and hands them over.
func submit(cmd *cobra.Command, spec *grid.Spec, flags *submitFlags) error {
	engine, onKubernetes := flags.Engine, flags.Engine == engines.Kubernetes
	switch {
	case flags.Nodes > 0 && engine != "slurm":
		return usage("", "--nodes is for slurm, not for %s", engine)
	case flags.Time > 0 && engine == "htcondor":
		return usage("", "--time: HTCondor limits no job's time")
	case onKubernetes != (flags.Image != ""):
		return usage("", "--image names what holds the program on kubernetes, and only there")
	}
	command := engines.Commands[engine]
	_, err := exec.LookPath(command)
	if err != nil && !flags.dryRun {
		return usage("--dry-run writes the files without it", "%s, which hands work to %s, is not to be found here", command, engine)
	}
	stderr, output := cmd.ErrOrStderr(), outputDir(flags.dir, spec)
	if flags.Shards, err = shardCount(spec, flags, output); err != nil {
		return err
	}
	flags.Name, flags.Spec = spec.Name, string(spec.Source)
	files, err := flags.Files()
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
	printFindings(stderr, store)
	if err := store.Close(); err != nil {
		return err
	}
	dir := filepath.Join(output, engine)
	if err := os.MkdirAll(filepath.Join(dir, "log"), 0o777); err != nil {
		return err
	}
	for name, text := range files {
		if err := replaceFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			return err
		}
	}
	if err := copyInputs(stderr, dir, spec, onKubernetes); err != nil {
		return err
	}
	script := filepath.Join(dir, "submit.sh")
	say(stderr, "%s: %s in %s", spec.Name, report.Count(spec.Plan().Runs(), "run"), report.Count(flags.Shards, "shard"))
	if flags.dryRun {
		say(stderr, "to submit them, run this with bash:")
		_, err := fmt.Fprintln(cmd.OutOrStdout(), script)
		return err
	}
	bash := exec.CommandContext(cmd.Context(), "bash", script)
	bash.Stdout, bash.Stderr = cmd.OutOrStdout(), stderr
	if err := bash.Run(); err != nil {
		return &failure{code: exitIO, message: fmt.Sprintf("not submitted: %s: %v", script, err)}
	}
	return nil
}

// listShards prints the shards that have runs missing, or those of them whose
// last process ended without a word.
func (p *Program) listShards(cmd *cobra.Command, spec *grid.Spec, flags *submitFlags) error {
	dir := outputDir(flags.dir, spec)
	view, err := p.read(cmd, dir)
	if err != nil {
		return err
	}
	manifests, err := results.Manifests(dir)
	if err != nil {
		return err
	}
	killed := map[string]bool{}
	for _, m := range manifests {
		killed[m.Shard] = m.End.IsZero()
	}
	list := lacking(view, int64(flags.shards))
	if flags.list == "killed" {
		list = slices.DeleteFunc(list, func(i string) bool { return !killed[fmt.Sprintf("%s/%d", i, flags.shards)] })
	}
	if len(list) > 0 {
		_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(list, ","))
	}
	return err
}

// lacking returns which of so many shards lack runs.
func lacking(view *results.Reader, shards int64) (list []string) {
	for i := range shards {
		if view.MissingIn(view.Plan.Shard(i, shards)) > 0 {
			list = append(list, fmt.Sprint(i))
		}
	}
	return list
}

// shardCount returns into how many shards the sweep in a directory is to be
// divided.
func shardCount(spec *grid.Spec, flags *submitFlags, output string) (int64, error) {
	begun, err := results.ShardCount(output)
	if err != nil {
		return 0, err
	}
	shards := int64(flags.shards)
	switch {
	case shards == 0 && begun > 0:
		return begun, nil
	case shards == 0 && flags.Nodes > 0: // a node that is done early takes over what another has not begun
		return 8 * int64(flags.Nodes), nil
	case shards == 0:
		shards = min((spec.Plan().Runs()-1)/50/int64(max(1, flags.Workers))+1, 1000)
		if spec.Plan().Stop() != nil { // its cells are not divided
			shards = min(shards, spec.Plan().Cells())
		}
	case begun > 0 && shards != begun:
		return 0, usage(fmt.Sprintf("take %d, or another directory", begun),
			"--shards is %d, but the sweep in %s is divided into %d shards", shards, output, begun)
	}
	return shards, nil
}

// copyInputs copies this program, the spec and the files that it names into a
// directory: shards that wait in a queue need them as they are now. Pods see no
// such directory.
func copyInputs(stderr io.Writer, dir string, spec *grid.Spec, forPods bool) error {
	for _, name := range spec.Inputs() {
		local := filepath.FromSlash(name)
		switch {
		case filepath.IsAbs(name):
		case forPods:
			return usage("put it into the image, and give its absolute path there", "%s names %q, which pods would not find", spec.File, name)
		case !filepath.IsLocal(local):
			return usage("give its absolute path, or put the file into the spec's directory",
				"%s names %q, which a copy of the spec in %s would not find", spec.File, name, dir)
		default:
			if err := copyFile(filepath.Join(dir, local), filepath.Join(filepath.Dir(spec.File), local), 0o666); err != nil {
				return err
			}
		}
	}
	if forPods {
		return nil
	}
	self, err := os.Executable()
	if libraries := linkedTo(self); len(libraries) > 0 {
		say(stderr, "warning: this program needs %s, which a machine with an older system may not have: build it with CGO_ENABLED=0", strings.Join(libraries, ", "))
	}
	if err == nil {
		err = copyFile(filepath.Join(dir, "sweep"), self, 0o777)
	}
	if err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	return replaceFile(filepath.Join(dir, spec.Name+suffix), spec.Source, 0o666)
}

func copyFile(to, from string, perm os.FileMode) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return replaceFile(to, content, perm)
}

// replaceFile writes a file into a directory that is made for it. It appears as
// a whole or not at all. One that has the content already is left alone: it may
// be a program that runs on another machine, over a file system that forgets
// files in use. The umask lessens the permissions.
func replaceFile(path string, content []byte, perm os.FileMode) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, content) {
		return nil
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
func awaitShards(dirs []string, patience time.Duration) {
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
			return
		}
		time.Sleep(min(time.Until(end), 5*time.Second))
	}
}

func (p *Program) mergeDirs(cmd *cobra.Command, to string, from []string, partial, quiet bool) (err error) {
	view, err := results.OpenMerge(to, from, p.Experiments)
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
	if list := lacking(view, shards); list != nil {
		say(stderr, "runs are missing in shards %s of %d", strings.Join(list[:min(len(list), 20)], ", "), shards)
	}
	missing := view.Missing()
	var left error
	if view.Failed()+missing > 0 {
		left = &failure{code: exitFailedRuns, message: fmt.Sprintf("not complete: %s failed, %d missing", report.Count(view.Failed(), "run"), missing)}
	}
	if missing > 0 && !partial {
		for _, d := range view.Damage {
			say(stderr, "corrupt: %s", d)
		}
		return fmt.Errorf("nothing is written, %w", left)
	}
	store, err := results.Open(to, view.Spec, nil)
	if err != nil {
		return err
	}
	defer closeInto(store, &err)
	if err := store.Take(from, true); err != nil {
		return err
	}
	printFindings(stderr, store)
	manifest, err := newManifest(store, 0, store.Assigned()-store.OK())
	if err != nil {
		return err
	}
	if err := finish(store, manifest, nil, missing == 0); err != nil {
		return err
	}
	if !quiet {
		d := store.Digest()
		fmt.Fprintf(stderr, "digest %s of %s\n", d, report.Count(d.OK+d.Failed, "run"))
		if err := printTable(cmd.OutOrStdout(), store.Reader, nil, analysis.Auto, report.Text); err != nil {
			return err
		}
	}
	if store.Damage != nil && left == nil {
		return errRecomputed
	}
	return left
}
