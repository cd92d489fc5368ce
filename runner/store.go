package runner

import (
	"context"
	"sync"
	"time"

	"sweep/grid"
	"sweep/results"
)

// tick is how often a sweep commits what has ended, and tells that it is
// alive. Runs may be rare, so the store cannot see to that by itself.
const tick = time.Second

// The exported files of a sweep that runs are refreshed after a while, which
// grows with what that costs: it takes at most a twentieth of the time.
var refreshAfter = 10 * time.Second // tests change it

const refreshShare = 20

// A lockedStore lets sink, clock and workers take turns with a store, and
// counts its runs.
type lockedStore struct {
	mu         sync.Mutex
	store      *results.Store
	keepFailed bool
	observe    func(Event) // one call at a time, with mu held
	counts     Counts
	repeat     int64 // failed runs that are to be executed again
}

func newLockedStore(store *results.Store, options *Options) *lockedStore {
	s := &lockedStore{store: store, keepFailed: options.KeepFailed, observe: options.Observe}
	if s.observe == nil {
		s.observe = func(Event) {}
	}
	if !s.keepFailed {
		s.repeat = store.Failed()
	}
	s.count()
	return s
}

// count takes the counts from the store. The mutex is held or not needed.
func (s *lockedStore) count() {
	c := &s.counts
	c.Assigned, c.OK, c.Failed = s.store.Assigned(), s.store.Finished(), s.store.Failed()
	c.Left = c.Assigned - c.OK - c.Failed + s.repeat
}

// tell passes on an event without an outcome.
func (s *lockedStore) tell(kind EventKind, cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == Extended {
		s.count()
	}
	s.observe(Event{Kind: kind, Cause: cause, Counts: s.counts})
}

// append gives the outcome's row to the store.
func (s *lockedStore) append(o *Outcome) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o.Again = s.store.HasFailed(o.Row.Index)
	if err := s.store.Append(o.Row); err != nil {
		return err
	}
	c := &s.counts
	c.Executed++
	c.Left--
	if o.Again {
		s.repeat--
		c.Failed--
	}
	if o.Fault == "" {
		c.OK++
	} else {
		c.Failed++
	}
	s.observe(Event{Kind: RunEnded, Outcome: o, Counts: *c})
	return nil
}

func (s *lockedStore) commit() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.Commit()
}

func (s *lockedStore) refresh() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.store.Refresh()
}

// missing yields the runs of a shard from one position to another that are
// to be executed, in order. It learns them a batch at a time, because workers
// that asked for every single one would wait whenever the store is writing.
func (s *lockedStore) missing(shard grid.Shard, at, end int64) func() (int64, bool) {
	const size = 4096
	batch := []int64(nil)
	return func() (int64, bool) {
		if len(batch) == 0 {
			s.mu.Lock()
			defer s.mu.Unlock()
			batch = make([]int64, 0, size)
			for ; at < end && len(batch) < size; at++ {
				if i := shard.Run(at); !s.store.Done(i) && !(s.keepFailed && s.store.HasFailed(i)) {
					batch = append(batch, i)
				}
			}
		}
		if len(batch) == 0 {
			return 0, false
		}
		next := batch[0]
		batch = batch[1:]
		return next, true
	}
}

// tickRegularly commits, tells that the sweep is alive, and refreshes the
// exported files, until the returned function is called, which waits for
// what is under way and may be called again. An error goes to halt.
func (s *lockedStore) tickRegularly(halt context.CancelCauseFunc) (end func()) {
	ended := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() {
		ticker := time.NewTicker(tick)
		defer ticker.Stop()
		next := time.Now().Add(refreshAfter)
		for {
			select {
			case <-ticker.C:
			case <-ended:
				return
			}
			err := s.commit()
			if err == nil {
				s.tell(Committed, nil)
			}
			if begin := time.Now(); err == nil && !begin.Before(next) {
				if err = s.refresh(); err == nil {
					s.tell(Refreshed, nil)
				}
				now := time.Now()
				next = now.Add(max(refreshAfter, refreshShare*now.Sub(begin)))
			}
			if err != nil {
				halt(err)
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		clock.Wait()
	})
}
