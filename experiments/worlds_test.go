package experiments

import (
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"

	"sweep/internal/testutil"
)

// counting returns a cache of worlds of 10 bytes each that counts builds.
func counting(bound int64) (*worlds[int, int], *atomic.Int64) {
	var builds atomic.Int64
	cache := newWorlds(func(k int) (int, error) { builds.Add(1); return k * k, nil }, func(int) int64 { return 10 })
	cache.bound = bound
	return cache, &builds
}

func TestAWorldIsBuiltOnceForAllWhoAsk(t *testing.T) {
	cache, builds := counting(1000)
	var wg sync.WaitGroup
	for i := range 200 {
		wg.Go(func() {
			if w, err := cache.get(i % 5); w != (i%5)*(i%5) || err != nil {
				t.Errorf("world %d is %d, %v", i%5, w, err)
			}
		})
	}
	wg.Wait()
	if n := builds.Load(); n != 5 {
		t.Errorf("%d builds of 5 worlds", n)
	}
}

func TestWorldsAreBoundedAndTheLeastRecentGoFirst(t *testing.T) {
	cache, builds := counting(30)
	for _, k := range []int{1, 2, 3, 1, 4} { // 4 drops 2
		testutil.Must(cache.get(k))
	}
	if cache.total != 30 || len(cache.of) != 3 || cache.used.Len() != 3 {
		t.Errorf("%d bytes in %d worlds, want 30 in 3", cache.total, len(cache.of))
	}
	for _, k := range []int{1, 3, 4} {
		testutil.Must(cache.get(k))
	}
	if n := builds.Load(); n != 4 {
		t.Errorf("%d builds, want 4: worlds in use were dropped", n)
	}
	testutil.Must(cache.get(2))
	if n := builds.Load(); n != 5 {
		t.Errorf("%d builds, want 5: world 2 was not dropped", n)
	}
}

func TestWorldsKeepToHalfOfTheMemoryLimit(t *testing.T) {
	const size = 10 << 30 // claimed, not used
	cache := newWorlds(func(k int) (int, error) { return k, nil }, func(int) int64 { return size })
	fill := func() int64 {
		for k := range 10 {
			testutil.Must(cache.get(k))
		}
		return cache.total
	}
	if got := fill(); got != size { // the latest, which alone is above defaultMemory
		t.Errorf("%d bytes without a limit, want %d", got, int64(size))
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(7 * size))
	if got := fill(); got != 3*size {
		t.Errorf("%d bytes, want the %d that half of the limit has room for", got, int64(3*size))
	}
}

// What a build fails or panics with it fails or panics with for each who asks.
func TestAWorldThatCannotBeBuilt(t *testing.T) {
	fault := errors.New("no such world")
	cache := newWorlds(func(k int) (int, error) {
		if k == 1 {
			return 0, fault
		}
		panic(fault)
	}, func(int) int64 { return 10 })
	for range 2 {
		if _, err := cache.get(1); !errors.Is(err, fault) {
			t.Errorf("error %v, want %v", err, fault)
		}
		func() {
			defer func() {
				if r := recover(); r != fault {
					t.Errorf("recovered %v, want the fault of the build", r)
				}
			}()
			_, _ = cache.get(2)
			t.Error("no panic")
		}()
	}
}
