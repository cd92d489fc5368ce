package monitoring

import (
	"cmp"
	"math"
	"slices"

	"sweep/internal/lanes"
)

// selection polls the nodes of largest index until the knapsack is full.
// Its memory is kept from slot to slot.
type selection struct {
	count [buckets]int32
	edge  []int32
}

// An octave of indices is cut into 32 buckets. The first of the 1024 holds
// everything from 16 on, the last everything below 2⁻²⁷.
const (
	buckets = 1024
	shift   = 52 - 5
	highest = (1023 + 4) << 5 // the leading bits of 16
)

// bucket returns the bucket of an index: a larger one comes in no later
// bucket.
func bucket(index float64) int {
	return min(max(highest-int(math.Float64bits(index)>>shift), 0), buckets-1)
}

// choose sets polls to the nodes of largest index, which must not be
// negative or NaN; of equal ones the first come first. With costs they are
// taken in this order, the next ones that still fit where one does not.
func (s *selection) choose(index []float64, k *knapsack, polls lanes.Set) {
	clear(polls)
	s.edge = s.edge[:0]
	before, last := 0, buckets // the nodes in earlier buckets, the bucket where the knapsack fills
	if k.cost == nil {
		clear(s.count[:])
		for _, x := range index {
			s.count[bucket(x)]++
		}
		last = 0
		for ; before+int(s.count[last]) < k.capacity; last++ {
			before += int(s.count[last])
		}
		for i, x := range index {
			switch b := bucket(x); {
			case b < last:
				polls.Add(i)
			case b == last:
				s.edge = append(s.edge, int32(i))
			}
		}
	} else {
		for i := range index {
			s.edge = append(s.edge, int32(i))
		}
	}
	slices.SortFunc(s.edge, func(i, j int32) int {
		return cmp.Or(cmp.Compare(index[j], index[i]), cmp.Compare(i, j))
	})
	if k.cost == nil {
		for _, i := range s.edge[:k.capacity-before] {
			polls.Add(int(i))
		}
		return
	}
	left := float64(k.capacity)
	for _, i := range s.edge {
		if k.cost[i] <= left {
			left -= k.cost[i]
			polls.Add(int(i))
		}
	}
}
