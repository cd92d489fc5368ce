// Package batch connects a sweep with batch systems and clusters, in two
// directions: submit.go writes the files by which a system computes the sweep,
// a process for each shard; detect.go finds out, in such a process, which shard
// the system wants.
//
// Templates. Each engine has a directory of templates. Their files retry
// shards that were killed, a bounded number of times, and then merge all. They
// explain themselves; submit.sh among them hands the others over by the
// engine's own command. They are put into a directory below the sweep's and
// name all files relative to it, so that no path needs quoting; on Kubernetes,
// results are on a volume. The package starts no program itself.
//
// Shards. A process is a task of a job array, or one of several processes that
// a launcher such as srun or mpirun has started. Each system tells it its
// number by variables and conventions of its own, which the table of
// schedulers lists.
//
// The number of a task is the index of its shard. SGE and LSF count from 1, so
// that shard 0 is task 1; elsewhere arrays must begin at 0. The number is not
// the task's position in the array: if tasks 3 and 17 are submitted again, the
// scheduler tells of an array of two, and they are still shards 3 and 17. So
// it is best to tell Detect the number of shards. It believes the scheduler's
// only if the array has no gaps and begins with the first number, and even
// then that may be too small.
//
// The variables of several systems may be set. The inner one prevails:
// HyperQueue's tasks, as its workers are jobs of other schedulers; then the
// task of an array; then the rank that a launcher gave the process, of Flux
// and MPI before that of srun, which starts them. Several processes of one
// task of an array would all compute its shard, and are refused.
package batch

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
)

// Engines are the names of the engines, as README.md and docs/machines.md list
// them.
var Engines = []string{"slurm", "htcondor", Kubernetes, "sge", "pbs", "lsf"}

// Commands are the commands that hand work over to the engines.
var Commands = map[string]string{
	"slurm":    "sbatch",
	"htcondor": "condor_submit_dag",
	Kubernetes: "kubectl",
	"sge":      "qsub",
	"pbs":      "qsub",
	"lsf":      "bsub",
}

// ShardsPerNode is into how many shards a sweep is divided for each node of one
// job, so that a node that has ended takes what a slow or dead one has not
// begun. With it, TestNodesAreBusy finds that a sweep takes at most a tenth
// longer than with one queue for all nodes.
const ShardsPerNode = 32

// Kubernetes is the engine whose machines do not share the directory: they
// have the program from an image, and the spec from the manifest.
const Kubernetes = "kubernetes"

// A Job is a sweep to be computed by an engine.
type Job struct {
	Engine  string // its name
	Name    string // of the sweep
	Shards  int64  // at least 1
	Workers int    // processors for each shard; 0 leaves it to the engine
	Retries int    // how often a shard that was killed is tried again

	Time    time.Duration // limit for a shard; 0 leaves it to the engine
	Memory  int64         // of a shard, in bytes; 0 leaves it to the engine
	GPUs    int64         // of a shard
	Grows   bool          // runs that run out of memory get more
	Nodes   int           // under Slurm: of one job; 0 is an array of jobs
	Options []string      // words for the engine, as its users write them
	Notes   []string      // lines of a comment in submit.sh

	// For Kubernetes:
	Image   string // of containers
	Program string // its name in the image
	Spec    string // its text
}

// Last returns the highest number of a shard.
func (j *Job) Last() int64 { return j.Shards - 1 }

// Minutes and Seconds return the time limit, rounded up.
func (j *Job) Minutes() int64 { return int64((j.Time + time.Minute - 1) / time.Minute) }
func (j *Job) Seconds() int64 { return int64((j.Time + time.Second - 1) / time.Second) }

// MiB returns the memory, rounded up.
func (j *Job) MiB() int64 { return (j.Memory + 1<<20 - 1) >> 20 }

// Warning returns how many seconds before its time limit a shard is told to
// end: two minutes, as Slurm may be a minute early and kills half a minute
// after the limit, but at most a quarter of the limit, so that runs have time,
// too.
func (j *Job) Warning() int64 {
	const usual = 120
	if j.Time == 0 { // the cluster's limit, which is long
		return usual
	}
	return min(usual, j.Seconds()/4)
}

// Object returns the name of the objects on Kubernetes, which accepts
// lower-case letters, digits and dashes, and adds the index of a shard to it.
func (j *Job) Object() string {
	const maxLen = 40
	name := otherThanNames.ReplaceAllString(strings.ToLower(j.Name), "-")
	return strings.Trim(name[:min(len(name), maxLen)], "-")
}

var otherThanNames = regexp.MustCompile(`[^a-z0-9]+`)

//go:embed templates
var templates embed.FS // read-only, as embedding demands a variable

// functions are what templates call. They cannot call a job's methods.
var functions = template.FuncMap{
	"indent":  indent,
	"last":    (*Job).Last,
	"lines":   lines,
	"mib":     (*Job).MiB,
	"minutes": (*Job).Minutes,
	"object":  (*Job).Object,
	"quote":   quote,
	"seconds": (*Job).Seconds,
	"warning": (*Job).Warning,
}

// Files returns the texts of the job's files by name; submit.sh is one. It is
// an error if the job's options include one that a file sets itself.
func (j *Job) Files() (map[string]string, error) {
	dir := path.Join("templates", j.Engine)
	if j.Nodes > 0 {
		dir += "-nodes"
	}
	parsed, err := template.New("").Funcs(functions).ParseFS(templates, path.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	without := *j
	without.Options = nil
	files := map[string]string{}
	list := parsed.Templates()
	slices.SortFunc(list, func(a, b *template.Template) int {
		return strings.Compare(a.Name(), b.Name())
	})
	for _, t := range list {
		bare, err := executed(t, &without)
		if err != nil {
			return nil, err
		}
		if err := j.checkOptions(bare, t.Name()); err != nil {
			return nil, err
		}
		files[t.Name()], err = executed(t, j)
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// executed returns the text that a template makes of a job.
func executed(t *template.Template, j *Job) (string, error) {
	var text strings.Builder
	err := t.Execute(&text, j)
	return text.String(), err
}

// checkOptions refuses options that a file sets itself, in lines such as
// "#SBATCH --array=…" or "queue = …". There may be several of -l.
func (j *Job) checkOptions(text, file string) error {
	for _, word := range j.Options {
		if strings.Contains(word, "\n") {
			return fmt.Errorf("%q has a line break", word)
		}
		name, _, _ := strings.Cut(word, "=")
		name = strings.TrimSpace(name)
		if name == "" || name == "-l" {
			continue
		}
		set := regexp.MustCompile(`(?m)^(#\S+ )?` + regexp.QuoteMeta(name) + `( |=|$)`)
		if set.MatchString(text) {
			return fmt.Errorf("%s sets %s itself", file, name)
		}
	}
	return nil
}

// lines puts options on lines of their own, each with its values.
func lines(words []string) (list []string) {
	for i, word := range words {
		if i > 0 && !strings.HasPrefix(word, "-") {
			list[len(list)-1] += " " + quote(word)
		} else {
			list = append(list, quote(word))
		}
	}
	return list
}

// quote returns a word as a shell takes it for one.
func quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'"'"'`) + "'"
}

// plainWord matches words without a character that means something to shells.
var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// indent puts spaces before each line of a text.
func indent(spaces int, text string) string {
	prefix := strings.Repeat(" ", spaces)
	text = strings.TrimSuffix(text, "\n")
	return prefix + strings.ReplaceAll(text, "\n", "\n"+prefix)
}
