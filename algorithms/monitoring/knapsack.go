package monitoring

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// trim drops random polls until the others fit into the capacity, and returns
// how many it dropped.
func (t *task) trim(polls bitset.Set) (dropped int) {
	for load := t.cost.Load(polls); load > t.capacity(); dropped++ {
		i := t.randomPoll(polls)
		polls.Remove(i)
		load -= t.cost.Of(i)
	}
	return dropped
}

// randomPoll returns one of the polls, each equally likely. It draws nodes
// until one of them is polled. A slot has about √C polls too many, so that this
// takes about R/√C draws a slot, several of which share a random word.
func (t *task) randomPoll(polls bitset.Set) int {
	nodes := t.World.Nodes
	width := bits.Len(uint(nodes - 1))
	for {
		word := t.random.word()
		for left := 64; left >= width; left -= max(width, 1) {
			i := int(word & (1<<width - 1))
			word >>= width
			if i < nodes && polls.Has(i) {
				return i
			}
		}
	}
}

// falling returns the indices of values in falling order; those of equal values
// stay in their order. It uses the memory of order.
func falling(order []int, value []float64) []int {
	order = order[:0]
	for i := range value {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int {
		if c := cmp.Compare(value[j], value[i]); c != 0 {
			return c
		}
		return i - j
	})
	return order
}

// selection finds the nodes of largest index. It keeps its memory from slot to
// slot.
type selection struct {
	count  [buckets]int32
	center uint64    // the leading bits of the last threshold, around which the buckets lie
	edge   []float64 // the indices of the bucket of the threshold
	order  []int     // of the nodes, where costs differ
}

// An octave of indices has 128 buckets. Half of all buckets are above the
// center, half below; the first and the last one also hold everything beyond.
const (
	buckets = 1024
	shift   = 52 - 7
)

// bucket returns the bucket of an index. Larger indices come in earlier
// buckets, or in the same one.
func (s *selection) bucket(index float64) int {
	return min(max(buckets/2+int(s.center)-int(math.Float64bits(index)>>shift), 0), buckets-1)
}

// threshold returns the n-th largest index, n > 0.
func (s *selection) threshold(index []float64, n int) float64 {
	clear(s.count[:])
	last := buckets - 1 // at first the first bucket that is not empty
	for _, x := range index {
		k := s.bucket(x)
		s.count[k]++
		last = min(last, k)
	}
	for ; n > int(s.count[last]); last++ {
		n -= int(s.count[last])
	}
	s.edge = s.edge[:0]
	for _, x := range index {
		if s.bucket(x) == last {
			s.edge = append(s.edge, x)
		}
	}
	slices.Sort(s.edge)
	least := s.edge[len(s.edge)-n]
	s.center = math.Float64bits(least) >> shift
	return least
}

// choose sets polls to the nodes of largest index that fit into a capacity. No
// index may be negative or NaN; of nodes with equal indices the first come
// first. Where costs differ, a node that does not fit is skipped.
func (s *selection) choose(index, cost []float64, capacity float64, polls bitset.Set) {
	clear(polls)
	if cost != nil {
		s.order = falling(s.order, index)
		for _, i := range s.order {
			if cost[i] <= capacity {
				capacity -= cost[i]
				polls.Add(i)
			}
		}
		return
	}
	n := min(int(capacity), len(index))
	if n == 0 {
		return
	}
	least := s.threshold(index, n)
	excess := atLeast(index, least, polls) - n
	for i := len(index) - 1; excess > 0; i-- {
		if index[i] == least {
			polls.Remove(i)
			excess--
		}
	}
}

// atLeast sets polls to the nodes whose index is at least the threshold, and
// returns their number. No index may be negative: the bits of floating-point
// numbers are then in the order of their values, and can be compared without
// branches, which would be mispredicted.
func atLeast(index []float64, threshold float64, polls bitset.Set) (found int) {
	floor := math.Float64bits(threshold)
	for g := range polls {
		var word uint64
		for b, x := range index[g<<6 : min(g<<6+64, len(index))] {
			_, below := bits.Sub64(math.Float64bits(x), floor, 0)
			word |= (1 - below) << (b & 63)
		}
		polls[g] = word
		found += bits.OnesCount64(word)
	}
	return found
}

// randomWords are an algorithm's own random words, which it reads one after
// another.
type randomWords struct {
	words rng.Words
	at    uint64
}

// word returns the next word.
func (d *randomWords) word() uint64 {
	w := d.words.At(d.at)
	d.at++
	return w
}

// below returns an integer in [0, n).
func (d *randomWords) below(n int) int { return rng.Below(d.word(), n) }

// chance returns true with a probability, which is given in units of 2⁻³².
func (d *randomWords) chance(fixed uint32) bool {
	return uint32(d.word()>>32) < fixed
}

// float returns a number in [0, 1).
func (d *randomWords) float() float64 {
	return float64(d.word()>>11) * 0x1p-53
}
