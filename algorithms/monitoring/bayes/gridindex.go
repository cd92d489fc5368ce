package bayes

import (
	"math"
	"sort"
)

// The index of a node on the grid is the mean of Whittle's indices over the
// rates that it may have now, if it may have been redrawn since its last poll,
// and some standard deviations, because a poll also tells what later ones
// retrieve. The algorithm filter of the parent package has the same. Gaps count
// by their class.

// moments are the means of an index and of its square over a belief.
type moments struct{ mean, square float64 }

// momentsOf returns the moments of the indices at a gap over a belief. There
// are two sums of each, as a processor adds them at the same time.
func (t *gapTable) momentsOf(w *weights) moments {
	var even, odd moments
	for r := 0; r < rates; r += 2 {
		even.mean += float64(w[r] * t.index[r])
		even.square += float64(w[r] * t.square[r])
		odd.mean += float64(w[r+1] * t.index[r+1])
		odd.square += float64(w[r+1] * t.square[r+1])
	}
	return moments{even.mean + odd.mean, even.square + odd.square}
}

// indexOf returns the mean of an index and some standard deviations.
func (g *grid) indexOf(m moments) float64 {
	variance := max(m.square-float64(m.mean*m.mean), 0)
	return m.mean + float64(g.optimism*math.Sqrt(variance))
}

// learnIndices computes the indices of nodes of which nothing was seen, when
// the prior has changed.
func (g *grid) learnIndices() {
	for class := range g.unseen {
		g.unseen[class] = g.byGap[class].momentsOf(&g.prior)
		g.indices[class] = g.indexOf(g.unseen[class])
	}
}

// indexAt returns the index at a gap, by class, of a node of some belief at its
// last poll, as a share of the importance-value.
func (g *grid) indexAt(w *weights, class int) float64 {
	t := &g.byGap[class]
	stays := t.momentsOf(w)
	redrawn := g.unseen[class]
	return g.indexOf(moments{
		mean:   float64(t.stays*stays.mean) + float64((1-t.stays)*redrawn.mean),
		square: float64(t.stays*stays.square) + float64((1-t.stays)*redrawn.square),
	})
}

// gridShare returns the index of a node, as a share of its importance-value,
// some slots after its last poll.
func (g *grid) gridShare(below *likelihoods, gap int) float64 {
	class := g.gapClass(gap)
	if *below == (likelihoods{}) {
		return g.indices[class]
	}
	var w weights
	g.posterior(below, &w)
	return g.indexAt(&w, class)
}

// gridGap returns how many slots after its last poll the index of a node
// reaches a share of its importance-value. It may miss that of a node whose
// index comes down again, because the node may have been redrawn; the calendar
// has that looked at after maxWait slots at the latest.
func (g *grid) gridGap(below *likelihoods, share float64) float64 {
	class := g.firstClass(below, share)
	if class == gapClasses {
		return math.Inf(1)
	}
	return g.byGap[class].gap
}

// firstClass returns the first class of gaps at which the index of a node
// reaches a share; gapClasses if there is none.
func (g *grid) firstClass(below *likelihoods, share float64) int {
	if *below == (likelihoods{}) {
		return sort.SearchFloat64s(g.indices[:], share)
	}
	var w weights
	g.posterior(below, &w)
	return sort.Search(gapClasses, func(class int) bool {
		return g.indexAt(&w, class) >= share
	})
}
