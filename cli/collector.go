package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"time"
)

// A garbageLimit bounds the memory that garbage takes before it is collected:
// bytes or, if that is more, a percentage of the memory in use.
type garbageLimit struct {
	bytes   uint64
	percent uint64
}

var (
	whileRunning = garbageLimit{bytes: 48 << 20, percent: 25} // for speed, within bounds
	whileReading = garbageLimit{bytes: 8 << 20, percent: 20}  // rows are read into the same memory
)

// leastUsed is about what a program that has just begun uses, in bytes.
const leastUsed = 16 << 20

// tuneCollector makes the Go runtime collect garbage as g says until the
// returned function is called. By itself, the runtime lets garbage take as much
// as what is in use, however little or much that is. GOGC prevails.
func tuneCollector(g garbageLimit) (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const period = 100 * time.Millisecond
	before := debug.SetGCPercent(g.percentOf(leastUsed))
	ticker := time.NewTicker(period)
	ended := make(chan struct{})
	var tuner sync.WaitGroup
	tuner.Go(func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-ticker.C:
			case <-ended:
				return
			}
			metrics.Read(live)
			debug.SetGCPercent(g.percentOf(live[0].Value.Uint64()))
		}
	})
	return func() {
		ticker.Stop()
		close(ended)
		tuner.Wait() // it sets nothing more
		debug.SetGCPercent(before)
	}
}

// percentOf returns what garbage may take as a percentage of the bytes in use.
func (g garbageLimit) percentOf(used uint64) int {
	return int(max(g.percent, 100*g.bytes/max(used, leastUsed)))
}
