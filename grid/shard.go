package grid

import (
	"fmt"

	"sweep/internal/rng"
)

// A Shard is a part of a plan, for machines that share nothing. The plan
// alone determines which runs belong to it. Each method takes the same short
// time for any number of runs. Plan.Shard returns shards; the zero Shard is
// not valid.
type Shard struct {
	Index, Count int64 // the number of the part, from 0, and of all parts

	// Items are what is divided: runs or, if the runs of a cell must stay
	// together, cells. After cycle items the cells begin again. An item stands
	// for copies runs.
	items, cycle, copies int64

	size int64 // how many items the shard gets
}

// Shard returns part index of count parts of the plan. Each run belongs to
// exactly one part. The sizes of the parts differ by at most one, and each
// part has its share of every cell. If there are more parts than runs, some
// are empty. Shard panics unless 0 ≤ index < count.
//
// If cells may have different numbers of seeds, by a stopping rule, a purchase
// or a search, the runs of a cell stay together: the numbers of cells differ by
// at most one. A cell of a search belongs to the same part when later rounds
// have been added.
func (p *Plan) Shard(index, count int64) Shard {
	if index < 0 || index >= count {
		panic(fmt.Sprintf("grid: no shard %d of %d", index, count))
	}
	s := Shard{
		Index:  index,
		Count:  count,
		items:  p.Runs(),
		cycle:  p.Cells(),
		copies: 1,
	}
	if !p.IsEven() {
		s.items = p.Cells()
		s.copies = p.Seeds()
	}
	if p.Search != nil {
		s.cycle = p.Search.cycle
	}
	s.size = s.share()
	return s
}

// share returns how many of the items the shard gets.
func (s Shard) share() int64 {
	rounds := s.items / s.Count
	if s.place(rounds) < s.items%s.Count {
		rounds++
	}
	return rounds
}

// String returns "index/count", or an empty text for nil, the whole plan.
func (s *Shard) String() string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Runs returns the number of the shard's runs, which may be 0.
func (s Shard) Runs() int64 { return s.copies * s.size }

// Run returns the shard's k-th run, 0 ≤ k < Runs(), as its position in the
// plan. Greater k are later in the plan.
func (s Shard) Run(k int64) int64 {
	round := k % s.size
	return k/s.size*s.items + round*s.Count + s.place(round)
}

// Has reports whether the shard has run 0 ≤ i of the plan.
func (s Shard) Has(i int64) bool { return s.Of(i) == s.Index }

// Of returns the index of the shard, of as many, that has run 0 ≤ i of the
// plan.
func (s Shard) Of(i int64) int64 {
	item := i % s.items
	return (s.first(item/s.Count) + item%s.Count) % s.Count
}

// place returns which item of a round the shard gets: each shard gets one
// item of every round.
func (s Shard) place(round int64) int64 {
	return (s.Index - s.first(round) + s.Count) % s.Count
}

// first returns the shard that gets the first item of a round. It differs from
// round to round. Otherwise shards could fall into step with the items: if the
// runs of two cells were dealt to eight shards in turn, each shard would get
// runs of one cell only.
//
// Items come in cycles (the runs of all cells with one seed), and after
// cycle/gcd(cycle, count) rounds a round has the same cells again. Within
// that period the first shard of a round is a hash of the round, which is not
// in step with any axis. From one period to the next it moves on by one, so
// that in the long run every shard gets each item of each round, and so each
// cell, equally often.
func (s Shard) first(round int64) int64 {
	if s.Count == 1 {
		return 0
	}
	period := s.cycle / gcd(s.cycle, s.Count)
	// The text of the purpose decides how plans are divided: it must not
	// change.
	stream := rng.New("first hand of a round", uint64(round%period))
	random := int64(stream.IntN(int(s.Count)))
	return (random + round/period%s.Count) % s.Count
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
