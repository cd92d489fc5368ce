// Package slurm writes the scripts by which a cluster under Slurm computes a
// sweep: as an array of tasks, one for each shard, and a merge after them.
//
// The scripts are in the directory scripts, as templates, and explain
// themselves. This package fills them in (slurm.go), with words quoted as the
// shell and sbatch want them, judges the options that a user adds to them
// (options.go), and decides into how many shards a sweep is packed
// (cluster.go). It starts no program itself.
package slurm

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strconv"
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

// plain are the characters, beside letters and digits, that mean nothing
// but themselves to a shell and to sbatch.
const plain = "-_./=:,+@%"

// quote returns a word as a shell reads it back.
func quote(word string) string {
	quoted := word == ""
	for i := range len(word) { // bytes: a path need not be UTF-8
		c := word[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80, strings.IndexByte(plain, c) >= 0:
		default:
			quoted = true
		}
	}
	if !quoted {
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

// sbatch's ways to write a time limit: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes and
// days-hours:minutes:seconds.
var times = regexp.MustCompile(`^(?:(\d{1,4})-)?(\d{1,7})(?::(\d\d?))?(?::(\d\d?))?$`)

// ParseTime returns the time limit that text tells sbatch; 0 is none. It is
// false if sbatch would not take it.
func ParseTime(text string) (limit time.Duration, ok bool) {
	m := times.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	units := [3]time.Duration{time.Hour, time.Minute, time.Second}
	if m[1] == "" && m[4] == "" { // no hours
		units = [3]time.Duration{time.Minute, time.Second}
	}
	limit = 24 * time.Hour * number(m[1])
	for i, unit := range units {
		limit += unit * number(m[2+i])
	}
	return limit, true
}

// number returns the value of digits, 0 if there are none.
func number(digits string) time.Duration {
	n, _ := strconv.Atoi(digits) // a few digits or none
	return time.Duration(n)
}

// warning returns how many seconds before a time limit, or one that is not
// known if it is 0, a task is told of its end: two minutes, as Slurm may be a
// minute early and kills half a minute after the limit, but at most a quarter
// of the time, so that there is time for runs too.
func warning(limit time.Duration) int {
	const usual = 2 * time.Minute
	if limit > 0 {
		return int(min(usual, limit/4) / time.Second)
	}
	return int(usual / time.Second)
}
