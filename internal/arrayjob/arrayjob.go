// Package arrayjob learns from the environment which part of a sweep a
// process is to compute: a task of a job array, or one of several processes
// that a launcher such as srun or mpirun has started. Each tells the number in
// variables and by conventions of its own, which the table of schedulers lists.
//
// The number of a task is the number of its shard. SGE and LSF count from
// 1, there shard 0 is task 1; elsewhere arrays are to begin at 0. It is not
// the task's place within the array: if tasks 3 and 17 are submitted again,
// the scheduler tells of an array of two, and they are still shards 3 and
// 17. So the number of shards is best told to Detect; what the scheduler
// says of it is believed only of an array without gaps that begins with the
// first number, and then it may still be too small.
//
// The variables of several may be set. What runs within another prevails:
// HyperQueue's tasks, as its workers are jobs of other schedulers; then the
// task of an array; then the rank that a launcher gave the process, of Flux
// and MPI before that of srun, which starts them. Several processes of one
// task of an array would all compute its shard: that is refused.
package arrayjob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// What schedulers number. Lower ones prevail.
const (
	inner = iota // tasks on workers that are jobs of other schedulers
	array        // tasks of an array, about which schedulers must agree
	rank         // processes that were started together, the innermost first
)

// A scheduler is a convention of telling a process its number.
type scheduler struct {
	kind    int
	name    string
	index   string // the variable with the task's number
	outside string // the variable's value outside an array; empty if it is not set then
	first   int64  // the number of the first task
	ask     string // how a user asks for COUNT tasks, up to number LAST

	// Variables with the numbers of the submitted array, their distance, and
	// how many there are; empty if there is none.
	min, max, step, size string
}

var schedulers = []scheduler{
	{kind: inner, name: "HyperQueue", index: "HQ_TASK_ID", ask: "--array 0-LAST"},
	{kind: array, name: "Slurm", index: "SLURM_ARRAY_TASK_ID", ask: "--array=0-LAST",
		min: "SLURM_ARRAY_TASK_MIN", max: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP", size: "SLURM_ARRAY_TASK_COUNT"},
	{kind: array, name: "Kubernetes", index: "JOB_COMPLETION_INDEX", ask: "completions: COUNT"}, // in an Indexed Job
	{kind: array, name: "PBS Pro", index: "PBS_ARRAY_INDEX", ask: "-J 0-LAST"},
	{kind: array, name: "Torque", index: "PBS_ARRAYID", ask: "-t 0-LAST"},
	{kind: array, name: "SGE", index: "SGE_TASK_ID", ask: "-t 1-LAST", first: 1, outside: "undefined",
		min: "SGE_TASK_FIRST", max: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE"},
	{kind: array, name: "LSF", index: "LSB_JOBINDEX", ask: "-J name[1-LAST]", first: 1, outside: "0",
		max: "LSB_JOBINDEX_END", step: "LSB_JOBINDEX_STEP"},
	{kind: array, name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", ask: "an array of size COUNT", size: "AWS_BATCH_JOB_ARRAY_SIZE"},
	{kind: rank, name: "Flux", index: "FLUX_TASK_RANK", size: "FLUX_JOB_SIZE", ask: "-n COUNT"},
	{kind: rank, name: "Open MPI", index: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE", ask: "-n COUNT"},
	{kind: rank, name: "PMI", index: "PMI_RANK", size: "PMI_SIZE", ask: "-n COUNT"},
	{kind: rank, name: "PMIx", index: "PMIX_RANK", ask: "-n COUNT"},
	{kind: rank, name: "srun", index: "SLURM_PROCID", size: "SLURM_STEP_NUM_TASKS", ask: "--ntasks=COUNT"},
}

// Detect returns the shard that the environment asks for, from 0 on, and the
// number of shards. The count is that number, at least 1, or 0 if the scheduler
// is to tell it, which Kubernetes, PBS Pro, Torque, HyperQueue and PMIx do not.
// getenv returns the value of a variable, or the empty string if it is not set,
// as os.Getenv does.
//
// It is an error if there is neither array nor rank, if arrays contradict each
// other, if a task of an array has several processes, if the number of shards
// is neither given nor told, and if the array does not fit it.
func Detect(getenv func(string) string, count int64) (shard, shards int64, err error) {
	var by *scheduler // that told it
	var variables []string
	for i := range schedulers {
		s := &schedulers[i]
		variables = append(variables, s.index)
		text := getenv(s.index)
		alone := s.kind == rank && s.size != "" && getenv(s.size) == "" // as a batch script, which is no step of srun
		if text == "" || text == s.outside || alone || by != nil && by.kind != array {
			continue
		}
		if by != nil && s.kind == rank {
			if n := getenv(s.size); n != "" && n != "1" {
				return 0, 0, fmt.Errorf("%s=%s is one of %s processes of a task of an array, which is one shard: start one process for each task, or no array",
					s.index, text, n)
			}
			continue
		}
		index, n, err := s.detect(getenv, count)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.name, err)
		}
		if by == nil {
			shard, shards, by = index, n, s
		} else if index != shard || n != shards {
			return 0, 0, fmt.Errorf("%s=%s says shard %d/%d, but %s=%s says %d/%d",
				by.index, getenv(by.index), shard, shards, s.index, text, index, n)
		}
	}
	if by == nil {
		err = fmt.Errorf("no job array and no rank is to be seen in the environment: none of %s is set to a number", strings.Join(variables, ", "))
	}
	return shard, shards, err
}

// detect returns the shard that one scheduler asks for, and how many there are;
// index is known to be set.
func (s *scheduler) detect(getenv func(string) string, count int64) (shard, shards int64, err error) {
	number := func(variable string, otherwise int64) int64 {
		text := getenv(variable)
		if variable == "" || text == "" {
			return otherwise
		}
		n, wrong := strconv.ParseInt(text, 10, 32)
		if (wrong != nil || n < 0) && err == nil {
			err = fmt.Errorf("%s=%s is not the number of a task", variable, text)
		}
		return n
	}
	index, size := number(s.index, -1), number(s.size, -1)
	low, high, step := number(s.min, s.first), number(s.max, s.first+size-1), number(s.step, 1)
	if err != nil {
		return 0, 0, err
	}
	if count == 0 {
		count = high - s.first + 1
		switch {
		case count < 0:
			return 0, 0, errors.New("the number of shards is not told, so it must be given, as in auto/8")
		case low != s.first || step > 1 || size >= 0 && size != count:
			return 0, 0, fmt.Errorf("the array is not %s, so the number of shards must be given, as in auto/8", s.submission(count))
		}
	}
	if s.kind == rank && s.size != "" && size != count {
		return 0, 0, fmt.Errorf("there are %d processes for %d shards: start %d of them, as by %s", size, count, count, s.submission(count))
	}
	// In an array from 1 to n in the place of one from 0 to n−1 all tasks
	// must fail, not just the last: they would compute all shards but the
	// first.
	stray := max(index, high)
	if index < s.first {
		stray = index
	}
	if stray < s.first || stray >= s.first+count {
		return 0, 0, fmt.Errorf("the array has a task %d, which is none of %d shards: submit it as %s", stray, count, s.submission(count))
	}
	return index - s.first, count, nil
}

// submission tells how to submit an array of n tasks.
func (s *scheduler) submission(n int64) string {
	return strings.NewReplacer("COUNT", fmt.Sprint(n), "LAST", fmt.Sprint(n-1+s.first)).Replace(s.ask)
}
