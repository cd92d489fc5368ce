// Package arrayjob learns from the environment which part of a sweep a
// task of a job array is to compute. Every scheduler tells the tasks of an
// array their number, each in variables and by conventions of its own, which
// the table of schedulers lists.
//
// The number of a task is the number of its shard. SGE and LSF count from
// 1, there shard 0 is task 1; elsewhere arrays are to begin at 0. It is not
// the task's rank within the array: if tasks 3 and 17 are submitted again,
// the scheduler tells of an array of two, and they are still shards 3 and
// 17. So the number of shards is best told to Detect; what the scheduler
// says of it is believed only of an array without gaps that begins with the
// first number, and then it may still be too small.
package arrayjob

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A Shard is one of Count parts of a sweep, which are numbered from 0.
type Shard struct{ Index, Count int64 }

// A scheduler is a convention of telling a task of an array its number.
type scheduler struct {
	name    string
	index   string // the variable with the task's number
	outside string // the variable's value outside an array; empty if it is not set then
	first   int64  // the number of the first task
	array   string // how a user asks for COUNT tasks, up to number LAST

	// Variables with the numbers of the submitted array, their distance, and
	// how many there are; empty if there is none.
	min, max, step, size string
}

var schedulers = []scheduler{
	{name: "Slurm", index: "SLURM_ARRAY_TASK_ID", array: "--array=0-LAST",
		min: "SLURM_ARRAY_TASK_MIN", max: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP", size: "SLURM_ARRAY_TASK_COUNT"},
	{name: "Kubernetes", index: "JOB_COMPLETION_INDEX", array: "completions: COUNT"}, // in an Indexed Job
	{name: "PBS Pro", index: "PBS_ARRAY_INDEX", array: "-J 0-LAST"},
	{name: "Torque", index: "PBS_ARRAYID", array: "-t 0-LAST"},
	{name: "SGE", index: "SGE_TASK_ID", array: "-t 1-LAST", first: 1, outside: "undefined",
		min: "SGE_TASK_FIRST", max: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE"},
	{name: "LSF", index: "LSB_JOBINDEX", array: "-J name[1-LAST]", first: 1, outside: "0",
		max: "LSB_JOBINDEX_END", step: "LSB_JOBINDEX_STEP"},
	{name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", array: "an array of size COUNT", size: "AWS_BATCH_JOB_ARRAY_SIZE"},
}

// Detect returns the shard that the environment asks for. The count is the
// number of shards, at least 1, or 0 if the scheduler is to tell it, which
// Kubernetes, PBS Pro and Torque do not. getenv returns the value of a
// variable, or the empty string if it is not set, as os.Getenv does.
//
// It is an error if there is no array, if schedulers contradict each other,
// if the number of shards is neither given nor told, and if the array does
// not fit it.
func Detect(getenv func(string) string, count int64) (Shard, error) {
	var found Shard
	var by string // the variable that told it
	var variables []string
	for _, s := range schedulers {
		variables = append(variables, s.index)
		text := getenv(s.index)
		if text == "" || text == s.outside {
			continue
		}
		shard, err := s.detect(getenv, count)
		if err != nil {
			return Shard{}, fmt.Errorf("%s: %w", s.name, err)
		}
		if by == "" {
			found, by = shard, s.index
		} else if shard != found {
			return Shard{}, fmt.Errorf("%s=%s says shard %d/%d, but %s=%s says %d/%d",
				by, getenv(by), found.Index, found.Count, s.index, text, shard.Index, shard.Count)
		}
	}
	if by == "" {
		return Shard{}, fmt.Errorf("no job array is to be seen in the environment: none of %s is set to a number", strings.Join(variables, ", "))
	}
	return found, nil
}

// detect returns the shard that one scheduler asks for; index is known to
// be set.
func (s *scheduler) detect(getenv func(string) string, count int64) (shard Shard, err error) {
	const untold = -1
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
	index, low, high := number(s.index, untold), number(s.min, s.first), number(s.max, untold)
	step, size := number(s.step, 1), number(s.size, untold)
	if err != nil {
		return shard, err
	}
	if s.max == "" && size != untold {
		high = size - 1 + s.first // such arrays have no gaps
	}
	if count == 0 {
		count = high - s.first + 1
		switch {
		case high == untold:
			return shard, errors.New("the number of shards is not told, so it must be given, as in auto/8")
		case low != s.first || step > 1 || size != untold && size != count:
			return shard, fmt.Errorf("the array is not %s, so the number of shards must be given, as in auto/8", s.submission(count))
		}
	}
	// In an array from 1 to n in the place of one from 0 to n−1 all tasks
	// must fail, not just the last: they would compute all shards but the
	// first.
	stray := max(index, high)
	if index < s.first {
		stray = index
	}
	if stray < s.first || stray >= s.first+count {
		return shard, fmt.Errorf("the array has a task %d, which is none of %d shards: submit it as %s", stray, count, s.submission(count))
	}
	return Shard{Index: index - s.first, Count: count}, nil
}

// submission tells how to submit an array of n tasks.
func (s *scheduler) submission(n int64) string {
	return strings.NewReplacer("COUNT", fmt.Sprint(n), "LAST", fmt.Sprint(n-1+s.first)).Replace(s.array)
}
