package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/sourcegraph/conc/iter"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/expr"
	"sweep/internal/table"
	"sweep/results"
)

// Versions compares two directories of one experiment, whatever versions of
// the program, the model and the spec they are of. Runs are paired by their
// parameters and seed.
type Versions struct {
	Dirs    [2]string // old, new
	Metrics []string  // nil: all that both have measured
	Over    []string  // parameters over whose values effects are averaged

	// These are made by Compare.
	Effects int            // that were estimated
	Changed int            // of these, as Contrast.changed says
	Claims  []ClaimVersion // that both specs have

	readers  [2]*results.Reader
	family   family
	cells    [2][][]experiment.Value // nil if there is no run
	params   [2][]int                // that runs are paired by, in either declaration
	level    float64                 // of limits that all hold together
	equal    []string                // metrics that are equal in all pairs
	notes    []string
	warnings []string
}

// A ClaimVersion is a claim of two specs, with the verdict on it by the runs of
// each.
type ClaimVersion struct {
	Text     string
	Old, New string // verdicts
}

const (
	before = 0
	after  = 1
)

// Compare pairs the runs, estimates the effects, and judges the claims. The
// error is a *results.DataError if there is nothing to compare.
func (v *Versions) Compare(readers [2]*results.Reader) error {
	v.readers = readers
	first := readers[before].Plan.Experiment()
	second := readers[after].Plan.Experiment()
	if first.Name != second.Name {
		return v.refuse("has runs of %s, and %s of %s", second.Name, v.Dirs[before], first.Name)
	}
	positions, err := v.metrics()
	if err != nil {
		return err
	}
	samples := [2][]*results.Sample{}
	for side, reader := range readers {
		sampler := reader.NewSampler(results.Metrics(positions[side]))
		if err := sampler.AddAll(reader.Runs(false)); err != nil {
			return err
		}
		samples[side] = bySeeds(sampler.Cells, reader.Plan)
		v.cells[side] = cellsWithRuns(samples[side], reader.Plan)
		missing := incompleteRuns(reader)
		for _, text := range missing {
			v.warnings = append(v.warnings, v.Dirs[side]+": "+text)
		}
	}
	if err := v.pairParams(); err != nil {
		return err
	}
	pairs, err := v.pairs()
	if err != nil {
		return err
	}
	v.estimate(pairs, samples)
	return v.judge()
}

// refuse returns an error about the new directory.
func (v *Versions) refuse(format string, args ...any) error {
	return &results.DataError{Path: v.Dirs[after], Message: fmt.Sprintf(format, args...)}
}

// note adds what is to be known of the comparison.
func (v *Versions) note(format string, args ...any) {
	v.notes = append(v.notes, fmt.Sprintf(format, args...))
}

// metrics returns the positions of the metrics in either declaration.
func (v *Versions) metrics() (positions [2][]int, err error) {
	first := v.readers[before].Plan.Experiment()
	second := v.readers[after].Plan.Experiment()
	for i := range second.Metrics {
		m := &second.Metrics[i]
		j := first.Metric(m.Name)
		if v.Metrics != nil && !slices.Contains(v.Metrics, m.Name) {
			continue
		}
		if j < 0 {
			v.note("%s is measured in %s alone", m.Name, v.Dirs[after])
			continue
		}
		positions[before] = append(positions[before], j)
		positions[after] = append(positions[after], i)
		v.family.metrics = append(v.family.metrics, m)
	}
	for _, m := range first.Metrics {
		wanted := v.Metrics == nil || slices.Contains(v.Metrics, m.Name)
		if wanted && second.Metric(m.Name) < 0 {
			v.note("%s is measured in %s alone", m.Name, v.Dirs[before])
		}
	}
	if v.family.metrics == nil {
		err = v.refuse("has measured nothing that %s has measured, too", v.Dirs[before])
	}
	return positions, err
}

// bySeeds returns samples with the seeds themselves in place of their positions
// in the plan, ascending.
func bySeeds(cells []*results.Sample, plan *grid.Plan) []*results.Sample {
	made := make([]*results.Sample, len(cells))
	for i, s := range cells {
		if s == nil {
			continue
		}
		order := make([]int, len(s.Seeds))
		for k := range order {
			order[k] = k
		}
		slices.SortFunc(order, func(a, b int) int {
			return cmp.Compare(plan.Seed(s.Seeds[a]), plan.Seed(s.Seeds[b]))
		})
		sorted := &results.Sample{Failed: s.Failed, Values: make([][]float64, len(s.Values))}
		for _, k := range order {
			sorted.Seeds = append(sorted.Seeds, plan.Seed(s.Seeds[k]))
			for m, values := range s.Values {
				sorted.Values[m] = append(sorted.Values[m], values[k])
			}
		}
		made[i] = sorted
	}
	return made
}

// cellsWithRuns returns the values of the cells of a plan that have a sample.
func cellsWithRuns(samples []*results.Sample, plan *grid.Plan) [][]experiment.Value {
	cells := make([][]experiment.Value, len(samples))
	for c, s := range samples {
		if s != nil {
			cells[c] = plan.Point(int64(c)).Values
		}
	}
	return cells
}

// pairParams finds the parameters by which runs are paired: those that both
// declare, but for those that only tell versions apart. One that only one
// version has must have one value there.
func (v *Versions) pairParams() error {
	for side, reader := range v.readers {
		e := reader.Plan.Experiment()
		other := v.readers[1-side].Plan.Experiment()
		for i := range e.Params {
			p := &e.Params[i]
			j := slices.IndexFunc(other.Params, func(q experiment.Param) bool {
				return q.Name == p.Name
			})
			switch {
			case p.Identity:
			case j < 0 && slices.Contains(reader.Plan.Varying, i):
				return v.refuse("cannot be paired with %s: %s varies in %s, "+
					"and the other has no such parameter", v.Dirs[before], p.Name, v.Dirs[side])
			case j < 0:
				v.note("%s is a parameter of %s alone", p.Name, v.Dirs[side])
			case side == before:
				v.params[before] = append(v.params[before], i)
				v.params[after] = append(v.params[after], j)
			}
		}
	}
	return nil
}

// key returns a text of the values by which runs are paired. An integer and
// the same number are the same value.
func (v *Versions) key(side int, cell []experiment.Value) string {
	var key []byte
	for _, p := range v.params[side] {
		value := cell[p]
		if value.Kind().IsNumber() {
			key = strconv.AppendFloat(key, value.Float(), 'g', -1, 64)
			key = append(key, ' ')
			continue
		}
		key = fmt.Appendf(key, "%q ", value)
	}
	return string(key)
}

// pairs returns each cell of the new directory with that of the old one.
func (v *Versions) pairs() (pairs [][]int64, err error) {
	old := map[string]int64{}
	for c, cell := range v.cells[before] {
		if cell != nil {
			old[v.key(before, cell)] = int64(c)
		}
	}
	alone := 0
	for c, cell := range v.cells[after] {
		if cell == nil {
			continue
		}
		key := v.key(after, cell)
		partner, there := old[key]
		if !there {
			alone++
			continue
		}
		delete(old, key)
		pairs = append(pairs, []int64{int64(c), partner})
	}
	if pairs == nil {
		return nil, v.refuse("has no cell with the parameters of one in %s%s",
			v.Dirs[before], v.difference())
	}
	for _, only := range []struct{ cells, side int }{{len(old), before}, {alone, after}} {
		if only.cells > 0 {
			cells := table.Count(int64(only.cells), "cell")
			v.note("%s of %s alone", cells, v.Dirs[only.side])
		}
	}
	return pairs, nil
}

// difference names a parameter that has no value in common in both directories.
func (v *Versions) difference() string {
	for k, p := range v.params[before] {
		var values [2][]experiment.Value
		for side, cells := range v.cells {
			for _, cell := range cells {
				if cell != nil && !slices.Contains(values[side], cell[v.params[side][k]]) {
					values[side] = append(values[side], cell[v.params[side][k]])
				}
			}
		}
		isCommon := slices.ContainsFunc(values[before], func(value experiment.Value) bool {
			return slices.Contains(values[after], value)
		})
		if !isCommon {
			name := v.readers[before].Plan.Experiment().Params[p].Name
			return fmt.Sprintf(": %s is %s here, and %s there",
				name, grid.Outline(values[after]), grid.Outline(values[before]))
		}
	}
	return ""
}

// estimate makes a contrast of each metric and each pair of cells, or group of
// pairs that differ only in the parameters of Over.
func (v *Versions) estimate(pairs [][]int64, samples [2][]*results.Sample) {
	e := v.readers[after].Plan.Experiment()
	over := e.Places(v.Over)
	groups := grouped(pairs, func(pair []int64) string {
		key := ""
		for p, value := range v.cells[after][pair[0]] {
			if !slices.Contains(over, p) {
				key += fmt.Sprintf("%q ", value)
			}
		}
		return key
	})
	// The samples of both sides are one list, the new ones first.
	for _, pair := range pairs {
		pair[1] += int64(len(samples[after]))
	}
	all := slices.Concat(samples[after], samples[before])
	left := &expr.Node{Op: expr.Name}
	right := &expr.Node{Op: expr.Name}
	for m := range v.family.metrics {
		for _, group := range groups {
			v.family.contrasts = append(v.family.contrasts, &Contrast{
				terms:  []*term{{node: left, measure: m}, {node: right, measure: m}},
				sets:   group,
				over:   len(over) > 0,
				number: &expr.Node{Op: "-", Args: []*expr.Node{left, right}},
				left:   left,
				right:  right,
			})
		}
	}
	iter.ForEach(v.family.contrasts, func(c **Contrast) {
		(*c).compute(all)
	})
	seeds := min(results.Seedless(samples[before]), results.Seedless(samples[after]))
	if seeds > 0 {
		v.warnings = append(v.warnings, seedless(seeds))
		for _, c := range v.family.contrasts {
			c.countOnce()
		}
	}
	for _, c := range v.family.contrasts {
		if c.N > 0 {
			v.Effects++
		}
	}
	v.leaveOutEqual(len(groups))
	_, v.level, _ = correct(v.family.contrasts)
	for _, c := range v.family.contrasts {
		if c.changed(v.level) {
			v.Changed++
		}
	}
	v.layOut(v.axes(groups, over))
}

// leaveOutEqual takes metrics out of the family that are equal in all pairs of
// runs: there is nothing to test.
func (v *Versions) leaveOutEqual(cells int) {
	kept := family{}
	for i, m := range v.family.metrics {
		list := v.family.contrasts[i*cells : (i+1)*cells]
		differs := slices.ContainsFunc(list, func(c *Contrast) bool {
			return c.N == 0 || c.isRounded || c.Estimate.Value != 0 || c.Estimate.SE != 0
		})
		if !differs {
			v.equal = append(v.equal, m.Name)
			continue
		}
		kept.metrics = append(kept.metrics, m)
		kept.contrasts = append(kept.contrasts, list...)
	}
	v.family = kept
}

// axes returns the parameters that tell the compared cells apart.
func (v *Versions) axes(groups [][][]int64, over []int) []int {
	plan := v.readers[after].Plan
	varying := slices.Clone(plan.Varying)
	varying = slices.DeleteFunc(varying, func(p int) bool {
		return slices.Contains(over, p)
	})
	var cells [][]experiment.Value
	for _, group := range groups {
		cells = append(cells, v.cells[after][group[0][0]])
	}
	return grid.Axes(plan.Experiment(), varying, slices.Values(cells))
}

// changed reports whether a difference is not 0: limits at a level at which
// those of all comparisons hold together exclude 0. Where there are no limits,
// as with one seed or if seeds make no difference, any difference counts that
// is more than rounding.
func (c *Contrast) changed(level float64) bool {
	side := max(math.Abs(c.Left), math.Abs(c.Right))
	isRounding := math.Abs(c.Estimate.Value) < computedRounding*side && !areWhole(c.sample)
	if c.N == 0 || isRounding {
		return false
	}
	low, high := c.Estimate.Interval(level)
	if math.IsNaN(low) {
		return c.Estimate.Value != 0
	}
	return low > 0 || high < 0
}

// judge judges the claims that both specs have.
func (v *Versions) judge() error {
	var claims [2][]*Claim
	for side, reader := range v.readers {
		judged, _, err := Claims(reader)
		if err != nil {
			return err
		}
		claims[side] = judged
	}
	for side, list := range claims {
		for _, c := range list {
			other := slices.IndexFunc(claims[1-side], func(d *Claim) bool {
				return d.Text == c.Text
			})
			switch {
			case other < 0:
				v.note("claim of %s alone (%s): %s", v.Dirs[side], c.Verdict, c.Text)
			case side == after:
				v.Claims = append(v.Claims, ClaimVersion{
					Text: c.Text,
					Old:  claims[before][other].Verdict,
					New:  c.Verdict,
				})
			}
		}
	}
	return nil
}
