package cli

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// spare is the memory, in bytes, that garbage may take before it is collected;
// a quarter of what is in use, if that is more.
const spare = 64 << 20

// leastUsed is about what a program that has just begun uses, in bytes.
const leastUsed = 16 << 20

// tuneCollector makes the Go runtime collect garbage less often while a sweep
// uses little memory, and more often while it uses much, until the returned
// function is called. By itself, the runtime lets garbage take as much as what
// is in use, however little or much that is. GOGC prevails.
func tuneCollector() (end func()) {
	if os.Getenv("GOGC") != "" {
		return func() {}
	}
	const period = time.Second
	before := debug.SetGCPercent(100 * spare / leastUsed)
	ticker := time.NewTicker(period)
	ended := make(chan struct{})
	go func() {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		for {
			select {
			case <-ticker.C:
			case <-ended:
				return
			}
			metrics.Read(live)
			used := max(live[0].Value.Uint64(), leastUsed)
			debug.SetGCPercent(int(max(25, 100*spare/used)))
		}
	}()
	return func() {
		ticker.Stop()
		close(ended)
		debug.SetGCPercent(before)
	}
}
