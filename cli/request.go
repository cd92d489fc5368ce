package cli

import (
	"time"

	"sweep/grid"
	"sweep/internal/batch"
)

// request asks the engine for what runs need, by the spec's [resources]. What
// the user's flags and options ask for prevails.
func (s *submission) request() error {
	needed := s.spec.Resources
	job := &s.job
	each := int(max(1, needed.CPUs))
	asksAnything := needed.CPUs > 0 || needed.Memory != nil || needed.GPUs > 0
	switch {
	case job.Workers > 0 && job.Workers < each:
		return usage("give each shard as many, or a multiple",
			"--workers is %d, and a run asks for %d processors", job.Workers, each)
	case job.Workers > 0, job.Nodes > 0 && needed.CPUs == 0, job.Asks(batch.Processors):
	case needed.CPUs > 1, job.Engine != "sge" && asksAnything:
		job.Workers = each // Grid Engine has one without a word
	}
	if needed.GPUs > 0 && job.Engine == "sge" && !job.Asks(batch.GPUs) {
		return usage(`give it after --, such as: -- -l gpu=1`,
			"a run asks for GPUs, for which each Grid Engine has a name of its own")
	}
	if !job.Asks(batch.Memory) {
		job.Memory = memoryOf(needed, s.atOnce())
	}
	if !job.Asks(batch.GPUs) {
		job.GPUs = s.atOnce() * needed.GPUs
	}
	job.Grows = len(needed.Memory) > 1
	return nil
}

// atOnce returns how many runs a shard executes at once.
func (s *submission) atOnce() int64 {
	return max(1, int64(s.job.Workers)/max(1, s.spec.Resources.CPUs))
}

// memoryOf returns the memory of a shard with so many runs at once, in bytes:
// it must do for one run with the largest amount, too. It is 0 if the runs
// need none.
func memoryOf(needed grid.Resources, atOnce int64) int64 {
	last := len(needed.Memory) - 1
	if last < 0 {
		return 0
	}
	return max(atOnce*needed.Memory[0], needed.Memory[last]) + ownMemory
}

// requestTime limits the time of a shard to what its runs need, unless the
// user has. It does so where engines plan with the time of jobs.
func (s *submission) requestTime() {
	const (
		spare  = 3 * time.Minute      // to start, and to end before the limit (batch.Job.Warning)
		longer = 365 * 24 * time.Hour // than any engine allows
	)
	job := &s.job
	each := s.spec.Resources.Time
	plans := job.Engine != "htcondor" && job.Engine != batch.Kubernetes
	unknown := job.Nodes > 0 && job.Workers == 0 // how many runs execute at once
	isSearch := s.spec.Plan().Search != nil      // whose plan has its first round only
	if isSearch || each == 0 || job.Time > 0 || !plans || unknown || job.Asks(batch.Time) {
		return
	}
	parts := job.Shards
	if job.Nodes > 0 {
		parts = int64(job.Nodes)
	}
	most := (s.spec.Plan().Runs()-1)/parts + 1 // runs of one part
	turns := (most-1)/s.atOnce() + 1
	if turns > int64(longer/each) {
		return
	}
	job.Time = time.Duration(turns)*each + spare
}
