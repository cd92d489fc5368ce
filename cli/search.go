package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/table"
	"sweep/results"
)

// runSearch carries a spec with a search out: round after round, each of which
// follows from the results of those before it, and then what is sealed. The
// spec in the directory records the rounds, so that the same command goes on
// with the last of them. A shard executes its part of a round, and goes on when
// the others have theirs.
func (p *Program) runSearch(j *job, spec *grid.Spec) error {
	first := time.Now()
	dir := outputDir(j.dir, spec)
	spec, err := p.recorded(spec, j)
	if err != nil {
		return err
	}
	var left error    // that runs failed or were computed again
	hasOlder := false // whether rounds are older than some results
	for isFirst := true; ; isFirst = false {
		isLast := spec.Plan().Search.Found != nil
		round := j.again()
		round.noTable = !isLast
		round.noNotes = !isFirst
		if j.timeLimit > 0 {
			round.timeLimit = max(1, j.timeLimit-time.Since(first))
		}
		round.KeepFailed = j.KeepFailed || left != nil // they were tried by this command
		err := round.run(spec)
		if isFirst {
			hasOlder = (isLast || len(spec.Plan().Search.Centres) > 1) && round.report.OK > 0
		}
		if isComplete(err) {
			left = err
		} else if err != nil {
			return err
		}
		if isLast && hasOlder && !j.quiet && j.logFormat == logText {
			err := p.sayStale(j, spec, dir)
			if err != nil {
				return err
			}
		}
		if isLast {
			return left
		}
		reader, err := results.OpenReaderFor(spec, dir)
		if err != nil {
			return err
		}
		if missing := reader.Missing(); missing > 0 {
			const waits = "shard %s has its part of round %d, and others lack %s: " +
				"when these are done, the same command goes on"
			rounds := len(spec.Plan().Search.Centres)
			return failed(exitInterrupted, waits, round.shardText(), rounds, runs(missing))
		}
		fit, err := analysis.NewFit(reader)
		if err != nil {
			return err
		}
		spec, err = p.nextRound(spec, fit)
		if err != nil {
			return err
		}
		if !j.quiet && j.logFormat == logText {
			say(j.cmd.ErrOrStderr(), "%s", roundText(spec.Plan()))
		}
	}
}

// again returns a job with the flags of another.
func (j *job) again() *job {
	return &job{
		Options:     j.Options,
		cmd:         j.cmd,
		dir:         j.dir,
		indexes:     j.indexes,
		count:       j.count,
		reuse:       j.reuse,
		timeLimit:   j.timeLimit,
		memoryStep:  j.memoryStep,
		serve:       j.serve,
		quiet:       j.quiet,
		logFormat:   j.logFormat,
		logFile:     j.logFile,
		metricsFile: j.metricsFile,
		unready:     j.unready,
	}
}

// recorded returns the spec with the rounds that the directory records, if the
// spec there is otherwise the same.
func (p *Program) recorded(spec *grid.Spec, j *job) (*grid.Spec, error) {
	dir := outputDir(j.dir, spec)
	if len(j.indexes) > 0 {
		dir = filepath.Join(dir, results.ShardDir(j.indexes[0], j.count))
	}
	reader, err := results.OpenReader(dir, p.Experiments)
	if err != nil {
		return spec, nil // it is not there yet, or what is wrong is said when it is opened
	}
	there := reader.Spec
	if there.Plan().Search == nil {
		return spec, nil
	}
	same := string(there.WithRounds(nil, nil)) == string(spec.WithRounds(nil, nil))
	if !same || len(spec.Plan().Search.Centres) > 1 || spec.Plan().Search.Found != nil {
		return spec, nil
	}
	return p.parseSpec(spec.File, spec.File, there.Source)
}

// nextRound returns a spec with another round or, after the last, with what was
// found.
func (p *Program) nextRound(spec *grid.Spec, fit *analysis.Fit) (*grid.Spec, error) {
	s := spec.Plan().Search
	next, err := fit.Next()
	if err != nil {
		return nil, err
	}
	later := s.Centres[1:]
	var source []byte
	if len(s.Centres) < s.Rounds {
		source = spec.WithRounds(append(later[:len(later):len(later)], next), nil)
	} else {
		source = spec.WithRounds(later, next.At)
	}
	return p.parseSpec(spec.File, spec.File, source)
}

// sayStale warns if a round, or what was found, does not follow from the
// results that are there now: runs without which the search went on may have
// been repeated since.
func (p *Program) sayStale(j *job, spec *grid.Spec, dir string) error {
	s := spec.Plan().Search
	for k := 1; k <= len(s.Centres); k++ {
		var later []grid.Centre // nil if there is none
		later = append(later, s.Centres[1:k]...)
		earlier, err := p.parseSpec(spec.File, spec.File, spec.WithRounds(later, nil))
		if err != nil {
			return err
		}
		reader, err := results.OpenReaderFor(earlier, dir)
		if err != nil {
			return err
		}
		fit, err := analysis.NewFit(reader)
		if err != nil {
			return err
		}
		next, err := p.nextRound(earlier, fit)
		if err != nil {
			return err
		}
		what := roundText(next.Plan())
		if k < len(s.Centres) {
			later = s.Centres[1 : k+1]
		}
		var found []experiment.Value
		if k == len(s.Centres) {
			what = "what was found"
			found = s.Found
		}
		if bytes.Equal(next.Source, spec.WithRounds(later, found)) {
			continue
		}
		const stale = "warning: %s does not follow from the results that are there now: " +
			"runs that had failed were repeated since; " +
			"to search again, delete [searched] in %s"
		say(j.cmd.ErrOrStderr(), stale, what, filepath.Join(dir, "spec.toml"))
		return nil
	}
	return nil
}

// roundText says which round comes next.
func roundText(plan *grid.Plan) string {
	s := plan.Search
	if s.Found != nil {
		return "found; what follows is judged with what is sealed"
	}
	return fmt.Sprintf("round %d of %d", len(s.Centres), s.Rounds)
}

// printSearch prints what a search has found.
func printSearch(w io.Writer, reader *results.Reader, format string) error {
	tables, err := analysis.SearchTables(reader)
	if err != nil {
		return err
	}
	return table.Write(w, format, tables...)
}
