package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"sweep/results"
	"sweep/runner"
)

// shardText names the shards of a job as --shard does; it is empty for the
// whole sweep.
func (j *job) shardText() string {
	if len(j.indexes) == 0 {
		return ""
	}
	var list []string
	for _, index := range j.indexes {
		list = append(list, strconv.FormatInt(index, 10))
	}
	return fmt.Sprintf("%s/%d", strings.Join(list, ","), j.count)
}

// A shardSum adds up the events of the shards that a job executes.
type shardSum struct {
	job *job

	mu     sync.Mutex
	latest []runner.Event // of each shard
}

// newShardSum returns a sum in which no shard has begun.
func newShardSum(j *job) *shardSum {
	s := &shardSum{job: j}
	for _, index := range j.indexes {
		shard := j.spec.Plan().Shard(index, j.count)
		s.latest = append(s.latest, runner.Event{Assigned: shard.Runs(), Left: shard.Runs()})
	}
	return s
}

// tell passes an event of a shard on to the job, with the counts of all shards.
func (s *shardSum) tell(k int, part *job, e runner.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest[k] = e
	var sum runner.Event
	for _, one := range s.latest {
		sum.Assigned += one.Assigned
		sum.OK += one.OK
		sum.Failed += one.Failed
		sum.Executed += one.Executed
		sum.Left += one.Left
	}
	sum.Kind = e.Kind
	sum.Outcome = e.Outcome
	s.job.store = part.store
	s.job.emit(sum)
}

// passOver leaves a shard out of the sum.
func (s *shardSum) passOver(k int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.latest[k] = runner.Event{}
}

// fillShards executes several shards, on the same workers. Each has its own
// directory, as if a command of its own executed it. The next shard begins when
// no run of those before it is left to start: until then another process may
// take it. A shard that another process has is passed over.
func (j *job) fillShards(ctx context.Context) error {
	if j.serve != "" {
		return usage("", "--serve shows a sweep or one shard, and --shard names %d", len(j.indexes))
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	j.Shared = runner.Share(j.Workers, j.Room)
	sum := newShardSum(j)
	ends := make([]error, len(j.indexes))
	var jobs []*job
	var parts sync.WaitGroup
	for k := range j.indexes {
		if ctx.Err() != nil {
			ends[k] = fmt.Errorf("%w: the other shards have not begun", context.Cause(ctx))
			break
		}
		part := j.shardJob(k)
		jobs = append(jobs, part)
		allStarted := make(chan struct{})
		begin := sync.OnceFunc(func() { close(allStarted) })
		part.addSink(func(e runner.Event) {
			switch e.Kind {
			case runner.AllStarted:
				begin()
			case runner.Ended: // the job ends with its last shard
			default:
				sum.tell(k, part, e)
			}
		})
		parts.Go(func() {
			defer begin()
			ends[k] = j.fillShard(ctx, part, &sum.mu)
			if errors.Is(ends[k], results.ErrLocked) {
				sum.passOver(k)
			} else if ends[k] != nil && !isComplete(ends[k]) {
				stop(ends[k])
			}
		})
		<-allStarted
	}
	parts.Wait()
	j.emit(runner.Event{Kind: runner.Ended})
	err := worstEnd(ends)
	j.endPrograms(err == nil)
	for k, part := range jobs {
		lacksRuns := ends[k] != nil && !isComplete(ends[k])
		part.noTable = j.noTable || lacksRuns
		if printErr := part.printResults(); printErr != nil {
			return printErr
		}
	}
	return err
}

// shardJob returns the job that executes the k-th shard of a job.
func (j *job) shardJob(k int) *job {
	part := j.again()
	part.indexes = j.indexes[k : k+1]
	part.shard = new(j.spec.Plan().Shard(j.indexes[k], j.count))
	part.spec = j.spec
	part.began = j.began
	part.noTable = true // it is printed when all have ended
	return part
}

// fillShard executes a shard of the job, and adds to its report.
func (j *job) fillShard(ctx context.Context, part *job, mu *sync.Mutex) error {
	err := part.fill(ctx)
	mu.Lock()
	defer mu.Unlock()
	j.report.Join(&part.report)
	if errors.Is(err, results.ErrLocked) && !j.quiet {
		say(j.cmd.ErrOrStderr(), "shard %s is passed over: %v", part.shard, err)
	}
	return err
}

// worstEnd returns the end that says most of all: one that leaves runs missing,
// if there is one, and not that of a shard which another process has.
func worstEnd(ends []error) error {
	var worst error
	for _, end := range ends {
		isWorse := worst == nil || isComplete(worst) ||
			errors.Is(worst, results.ErrLocked) && !isComplete(end)
		if end != nil && isWorse {
			worst = end
		}
	}
	return worst
}
