package slurm

import "time"

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
