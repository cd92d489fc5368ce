package engine

import (
	"context"
	"sync"
	"time"

	"sweep/grid"
)

// commitEvery bounds how long a finished run may wait to become lasting.
// Runs may be rare, so the store cannot see to that by itself.
const commitEvery = time.Second

// A keeper lets sink, clock and workers take turns with the store.
type keeper struct {
	mu         sync.Mutex
	store      Store
	keepFailed bool
}

// append gives the outcome's row to the store.
func (k *keeper) append(o *Outcome) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	o.Again = k.store.HasFailed(o.Row.Index)
	return k.store.Append(o.Row)
}

// do calls a function that uses the store.
func (k *keeper) do(f func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	f()
}

func (k *keeper) commit() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.store.Commit()
}

// share returns the part of the plan that is to be carried out.
func share(plan *grid.Plan, shard *grid.Shard) grid.Shard {
	if shard == nil {
		return plan.Shard(0, 1)
	}
	return *shard
}

// missing yields the runs of a shard from one position to another that are
// to be executed, in order. It learns them a batch at a time, because workers
// that asked for every single one would wait whenever the store is writing.
func (k *keeper) missing(shard grid.Shard, at, end int64) func() (int64, bool) {
	const size = 4096
	batch := []int64(nil)
	return func() (int64, bool) {
		if len(batch) == 0 {
			k.mu.Lock()
			defer k.mu.Unlock()
			batch = make([]int64, 0, size)
			for ; at < end && len(batch) < size; at++ {
				if i := shard.Run(at); !k.store.Done(i) && !(k.keepFailed && k.store.HasFailed(i)) {
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

// commitRegularly commits until the returned function is called, which
// waits for the last commit and may be called again. An error goes to halt.
func (k *keeper) commitRegularly(halt context.CancelCauseFunc) (end func()) {
	ended := make(chan struct{})
	var clock sync.WaitGroup
	clock.Go(func() {
		ticker := time.NewTicker(commitEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				if err := k.commit(); err != nil {
					halt(err)
					return
				}
			case <-ended:
				return
			}
		}
	})
	return sync.OnceFunc(func() {
		close(ended)
		clock.Wait()
	})
}
