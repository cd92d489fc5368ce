package results

import (
	"github.com/parquet-go/parquet-go"

	"sweep/experiment"
)

// scanRows is how many rows are looked up at a time.
const scanRows = 1024

// A scanner finds the rows of files in a plan.
type scanner struct {
	disk   disk
	plan   Plan
	layout *layout
	tally  *tally

	foreign foreign // rows that the plan does not have
}

// scan opens a source and learns which runs it holds: it fills s.index and
// s.sorted, and returns the name of the spec that the file was written for.
func (sc *scanner) scan(s *source) (spec string, err error) {
	r, err := openReader(sc.disk, s.runs, sc.layout)
	if err != nil {
		return "", err
	}
	defer r.Close()

	e := sc.plan.Experiment()
	params := make([]*columnReader, len(e.Params))
	for i := range params {
		params[i] = r.column(paramsAt + i)
		defer params[i].close()
	}
	seed, status := r.column(seedAt(e)), r.column(statusAt(e))
	defer seed.close()
	defer status.close()
	var metric *columnReader // the one that a stopping rule looks at
	var kind experiment.Kind
	if rule := sc.plan.Stop(); rule != nil {
		metric, kind = r.column(metricsAt(e)+rule.Metric), e.Metrics[rule.Metric].Kind
		defer metric.close()
	}

	chunk := int(min(r.rows, scanRows))
	values := make([]experiment.Value, chunk*len(e.Params))
	seeds := make([]int64, chunk)
	succeeded := make([]bool, chunk)
	measured := make([]float64, chunk)
	texts := map[string]string{}
	last := int64(-1)
	s.index = nil // grows with what is read: a damaged count costs nothing
	s.sorted = true
	for left := r.rows; left > 0; {
		n := int(min(left, int64(chunk)))
		left -= int64(n)
		for p, c := range params {
			err := c.next(n, func(k int, v parquet.Value) {
				values[k*len(params)+p] = paramValue(e.Params[p].Kind, v, texts)
			})
			if err != nil {
				return "", err
			}
		}
		if err := seed.next(n, func(k int, v parquet.Value) { seeds[k] = v.Int64() }); err != nil {
			return "", err
		}
		if err := status.next(n, func(k int, v parquet.Value) { succeeded[k] = string(v.ByteArray()) == OK }); err != nil {
			return "", err
		}
		if metric != nil {
			if err := metric.next(n, func(k int, v parquet.Value) { measured[k] = metricValue(kind, v) }); err != nil {
				return "", err
			}
		}
		for k := range n {
			point := values[k*len(params) : (k+1)*len(params)]
			i, ok := sc.plan.Find(point, seeds[k])
			if !ok {
				sc.foreign.add(point, seeds[k])
				continue
			}
			s.sorted = s.sorted && i > last
			last = i
			s.index = append(s.index, i)
			sc.tally.mark(i, succeeded[k], measured[k])
		}
	}
	return r.spec, nil
}
