package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"math"

	"github.com/dustin/go-humanize"

	"sweep/internal/batch"
	"sweep/internal/table"
	"sweep/results"
)

// What is proposed beyond what was measured.
const (
	margin       = 1.5       // times what was measured: others are longer
	leastMinutes = 10        // a shard that needs less does not wait longer for it
	ownMemory    = 256 << 20 // of sweep itself, in a shard
)

// propose returns what to ask the engine for, judged by the runs in the sweep's
// directory, where the user says nothing about it: a line for the time of a
// shard, and one for its memory.
func (s *submission) propose() (lines []string, err error) {
	reader, err := results.OpenReaderFor(s.spec, s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var measured results.Effort
	for run, err := range reader.Runs(false) {
		if err != nil {
			return nil, err
		}
		measured.Add(run)
	}
	if measured.Runs == 0 || reader.Missing() == 0 {
		return nil, nil
	}
	from := fmt.Sprintf("from %s in %s", runs(measured.Runs), s.dir)
	if s.job.Time == 0 && s.job.Engine != "htcondor" && !s.job.Asks(batch.Time) {
		lines = append(lines, s.proposedTime(&measured), "  "+from)
	}
	if measured.PeakMemory > 0 && s.job.Memory == 0 && !s.job.Asks(batch.Memory) {
		lines = append(lines, s.proposedMemory(&measured), "  "+from)
	}
	return lines, nil
}

// proposedTime says how long a shard may take.
func (s *submission) proposedTime(measured *results.Effort) string {
	all := s.spec.Plan().Runs()
	part := "shard"
	share := (all-1)/s.job.Shards + 1
	if n := int64(s.job.Nodes); n > 0 {
		part = "node"
		share = (all-1)/n + 1
	}
	rounds := math.Ceil(float64(share) / float64(s.atOnce()))
	mean := measured.Seconds / float64(measured.Runs)
	limit := margin * (rounds*mean + measured.Longest) / 60
	load := fmt.Sprintf("%s of a %s, %d at once, %s each", runs(share), part,
		s.atOnce(), table.Seconds(mean))
	return fmt.Sprintf("proposed: --time %.0fm, %g × (%s, and the longest, %s)",
		math.Ceil(max(limit, leastMinutes)), margin, load, table.Seconds(measured.Longest))
}

// proposedMemory says how much memory a shard may take.
func (s *submission) proposedMemory(measured *results.Effort) string {
	needed := margin*float64(s.atOnce()*measured.PeakMemory) + ownMemory
	const text = "proposed: %s of memory for a shard, " +
		"%g × %d at once × %s at most, and %s for sweep"
	return fmt.Sprintf(text, humanize.IBytes(uint64(needed)), margin, s.atOnce(),
		humanize.IBytes(uint64(measured.PeakMemory)), humanize.IBytes(ownMemory))
}

// parts returns the number of shards into which the sweep can be divided.
func (s *submission) parts() int64 {
	plan := s.spec.Plan()
	if plan.Stop() != nil { // cells are not divided
		return plan.Cells()
	}
	return plan.Runs()
}

// checkShards refuses more shards, or nodes, than there is to divide.
func (s *submission) checkShards() error {
	parts := s.parts()
	what := runs(parts)
	if s.spec.Plan().Stop() != nil {
		what = table.Count(parts, "cell") + ", which a stopping rule keeps whole"
	}
	hint := fmt.Sprintf("take %d or fewer", parts)
	const text = "--%s is %d, but the sweep has %s"
	if s.job.Shards > parts {
		return usage(hint, text, "shards", s.job.Shards, what)
	}
	if int64(s.job.Nodes) > parts {
		return usage(hint, text, "nodes", s.job.Nodes, what)
	}
	return nil
}
