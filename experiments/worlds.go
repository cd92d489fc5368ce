package experiments

import (
	"container/list"
	"math"
	"runtime/debug"
	"sync"
)

// worlds caches what is expensive to build and shared by many runs. A world is
// built once, even if many runs ask for it at the same time. The least recently
// used worlds are dropped when all of them together exceed a bound. Runs that
// hold a dropped world keep it; a later request rebuilds it, to the same bits.
// worlds is safe for concurrent use.
type worlds[K comparable, W any] struct {
	build func(K) (W, error)
	bytes func(W) int64
	bound int64 // 0: worldMemory, but for tests

	mu    sync.Mutex
	of    map[K]*list.Element // of *world, most recently used in front
	used  list.List
	total int64
}

type world[K comparable, W any] struct {
	key  K
	get  func() (W, error) // builds at the first call
	size int64             // 0 until built
}

func newWorlds[K comparable, W any](build func(K) (W, error), bytes func(W) int64) *worlds[K, W] {
	return &worlds[K, W]{build: build, bytes: bytes, of: map[K]*list.Element{}}
}

// get returns the world of a key.
func (c *worlds[K, W]) get(key K) (W, error) {
	c.mu.Lock()
	e := c.of[key]
	if e == nil {
		w := &world[K, W]{key: key}
		e = c.used.PushFront(w)
		c.of[key] = e
		// a build that panics does so in every caller
		w.get = sync.OnceValues(func() (W, error) {
			built, err := c.build(key)
			if err == nil {
				c.built(e, c.bytes(built))
			}
			return built, err
		})
	}
	c.used.MoveToFront(e)
	c.mu.Unlock()
	return e.Value.(*world[K, W]).get()
}

// built accounts for a new world and drops old ones that exceed the bound.
func (c *worlds[K, W]) built(e *list.Element, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e.Value.(*world[K, W]).size = size
	c.total += size
	bound := c.bound
	if bound == 0 {
		bound = worldMemory()
	}
	for last := c.used.Back(); c.total > bound && last != nil; {
		old := last.Value.(*world[K, W])
		before := last.Prev()
		if last != e && old.size > 0 {
			c.used.Remove(last)
			delete(c.of, old.key)
			c.total -= old.size
		}
		last = before
	}
}

// defaultMemory keeps about a hundred worlds of the default size.
const defaultMemory = 1 << 30

// worldMemory bounds the memory, in bytes, of the worlds that an experiment
// keeps: half of the memory limit that the Go runtime has now (the other half
// is for the runs and what the garbage collector has not found yet), or
// defaultMemory if it has none. At least the worlds in use are kept.
func worldMemory() int64 {
	limit := debug.SetMemoryLimit(-1) // asks
	if limit == math.MaxInt64 {
		return defaultMemory
	}
	return limit / 2
}
