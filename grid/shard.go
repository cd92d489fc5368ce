package grid

import (
	"fmt"

	"sweep/internal/rng"
)

// A Shard is one of the parts into which a plan is divided for machines
// that share nothing. What belongs to it follows from the plan alone, and
// each question about it takes the same short time however many runs there
// are. The zero Shard is not valid; Plan.Shard returns shards.
type Shard struct {
	Index, Count int64 // which part it is, from 0, and of how many

	// items are divided: the runs or, where those of a cell must stay together,
	// the cells. They come in cycles, and are repeated so many times.
	items, cycle, copies int64
}

// Shard returns part index of count parts of the plan. Each run belongs to
// exactly one part; the parts' sizes differ by at most one, and each has
// its share of every cell, as place tells. With more parts than runs
// some are empty. Shard panics unless 0 ≤ index < count.
//
// If the plan has a stopping rule, which judges a cell by all of its runs,
// they are not divided: the parts' numbers of cells differ by at most one,
// and with more parts than cells some are empty.
func (p *Plan) Shard(index, count int64) Shard {
	if index < 0 || index >= count {
		panic(fmt.Sprintf("grid: no shard %d of %d", index, count))
	}
	if p.stop != nil {
		return Shard{index, count, p.Cells(), p.Cells(), p.Seeds()}
	}
	return Shard{index, count, p.Runs(), p.Cells(), 1}
}

// String returns "index/count"; of nil, the whole, an empty text.
func (s *Shard) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Runs returns the number of the shard's runs, which may be 0.
func (s Shard) Runs() int64 { return s.copies * s.size() }

// size returns how many items the shard gets.
func (s Shard) size() int64 {
	rounds, rest := s.items/s.Count, s.items%s.Count
	if s.place(rounds) < rest {
		rounds++
	}
	return rounds
}

// Run returns the shard's k-th run, 0 ≤ k < Runs(), as its position in the
// plan. Greater k are later in the plan.
func (s Shard) Run(k int64) int64 {
	size := s.size()
	return k/size*s.items + k%size*s.Count + s.place(k%size)
}

// Has reports whether the shard has run 0 ≤ i of the plan.
func (s Shard) Has(i int64) bool {
	item := i % s.items
	return item%s.Count == s.place(item/s.Count)
}

// place returns where in a round of items the shard gets its item: each shard
// gets one of a round. Which shard gets the first differs from round to round,
// for otherwise shards would fall into step with the items: of the runs of two
// cells divided among eight shards in turn, each would get those of one cell
// only.
//
// Items come in cycles (the runs of all cells with one seed), and after
// cycle/gcd(cycle, count) rounds a round has the same cells again. Within
// that period the first shard of a round is a hash of the round, which no
// axis of a grid is in step with; from one period to the next it moves on
// by one, so that in time every shard gets each place of each round, and so
// each cell, equally often.
func (s Shard) place(round int64) int64 {
	period := s.cycle / gcd(s.cycle, s.Count)
	// Other words would divide plans otherwise.
	random := int64(rng.New("first hand of a round", uint64(round%period)).IntN(int(s.Count)))
	first := (random + round/period%s.Count) % s.Count
	return (s.Index - first + s.Count) % s.Count
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
