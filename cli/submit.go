package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sweep/grid"
	"sweep/internal/batch"
	"sweep/internal/table"
	"sweep/results"
)

// submit defines "sweep submit".
func (p *Program) submit(cmd *cobra.Command) {
	cmd.Aliases = []string{"slurm"}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			args = args[:dash] // the rest is for the engine
		}
		return arguments(1, 1)(cmd, args)
	}
	cmd.DisableFlagsInUseLine = true // they are in it
	cmd.Annotations = map[string]string{otherFlags: "options for the engine stand after --"}
	load := p.specFlags(cmd)
	f := cmd.Flags()
	s := &submission{cmd: cmd}
	s.job.Program = p.Name
	s.job.Retries = 3
	to := choiceFlag(cmd, "to", "for `ENGINE`", batch.Engines...)
	f.BoolVar(&s.dryRun, "dry-run", false, "write the files, and hand nothing over")
	outputFlag(cmd, &s.dir, "compute into `DIR` (default out/<name of the sweep>)")
	var shards int // 0: as setShards decides
	f.Func("shards", "divide the sweep into `N` shards", atLeast(1, &shards))
	f.Func("nodes", "under Slurm: one job on `N` nodes", atLeast(1, &s.job.Nodes))
	f.Func("workers", "ask for `N` processors for each shard", atLeast(1, &s.job.Workers))
	f.Func("retries", "try killed shards up to `N` times again (default 3)",
		atLeast(0, &s.job.Retries))
	f.Func("time", "limit a shard to `D`, such as 90m or 12h", duration(&s.job.Time))
	f.StringVar(&s.job.Image, "image", "", "under Kubernetes: run the program of `IMAGE`")
	list := f.String("list", "", "for the scripts: print which shards are missing, or killed")
	_ = f.MarkHidden("list") // it is defined
	cmd.RunE = func(_ *cobra.Command, args []string) (err error) {
		s.spec, err = load(args[0])
		if err != nil {
			return err
		}
		s.dir = outputDir(s.dir, s.spec)
		s.job.Shards = int64(shards)
		if *list != "" {
			return p.listShards(cmd, s.dir, s.job.Shards, *list == "killed")
		}
		s.job.Engine = *to
		s.job.Options = args[1:]
		s.job.Name = s.spec.Name
		s.job.Spec = string(s.spec.Source)
		return s.submit()
	}
}

// A submission is a sweep that an engine is to compute.
type submission struct {
	cmd    *cobra.Command
	spec   *grid.Spec
	dir    string // of the sweep
	job    batch.Job
	dryRun bool
}

// submit writes the files for the engine, and hands them over.
func (s *submission) submit() error {
	if err := s.check(); err != nil {
		return err
	}
	if err := s.request(); err != nil {
		return err
	}
	if err := s.setShards(); err != nil {
		return err
	}
	s.requestTime()
	proposed, err := s.propose()
	if err != nil {
		return err
	}
	s.job.Notes = proposed
	files, err := s.job.Files()
	if err != nil {
		return usage(helpHint(s.cmd), "%v", err)
	}
	if err := s.initialize(); err != nil {
		return err
	}
	dir := filepath.Join(s.dir, s.job.Engine)
	if err := os.MkdirAll(filepath.Join(dir, "log"), 0o777); err != nil {
		return err
	}
	if err := s.stageInputs(dir); err != nil {
		return err
	}
	if s.job.Engine != batch.Kubernetes {
		if err := s.stageProgram(dir); err != nil {
			return err
		}
	}
	for name, text := range files {
		if err := replaceFile(filepath.Join(dir, name), []byte(text), 0o777); err != nil {
			return err
		}
	}
	return s.handOver(filepath.Join(dir, "submit.sh"))
}

// check refuses what the engine does not offer.
func (s *submission) check() error {
	engine := s.job.Engine
	onKubernetes := engine == batch.Kubernetes
	switch {
	case s.job.Nodes > 0 && engine != "slurm":
		return usage("", "--nodes is for slurm, not for %s", engine)
	case s.job.Time > 0 && engine == "htcondor":
		return usage("", "--time: HTCondor limits no job's time")
	case s.job.Image != "" && !onKubernetes:
		return usage("", "--image is for kubernetes, not for %s", engine)
	case s.job.Image == "" && onKubernetes && !s.dryRun:
		return usage("give --image NAME, such as --image registry.example.org/sweep:1",
			"on kubernetes, the program comes from an image, and none is named")
	case onKubernetes && s.fileOutsideImage() != "":
		return usage("put it into the image, and give its absolute path there",
			"%s names %q, which pods would not find", s.spec.File, s.fileOutsideImage())
	case s.job.Image == "" && onKubernetes:
		s.job.Image = imagePlaceholder
		const note = "note: sweep.yaml names the image %s: give --image, or put yours in its place"
		say(s.cmd.ErrOrStderr(), note, imagePlaceholder)
	}
	command := batch.Commands[engine]
	_, err := exec.LookPath(command)
	if err != nil && !s.dryRun {
		return usage("--dry-run writes the files without it",
			"%s, which hands work to %s, was not found", command, engine)
	}
	return nil
}

// imagePlaceholder stands in files that are only looked at.
const imagePlaceholder = "IMAGE"

// setShards decides into how many shards the sweep is divided: as the user
// asks, or as an earlier submission did.
func (s *submission) setShards() error {
	const (
		runsPerWorker = 50   // enough to keep the workers of a shard busy to its end
		maxShards     = 1000 // as many clusters limit the size of an array
	)
	const longShard = 12 * time.Hour // fits into what most clusters allow
	job := &s.job
	if s.spec.Plan().Search != nil {
		if job.Shards > 1 || job.Nodes > 1 {
			return usage("give the one shard as many processors as there are: --workers",
				"the rounds of a search follow one another: want one shard")
		}
		job.Shards = 1
	}
	begun, err := results.ShardCount(s.dir)
	if err != nil {
		return err
	}
	if job.Shards > 0 && begun > 0 && job.Shards != begun {
		return usage(fmt.Sprintf("take %d, or another directory", begun),
			"--shards is %d, but the sweep in %s is divided into %d shards",
			job.Shards, s.dir, begun)
	}
	if begun == 0 {
		if err := s.checkShards(); err != nil {
			return err
		}
	}
	switch {
	case job.Shards > 0:
	case begun > 0:
		job.Shards = begun
	case job.Nodes > 0:
		job.Shards = min(batch.ShardsPerNode*int64(job.Nodes), s.parts())
	default:
		plan := s.spec.Plan()
		turns := int64(runsPerWorker)
		if each := s.spec.Resources.Time; each > 0 {
			turns = max(1, min(turns, int64(longShard/each)))
		}
		job.Shards = min((plan.Runs()-1)/turns/s.atOnce()+1, maxShards)
		job.Shards = min(job.Shards, s.parts())
		if limit, known := slurmArray(); job.Engine == "slurm" && known {
			job.Shards = min(job.Shards, limit)
		}
	}
	return s.checkArray()
}

// slurmArray returns how many tasks an array of this cluster may have: what
// Slurm calls MaxArraySize. It is not known where there is no Slurm.
func slurmArray() (limit int64, known bool) {
	text, err := exec.Command("scontrol", "show", "config").Output()
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(name) != "MaxArraySize" {
			continue
		}
		limit, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		return limit, err == nil && limit > 0
	}
	return 0, false
}

// checkArray refuses more shards than an array of Slurm may have tasks; where
// that is not known, it warns of the default.
func (s *submission) checkArray() error {
	const usual = 1001
	job := &s.job
	if job.Engine != "slurm" || job.Nodes > 0 {
		return nil
	}
	limit, known := slurmArray()
	if known && job.Shards > limit {
		const (
			text   = "%d shards, but an array of this cluster has at most %d tasks (MaxArraySize)"
			advice = "take --shards %d or fewer, or --nodes: shards then have more runs"
		)
		return usage(fmt.Sprintf(advice, limit), text, job.Shards, limit)
	}
	if !known && job.Shards > usual {
		const warning = "warning: by default, Slurm accepts no array of more than %d tasks " +
			"(scontrol show config | grep MaxArraySize): take --shards %d or fewer, or --nodes"
		say(s.cmd.ErrOrStderr(), warning, usual, usual)
	}
	return nil
}

// initialize makes the sweep's directory. It refuses what the shards would
// refuse.
func (s *submission) initialize() error {
	if err := s.spec.ReadInputs(); err != nil {
		return err
	}
	if err := s.spec.Ready(); err != nil { // where the shards run may be another machine
		say(s.cmd.ErrOrStderr(), "warning: on this machine, %v", err)
	}
	store, err := results.Open(s.dir, s.spec, nil)
	if err != nil {
		return err
	}
	printFindings(s.cmd.ErrOrStderr(), store)
	return store.Close()
}

// isRelative reports whether the path of an input is relative to the spec. It
// is not if it is absolute, or if the input comes with the program.
func (s *submission) isRelative(name string) bool {
	_, files := s.spec.Files(name)
	return files != nil && !filepath.IsAbs(name)
}

// fileOutsideImage returns an input that pods, which see no directory of this
// machine, would not find; empty if there is none.
func (s *submission) fileOutsideImage() string {
	at := slices.IndexFunc(s.spec.Inputs(), s.isRelative)
	if at < 0 {
		return ""
	}
	return s.spec.Inputs()[at]
}

// stageInputs copies the files that the spec names into a directory: shards
// that wait in a queue need them as they are now.
func (s *submission) stageInputs(dir string) error {
	for _, name := range s.spec.Inputs() {
		from, files := s.spec.Files(name)
		if !s.isRelative(name) {
			continue
		}
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return usage("give its absolute path, or put the file into the spec's directory",
				"%s names %q, which a copy of the spec in %s would not find",
				s.spec.File, name, dir)
		}
		for _, file := range files {
			err := copyFile(filepath.Join(dir, file), filepath.Join(from, file))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// stageProgram copies this program and the spec into a directory.
func (s *submission) stageProgram(dir string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	if libraries := linkedTo(); len(libraries) > 0 {
		say(s.cmd.ErrOrStderr(),
			"warning: this program needs %s, which a machine with an older system may not have: "+
				"build it with CGO_ENABLED=0", strings.Join(libraries, ", "))
	}
	if err := copyFile(filepath.Join(dir, "sweep"), self); err != nil {
		return fmt.Errorf("copying the program: %w", err)
	}
	return replaceFile(filepath.Join(dir, s.spec.Name+suffix), s.spec.Source, 0o666)
}

// handOver runs the script that submits the files, or says how to.
func (s *submission) handOver(script string) error {
	stdout := s.cmd.OutOrStdout()
	stderr := s.cmd.ErrOrStderr()
	shards := table.Count(s.job.Shards, "shard")
	say(stderr, "%s: %s in %s", s.spec.Name, runs(s.spec.Plan().Runs()), shards)
	for _, line := range s.job.Notes {
		say(stderr, "%s", line)
	}
	if s.dryRun {
		say(stderr, "to submit them, run this with bash:")
		_, err := fmt.Fprintln(stdout, script)
		return err
	}
	bash := exec.CommandContext(s.cmd.Context(), "bash", script)
	bash.Stdout = stdout
	bash.Stderr = stderr
	if err := bash.Run(); err != nil {
		return failed(exitIO, "not submitted: %s: %v", script, err)
	}
	return nil
}

// listShards prints which shards have runs missing or, if only the killed ones
// are wanted, those of them whose last process ended without a word. It prints
// them as --array of sbatch takes them.
func (p *Program) listShards(cmd *cobra.Command, dir string, shards int64, killed bool) error {
	reader, err := p.open(cmd, dir)
	if err != nil {
		return err
	}
	list := lacking(reader, shards)
	if killed {
		lost, err := lostShards(dir)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(i string) bool {
			return !lost[fmt.Sprintf("%s/%d", i, shards)]
		})
	}
	if len(list) == 0 {
		return nil
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), strings.Join(list, ","))
	return err
}

// lostShards returns the shards whose processes did not write an end into
// their manifests.
func lostShards(dir string) (map[string]bool, error) {
	manifests, err := results.Manifests(dir)
	if err != nil {
		return nil, err
	}
	lost := map[string]bool{}
	for _, m := range manifests {
		lost[m.Shard] = m.End.IsZero()
	}
	return lost, nil
}
