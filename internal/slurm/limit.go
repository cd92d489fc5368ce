package slurm

import (
	"regexp"
	"strconv"
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
