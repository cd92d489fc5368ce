// Package runner carries a sweep out: it takes the runs of a plan (package
// grid) that a store does not hold yet, executes them on a bounded pool of
// goroutines, turns each point into a row by way of the experiment's
// declaration, and appends the rows to the store (package results).
//
// The files, from the whole to the single run:
//
//   - sweep.go starts runs, lets the goroutines that need the store take turns,
//     and ends the sweep; ticks.go commits and refreshes the exported files
//     from time to time, and events.go tells how it goes.
//   - rerun.go executes a sample of stored runs again.
//   - pool.go executes numbers on goroutines, whatever they stand for:
//     next → do → sink.
//   - limits.go executes one run within its limits; room.go decides whether
//     there is memory for another one, and deadline.go whether there is time.
//   - status.go tells how a sweep in a directory gets on, whichever process
//     executes it, and holding.go what a directory holds of a plan; progress.go
//     has the rate and the time left. causes.go groups failed runs, slowest.go
//     finds the cells that take the longest.
//
// Clock and signals decide which runs are computed, never what is in a row that
// succeeds.
package runner

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sourcegraph/conc/pool"

	"sweep/experiment"
	"sweep/grid"
	"sweep/results"
)

// Options say how to carry a sweep out. Zero is a sensible value of each but
// Workers: no limit, no repetition, no grace.
type Options struct {
	// Workers is the number of runs that execute at once, at least 1.
	Workers int

	// KeepFailed leaves failed rows in the store as they are. Otherwise their
	// runs are executed again.
	KeepFailed bool

	// RunTimeout bounds the time of one attempt at a run; 0 is no bound.
	// An attempt that takes longer has failed. Time in which the process
	// was stopped does not count.
	RunTimeout time.Duration

	// Retries is how many further attempts are made at a run that failed.
	Retries int

	// MaxFailures, if not nil, returns the number of failed runs that stops a
	// sweep which is to execute the given number of runs; 0 is no bound. It is
	// called again when a stopping rule asks for more runs.
	MaxFailures func(runs int64) int64

	// Grace is how long the runs under way may go on after ctx has ended or
	// MaxFailures is reached.
	Grace time.Duration

	// Deadline is when all must be committed; zero is no deadline. Runs
	// that would not end in time, judged by what runs have cost, do not
	// start, and those that take longer nevertheless are given up.
	Deadline time.Time

	// Directory, if not empty, is where runs may keep files
	// (experiment.Directory), each in a directory named by its ID.
	Directory string

	// Room bounds how many of the Workers execute runs at once.
	Room Room

	// Shared, if not nil, is what this sweep shares with others that are
	// carried out at the same time. It is used in place of Room.
	Shared *Shared

	// Observe, if not nil, gets the events, one at a time. It must
	// not use the store except for WriteManifest.
	Observe func(Event)
}

// What the errors of a sweep that was stopped wrap.
var (
	ErrOutOfTime = errors.New("out of time") // by the Deadline
	ErrFailures  = errors.New("stopped")     // by MaxFailures

	// ErrHung tells that more attempts than workers went on after they had been
	// told to end. A run cannot be killed, so it continues to occupy a
	// processor and memory; many of them would bring the sweep to a halt
	// without a message.
	ErrHung = errors.New("stopped")
)

// Sweep executes the runs that a store lacks, and appends their rows. A run
// that returns an error, breaks its experiment's declaration, panics or takes
// longer than RunTimeout becomes a failed row; the others go on. While the
// sweep runs, its exported files are refreshed at growing intervals.
//
// The error is nil if all runs were executed, failed or not. Otherwise it
// tells what stopped the sweep: ctx's cause, or it wraps ErrOutOfTime,
// ErrFailures or ErrHung. No further run starts then; those under way are kept
// if they end within Grace, and given up if not: they leave no row. In all
// these cases everything appended is committed. An error of the store ends
// the sweep at once and is returned as it is.
//
// Sweep returns when all its runs have ended, except for hung ones: attempts
// that went on for a second after they had been told to end.
func Sweep(ctx context.Context, store *results.Store, options Options) (report Report, err error) {
	caller := ctx
	ctx, stop := context.WithCancelCause(caller)
	runs, giveUp := context.WithCancelCause(context.WithoutCancel(caller))
	defer stop(nil)
	defer giveUp(nil)
	halt := func(cause error) {
		stop(cause)
		giveUp(cause)
	}
	// Runs under way are given up when the grace is over, which begins when the
	// caller's context ends or the sweep is stopped. Only a sweep that is out
	// of time has its deadline instead.
	beginGrace := func() {
		time.AfterFunc(options.Grace, func() { giveUp(context.Cause(ctx)) })
	}
	defer context.AfterFunc(caller, beginGrace)()
	defer context.AfterFunc(ctx, func() {
		if !errors.Is(context.Cause(ctx), ErrOutOfTime) {
			beginGrace()
		}
	})()

	if options.Observe == nil {
		options.Observe = func(Event) {}
	}
	s := &sweep{
		plan:      store.Plan,
		store:     store,
		options:   &options,
		stopped:   ctx,
		stop:      stop,
		report:    &report,
		room:      options.room(),
		lastCosts: map[experiment.Value][]time.Duration{},
		begun:     map[int64]time.Time{},
	}
	defer func() { go s.attempts.Wait() }() // for what is hung
	if !options.Deadline.IsZero() {
		left := time.Until(options.Deadline.Add(-reserve))
		defer time.AfterFunc(left, func() { halt(ErrOutOfTime) }).Stop()
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
	if err == nil && (s.refused.Load() || report.GivenUp > 0) {
		err = context.Cause(ctx)
	}
	failed := store.Commit()
	if failed != nil && (err == nil || ctx.Err() != nil) {
		err = failed
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
	room    *room

	// attempts reuses the goroutines of attempts that have ended: a new one has
	// a small stack, and short runs would pay for its growth.
	attempts pool.Pool

	maxFailures int64
	refused     atomic.Bool // a run did not start, for lack of time or room

	// What runs have cost, for the deadline.
	costs     sync.Mutex
	lastCosts map[experiment.Value][]time.Duration // by algorithm
	begun     map[int64]time.Time                  // when the runs under way began

	// Sink, clock and workers take turns with the store.
	mu     sync.Mutex
	store  *results.Store
	counts Event // without a kind
	repeat int64 // failed runs that are to be executed again
}

// rounds executes the runs of the plan or the shard. Without a stopping rule,
// there is one round. With a rule, a round is over when every cell that is
// judged at a checkpoint has all its runs, because only then is it known which
// cells need the runs of the next round.
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
			if !ok {
				s.tell(AllStarted)
				return 0, false
			}
			if !s.admit(i) {
				s.stop(ErrOutOfTime)
				s.refused.Store(true)
				return 0, false
			}
			return i, true
		}
		err := ForEach(ctx, runs, s.size(), next, s.do, s.keep)
		if err != nil || s.refused.Load() {
			return err
		}
		begin = end
	}
	return nil
}

// size returns the size of the pool. While the store is busy, hundreds of
// outcomes may wait without a series, when runs may take microseconds, and few
// with a series, which may take megabytes.
func (s *sweep) size() Size {
	workers := s.options.Workers
	if s.plan.Experiment().Series == nil {
		return Size{Workers: workers, Ahead: 256}
	}
	return Size{Workers: workers, Ahead: 4 * workers}
}

// missing yields the runs of a shard between two positions that are to be
// executed, in order. It finds them a batch at a time, because workers that
// asked for every single one would wait whenever the store is writing.
func (s *sweep) missing(shard grid.Shard, at, end int64) func() (int64, bool) {
	const size = 4096
	var batch []int64
	s.mu.Lock()
	if s.store.OK() == s.store.Assigned() {
		at = end // a finished sweep, perhaps with many runs
	}
	s.mu.Unlock()
	return func() (next int64, ok bool) {
		if len(batch) == 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			batch = make([]int64, 0, size)
			for ; at < end && len(batch) < size; at++ {
				i := shard.Run(at)
				isKept := s.options.KeepFailed && s.store.Status(i) == results.Failed
				if !s.store.Done(i) && !isKept {
					batch = append(batch, i)
				}
			}
		}
		if len(batch) == 0 {
			return 0, false
		}
		next = batch[0]
		batch = batch[1:]
		return next, true
	}
}

// keep takes the outcome of a run, and gives its row to the store.
func (s *sweep) keep(o Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.Row == nil {
		s.report.add(&o)
		if o.Attempts == 0 {
			s.refused.Store(true)
		}
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

// observe passes on an event with the current counts.
func (s *sweep) observe(kind string, o *Outcome) {
	e := s.counts
	e.Kind = kind
	e.Outcome = o
	s.options.Observe(e)
}

// tell passes on an event without an outcome.
func (s *sweep) tell(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == Started || kind == Extended {
		c := &s.counts
		c.Assigned = s.store.Assigned()
		c.OK = s.store.OK()
		c.Failed = s.store.Failed()
		c.Left = c.Assigned - c.OK - c.Failed + s.repeat
	}
	s.observe(kind, nil)
}
