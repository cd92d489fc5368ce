package newssite

import (
	"math"
	"slices"

	"sweep/internal/detmath"
	"sweep/internal/rng"
)

// Structure holds the numbers of a site's link structure that section 4.1
// of the paper gives for the site it crawled.
//
// The graph is the site as it stood when the recording ended: u links to v if
// the last version of u does. (The paper says "the link structure of the
// gathered Web pages". With the links of all versions together, a hub is linked
// to every page it ever showed: then the generated site's out-degrees fall much
// faster than the paper's and its paths are shorter, 5.6 against 7.3, while the
// last versions come near all four numbers.)
type Structure struct {
	URLs, Links int

	// OutDegree and InDegree are the fits of P(k) ∝ k^exponent to the degrees
	// above zero.
	OutDegree, InDegree PowerLaw

	// Clustering is the mean over all URLs of the coefficient of Watts and
	// Strogatz: the share of pairs of neighbours that are neighbours of each
	// other, whatever the direction of links; 0 for a URL with fewer than two
	// neighbours.
	Clustering float64

	// MeanPath is the mean length of shortest directed paths from the sources
	// to all URLs that can be reached from them; the paper calls it diameter.
	// Longest is the longest of these paths, a lower bound of the graph's
	// diameter unless all URLs are sources. Reached is the share of URLs that a
	// source reaches, as a mean.
	MeanPath float64
	Longest  int
	Reached  float64
}

// A PowerLaw is a fit of P(k) ∝ k^Exponent to a degree distribution.
type PowerLaw struct {
	// Exponent is the slope of the least-squares line through the logarithms of
	// relative frequency and degree, one point for each bin that has any URL.
	// Bins grow by a factor of 2 from [1, 2) on, and a frequency is divided by
	// the number of degrees in the bin.
	Exponent float64

	// Likelihood is the maximum-likelihood exponent of a discrete power law
	// over all degrees from 1 on, in the approximation of Clauset, Shalizi and
	// Newman (2009, equation 3.7): −1 − n/Σ ln(k/½). It is dominated by small
	// degrees, the line by the tail.
	Likelihood float64

	// Count[k] is the number of URLs of degree k.
	Count []int
}

// Measure computes the structure of a site, with shortest paths from the given
// number of sources, which are drawn at random (all URLs if it is 0 or more
// than there are).
func Measure(s *Site, sources int) Structure {
	n := s.URLs()
	e := collectEdges(s, true)
	st := Structure{URLs: n, Links: len(e.target)}

	in := make([]int32, n)
	for _, t := range e.target {
		in[t]++
	}
	out := make([]int32, n)
	for u := range out {
		out[u] = e.from[u+1] - e.from[u]
	}
	st.OutDegree = fitPowerLaw(out)
	st.InDegree = fitPowerLaw(in)
	st.Clustering = clustering(e)
	st.measurePaths(e, sources)
	return st
}

func fitPowerLaw(degrees []int32) PowerLaw {
	law := PowerLaw{Count: make([]int, slices.Max(degrees)+1)}
	var n, logs float64
	for _, k := range degrees {
		law.Count[k]++
		if k > 0 {
			n++
			logs += detmath.Log(2 * float64(k))
		}
	}
	if n == 0 {
		return law
	}
	law.Likelihood = -1 - n/logs

	var points, sx, sy, sxx, sxy float64
	for from := 1; from < len(law.Count); from *= 2 {
		to := min(2*from, len(law.Count))
		urls := 0
		for _, c := range law.Count[from:to] {
			urls += c
		}
		if urls == 0 {
			continue
		}
		// The bin has the degrees from … 2·from−1; this is their geometric
		// middle.
		x := detmath.Log(math.Sqrt(float64(from) * float64(2*from-1)))
		y := detmath.Log(float64(urls) / n / float64(from))
		points++
		sx += x
		sy += y
		sxx += float64(x * x)
		sxy += float64(x * y)
	}
	covariance := float64(points*sxy) - float64(sx*sy)
	variance := float64(points*sxx) - float64(sx*sx)
	law.Exponent = covariance / variance
	return law
}

// clustering returns the mean coefficient: for each URL, links between its
// neighbours are counted from both ends.
func clustering(e edges) float64 {
	n := len(e.from) - 1
	neighbours := make([][]int32, n)
	for u := range n {
		for _, v := range e.target[e.from[u]:e.from[u+1]] {
			if int(v) != u {
				neighbours[u] = append(neighbours[u], v)
				neighbours[v] = append(neighbours[v], int32(u))
			}
		}
	}
	for u := range neighbours {
		slices.Sort(neighbours[u])
		neighbours[u] = slices.Compact(neighbours[u])
	}
	var sum float64
	near := make([]int, n) // the last URL, plus 1, that each is a neighbour of
	for u, around := range neighbours {
		for _, v := range around {
			near[v] = u + 1
		}
		ends := 0
		for _, v := range around {
			for _, w := range neighbours[v] {
				if near[w] == u+1 {
					ends++
				}
			}
		}
		if k := len(around); k > 1 {
			sum += float64(ends/2) / float64(k*(k-1)/2)
		}
	}
	return sum / float64(n)
}

func (st *Structure) measurePaths(e edges, sources int) {
	n := len(e.from) - 1
	order := urls(0, n)
	if sources > 0 && sources < n {
		s := rng.New("structure sources")
		s.Shuffle(n, func(i, j int) {
			order[i], order[j] = order[j], order[i]
		})
		order = order[:sources]
	}

	var total, reached int64
	seen := make([]int32, n)
	queue := make([]int32, 0, n)
	for round, source := range order {
		stamp := int32(round + 1)
		queue = append(queue[:0], source)
		seen[source] = stamp
		level := 0 // where the URLs of some depth begin in the queue
		for depth := 0; level < len(queue); depth++ {
			end := len(queue)
			total += int64(depth) * int64(end-level)
			st.Longest = max(st.Longest, depth)
			for ; level < end; level++ {
				u := queue[level]
				for _, v := range e.target[e.from[u]:e.from[u+1]] {
					if seen[v] != stamp {
						seen[v] = stamp
						queue = append(queue, v)
					}
				}
			}
		}
		reached += int64(len(queue) - 1)
	}
	if reached > 0 {
		st.MeanPath = float64(total) / float64(reached)
	}
	st.Reached = float64(reached) / float64(len(order)) / float64(max(n-1, 1))
}

// Rewire returns the site with a share of its links shuffled: each link is
// chosen with that probability, and the targets of the chosen links are
// permuted at random. With a share of 1 these are all links (section 4.1). Over
// all versions every URL keeps its numbers of incoming and outgoing links,
// origins keep the order and the times of their links, and nothing else
// changes.
//
// A link is a pair of origin and target, however many versions of the origin
// show it; so all versions show the same new target. The paper permutes origins
// as well; as only the pairing matters, one random permutation has the same
// distribution as two. Links from a URL to itself and double links, which arise
// by chance, stay; like any other link, a new one is seen only once its target
// has a page.
func Rewire(s *Site, share float64, seed int64) *Site {
	edges := collectEdges(s, false)
	permuted := slices.Clone(edges.target)
	var chosen []int
	choice := rng.New("news site rewired links", uint64(seed))
	for e := range permuted {
		if choice.Chance(share) {
			chosen = append(chosen, e)
		}
	}
	rng.New("news site rewiring", uint64(seed)).Shuffle(len(chosen), func(i, j int) {
		a := chosen[i]
		b := chosen[j]
		permuted[a], permuted[b] = permuted[b], permuted[a]
	})

	rewired := *s
	rewired.Links = make([]int32, len(s.Links))
	for i, e := range edges.of {
		rewired.Links[i] = permuted[e]
	}
	return &rewired
}

// edges are the links of the site's graph: each pair of origin and target once,
// by origin, in the order of their first appearance.
type edges struct {
	from   []int32 // the edges of URL u are from[u] … from[u+1]−1
	target []int32
	of     []int32 // the edge of each element of Site.Links
}

// collectEdges returns the edges of all versions of a site's URLs, or only
// those of their last ones.
func collectEdges(s *Site, last bool) edges {
	n := s.URLs()
	e := edges{from: make([]int32, n+1), of: make([]int32, len(s.Links))}
	edgeTo := make([]int32, n) // edge from the current origin to a target, plus 1
	for u := range n {
		e.from[u] = int32(len(e.target))
		history := s.History(int32(u))
		if last {
			history = history[len(history)-1:]
		}
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
