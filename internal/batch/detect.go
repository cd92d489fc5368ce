package batch

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The kinds of things that schedulers number. A lower kind prevails.
const (
	inner = iota // tasks on workers that are jobs of other schedulers
	array        // tasks of an array, about which schedulers must agree
	rank         // processes that were started together; the first in the list prevails
)

// A scheduler has a convention of telling a process its number.
type scheduler struct {
	kind    int
	name    string
	index   string // the variable with the task's number
	outside string // the variable's value outside an array; empty if it is not set then
	first   int64  // the number of the first task
	ask     string // how a user asks for COUNT tasks, up to number LAST

	// Variables with the first and last number of the submitted array, the
	// distance of its numbers, and how many there are; empty if there is none.
	min, max, step, size string
}

var schedulers = []scheduler{
	{
		kind: inner, name: "HyperQueue", ask: "--array 0-LAST",
		index: "HQ_TASK_ID",
	},
	{
		kind: array, name: "Slurm", ask: "--array=0-LAST",
		index: "SLURM_ARRAY_TASK_ID",
		min:   "SLURM_ARRAY_TASK_MIN",
		max:   "SLURM_ARRAY_TASK_MAX",
		step:  "SLURM_ARRAY_TASK_STEP",
		size:  "SLURM_ARRAY_TASK_COUNT",
	},
	{
		kind: array, name: "Kubernetes", ask: "completions: COUNT",
		index: "JOB_COMPLETION_INDEX", // in an Indexed Job
	},
	{
		kind: array, name: "PBS Pro", ask: "-J 0-LAST",
		index: "PBS_ARRAY_INDEX",
	},
	{
		kind: array, name: "Torque", ask: "-t 0-LAST",
		index: "PBS_ARRAYID",
	},
	{
		kind: array, name: "SGE", ask: "-t 1-LAST", first: 1, outside: "undefined",
		index: "SGE_TASK_ID",
		min:   "SGE_TASK_FIRST",
		max:   "SGE_TASK_LAST",
		step:  "SGE_TASK_STEPSIZE",
	},
	{
		kind: array, name: "LSF", ask: "-J name[1-LAST]", first: 1, outside: "0",
		index: "LSB_JOBINDEX",
		max:   "LSB_JOBINDEX_END",
		step:  "LSB_JOBINDEX_STEP",
	},
	{
		kind: array, name: "AWS Batch", ask: "an array of size COUNT",
		index: "AWS_BATCH_JOB_ARRAY_INDEX",
		size:  "AWS_BATCH_JOB_ARRAY_SIZE",
	},
	{
		kind: rank, name: "Flux", ask: "-n COUNT",
		index: "FLUX_TASK_RANK",
		size:  "FLUX_JOB_SIZE",
	},
	{
		kind: rank, name: "Open MPI", ask: "-n COUNT",
		index: "OMPI_COMM_WORLD_RANK",
		size:  "OMPI_COMM_WORLD_SIZE",
	},
	{
		kind: rank, name: "PMI", ask: "-n COUNT",
		index: "PMI_RANK",
		size:  "PMI_SIZE",
	},
	{
		kind: rank, name: "PMIx", ask: "-n COUNT",
		index: "PMIX_RANK",
	},
	{
		kind: rank, name: "srun", ask: "--ntasks=COUNT",
		index: "SLURM_PROCID",
		size:  "SLURM_STEP_NUM_TASKS",
	},
}

// Detect returns the index of the shard that the environment asks for, from 0
// on, and the number of shards. The count is that number, at least 1, or 0 if
// the scheduler must tell it, which Kubernetes, PBS Pro, Torque, HyperQueue and
// PMIx do not. getenv returns the value of a variable, or the empty string if
// it is not set, as os.Getenv does.
//
// It is an error if there is neither an array nor a rank, if arrays contradict
// each other, if a task of an array has several processes, if the number of
// shards is neither given nor told, and if the array does not fit it.
func Detect(getenv func(string) string, count int64) (shard, shards int64, err error) {
	var by *scheduler // which told the shard
	for i := range schedulers {
		s := &schedulers[i]
		if !s.present(getenv) || by != nil && by.kind != array {
			continue
		}
		if by != nil && s.kind == rank {
			if n := getenv(s.size); n != "" && n != "1" {
				return 0, 0, fmt.Errorf("%s=%s is one of %s processes of a task of an array, "+
					"which is one shard: start one process for each task, or no array",
					s.index, getenv(s.index), n)
			}
			continue
		}
		index, n, err := s.detect(getenv, count)
		if err != nil {
			return 0, 0, fmt.Errorf("%s: %w", s.name, err)
		}
		if by == nil {
			by = s
			shard = index
			shards = n
		} else if index != shard || n != shards {
			told := fmt.Sprintf("%s=%s says shard %d/%d", by.index, getenv(by.index), shard, shards)
			return 0, 0, fmt.Errorf("%s, but %s=%s says %d/%d",
				told, s.index, getenv(s.index), index, n)
		}
	}
	if by != nil {
		return shard, shards, nil
	}
	var variables []string
	for _, s := range schedulers {
		variables = append(variables, s.index)
	}
	return 0, 0, fmt.Errorf("the environment has neither a job array nor a rank: "+
		"none of %s is set to a number", strings.Join(variables, ", "))
}

// present reports whether a scheduler numbers this process. A batch script
// that is no step of srun has a rank all the same.
func (s *scheduler) present(getenv func(string) string) bool {
	text := getenv(s.index)
	if text == "" || text == s.outside {
		return false
	}
	return s.kind != rank || s.size == "" || getenv(s.size) != ""
}

// detect returns the shard that one scheduler asks for, and how many there are;
// the scheduler is present.
func (s *scheduler) detect(
	getenv func(string) string, count int64,
) (shard, shards int64, err error) {
	number := func(variable string, otherwise int64) int64 {
		text := getenv(variable)
		if variable == "" || text == "" {
			return otherwise
		}
		n, parseErr := strconv.ParseInt(text, 10, 32)
		if (parseErr != nil || n < 0) && err == nil {
			err = fmt.Errorf("%s=%s is not the number of a task", variable, text)
		}
		return n
	}
	index := number(s.index, -1)
	size := number(s.size, -1)
	low := number(s.min, s.first)
	high := number(s.max, s.first+size-1)
	step := number(s.step, 1)
	if err != nil {
		return 0, 0, err
	}
	if count == 0 {
		count = high - s.first + 1
		if count < 0 {
			return 0, 0, errors.New("the number of shards is not told, " +
				"so it must be given, as in auto/8")
		}
		if low != s.first || step > 1 || size >= 0 && size != count {
			return 0, 0, fmt.Errorf("the array is not %s, "+
				"so the number of shards must be given, as in auto/8", s.submission(count))
		}
	}
	if s.kind == rank && s.size != "" && size != count {
		return 0, 0, fmt.Errorf("there are %d processes for %d shards: start %d of them, as by %s",
			size, count, count, s.submission(count))
	}
	// If an array from 1 to n was submitted in place of one from 0 to n−1, all
	// tasks must fail, and not just the last: they would compute all shards but
	// the first.
	stray := max(index, high)
	if index < s.first {
		stray = index
	}
	if stray < s.first || stray >= s.first+count {
		return 0, 0, fmt.Errorf("the array has a task %d, but there are %d shards: "+
			"submit it as %s", stray, count, s.submission(count))
	}
	return index - s.first, count, nil
}

// submission tells how to submit an array of n tasks.
func (s *scheduler) submission(n int64) string {
	numbers := strings.NewReplacer("COUNT", fmt.Sprint(n), "LAST", fmt.Sprint(n-1+s.first))
	return numbers.Replace(s.ask)
}
