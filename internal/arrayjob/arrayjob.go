// Package arrayjob learns from the environment which part of a sweep a
// task of a job array is to compute. Every scheduler tells the tasks of an
// array their number, each in variables and by conventions of its own:
//
//	Slurm       SLURM_ARRAY_TASK_ID, with _MIN, _MAX, _STEP and _COUNT
//	Kubernetes  JOB_COMPLETION_INDEX, in an Indexed Job
//	PBS Pro     PBS_ARRAY_INDEX, in qsub -J
//	Torque      PBS_ARRAYID, in qsub -t
//	SGE         SGE_TASK_ID, with _FIRST, _LAST and _STEPSIZE; "undefined" outside an array
//	LSF         LSB_JOBINDEX, with _END and _STEP; 0 outside an array
//	AWS Batch   AWS_BATCH_JOB_ARRAY_INDEX, with _SIZE
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

// A Shard is one part of a sweep.
type Shard struct {
	Index int64 // from 0
	Count int64 // how many parts there are, above Index
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
	for _, s := range schedulers {
		text := getenv(s.index)
		if text == "" || text == s.outside {
			continue
		}
		shard, err := s.detect(getenv, count)
		if err != nil {
			return Shard{}, fmt.Errorf("%s: %w", s.name, err)
		}
		if by != "" && (shard != found) {
			return Shard{}, fmt.Errorf("%s=%s says shard %d/%d, but %s=%s says %d/%d",
				by, getenv(by), found.Index, found.Count, s.index, text, shard.Index, shard.Count)
		}
		if by == "" {
			found, by = shard, s.index
		}
	}
	if by == "" {
		return Shard{}, fmt.Errorf("no job array is to be seen in the environment: none of %s is set to a number", variables())
	}
	return found, nil
}

// A scheduler is a convention of telling a task of an array its number.
type scheduler struct {
	name    string
	index   string // the variable with the task's number
	first   int64  // the number of the first task
	outside string // the variable's value outside an array; empty if it is not set then

	// Variables with the numbers of the submitted array, and with their
	// distance; empty if there is none.
	min, max, step string

	// size is the variable with the number of tasks, or empty.
	size string

	// array is how a user asks for tasks; COUNT is how many, LAST the
	// number of the last of them.
	array string
}

var schedulers = []scheduler{
	{name: "Slurm", index: "SLURM_ARRAY_TASK_ID", array: "--array=0-LAST",
		min: "SLURM_ARRAY_TASK_MIN", max: "SLURM_ARRAY_TASK_MAX", step: "SLURM_ARRAY_TASK_STEP", size: "SLURM_ARRAY_TASK_COUNT"},
	{name: "Kubernetes", index: "JOB_COMPLETION_INDEX", array: "completions: COUNT"},
	{name: "PBS Pro", index: "PBS_ARRAY_INDEX", array: "-J 0-LAST"},
	{name: "Torque", index: "PBS_ARRAYID", array: "-t 0-LAST"},
	{name: "SGE", index: "SGE_TASK_ID", array: "-t 1-LAST", first: 1, outside: "undefined",
		min: "SGE_TASK_FIRST", max: "SGE_TASK_LAST", step: "SGE_TASK_STEPSIZE"},
	{name: "LSF", index: "LSB_JOBINDEX", array: "-J name[1-LAST]", first: 1, outside: "0",
		max: "LSB_JOBINDEX_END", step: "LSB_JOBINDEX_STEP"},
	{name: "AWS Batch", index: "AWS_BATCH_JOB_ARRAY_INDEX", array: "an array of size COUNT", size: "AWS_BATCH_JOB_ARRAY_SIZE"},
}

// variables lists where Detect looks for a task's number.
func variables() string {
	var names []string
	for _, s := range schedulers {
		names = append(names, s.index)
	}
	return strings.Join(names, ", ")
}

// untold is the number that a scheduler does not tell.
const untold = -1

// An array is what a scheduler tells a task.
type array struct {
	index          int64 // the task's number
	min, max, step int64 // as submitted; max may be untold
	size           int64 // the number of tasks; may be untold
}

// read reads the scheduler's variables; index is known to be set.
func (s *scheduler) read(getenv func(string) string) (a array, err error) {
	for _, v := range []struct {
		to        *int64
		name      string
		otherwise int64
	}{
		{&a.index, s.index, untold},
		{&a.min, s.min, s.first},
		{&a.max, s.max, untold},
		{&a.step, s.step, 1},
		{&a.size, s.size, untold},
	} {
		*v.to = v.otherwise
		if v.name == "" {
			continue
		}
		text := getenv(v.name)
		if text == "" {
			continue
		}
		if *v.to, err = strconv.ParseInt(text, 10, 32); err != nil || *v.to < 0 {
			return a, fmt.Errorf("%s=%s is not the number of a task", v.name, text)
		}
	}
	if s.max == "" && a.size != untold {
		a.max = a.size - 1 + s.first // such arrays have no gaps
	}
	return a, nil
}

// detect returns the shard that one scheduler asks for; index is known to
// be set.
func (s *scheduler) detect(getenv func(string) string, count int64) (Shard, error) {
	a, err := s.read(getenv)
	if err != nil {
		return Shard{}, err
	}
	if count == 0 {
		if count, err = s.count(a); err != nil {
			return Shard{}, err
		}
	}
	// In an array from 1 to n in the place of one from 0 to n−1 all tasks
	// must fail, not just the last: they would compute all shards but the
	// first.
	stray := max(a.index, a.max)
	if a.index < s.first {
		stray = a.index
	}
	if stray < s.first || stray >= s.first+count {
		return Shard{}, fmt.Errorf("the array has a task %d, which is none of %d shards: submit it as %s",
			stray, count, s.submission(count))
	}
	return Shard{Index: a.index - s.first, Count: count}, nil
}

// count returns the number of shards that an array was submitted for, if
// that can be known.
func (s *scheduler) count(a array) (int64, error) {
	if a.max == untold {
		return 0, errors.New("the number of shards is not told, so it must be given, as in auto/8")
	}
	tasks := a.max - s.first + 1
	if a.min != s.first || a.step > 1 || a.size != untold && a.size != tasks {
		return 0, fmt.Errorf("the array is not %s, so the number of shards must be given, as in auto/8", s.submission(tasks))
	}
	return tasks, nil
}

// submission tells how to submit an array of n tasks.
func (s *scheduler) submission(n int64) string {
	return strings.NewReplacer("COUNT", fmt.Sprint(n), "LAST", fmt.Sprint(n-1+s.first)).Replace(s.array)
}
