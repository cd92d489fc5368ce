package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// spread returns places for labels of a height as near as can be to those
// wanted, in the sense of least squares, so that none covers another and
// all are between low and high, as long as they have room there.
func spread(wanted []vg.Length, height, low, high vg.Length) []vg.Length {
	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })

	// With k·height taken off the k-th label, the places need only be in
	// order: a monotone regression, by pooling neighbours that are not.
	type pool struct {
		sum   vg.Length
		count int
	}
	var pools []pool
	for k, i := range order {
		pools = append(pools, pool{wanted[i] - vg.Length(k)*height, 1})
		for last := len(pools) - 1; last > 0; last-- {
			a, b := pools[last-1], pools[last]
			if a.sum/vg.Length(a.count) <= b.sum/vg.Length(b.count) {
				break
			}
			pools = append(pools[:last-1], pool{a.sum + b.sum, a.count + b.count})
		}
	}
	high -= vg.Length(len(wanted)-1) * height
	places := make([]vg.Length, len(wanted))
	k := 0
	for _, p := range pools {
		at := max(min(p.sum/vg.Length(p.count), high), low)
		for range p.count {
			places[order[k]] = at + vg.Length(k)*height
			k++
		}
	}
	return places
}
