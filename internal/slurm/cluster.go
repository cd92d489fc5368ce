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
	limit := int64(DefaultLimit)
	if m := maxArraySize.FindStringSubmatch(config); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			limit = n
		}
	}
	if m := maxArrayTasks.FindStringSubmatch(config); m != nil {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			limit = min(limit, n)
		}
	}
	return limit
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
	for i := 0; i < len(numbers); {
		first := i
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		if first == i-1 {
			parts = append(parts, fmt.Sprint(numbers[first]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[first], numbers[i-1]))
		}
	}
	return strings.Join(parts, ",")
}
