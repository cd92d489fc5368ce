// Package runner carries a sweep out: it takes the runs of a plan (package
// grid) that a store does not hold yet, executes them on a bounded pool of
// goroutines, turns each point into a row by way of the experiment's
// declaration, and appends the rows to the store (package results).
//
// The files, from the whole to the single run:
//
//   - sweep.go starts runs, lets those who need the store take turns, commits,
//     and ends the sweep, or executes a sample of stored runs again; events.go
//     says how it goes.
//   - pool.go executes numbers on goroutines, whatever they stand for:
//     next → do → sink.
//   - limits.go executes one run within its limits, and decides whether there is
//     time for another one.
//
// Clock and signals decide which runs are computed, never what is in a
// row that succeeds.
package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// Options say how to carry a sweep out. Workers apart, zero is a sensible
// value of each: no limit, no repetition, no grace.
type Options struct {
	// Workers is how many runs execute at once, at least 1.
	Workers int

	// KeepFailed leaves runs that the store holds as failed rows as they
	// are; otherwise they are executed again.
	KeepFailed bool

	// RunTimeout bounds the time of one attempt at a run; 0 is no bound.
	// An attempt that takes longer has failed. Time in which the process
	// was stopped does not count.
	RunTimeout time.Duration

	// Retries is how many further attempts are made at a run that failed.
	Retries int

	// MaxFailures, if not nil, returns how many failed runs stop a sweep
	// that is to execute so many; 0 is no bound. It is asked again when a
	// stopping rule has come to ask for more runs.
	MaxFailures func(runs int64) int64

	// Grace is for how long the runs under way may go on after ctx has
	// ended or MaxFailures is reached.
	Grace time.Duration

	// Deadline is when all must be committed; zero is no deadline. Runs
	// that would not end in time, judged by what runs have cost, do not
	// start, and those that take longer nevertheless are given up.
	Deadline time.Time

	// Directory, if not empty, is where runs may keep files
	// (experiment.Directory), each in a directory named by its ID.
	Directory string

	// Observe, if not nil, is told what happens, one event at a time. It
	// must not use the store, but for WriteManifest.
	Observe func(Event)
}

// What the errors of a sweep that was stopped wrap.
var (
	ErrOutOfTime = errors.New("out of time") // by the Deadline
	ErrFailures  = errors.New("stopped")     // by MaxFailures

	// ErrHung: more attempts than workers went on after they had been told to
	// end. A run cannot be killed, so it goes on to occupy a processor and
	// memory; with many of them the sweep would come to a halt without anyone
	// knowing why.
	ErrHung = errors.New("stopped")
)

// Sweep executes the runs that belong into a store and that it does not
// hold, and appends their rows. A run that returns an error, breaks its
// experiment's declaration, panics or takes longer than RunTimeout is a
// failed row; the others go on. While the sweep runs, its exported files are
// refreshed at growing intervals.
//
// The error is nil if all runs were executed, failed or not. Otherwise it
// tells what stopped the sweep: ctx's cause, or it wraps ErrOutOfTime,
// ErrFailures or ErrHung. No further run starts then; those under way are kept
// if they end within Grace, and given up if not: they leave no row. In all
// these cases everything appended is committed. An error of the store ends
// the sweep at once and is returned as it is.
//
// Sweep returns when all its runs have ended, but for hung ones: attempts
// that went on for a second after they had been told to end.
func Sweep(ctx context.Context, store *results.Store, options Options) (report Report, err error) {
	caller := ctx
	ctx, stop := context.WithCancelCause(caller)
	runs, giveUp := context.WithCancelCause(context.WithoutCancel(caller))
	defer stop(nil)
	defer giveUp(nil)
	halt := func(cause error) { stop(cause); giveUp(cause) }
	// Runs under way are given up when the grace is over, which begins when the
	// caller's context ends or the sweep is stopped. Only a sweep that is out of
	// time has its deadline instead.
	wait := func() { time.AfterFunc(options.Grace, func() { giveUp(context.Cause(ctx)) }) }
	defer context.AfterFunc(caller, wait)()
	defer context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), ErrOutOfTime) {
			wait()
		}
	})()

	if options.Observe == nil {
		options.Observe = func(Event) {}
	}
	s := &sweep{
		plan: store.Plan, store: store, options: &options, stopped: ctx, stop: stop, report: &report,
		recent: map[experiment.Value][]time.Duration{}, under: map[int64]time.Time{},
	}
	defer func() { go s.attempts.Wait() }() // for what is hung
	if at := options.Deadline; !at.IsZero() {
		defer time.AfterFunc(time.Until(at.Add(-reserve)), func() { halt(ErrOutOfTime) }).Stop()
	}
	if !options.KeepFailed {
		s.repeat = store.Failed()
	}
	s.tell(Started)
	endTicks := s.tickRegularly(halt)
	defer func() {
		endTicks()
		s.tell(Ended)
	}()
	err = s.rounds(ctx, runs)
	endTicks()
	if err == nil && (s.refused || report.GivenUp > 0) {
		err = context.Cause(ctx)
	}
	if commitErr := store.Commit(); commitErr != nil && (err == nil || ctx.Err() != nil) {
		err = commitErr
	}
	return report, err
}

// A sweep is one call of Sweep, or of Rerun, which has no store.
type sweep struct {
	plan    *grid.Plan
	options *Options
	stopped context.Context // ends when no further run is to start
	stop    context.CancelCauseFunc
	hung    atomic.Int64 // attempts that should have ended
	failed  atomic.Int64 // runs, some of which may not be in the report yet
	report  *Report

	// Attempts that end give their goroutines to others: new ones have small stacks,
	// the growth of which short runs would pay for.
	attempts pool.Pool

	maxFailures int64
	refused     bool // a run did not start, for lack of time

	// What runs have cost, for the deadline.
	costs  sync.Mutex
	recent map[experiment.Value][]time.Duration // the last costs, by algorithm
	under  map[int64]time.Time                  // when the runs under way began

	// Sink, clock and workers take turns with the store.
	mu     sync.Mutex
	store  *results.Store
	counts Event // without a kind
	repeat int64 // failed runs that are to be executed again
}

// rounds executes the runs of the plan or the shard. Without a stopping rule
// there is one round. With a rule, a round is over when every cell that was
// to be judged at a checkpoint has all its runs, for only then is it known who
// needs the next round's.
func (s *sweep) rounds(ctx, runs context.Context) error {
	shard := s.plan.Shard(0, 1)
	if own := s.store.Shard; own != nil {
		shard = *own
	}
	ends := []int64{shard.Runs()}
	if rule := s.plan.Stop(); rule != nil {
		ends = rule.Checkpoints()
		for k := range ends {
			ends[k] *= shard.Runs() / s.plan.Seeds() // its cells
		}
	}
	begin := int64(0)
	for _, end := range ends {
		if begin > 0 {
			s.tell(Extended)
		}
		if limit := s.options.MaxFailures; limit != nil {
			s.maxFailures = limit(s.counts.Executed + s.counts.Left) // no run ends now
		}
		missing := s.missing(shard, begin, end)
		next := func() (int64, bool) {
			i, ok := missing()
			if ok && !s.admit(i) {
				s.stop(ErrOutOfTime)
				s.refused, ok = true, false
			}
			return i, ok
		}
		err := Run(ctx, runs, s.options.Workers, s.ahead(), next, s.do, s.keep)
		if err != nil || s.refused {
			return err
		}
		begin = end
	}
	return nil
}

// ahead is how many outcomes may wait while the store is busy. Runs without
// a series may take microseconds, and then hundreds of them should; a series may
// have megabytes.
func (s *sweep) ahead() int {
	if s.plan.Experiment().Series == nil {
		return 256
	}
	return 4 * s.options.Workers
}

// missing yields the runs of a shard from one position to another that are
// to be executed, in order. It learns them a batch at a time, because workers
// that asked for every single one would wait whenever the store is writing.
func (s *sweep) missing(shard grid.Shard, at, end int64) func() (int64, bool) {
	const size = 4096
	batch := []int64(nil)
	return func() (next int64, ok bool) {
		if len(batch) == 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			batch = make([]int64, 0, size)
			for ; at < end && len(batch) < size; at++ {
				i := shard.Run(at)
				if !s.store.Done(i) && !(s.options.KeepFailed && s.store.Status(i) == results.Failed) {
					batch = append(batch, i)
				}
			}
		}
		if len(batch) == 0 {
			return 0, false
		}
		next, batch = batch[0], batch[1:]
		return next, true
	}
}

// keep takes what became of a run, and gives its row to the store.
func (s *sweep) keep(o Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Row == nil {
		s.report.add(&o)
		return nil
	}
	o.Again = s.store.Status(o.Row.Index) == results.Failed
	if err := s.store.Append(o.Row); err != nil {
		return err
	}
	s.report.add(&o)
	c := &s.counts
	if o.Again {
		s.repeat--
		c.Failed--
	}
	if o.Row.Status == results.Failed {
		c.Failed++
	} else {
		c.OK++
	}
	c.Executed++
	c.Left--
	s.observe(RunEnded, &o)
	return nil
}

// observe passes on an event, with the counts of now.
func (s *sweep) observe(kind string, o *Outcome) {
	e := s.counts
	e.Kind, e.Outcome = kind, o
	s.options.Observe(e)
}

// tell passes on an event without an outcome.
func (s *sweep) tell(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == Started || kind == Extended {
		c := &s.counts
		c.Assigned, c.OK, c.Failed = s.store.Assigned(), s.store.OK(), s.store.Failed()
		c.Left = c.Assigned - c.OK - c.Failed + s.repeat
	}
	s.observe(kind, nil)
}

// tick is how often a sweep commits what has ended, and tells that it is
// alive. Runs may be rare, so the store cannot see to that by itself.
const tick = time.Second

// The exported files of a sweep that runs are refreshed after a while, which
// grows with what that costs: it takes at most a twentieth of the time.
var refreshAfter = 10 * time.Second // tests change it

const refreshShare = 20

// tickRegularly commits, tells that the sweep is alive, and refreshes the
// exported files, until the returned function is called, which waits for
// what is under way and may be called again. An error goes to halt.
func (s *sweep) tickRegularly(halt context.CancelCauseFunc) (end func()) {
	next := time.Now().Add(refreshAfter)
	onTick := func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.store.Commit(); err != nil {
			return err
		}
		s.observe(Committed, nil)
		begin := time.Now()
		if begin.Before(next) {
			return nil
		}
		err := s.store.Export(s.stopped) // or what has ended waits with it
		if err != nil && err != context.Cause(s.stopped) {
			return err
		}
		next = time.Now().Add(max(refreshAfter, refreshShare*time.Since(begin)))
		return nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	var clock sync.WaitGroup
	clock.Go(func() {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-ctx.Done():
				return
			}
			if err := onTick(); err != nil {
				halt(err)
				return
			}
		}
	})
	return func() { cancel(); clock.Wait() }
}

// Rerun executes a sample of the runs in a directory again and hands each to
// sink, as it is stored and as it is now, one at a time. The sample is, of those
// that succeeded, the ones with the least IDs, which are hashes: a random one,
// the same each time, and part of any larger one. Runs that failed are not
// executed again: what was wrong with them may have been the machine.
//
// If ctx ends first, no further run starts and the error is ctx's cause. An
// error in reading the directory is returned as it is.
func Rerun(
	ctx context.Context, view *results.Reader, workers int, sample int64, sink func(stored, now *results.Row),
) error {
	again := sweep{plan: view.Plan, options: &Options{Workers: workers}, stopped: ctx, stop: func(error) {}}
	defer func() { go again.attempts.Wait() }()
	next, stop := iter.Pull(slices.Values(choose(view, sample)))
	defer stop()
	compare := func(o Outcome) error {
		stored, err := view.Run(o.Row.Index)
		if err == nil {
			sink(stored, o.Row)
		}
		return err
	}
	return Run(ctx, context.WithoutCancel(ctx), workers, again.ahead(), next, again.do, compare)
}

// choose returns the sample against the order of the plan: so runs show that depend on
// those before them.
func choose(view *results.Reader, size int64) (sample []int64) {
	for i := range view.Plan.Runs() {
		if view.Status(i) == results.OK {
			sample = append(sample, i)
		}
	}
	slices.SortFunc(sample, func(a, b int64) int {
		x, y := view.Plan.ID(a), view.Plan.ID(b)
		return bytes.Compare(x[:], y[:])
	})
	sample = sample[:min(size, int64(len(sample)))]
	slices.SortFunc(sample, func(a, b int64) int { return cmp.Compare(b, a) })
	return sample
}
