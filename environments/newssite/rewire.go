package newssite

import (
	"slices"

	"sweep/internal/rng"
)

// Rewire returns the site with a share of its links shuffled: each is chosen
// with that probability, and the endpoints of the chosen ones change places by a
// random permutation. With 1 these are all links (section 4.1). Every URL
// keeps its numbers of incoming and outgoing links, the origins keep the
// places and times of their links, and nothing else changes.
//
// A link is a pair of origin and target, however many versions of the
// origin show it; so all versions show the same new target. The paper
// permutes origins as well; as only the pairing matters, one random
// permutation has the same distribution as two. Links from a URL to
// itself and double links, which arise by chance, stay; like any other
// link, a new one is seen only once its target has a page.
func Rewire(s *Site, share float64, seed int64) *Site {
	edges := collectEdges(s)
	permuted := slices.Clone(edges.target)
	var chosen []int
	choice := rng.New("news site rewired links", uint64(seed))
	for e := range permuted {
		if choice.Chance(share) {
			chosen = append(chosen, e)
		}
	}
	rng.New("news site rewiring", uint64(seed)).Shuffle(len(chosen), func(i, j int) {
		a, b := chosen[i], chosen[j]
		permuted[a], permuted[b] = permuted[b], permuted[a]
	})

	rewired := *s
	rewired.Links = make([]int32, len(s.Links))
	for i, e := range edges.of {
		rewired.Links[i] = permuted[e]
	}
	return &rewired
}

// edges are the links of the site's graph: each pair of origin and target
// once, in the order of origins and first appearance.
type edges struct {
	from   []int32 // the edges of URL u are from[u] … from[u+1]−1
	target []int32
	of     []int32 // the edge of each element of Site.Links
}

func collectEdges(s *Site) edges {
	n := s.URLs()
	e := edges{from: make([]int32, n+1), of: make([]int32, len(s.Links))}
	edgeTo := make([]int32, n) // edge from the current origin to a target, plus 1
	for u := range n {
		e.from[u] = int32(len(e.target))
		history := s.History(int32(u))
		for i := range history {
			for l := history[i].LinkFrom; l < history[i].LinkTo; l++ {
				t := s.Links[l]
				if edgeTo[t] <= e.from[u] {
					e.target = append(e.target, t)
					edgeTo[t] = int32(len(e.target))
				}
				e.of[l] = edgeTo[t] - 1
			}
		}
	}
	e.from[n] = int32(len(e.target))
	return e
}
