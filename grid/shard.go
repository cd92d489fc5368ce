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
	partition    partition
	index, count int64

	// copies is how many times what is divided is repeated: the seeds, if
	// cells are divided; 1, if runs are.
	copies int64
}

// Shard returns part index of count parts of the plan. Each run belongs to
// exactly one part; the parts' sizes differ by at most one, and each has
// its share of every cell, as partition tells. With more parts than runs
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
		return Shard{partition{items: p.Cells(), cycle: p.Cells(), parts: count}, index, count, p.Seeds()}
	}
	return Shard{partition{items: p.Runs(), cycle: p.Cells(), parts: count}, index, count, 1}
}

// Index and Count return which part it is, from 0, and of how many.
func (s Shard) Index() int64 { return s.index }
func (s Shard) Count() int64 { return s.count }

// String returns "index/count".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.index, s.count) }

// Runs returns the number of the shard's runs, which may be 0.
func (s Shard) Runs() int64 { return s.copies * s.partition.size(s.index) }

// Run returns the shard's k-th run, 0 ≤ k < Runs(), as its position in the
// plan. Greater k are later in the plan.
func (s Shard) Run(k int64) int64 {
	size := s.partition.size(s.index)
	return k/size*s.partition.items + s.partition.item(s.index, k%size)
}

// Has reports whether the shard has run 0 ≤ i of the plan.
func (s Shard) Has(i int64) bool { return s.partition.part(i%s.partition.items) == s.index }

// A partition divides items in rounds: each part gets one item of a round.
// Which part gets the first item differs from round to round, for otherwise
// parts would fall into step with the items: of the runs of two cells
// divided among eight parts in turn, each part would get those of one cell
// only.
//
// Items come in cycles (the runs of all cells with one seed), and after
// cycle/gcd(cycle, parts) rounds a round has the same cells again. Within
// that period the first part of a round is a hash of the round, which no
// axis of a grid is in step with; from one period to the next it moves on
// by one, so that in time every part gets each place of each round, and so
// each cell, equally often.
//
// Items are runs or, where the runs of a cell must stay together, the cells.
type partition struct {
	items, cycle, parts int64 // all at least 1
}

// size returns how many items a part gets.
func (d partition) size(part int64) int64 {
	rounds, rest := d.items/d.parts, d.items%d.parts
	if d.place(rounds, part) < rest {
		rounds++
	}
	return rounds
}

// item returns what a part gets in a round.
func (d partition) item(part, round int64) int64 {
	return round*d.parts + d.place(round, part)
}

// part returns which part gets an item.
func (d partition) part(item int64) int64 {
	round, place := item/d.parts, item%d.parts
	return (place + d.first(round)) % d.parts
}

// place returns where in a round a part gets its item.
func (d partition) place(round, part int64) int64 {
	return (part - d.first(round) + d.parts) % d.parts
}

// first returns the part that gets the first item of a round.
func (d partition) first(round int64) int64 {
	period := d.cycle / gcd(d.cycle, d.parts)
	// Other words would divide plans otherwise.
	random := int64(rng.New("first hand of a round", uint64(round%period)).IntN(int(d.parts)))
	return (random + round/period%d.parts) % d.parts
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
