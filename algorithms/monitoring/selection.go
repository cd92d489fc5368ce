package monitoring

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
)

// selection finds the nodes of largest index. Its memory is kept from slot
// to slot.
type selection struct {
	count  [buckets]int32
	center uint64    // the leading bits of the last threshold, near which the buckets are
	edge   []float64 // the indices of the bucket of the threshold
	last   float64   // the last threshold of choose
	large  []float64 // the indices that are not far below it
	order  []int32   // with costs
}

// An octave of indices is cut into 256 buckets, of which half are above the
// center, and half below. The first and the last hold all beyond.
const (
	buckets = 1024
	shift   = 52 - 8
)

// bucket returns the bucket of an index: a larger one comes in no later
// bucket.
func (s *selection) bucket(index float64) int {
	return min(max(buckets/2+int(s.center)-int(math.Float64bits(index)>>shift), 0), buckets-1)
}

// threshold returns the n-th largest index, and how many of those equal to
// it are among the n largest. No index may be negative or NaN, and there
// must be n of them, n > 0.
func (s *selection) threshold(index []float64, n int) (least float64, equal int) {
	clear(s.count[:])
	for _, x := range index {
		s.count[s.bucket(x)]++
	}
	last := 0
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
	least = s.edge[len(s.edge)-n]
	for _, x := range s.edge[len(s.edge)-n:] {
		if x > least {
			break
		}
		equal++
	}
	s.center = math.Float64bits(least) >> shift
	return least, equal
}

// largest returns the indices from seven eighths of the last threshold on,
// which are few, or all if these are less than n.
func (s *selection) largest(index []float64, n int) []float64 {
	if s.large == nil {
		s.large = make([]float64, len(index))
	}
	floor, found := float64(s.last*0.875), 0
	for _, x := range index {
		s.large[found] = x // without a branch, which would be mispredicted
		if x >= floor {
			found++
		}
	}
	if found < n {
		return index
	}
	return s.large[:found]
}

// choose sets polls to the nodes of largest index, which must not be
// negative or NaN; of equal ones the first come first. With costs they are
// taken in this order, the next ones that still fit where one does not.
func (s *selection) choose(index []float64, k *knapsack, polls bitset.Set) {
	if k.cost == nil {
		least, _ := s.threshold(s.largest(index, k.capacity), k.capacity)
		s.last = least
		excess := atLeast(index, least, polls) - k.capacity
		for i := len(index) - 1; excess > 0; i-- {
			if index[i] == least {
				polls.Remove(i)
				excess--
			}
		}
		return
	}
	s.order = s.order[:0]
	for i := range index {
		s.order = append(s.order, int32(i))
	}
	slices.SortFunc(s.order, func(i, j int32) int {
		return cmp.Or(cmp.Compare(index[j], index[i]), cmp.Compare(i, j))
	})
	clear(polls)
	left := float64(k.capacity)
	for _, i := range s.order {
		if k.cost[i] <= left {
			left -= k.cost[i]
			polls.Add(int(i))
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
