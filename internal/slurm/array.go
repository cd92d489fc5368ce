package slurm

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// DefaultLimit is how many tasks an array may have on a cluster that was
// not configured otherwise.
const DefaultLimit = 1001

// These are lines of "scontrol show config". MaxArraySize is one above the
// highest number of a task; max_array_tasks, a parameter of the scheduler,
// may allow fewer tasks than that.
var (
	maxArraySize  = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)\s*$`)
	maxArrayTasks = regexp.MustCompile(`(?m)^SchedulerParameters\s*=.*\bmax_array_tasks=(\d+)`)
)

// Limit returns how many tasks an array from 0 on may have, according to
// what "scontrol show config" prints: 0 if the cluster takes no arrays, and
// DefaultLimit if the text does not say.
func Limit(config string) int64 {
	said := func(line *regexp.Regexp, otherwise int64) int64 {
		if m := line.FindStringSubmatch(config); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
				return n
			}
		}
		return otherwise
	}
	size := said(maxArraySize, DefaultLimit)
	return min(size, said(maxArrayTasks, size))
}

// How much a task gets to do if nobody says otherwise. Tasks of seconds
// would keep a scheduler busier than the machines it schedules; very long
// ones leave machines without work at the end.
const (
	runsPerCPU = 50
	taskTime   = 30 * time.Minute
)

// Pack returns the number of shards, at least 1 and at most limit, for a
// sweep whose tasks have cpus processors each. If it is known what a run
// takes, a task takes half an hour; if runTime is 0, each of its processors
// gets 50 runs. Where the limit does not allow as many shards, each has
// more runs.
func Pack(runs int64, runTime time.Duration, cpus int, limit int64) int64 {
	perCPU := int64(runsPerCPU)
	if runTime > 0 {
		perCPU = max(1, int64(taskTime/runTime))
	}
	shards := (runs-1)/perCPU/int64(cpus) + 1
	return min(shards, limit)
}

// Indices writes ascending numbers of tasks as --array takes them, such as
// 0-3,7,9-10. No numbers give the empty string.
func Indices(numbers []int64) string {
	var parts []string
	for i, first := 0, 0; i < len(numbers); i++ {
		if i+1 < len(numbers) && numbers[i+1] == numbers[i]+1 {
			continue
		}
		part := fmt.Sprint(numbers[first])
		if first < i {
			part = fmt.Sprintf("%s-%d", part, numbers[i])
		}
		parts, first = append(parts, part), i+1
	}
	return strings.Join(parts, ",")
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
	units := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}
	if m[1] == "" && m[4] == "" { // no hours
		units = []time.Duration{0, time.Minute, time.Second, 0}
	}
	for i, unit := range units {
		n, _ := strconv.Atoi(m[1+i]) // a few digits or none
		limit += unit * time.Duration(n)
	}
	return limit, true
}

// ParseOptions divides words of a command line into options of sbatch, an
// #SBATCH line for each. It refuses what cannot be an option, and those that
// the scripts set themselves; the others are sbatch's to judge.
func ParseOptions(words []string) (options []string, err error) {
	for i, word := range words {
		if strings.Contains(word, "\n") {
			return nil, fmt.Errorf("%q has a line break, which an #SBATCH line cannot have", word)
		}
		switch isName := strings.HasPrefix(word, "-"); {
		case !isName && i > 0 && strings.HasPrefix(words[i-1], "-"): // the value of the option before
			options[len(options)-1] += " " + directive(word)
			continue
		case !isName || word == "-" || word == "--":
			return nil, fmt.Errorf("%q is no option of sbatch: write --name=value", word)
		}
		if err := refuseReserved(word); err != nil {
			return nil, err
		}
		options = append(options, directive(word))
	}
	return options, nil
}

// reserved are the options on which the scripts depend, and why they are
// not for others to set.
var reserved = []struct{ long, short, why string }{
	{"--array", "-a", "its tasks are the shards: give --shards, before the --"},
	{"--cpus-per-task", "-c", "give it before the --"},
	{"--time", "-t", "give it before the --"},
	{"--ntasks", "-n", "a task of the array is one process"},
	{"--dependency", "-d", "the merge depends on the array"},
	{"--output", "-o", "the logs are in the directory log"},
	{"--open-mode", "", "a task that goes on appends to its log"},
	{"--signal", "", "the program must be told in time"},
	{"--requeue", "", "tasks that are out of time go on in the queue"},
	{"--no-requeue", "", "tasks that are out of time go on in the queue"},
	{"--parsable", "", "submit.sh reads what sbatch prints"},
	{"--wait", "-W", "submit.sh submits two jobs"},
	{"--wrap", "", "array.sh and merge.sh are what is to be run"},
}

// refuseReserved judges the first word of an option. sbatch takes the
// beginning of a long name for the name.
func refuseReserved(word string) error {
	name, _, _ := strings.Cut(word, "=")
	for _, r := range reserved {
		long := strings.HasPrefix(name, "--") && strings.HasPrefix(r.long, name)
		short := r.short != "" && strings.HasPrefix(word, r.short)
		if long || short {
			return fmt.Errorf("the scripts set %s themselves: %s", r.long, r.why)
		}
	}
	return nil
}
