package grid

import (
	"math"
	"sort"
	"sync"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// A Plan is the ordered set of a sweep's runs. Run i belongs to seed
// i / Cells() and cell i % Cells(). It is immutable and safe for
// concurrent use, and its size does not depend on the number of runs.
type Plan struct {
	model    *model
	segments []*segment
	extras   map[string]int64
	seeds    seeds
	cells    int64
	varying  []int
	stop     *Stop

	indexing sync.Once
	index    map[ID]int64 // cells by identity, made by indexing
}

// plan joins the cells with the seeds.
func (r *reader) plan(u *union, s seeds, seedsPos document.Pos) (*Plan, error) {
	if n := s.len(); u.cells > math.MaxInt64/n {
		return nil, r.at(seedsPos, "%d cells with %d seeds each are more than 2^63-1 runs", u.cells, n)
	}
	return &Plan{
		model:    u.model,
		segments: u.segments,
		extras:   u.extras,
		seeds:    s,
		cells:    u.cells,
		varying:  u.spread.varying(),
	}, nil
}

// Experiment returns the declaration of what is run.
func (p *Plan) Experiment() *experiment.Experiment { return p.model.experiment }

// Runs returns the number of runs, Cells times Seeds, at least 1.
func (p *Plan) Runs() int64 { return p.cells * p.seeds.len() }

// Cells returns the number of distinct points without regard to the seed.
func (p *Plan) Cells() int64 { return p.cells }

// Seeds returns the number of seeds.
func (p *Plan) Seeds() int64 { return p.seeds.len() }

// Seed returns the k-th seed, 0 ≤ k < Seeds().
func (p *Plan) Seed(k int64) int64 { return p.seeds.at(k) }

// SeedIndex is the inverse of Seed. It is false if the plan has no such seed.
func (p *Plan) SeedIndex(seed int64) (k int64, ok bool) { return p.seeds.find(seed) }

// Stop returns the rule by which cells get fewer than Seeds() seeds, nil if
// all get all of them. The runs of a plan with a rule are those that it may
// come to need.
func (p *Plan) Stop() *Stop { return p.stop }

// Cell fills values (len = parameters of the experiment) with the
// canonical values of cell 0 ≤ c < Cells(): defaults filled in, null where
// unused.
func (p *Plan) Cell(c int64, values []experiment.Value) {
	k := sort.Search(len(p.segments), func(k int) bool { return p.segments[k].start > c }) - 1
	s := p.segments[k]
	c -= s.start
	if c >= s.size {
		copy(values, s.includes[c-s.size])
		return
	}
	// The buffer saves an allocation for all but strange specs.
	var buffer [16]int64
	tuple := buffer[:]
	if n := len(s.block.groups); n > len(tuple) {
		tuple = make([]int64, n)
	} else {
		tuple = tuple[:n]
	}
	s.set.At(c, tuple)
	s.block.fill(tuple, values)
}

// Point returns the point of run 0 ≤ i < Runs().
func (p *Plan) Point(i int64) experiment.Point {
	values := make([]experiment.Value, len(p.model.experiment.Params))
	p.Cell(i%p.cells, values)
	return experiment.Point{Experiment: p.model.experiment, Values: values, Seed: p.seeds.at(i / p.cells)}
}

// Find is the inverse of Point: the index of the run with these canonical
// values and seed. It is false if the plan has no such run.
func (p *Plan) Find(values []experiment.Value, seed int64) (i int64, ok bool) {
	if len(values) != len(p.model.experiment.Params) {
		return 0, false
	}
	k, ok := p.seeds.find(seed)
	if !ok {
		return 0, false
	}
	c, ok := p.find(values)
	return k*p.cells + c, ok
}

// find returns the cell with the given values.
func (p *Plan) find(values []experiment.Value) (int64, bool) {
	for _, s := range p.segments {
		tuple := make([]int64, len(s.block.groups))
		if s.block.locate(values, tuple) {
			if c, ok := s.set.Rank(tuple); ok {
				return s.start + c, true
			}
		}
	}
	if len(p.extras) > 0 {
		c, ok := p.extras[pointKey(values)]
		return c, ok
	}
	return 0, false
}

// Varying returns the indices of parameters that take more than one value
// (null counts as a value) in the plan: in document order those that the
// document names, then the others. The caller must not change the slice.
func (p *Plan) Varying() []int { return p.varying }
