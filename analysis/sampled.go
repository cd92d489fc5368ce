package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid/design"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/results"
)

// sampled has the samples of a design's points, at one combination of the
// values of what is not sampled.
type sampled struct {
	*results.Reader
	used   []int             // indices of the design's parameters that the cells use
	points []*results.Sample // one for each row of the design; nil if the grid drops it
}

// newSampled finds the points of a design that share what is not sampled with a
// cell. The keys of sampleOf are those of the values of cells.
func newSampled(
	v *results.Reader, cell []experiment.Value, sampleOf map[string]*results.Sample) *sampled {
	s := &sampled{Reader: v}
	d := v.Plan.Design
	for k, p := range d.Params {
		if isSet(cell[p]) {
			s.used = append(s.used, k)
		}
	}
	cell = slices.Clone(cell)
	for _, row := range d.Rows {
		for _, k := range s.used {
			cell[d.Params[k]] = row[k]
		}
		s.points = append(s.points, sampleOf[experiment.Key(cell)])
	}
	return s
}

// param returns a parameter of the design.
func (s *sampled) param(k int) *experiment.Param {
	return &s.Plan.Experiment().Params[s.Plan.Design.Params[k]]
}

// A measured has the values of a metric at the blocks of a design that are
// complete.
type measured struct {
	// At the points of each block or, of trajectories, the changes by their
	// steps.
	blocks [][]float64

	// Of the first points of each block, two at most: the means of their runs,
	// and then the variances.
	noise [][]float64

	first   []int    // the row of the design with which each block begins
	dropped []string // why others were left out
}

// measure returns the values of the i-th metric.
func (s *sampled) measure(i int) *measured {
	d := s.Plan.Design
	m := &measured{}
	scale := s.scale(i)
	for first := 0; first < len(d.Rows); first += d.Block {
		values, spread, fault := s.block(first, i, scale)
		if fault != "" {
			m.dropped = append(m.dropped, fault)
			continue
		}
		if d.Name == design.Morris {
			values = s.changes(first, values)
		}
		m.blocks = append(m.blocks, values)
		m.noise = append(m.noise, spread)
		m.first = append(m.first, first)
	}
	return m
}

// leastSpread is by how much the values of a metric must differ, in parts of
// the largest one, to have a variance: less is rounding.
const leastSpread = 1e-12

// What is between these has squares that neither vanish nor overflow.
const (
	smallest = 0x1p-400
	largest  = 0x1p400
)

// scale returns by how much the i-th metric is multiplied for indices, which do
// not depend on it. It is 0 if the values differ by rounding alone. The indices
// of Morris's design are in the metric's unit.
func (s *sampled) scale(i int) float64 {
	low := math.Inf(1)
	high := math.Inf(-1)
	for _, point := range s.points {
		if point == nil || len(point.Seeds) == 0 {
			continue
		}
		for _, x := range point.Values[i] {
			if !math.IsNaN(x) {
				low = min(low, x)
				high = max(high, x)
			}
		}
	}
	size := max(-low, high)
	switch {
	case low < high && high/size-low/size <= leastSpread:
		return 0
	case s.Plan.Design.Name == design.Morris || !(size > 0):
		return 1
	case size < smallest || size > largest:
		const leastExponent = -1000 // its inverse is finite
		_, exponent := math.Frexp(size)
		return math.Ldexp(1, -max(exponent, leastExponent))
	}
	return 1
}

// block returns the means of the points of a block, and as noise the means and
// then the variances of the first ones, over the seeds that every cell has. All
// values are multiplied by a scale. The fault, if there is one, is the first
// point that is not complete.
func (s *sampled) block(first, i int, scale float64) (values, noise []float64, fault string) {
	d := s.Plan.Design
	var means, variances []float64
	for k := range d.Block {
		isMixed := k >= 2 && (d.Name == design.Saltelli || d.Name == design.Saltelli2)
		if isMixed && !slices.Contains(s.used, (k-2)%len(d.Params)) {
			continue
		}
		point := s.points[first+k]
		if fault := s.incompletePoint(point, i); fault != "" {
			return nil, nil, s.describe(d.Rows[first+k]) + ": " + fault
		}
		var scaled []float64
		for _, x := range point.Values[i] {
			scaled = append(scaled, scale*x)
		}
		values = append(values, mean(scaled))
		m := inference.Describe(scaled[:minSeeds(s.Reader)])
		means = append(means, m.Mean)
		variances = append(variances, m.Std*m.Std)
	}
	noisy := min(2, len(means))
	return values, append(means[:noisy], variances[:noisy]...), ""
}

// describe names the values of a row of the design.
func (s *sampled) describe(row []experiment.Value) string {
	var texts []string
	for k, v := range row {
		texts = append(texts, fmt.Sprintf("%s = %s", s.param(k).Name, v))
	}
	return strings.Join(texts, ", ")
}

// changes returns how much a step up the whole range of each parameter would
// change, at the rate of the trajectory's own steps; 0 if the range has one
// value.
func (s *sampled) changes(first int, y []float64) []float64 {
	rows := s.Plan.Design.Rows[first:]
	list := make([]float64, len(s.used))
	for i := 1; i < len(y); i++ {
		for j, k := range s.used {
			step := cmp.Compare(rows[i][k].Float(), rows[i-1][k].Float())
			if step != 0 {
				list[j] = float64(step) * (y[i] - y[i-1]) / design.MorrisStep
			}
		}
	}
	return list
}

// minSeeds returns the number of seeds that every cell has.
func minSeeds(v *results.Reader) int64 {
	if stop := v.Plan.Stop(); stop != nil {
		return stop.Min
	}
	return v.Plan.Own()
}

// incompletePoint says what a point lacks; nothing if it is complete.
func (s *sampled) incompletePoint(point *results.Sample, i int) string {
	if point == nil {
		return "dropped from the grid"
	}
	missing := minSeeds(s.Reader) - int64(len(point.Seeds))
	switch {
	case point.Failed > 0:
		return table.Count(point.Failed, "failed run")
	case len(point.Seeds) == 0:
		return "no run"
	case missing > 0:
		return table.Count(missing, "missing run")
	case slices.ContainsFunc(point.Values[i], math.IsNaN):
		return "not defined"
	}
	return ""
}
