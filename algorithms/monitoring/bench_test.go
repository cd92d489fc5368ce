package monitoring

import (
	"fmt"
	"runtime"
	"testing"

	"sweep/environments/sources"
)

// A slot, on worlds of 10³ nodes, the thesis's, to 10⁶, C = R/10, and the memory
// that the world and the run take. The share of the environment can be read off
// topC, which does nothing else.
func BenchmarkSlot(b *testing.B) {
	for _, a := range Algorithms() {
		for _, model := range []string{sources.Disappear, sources.Overwrite} {
			for nodes := 1000; nodes <= 1_000_000; nodes *= 10 {
				b.Run(fmt.Sprintf("algorithm=%s/model=%s/nodes=%d", a.Name, model, nodes), func(b *testing.B) {
					before := heap()
					c := config(a.Name)
					c.Model, c.World = model, sources.Law{Nodes: nodes, Capacity: nodes / 10}
					s := newSimulation(world(c.World, 1), &c, 1)
					for range 50 {
						s.step()
					}
					memory := heap() - before
					b.ReportAllocs()
					for b.Loop() {
						s.step()
					}
					b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node-slot")
					b.ReportMetric(float64(memory)/float64(nodes), "B/node")
				})
			}
		}
	}
}

// heap returns the bytes in use.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
