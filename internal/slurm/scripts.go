// Package slurm writes the scripts by which a cluster under Slurm computes a
// sweep: as an array of tasks, one for each shard, and a merge after them.
//
// The scripts are in the directory scripts, as templates, and explain
// themselves. This package fills them in (scripts.go), with words quoted as
// the shell and sbatch want them (quote.go), judges the options that a user
// adds to them (options.go), decides into how many shards a
// sweep is packed (pack.go), reads how large an array may be (limit.go) and
// how long a task (time.go), and writes the numbers of tasks as --array takes
// them (indices.go). It starts
// no program itself.
package slurm

import (
	"embed"
	"fmt"
	"path"
	"strings"
	"text/template"
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
	Options []Option // further options of sbatch, for the array and the merge
}

// Requeues is how often a task may go back into the queue. A hundred time
// limits are enough for shards that were packed too large, and an end to
// tasks that never get anywhere.
const Requeues = 100

// Last returns the highest number of a task.
func (j *Job) Last() int64 { return j.Shards - 1 }

// Logs returns the directory of the tasks' logs, which Slurm does not make.
func (j *Job) Logs() string { return path.Join(j.Dir, "log") }

// Parts tells the number of shards in words.
func (j *Job) Parts() string {
	if j.Shards == 1 {
		return "1 shard"
	}
	return fmt.Sprintf("%d shards", j.Shards)
}

// Warning returns how many seconds before its time limit a task is told to
// come to an end.
func (j *Job) Warning() int {
	limit, _ := ParseTime(j.Time) // 0 if it is the cluster's
	return warning(limit)
}

// Requeues returns the constant, for the template.
func (j *Job) Requeues() int { return Requeues }

// A Script is a file to be written into Job.Dir.
type Script struct {
	Name string
	Text string
}

// Submit is the name of the script that submits the job; with no argument
// it submits all shards.
const Submit = "submit.sh"

//go:embed scripts
var files embed.FS // read-only, as embedding demands a variable

// Scripts returns the job's scripts: the array, the merge, and the two that
// submit them.
func (j *Job) Scripts() []Script {
	var scripts []Script
	for _, name := range []string{"array.sh", "merge.sh", Submit, "repair.sh"} {
		text, err := files.ReadFile(path.Join("scripts", name))
		if err != nil {
			panic(fmt.Sprintf("slurm: %v", err))
		}
		t := template.Must(template.New(name).Funcs(template.FuncMap{
			"quote":     quote,
			"directive": directive,
			"logs":      logs,
		}).Parse(string(text)))
		var b strings.Builder
		if err := t.Execute(&b, j); err != nil {
			panic(fmt.Sprintf("slurm: %v", err))
		}
		scripts = append(scripts, Script{name, b.String()})
	}
	return scripts
}
