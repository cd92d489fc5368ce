package runner

import (
	"context"
	"sync"
	"time"
)

// tick is how often a sweep commits what has ended and shows that it is alive.
// The store cannot do that by itself, because runs may be rare.
const tick = time.Second

// refreshAfter is how long a sweep runs before its exported files are
// refreshed. Tests change it.
var refreshAfter = 10 * time.Second

// refreshShare makes the time between refreshes grow with their cost: they take
// at most a twentieth of the time.
const refreshShare = 20

// refreshCost is about what an export takes for each run. It keeps the first
// refresh to its share, too: a sweep whose runs take microseconds has its files
// at its end.
const refreshCost = 5 * time.Microsecond

// tickRegularly commits, tells that the sweep is alive, and refreshes the
// exported files, until the returned function is called, which waits for
// what is under way and may be called again. An error goes to halt.
func (s *sweep) tickRegularly(halt context.CancelCauseFunc) (end func()) {
	started := time.Now()
	next := started.Add(refreshAfter)
	onTick := func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.store.Commit(); err != nil {
			return err
		}
		s.observe(Committed, nil)
		begin := time.Now()
		cost := refreshCost * time.Duration(s.store.OK()+s.store.Failed())
		if begin.Before(next) || begin.Before(started.Add(refreshShare*cost)) {
			return nil
		}
		err := s.store.Export(s.stopped) // a sweep that is stopped does not wait for it
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
	return func() {
		cancel()
		clock.Wait()
	}
}
