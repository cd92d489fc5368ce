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
	deal         deal
	index, count int64

	// copies is how many times what is dealt is repeated: the seeds, if
	// cells are dealt; 1, if runs are.
	copies int64
}

// Shard returns part index of count parts of the plan. Each run belongs to
// exactly one part; the parts' sizes differ by at most one, and each has
// its share of every cell, as deal tells. With more parts than runs some
// are empty. Shard panics unless 0 ≤ index < count.
//
// If the plan has a stopping rule, which judges a cell by all of its runs,
// they are not divided: the parts' numbers of cells differ by at most one,
// and with more parts than cells some are empty.
func (p *Plan) Shard(index, count int64) Shard {
	if index < 0 || index >= count {
		panic(fmt.Sprintf("grid: no shard %d of %d", index, count))
	}
	if p.stop != nil {
		return Shard{deal{items: p.cells, cycle: p.cells, hands: count}, index, count, p.Seeds()}
	}
	return Shard{deal{items: p.Runs(), cycle: p.cells, hands: count}, index, count, 1}
}

// Index and Count return which part it is, from 0, and of how many.
func (s Shard) Index() int64 { return s.index }
func (s Shard) Count() int64 { return s.count }

// String returns "index/count".
func (s Shard) String() string { return fmt.Sprintf("%d/%d", s.index, s.count) }

// Runs returns the number of the shard's runs, which may be 0.
func (s Shard) Runs() int64 { return s.copies * s.deal.size(s.index) }

// Run returns the shard's k-th run, 0 ≤ k < Runs(), as its position in the
// plan. Greater k are later in the plan.
func (s Shard) Run(k int64) int64 {
	size := s.deal.size(s.index)
	return k/size*s.deal.items + s.deal.item(s.index, k%size)
}

// Has reports whether the shard has run 0 ≤ i of the plan.
func (s Shard) Has(i int64) bool { return s.deal.hand(i%s.deal.items) == s.index }

// A deal hands items out, in rounds of one item for each hand, as cards
// are dealt. Whoever is dealt the first item of a round differs from round
// to round, for otherwise hands would fall into step with the items: of
// the runs of two cells dealt to eight hands in turn, each hand would get
// those of one cell only.
//
// Items come in cycles (the runs of all cells with one seed), and after
// cycle/gcd(cycle, hands) rounds a round has the same cells again. Within
// that period the first hand of a round is a hash of the round, which no
// axis of a grid is in step with; from one period to the next it moves on
// by one, so that in time every hand gets each place of each round, and so
// each cell, equally often.
//
// Items are runs or, where the runs of a cell must stay together, the cells.
type deal struct {
	items, cycle, hands int64 // all at least 1
}

// size returns how many items a hand gets.
func (d deal) size(hand int64) int64 {
	rounds, rest := d.items/d.hands, d.items%d.hands
	if d.place(rounds, hand) < rest {
		rounds++
	}
	return rounds
}

// item returns what a hand gets in a round.
func (d deal) item(hand, round int64) int64 {
	return round*d.hands + d.place(round, hand)
}

// hand returns who gets an item.
func (d deal) hand(item int64) int64 {
	round, place := item/d.hands, item%d.hands
	return (place + d.first(round)) % d.hands
}

// place returns where in a round a hand gets its item.
func (d deal) place(round, hand int64) int64 {
	return (hand - d.first(round) + d.hands) % d.hands
}

// first returns the hand that gets the first item of a round.
func (d deal) first(round int64) int64 {
	period := d.cycle / gcd(d.cycle, d.hands)
	random := int64(rng.New("first hand of a round", uint64(round%period)).IntN(int(d.hands)))
	return (random + round/period%d.hands) % d.hands
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
