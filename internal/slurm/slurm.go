// Package slurm writes the scripts by which a cluster under Slurm computes a
// sweep: as an array of tasks, one for each shard, and a merge after them.
//
// The scripts are in the directory scripts, as templates, and explain
// themselves. slurm.go fills them in, with words quoted as the shell and
// sbatch want them. array.go decides what an array is like: its size, its
// time limit, further options of sbatch. The package starts no program itself.
package slurm

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"text/template"
	"time"
)

// A Job is a sweep to be computed by an array job. All paths are absolute
// and must satisfy CheckPath.
type Job struct {
	Name    string // of the sweep
	Shards  int64  // tasks of the array, at least 1
	Program string // path of the program sweep
	Spec    string // path of the spec
	Output  string // the sweep's directory
	Dir     string // where the scripts are put

	CPUs    int      // processors for each task; 0 leaves it to the cluster
	Time    string   // limit of a task's time, as ParseTime reads it; empty leaves it to the cluster
	Options []string // further options of sbatch, from ParseOptions, for the array and the merge
}

// Last returns the highest number of a task.
func (j *Job) Last() int64 { return j.Shards - 1 }

// Logs returns the directory of the tasks' logs, which Slurm does not make.
func (j *Job) Logs() string { return path.Join(j.Dir, "log") }

// Warning returns how many seconds before its time limit a task is told to
// come to an end: two minutes, as Slurm may be a minute early and kills half a
// minute after the limit, but at most a quarter of the time, so that there is
// time for runs too.
func (j *Job) Warning() int {
	warning := 2 * time.Minute
	if limit, _ := ParseTime(j.Time); limit > 0 { // else it is the cluster's
		warning = min(warning, limit/4)
	}
	return int(warning / time.Second)
}

// A Script is a file to be written into Job.Dir.
type Script struct{ Name, Text string }

// Submit is the name of the script that submits the job; with no argument
// it submits all shards.
const Submit = "submit.sh"

//go:embed scripts
var files embed.FS // read-only, as embedding demands a variable

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"quote": quote, "directive": directive, "logs": logs,
}).ParseFS(files, "scripts/*"))

// Scripts returns the job's scripts: the array, the merge, and the two that
// submit them.
func (j *Job) Scripts() []Script {
	var scripts []Script
	for _, name := range []string{"array.sh", "merge.sh", Submit, "repair.sh"} {
		var b strings.Builder
		if err := templates.ExecuteTemplate(&b, name, j); err != nil {
			panic(fmt.Sprintf("slurm: %v", err))
		}
		scripts = append(scripts, Script{name, b.String()})
	}
	return scripts
}

// plain are the characters, beside those beyond ASCII, that mean nothing
// but themselves to a shell and to sbatch.
const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%"

// quote returns a word as a shell reads it back.
func quote(word string) string {
	special := func(r rune) bool { return r < 0x80 && !strings.ContainsRune(plain, r) }
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// directive returns a word, which must not have a line break, as sbatch
// reads it back from an #SBATCH line. Quotes are to it what they are to a
// shell, but a backslash counts between single quotes too.
func directive(word string) string {
	return quote(strings.ReplaceAll(word, `\`, `\\`))
}

// logs returns the path of a log as --output takes it: in the name percent
// signs begin what Slurm fills in, in the directory they are only that.
func logs(dir, name string) string {
	return strings.ReplaceAll(dir, "%", "%%") + "/" + name
}

// CheckPath refuses the path of a directory that the scripts cannot name:
// an #SBATCH line has an end, and a backslash in --output tells Slurm not
// to fill in the names of logs.
func CheckPath(dir string) error {
	if i := strings.IndexAny(dir, "\n\\"); i >= 0 {
		return fmt.Errorf("sbatch cannot be told to write logs into %q: there is a %q in its path", dir, dir[i])
	}
	return nil
}
