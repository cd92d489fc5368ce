// Package engines writes the files by which batch systems and clusters compute
// a sweep: a process for each shard, bounded retries of those that were
// killed, and a merge after them.
//
// There is a directory of templates for each engine. The files explain
// themselves, and submit.sh among them hands the others over by the engine's
// own command. They are put into a directory beneath the sweep's and name all
// files relative to it, so that no path needs quoting; on Kubernetes, results
// are on a volume. The package starts no program itself.
package engines

import (
	"embed"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"time"

	"al.essio.dev/pkg/shellescape"
)

// Engines are those known, Commands those that hand work over to them.
// README.md and docs/machines.md list them.
var (
	Engines  = []string{"slurm", "htcondor", Kubernetes, "sge", "pbs", "lsf"}
	Commands = map[string]string{"slurm": "sbatch", "htcondor": "condor_submit_dag", Kubernetes: "kubectl", "sge": "qsub", "pbs": "qsub", "lsf": "bsub"}
)

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
	Nodes   int           // under Slurm: of one job; 0 is an array of jobs
	Options []string      // words for the engine, as its users write them

	Image, Program, Spec string // for Kubernetes: of containers, the name of the program there, the spec's text
}

// Last returns the highest number of a shard.
func (j *Job) Last() int64 { return j.Shards - 1 }

// Minutes and Seconds return the time limit, rounded up.
func (j *Job) Minutes() int64 { return int64((j.Time + time.Minute - 1) / time.Minute) }
func (j *Job) Seconds() int64 { return int64((j.Time + time.Second - 1) / time.Second) }

// Warning returns how many seconds before its time limit a shard is told to
// come to an end: two minutes, as Slurm may be a minute early and kills half a
// minute after the limit, but at most a quarter of the time, so that there is
// time for runs too.
func (j *Job) Warning() int64 {
	if j.Time == 0 { // it is the cluster's
		return 120
	}
	return min(120, j.Seconds()/4)
}

// Object returns the name of the objects on Kubernetes, which takes lower-case
// letters, digits and dashes, and adds the number of a shard to it.
func (j *Job) Object() string {
	name := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(j.Name), "-")
	return strings.Trim(name[:min(len(name), 40)], "-")
}

//go:embed templates
var templates embed.FS // read-only, as embedding demands a variable

// Files returns the texts of the job's files by their names; submit.sh is one. It
// is an error if the job's options are such as the files set themselves.
func (j *Job) Files() (map[string]string, error) {
	dir := path.Join("templates", j.Engine)
	if j.Nodes > 0 {
		dir += "-nodes"
	}
	parsed, err := template.New("").Funcs(template.FuncMap{"quote": shellescape.Quote, "lines": lines, "indent": indent}).
		ParseFS(templates, path.Join(dir, "*"))
	if err != nil {
		return nil, err
	}
	files, without := map[string]string{}, *j
	without.Options = nil
	list := parsed.Templates()
	slices.SortFunc(list, func(a, b *template.Template) int { return strings.Compare(a.Name(), b.Name()) })
	for _, t := range list {
		var text, bare strings.Builder
		if err := errors.Join(t.Execute(&text, j), t.Execute(&bare, &without)); err != nil {
			return nil, err
		}
		if err := j.checkOptions(bare.String(), t.Name()); err != nil {
			return nil, err
		}
		files[t.Name()] = text.String()
	}
	return files, nil
}

// checkOptions refuses options that a file sets itself, in lines such as
// "#SBATCH --array=…" or "queue = …". Of -l there may be several.
func (j *Job) checkOptions(text, file string) error {
	for _, word := range j.Options {
		if strings.Contains(word, "\n") {
			return fmt.Errorf("%q has a line break", word)
		}
		name, _, _ := strings.Cut(word, "=")
		name = strings.TrimSpace(name)
		set := regexp.MustCompile(`(?m)^(#\S+ )?` + regexp.QuoteMeta(name) + `( |=|$)`)
		if name != "" && name != "-l" && set.MatchString(text) {
			return fmt.Errorf("%s sets %s itself", file, name)
		}
	}
	return nil
}

// lines puts words, options and their values, on lines of an option each.
func lines(words []string) (list []string) {
	for i, word := range words {
		if i > 0 && !strings.HasPrefix(word, "-") {
			list[len(list)-1] += " " + shellescape.Quote(word)
		} else {
			list = append(list, shellescape.Quote(word))
		}
	}
	return list
}

// indent puts spaces before each line of a text.
func indent(spaces int, text string) string {
	prefix := strings.Repeat(" ", spaces)
	return prefix + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n"+prefix)
}
