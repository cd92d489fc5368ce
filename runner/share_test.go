package runner

import (
	"sync"
	"sync/atomic"
	"testing"
)

// Whoever takes a worker's turn finds what its last run gave back.
func TestEachRunHasGPUs(t *testing.T) {
	shared := Share(2, Room{GPUs: []string{"0", "1"}})
	var without atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 20000 {
				s, _ := shared.take(t.Context(), 0)
				if s.gpus == "" {
					without.Add(1)
				}
				shared.give(s)
			}
		})
	}
	all.Wait()
	if n := without.Load(); n > 0 {
		t.Errorf("%d attempts had no GPU", n)
	}
}
