package results

import (
	"cmp"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// A summarizer computes summary.parquet from runs.parquet, one metric at a
// time, reading only that metric's column.
type summarizer struct {
	disk    disk
	plan    Plan
	layouts layouts
	index   []int64 // of the rows of runs.parquet
	failed  *bitmap
}

// write writes the summary of the runs file to w: for every metric in the
// order of the declaration, the cells in the order of the plan. A cell
// without any run is left out.
func (s *summarizer) write(runs string, w *writer) error {
	r, err := openReader(s.disk, runs, s.layouts.runs)
	if err != nil {
		return err
	}
	defer r.Close()

	e := s.plan.Experiment()
	order := s.byCell()
	stats := newStatistician()
	values := make([]float64, len(s.index)) // of one metric, NaN where null
	params := make([]experiment.Value, len(e.Params))
	var sample []float64
	for m, metric := range e.Metrics {
		if err := readMetric(r, metricsAt(e)+m, metric.Kind, values); err != nil {
			return err
		}
		for rest := order; len(rest) > 0; {
			cell := s.cell(rest[0])
			sample = sample[:0]
			failed := int64(0)
			n := 0
			for ; n < len(rest) && s.cell(rest[n]) == cell; n++ {
				if s.failed.has(s.index[rest[n]]) {
					failed++
				}
				if x := values[rest[n]]; !math.IsNaN(x) {
					sample = append(sample, x)
				}
			}
			rest = rest[n:]
			s.plan.Cell(cell, params)
			for _, v := range params {
				w.addParam(v)
			}
			w.addString(metric.Name)
			w.addString(metric.Unit)
			d := stats.describe(sample)
			w.addInt(d.N)
			for _, x := range []float64{d.Mean, d.Std, d.SEM, d.CILow, d.CIHigh, d.Min, d.Median, d.Max} {
				w.addFloat(x)
			}
			w.addInt(failed)
			if err := w.endRow(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *summarizer) cell(row int) int64 { return s.index[row] % s.plan.Cells() }

// byCell returns the row numbers in the order of their cells; within a
// cell they stay in the order of the seeds.
func (s *summarizer) byCell() []int {
	order := make([]int, len(s.index))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.cell(a), s.cell(b)) })
	return order
}

func readMetric(r *reader, column int, kind experiment.Kind, values []float64) error {
	c := r.column(column)
	defer c.close()
	return c.next(len(values), func(k int, v parquet.Value) {
		values[k] = metricValue(kind, v)
	})
}

// number returns the number in a column of doubles, NaN for null.
func number(v parquet.Value) float64 {
	if v.IsNull() {
		return math.NaN()
	}
	return v.Double()
}
