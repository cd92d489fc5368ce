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

const (
	// refreshCost is about what an export takes for each run. It keeps the
	// first refresh to its share, too: a sweep of microseconds a run that takes
	// less than firstAtLatest has its files at its end.
	refreshCost = 5 * time.Microsecond

	// firstAtLatest is when the first refresh comes, whatever its share, so
	// that a sweep of hours has files.
	firstAtLatest = 5 * time.Minute
)

// firstRefresh returns how long a sweep that has so many runs goes on before
// its first refresh.
func firstRefresh(runs int64) time.Duration {
	share := refreshShare * refreshCost * time.Duration(runs)
	return max(refreshAfter, min(share, firstAtLatest))
}

// tickRegularly commits, tells that the sweep is alive, and refreshes the
// exported files, until the returned function is called, which waits for
// what is under way and may be called again. An error goes to halt.
func (s *sweep) tickRegularly(halt context.CancelCauseFunc) (end func()) {
	started := time.Now()
	var next time.Time // of a refresh; zero before the first
	onTick := func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if err := s.store.Commit(); err != nil {
			return err
		}
		s.observe(Committed, nil)
		begin := time.Now()
		due := next
		if due.IsZero() {
			due = started.Add(firstRefresh(s.counts.OK + s.counts.Failed))
		}
		if begin.Before(due) {
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
