package monitoring

import (
	"fmt"
	"runtime"
	"testing"

	"sweep/environments/sources"
)

// One run of the thesis: R = 1000, C = 100, 10,000 slots. The share of the
// environment can be read off topC, which does nothing else.
func BenchmarkRun(b *testing.B) {
	for _, a := range Algorithms() {
		for _, model := range []string{sources.Disappear, sources.Overwrite} {
			b.Run(fmt.Sprintf("algorithm=%s/model=%s", a.Name, model), func(b *testing.B) {
				c := config(b, a.Name)
				c.Model = model
				w := world(b, c.World, 1)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Run(b.Context(), w, c, 1); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.Slots*c.World.Nodes), "ns/node-slot")
			})
		}
	}
}

// A slot, on worlds of 10³ to 10⁶ nodes, C = R/10, and the memory that the
// world and the run take.
func BenchmarkSlot(b *testing.B) {
	for _, a := range Algorithms() {
		for nodes := 1000; nodes <= 1_000_000; nodes *= 10 {
			b.Run(fmt.Sprintf("algorithm=%s/nodes=%d", a.Name, nodes), func(b *testing.B) {
				before := heap()
				c := config(b, a.Name)
				c.World = sources.Law{Nodes: nodes, Capacity: nodes / 10}
				s := newSimulation(world(b, c.World, 1), &c, 1)
				for range 50 {
					s.step()
				}
				memory := heap() - before
				for b.Loop() {
					s.step()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node-slot")
				b.ReportMetric(float64(memory)/float64(nodes), "B/node")
			})
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
