package plots

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
)

// spread returns the middles of labels, as near as can be to those wanted, in
// the sense of least squares, so that none covers another and all are
// between low and high, as long as they have room there.
func spread(wanted, heights []vg.Length, low, high vg.Length) []vg.Length {
	order := make([]int, len(wanted))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(wanted[a], wanted[b]) })

	// offset is how far above the lowest label each is if they touch. With it
	// taken off, the places need only be in order: a monotone regression,
	// by pooling neighbours that are not.
	offset := make([]vg.Length, len(order))
	for k := 1; k < len(order); k++ {
		offset[k] = offset[k-1] + (heights[order[k-1]]+heights[order[k]])/2
	}
	type pool struct {
		sum   vg.Length
		count int
	}
	mean := func(p pool) vg.Length { return p.sum / vg.Length(p.count) }
	var pools []pool
	for k, i := range order {
		pools = append(pools, pool{wanted[i] - offset[k], 1})
		for last := len(pools) - 1; last > 0 && mean(pools[last-1]) > mean(pools[last]); last-- {
			a, b := pools[last-1], pools[last]
			pools = append(pools[:last-1], pool{a.sum + b.sum, a.count + b.count})
		}
	}
	places := make([]vg.Length, len(wanted))
	k := 0
	for _, p := range pools {
		lowest, highest := low+heights[order[0]]/2, high-heights[order[len(order)-1]]/2-offset[len(offset)-1]
		at := max(min(mean(p), highest), lowest)
		for range p.count {
			places[order[k]] = at + offset[k]
			k++
		}
	}
	return places
}
