package results

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"

	"sweep/experiment"
	"sweep/grid"
)

// A linePlan has one parameter, x = 0 … cells−1, and seeds 0, 1, …; it
// costs no memory.
type linePlan struct {
	experiment   *experiment.Experiment
	cells, seeds int64
}

func newLinePlan(cells, seeds int64) *linePlan {
	return &linePlan{
		experiment: &experiment.Experiment{
			Name: "trivial", Version: 1,
			Params:  []experiment.Param{{Name: "x", Kind: experiment.Int, Max: 1e9}},
			Metrics: []experiment.Metric{{Name: "y", Kind: experiment.Float, Meaning: "y"}},
		},
		cells: cells, seeds: seeds,
	}
}

func (p *linePlan) Experiment() *experiment.Experiment { return p.experiment }
func (p *linePlan) Runs() int64                        { return p.cells * p.seeds }
func (p *linePlan) Cells() int64                       { return p.cells }
func (p *linePlan) Cell(c int64, v []experiment.Value) { v[0] = experiment.IntValue(c) }
func (p *linePlan) Varying() []int                     { return []int{0} }
func (p *linePlan) Stop() *grid.Stop                   { return nil }
func (p *linePlan) Find(v []experiment.Value, seed int64) (int64, bool) {
	i := seed*p.cells + v[0].Int()
	return i, v[0].Int() < p.cells && seed < p.seeds
}

// BenchmarkStore appends and finishes a sweep of runs that do nothing:
// what a run costs in this package. Wide runs are like those of a real
// experiment, 40 parameters, 12 metrics and 64 windows of 12 numbers.
func BenchmarkStore(b *testing.B) {
	for _, runs := range []int64{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) { benchmarkStore(b, newLinePlan(runs/10, 10), 0) })
	}
	wide := newLinePlan(1e3, 10)
	e := wide.experiment
	for i := range 39 {
		e.Params = append(e.Params, experiment.Param{Name: fmt.Sprintf("p%d", i), Kind: experiment.Float, Max: 1})
	}
	for i := range 11 {
		e.Metrics = append(e.Metrics, experiment.Metric{Name: fmt.Sprintf("m%d", i), Kind: experiment.Float})
	}
	e.Series.Axis = experiment.Metric{Name: "hours", Kind: experiment.Float}
	for i := range 11 {
		e.Series.Columns = append(e.Series.Columns, experiment.Metric{Name: fmt.Sprintf("c%d", i), Kind: experiment.Float})
	}
	b.Run("wide/runs=10000", func(b *testing.B) { benchmarkStore(b, wide, 64) })
}

func benchmarkStore(b *testing.B, p *linePlan, windows int) {
	e := p.experiment
	row := Row{Status: OK, Point: experiment.Point{Experiment: e, Values: make([]experiment.Value, len(e.Params))}}
	for i := range row.Point.Values {
		row.Point.Values[i] = experiment.FloatValue(0.5)
	}
	row.Result.Metrics = make([]float64, len(e.Metrics))
	row.Result.Series = make([]float64, windows*(1+len(e.Series.Columns)))
	for b.Loop() {
		peak := watchMemory()
		s, err := Open(b.TempDir(), &grid.Spec{Name: "bench"}, p)
		must(b, err)
		rng := rand.New(rand.NewPCG(1, 2))
		start := time.Now()
		for i := range p.Runs() {
			row.Index, row.Point.Seed = i, i/p.cells
			row.Point.Values[0] = experiment.IntValue(i % p.cells)
			for k := range row.ID {
				row.ID[k] = byte(rng.Uint32())
			}
			for k := range row.Result.Metrics {
				row.Result.Metrics[k] = rng.Float64()
			}
			for k := range row.Result.Series {
				row.Result.Series[k] = rng.Float64()
			}
			must(b, s.Append(&row))
		}
		must(b, s.Commit())
		appended := time.Now()
		must(b, s.Finish())
		perRun := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(p.Runs()) }
		b.ReportMetric(perRun(appended.Sub(start)), "append-µs/run")
		b.ReportMetric(perRun(time.Since(appended)), "finish-µs/run")
		b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
	}
}

// watchMemory samples the heap until the returned function is called,
// which returns the most that was seen.
func watchMemory() (stop func() uint64) {
	runtime.GC()
	quit, peak := make(chan bool), make(chan uint64)
	go func() {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		var most uint64
		for {
			metrics.Read(sample)
			most = max(most, sample[0].Value.Uint64())
			select {
			case <-quit:
				peak <- most
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() uint64 { quit <- true; return <-peak }
}
