package runner

import (
	"cmp"
	"container/heap"
	"context"
	"iter"
	"slices"
	"sync"

	"sweep/grid"
	"sweep/results"
)

// RerunOptions say which runs to execute again.
type RerunOptions struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// Sample is how many runs to execute again, at least 1: of those that
	// succeeded the ones with the least IDs, which are hashes. So the
	// sample is a random one, the same each time, and part of any larger
	// one.
	Sample int64

	// Observe, if not nil, is called after each run that was executed
	// again, from one goroutine; differs tells whether its outcome did.
	Observe func(differs bool)
}

// A Comparison says what Rerun found.
type Comparison struct {
	Read     int64 // rows whose ID was compared with that of their parameters
	Executed int64 // runs executed again
	Wrong    int64 // rows with a wrong ID, and runs with another outcome

	Mismatches []Mismatch // the wrong ones of lowest index, at most MaxListed
}

// A Mismatch is a run that is not what its parameters make it.
type Mismatch struct {
	Index       int64
	ID          grid.ID              // of the parameters
	Differences []results.Difference // stored and computed anew
}

// Rerun compares the IDs of all rows in a directory with their parameters,
// and the outcomes of a sample bit for bit with those of new executions.
// Runs that failed are not executed again: what was wrong with them may
// have been the machine.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(ctx context.Context, view *results.Reader, options RerunOptions) (Comparison, error) {
	var v Comparison
	sample, err := v.choose(view, options.Sample)
	if err != nil {
		return v, err
	}
	stored := newSampleBuffer(view, sample)
	defer stored.close()
	again := worker{plan: view.Plan, options: &Options{Workers: options.Workers}, stopped: ctx, stop: func(error) {}}
	err = Run(ctx, Pool{Workers: options.Workers},
		stored.next,
		func(ctx context.Context, i int64) []results.Difference {
			o := again.do(ctx, i)
			if o.Row == nil {
				return nil // ctx has ended, nobody asks
			}
			return results.Differences(stored.take(i), o.Row)
		},
		func(outcome Finished[[]results.Difference]) error {
			if outcome.Panic != nil {
				panic(fault(outcome.Index, outcome.Panic))
			}
			differences := outcome.Value
			v.Executed++
			if len(differences) > 0 {
				v.add(Mismatch{outcome.Index, grid.Identify(view.Plan.Point(outcome.Index)), differences})
			}
			if options.Observe != nil {
				options.Observe(len(differences) > 0)
			}
			return nil
		})
	if stored.err != nil {
		err = stored.err
	}
	return v, err
}

// choose reads all rows, compares their IDs, and returns the indices of the
// sample.
func (v *Comparison) choose(view *results.Reader, size int64) (map[int64]bool, error) {
	var least candidates
	for row, err := range view.Runs(false) {
		if err != nil {
			return nil, err
		}
		v.Read++
		id := grid.Identify(row.Point)
		if row.ID != id {
			v.add(Mismatch{row.Index, id, []results.Difference{{What: "run_id", A: row.ID.String(), B: id.String()}}})
		}
		if row.Status != results.OK {
			continue
		}
		switch c := (candidate{row.Index, id}); {
		case int64(len(least)) < size:
			heap.Push(&least, c)
		case c.before(least[0]):
			least[0] = c
			heap.Fix(&least, 0)
		}
	}
	sample := make(map[int64]bool, len(least))
	for _, c := range least {
		sample[c.index] = true
	}
	return sample, nil
}

// add counts a mismatch, and keeps it if it is among the first.
func (v *Comparison) add(m Mismatch) {
	v.Wrong++
	at, _ := slices.BinarySearchFunc(v.Mismatches, m, func(a, b Mismatch) int { return cmp.Compare(a.Index, b.Index) })
	v.Mismatches = slices.Insert(v.Mismatches, at, m)
	v.Mismatches = v.Mismatches[:min(len(v.Mismatches), MaxListed)]
}

// A candidate is a run that may be part of the sample.
type candidate struct {
	index int64
	id    grid.ID
}

func (c candidate) before(d candidate) bool { return slices.Compare(c.id[:], d.id[:]) < 0 }

// candidates is a heap with the greatest ID on top.
type candidates []candidate

func (c candidates) Len() int           { return len(c) }
func (c candidates) Less(i, j int) bool { return c[j].before(c[i]) }
func (c candidates) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *candidates) Push(x any)        { *c = append(*c, x.(candidate)) }
func (c *candidates) Pop() any          { panic("engine: no candidate is ever taken out") }

// A sampleBuffer hands the rows of a sample to workers as they ask for them, so
// that few are in memory at a time.
type sampleBuffer struct {
	sample map[int64]bool
	pull   func() (*results.Row, error, bool)
	close  func()
	err    error // in reading; known when runner.Run has returned

	mu   sync.Mutex
	rows map[int64]*results.Row // asked for and not yet taken
}

func newSampleBuffer(view *results.Reader, sample map[int64]bool) *sampleBuffer {
	s := &sampleBuffer{sample: sample, rows: map[int64]*results.Row{}}
	s.pull, s.close = iter.Pull2(view.Runs(true))
	return s
}

// next returns the index of the next row of the sample.
func (s *sampleBuffer) next() (int64, bool) {
	for {
		row, err, ok := s.pull()
		if !ok || err != nil {
			s.err = err
			return 0, false
		}
		if s.sample[row.Index] {
			kept := *row // the view goes on to use its slices
			kept.Result.Metrics = slices.Clone(row.Result.Metrics)
			kept.Result.Series = slices.Clone(row.Result.Series)
			s.mu.Lock()
			s.rows[row.Index] = &kept
			s.mu.Unlock()
			return row.Index, true
		}
	}
}

// take returns a row that next has announced, and forgets it.
func (s *sampleBuffer) take(i int64) *results.Row {
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rows[i]
	delete(s.rows, i)
	return row
}
