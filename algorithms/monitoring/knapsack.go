package monitoring

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// trim drops polls at random, each equally likely, until the others fit
// into the capacity, and returns how many.
func (t *task) trim(polls bitset.Set) (dropped int) {
	for load := t.loadOf(polls); load > float64(t.World.Capacity); dropped++ {
		i := t.randomPoll(polls)
		polls.Remove(i)
		load -= t.costOf(i)
	}
	return dropped
}

// randomPoll returns one of the polls, each equally likely. It tries nodes until one
// is a poll. A slot has about √C polls too many, for which that is about R/√C tries;
// a word holds several.
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

// falling returns the places of values from the largest on; of equal ones the
// first come first. It keeps the memory of order.
func falling(order []int, value []float64) []int {
	order = order[:0]
	for i := range value {
		order = append(order, i)
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(value[j], value[i]), i-j) })
	return order
}

// selection finds the nodes of largest index. Its memory is kept from slot
// to slot.
type selection struct {
	count  [buckets]int32
	center uint64    // the leading bits of the last threshold, near which the buckets are
	edge   []float64 // the indices of the bucket of the threshold
	order  []int     // with costs
}

// An octave of indices is cut into 128 buckets, of which half are above the
// center, and half below. The first and the last hold all beyond.
const (
	buckets = 1024
	shift   = 52 - 7
)

// bucket returns the bucket of an index: a larger one comes in no later
// bucket.
func (s *selection) bucket(index float64) int {
	return min(max(buckets/2+int(s.center)-int(math.Float64bits(index)>>shift), 0), buckets-1)
}

// threshold returns the n-th largest index, n > 0.
func (s *selection) threshold(index []float64, n int) float64 {
	clear(s.count[:])
	last := buckets - 1 // before the loop below, the first that is not empty
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

// choose sets polls to the nodes of largest index that fit into a capacity. No index
// may be negative or NaN; of equal ones the first come first. With costs nodes are
// taken in this order, the next ones that still fit where one does not.
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
	} else if n := min(int(capacity), len(index)); n > 0 {
		least := s.threshold(index, n)
		excess := atLeast(index, least, polls) - n
		for i := len(index) - 1; excess > 0; i-- {
			if index[i] == least {
				polls.Remove(i)
				excess--
			}
		}
	}
}

// atLeast sets polls to the nodes whose index is at least least, and returns
// how many these are. No number may be negative: then those of larger value have
// larger bits, and are found without branches, which would be mispredicted.
func atLeast(index []float64, least float64, polls bitset.Set) (found int) {
	floor := math.Float64bits(least)
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

// randomWords is an algorithm's own randomness: words that are read one after
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

// chance returns true with a probability in units of 2⁻³².
func (d *randomWords) chance(fixed uint32) bool { return uint32(d.word()>>32) < fixed }

// float returns a number in [0, 1).
func (d *randomWords) float() float64 { return float64(d.word()>>11) * 0x1p-53 }
