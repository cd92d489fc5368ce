package foraging

import (
	"math"
	"math/bits"
	"slices"

	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// Which of several URLs of equal value is selected, which the paper leaves
// open (READINGS.md, 2).
const (
	TiesLast   = "last"   // the URL that came to the frontier last
	TiesFirst  = "first"  // the one that came first
	TiesRandom = "random" // any, with equal chances
)

// Ties lists the values of Config.Ties.
func Ties() []string { return []string{TiesLast, TiesFirst, TiesRandom} }

// frontier is the set of linked but not yet visited URLs of a path.
//
// Pages in the same state have the same value, and a news site has far
// fewer states than pages; so the frontier is a list of URLs for each
// state, and selecting means finding the best state that has any.
type frontier struct {
	urls [][]int32  // of each state, in the order in which they came
	busy bitset.Set // the places of the states that have URLs

	// sizes holds the number of URLs in each group of 64 places.
	sizes []int

	// at holds the state of each URL, if URLs can change their states.
	at map[int32]int32

	// place and order map states to bits of busy and back. For fixed
	// weights places are in descending order of value, so that the first
	// bit is the best; for weights that learn the place is the state.
	place []int32
	order []int32

	// limits bounds ranks, so that few have to be computed (ordering.base):
	// it holds, for each state, rank − total·base of the moment when its rank
	// was computed last; +Inf at first. It is nil if the weights are fixed, or
	// the ordering keeps parts.
	limits []float64

	ties  string
	fixed bool // the weights of the ordering do not change
	blind bool // all URLs have the same value
}

// init prepares an empty frontier for an ordering of a kind of forager.
func (f *frontier) init(o *ordering, k Kind, ties string) {
	f.ties = ties
	f.fixed = !k.OrderingUpdate
	f.blind = k.RandomWalk
	if f.blind {
		f.ties = TiesRandom
	}
	if o.states.changing {
		f.at = map[int32]int32{}
	}
	n := o.states.states()
	f.urls = make([][]int32, n)
	f.busy = bitset.NewSet(n)
	f.sizes = make([]int, len(f.busy))
	f.place = make([]int32, n)
	f.order = make([]int32, n)
	for s := range f.order {
		f.order[s] = int32(s)
	}
	if f.fixed {
		o.sort(f.order)
	} else if o.parts == nil {
		f.limits = slices.Repeat([]float64{math.Inf(1)}, n)
	}
	for p, s := range f.order {
		f.place[s] = int32(p)
	}
}

// clear empties the frontier, and removes its URLs from a set.
func (f *frontier) clear(from bitset.Set) {
	for p := range f.busy.All {
		state := f.order[p]
		for _, u := range f.urls[state] {
			from.Remove(int(u))
		}
		f.urls[state] = f.urls[state][:0]
	}
	clear(f.busy)
	clear(f.sizes)
	clear(f.at)
}

// push adds a URL whose page is in the given state.
func (f *frontier) push(url, state int32) {
	if f.blind {
		state = 0
	}
	f.urls[state] = append(f.urls[state], url)
	place := f.place[state]
	f.busy.Add(int(place))
	f.sizes[place>>6]++
	if f.at != nil {
		f.at[url] = state
	}
}

// pop takes a URL with the highest value (Algorithm 3). ok is false if the
// frontier is empty.
func (f *frontier) pop(o *ordering, s *rng.Stream) (url int32, ok bool) {
	state := f.best(o)
	if state < 0 {
		return 0, false
	}
	i := len(f.urls[state]) - 1
	switch f.ties {
	case TiesFirst:
		i = 0
	case TiesRandom:
		i = s.IntN(i + 1)
	}
	return f.remove(state, i), true
}

// popAny takes any URL, each with the same chance. ok is false if the frontier
// is empty.
func (f *frontier) popAny(s *rng.Stream) (url int32, ok bool) {
	n := 0
	for _, size := range f.sizes {
		n += size
	}
	if n == 0 {
		return 0, false
	}
	i := s.IntN(n)
	group := 0
	for ; i >= f.sizes[group]; group++ {
		i -= f.sizes[group]
	}
	for word := f.busy[group]; word != 0; word &= word - 1 {
		state := f.order[group<<6+bits.TrailingZeros64(word)]
		if i < len(f.urls[state]) {
			return f.remove(state, i), true
		}
		i -= len(f.urls[state])
	}
	panic("foraging: a frontier has fewer URLs than it counted")
}

// remove takes the URL at index i of a state's list, and returns it.
func (f *frontier) remove(state int32, i int) int32 {
	urls := f.urls[state]
	url := urls[i]
	f.urls[state] = slices.Delete(urls, i, i+1)
	place := f.place[state]
	f.sizes[place>>6]--
	if len(urls) == 1 {
		f.busy.Remove(int(place))
	}
	if f.at != nil {
		delete(f.at, url)
	}
	return url
}

// best returns the state with the highest value that has a URL, the one of
// the smaller number among equals; −1 if the frontier is empty.
func (f *frontier) best(o *ordering) int32 {
	if f.fixed {
		for w, word := range f.busy {
			if word != 0 {
				return f.order[w<<6+bits.TrailingZeros64(word)]
			}
		}
		return -1
	}
	if f.limits != nil {
		return f.bestWithin(o)
	}
	best := int32(-1)
	most := math.Inf(-1)
	for w, word := range f.busy {
		for ; word != 0; word &= word - 1 {
			state := int32(w<<6 + bits.TrailingZeros64(word))
			if v := o.rank(state); v > most {
				most = v
				best = state
			}
		}
	}
	return best
}

// bestWithin does what best does, but computes only the ranks of states whose
// limits are not below the best one.
func (f *frontier) bestWithin(o *ordering) int32 {
	total := o.states.total
	base, slack := o.base()
	best := int32(-1)
	most := math.Inf(-1)
	for w, word := range f.busy {
		for ; word != 0; word &= word - 1 {
			state := int32(w<<6 + bits.TrailingZeros64(word))
			limit := float64(total[state]*(base+slack)) + f.limits[state]
			if limit < most { // not if a weight is infinite, or no number
				continue
			}
			v := o.rank(state)
			f.limits[state] = v - float64(total[state]*base)
			if v > most {
				most = v
				best = state
			}
		}
	}
	return best
}

// restate moves a URL of the frontier to another state, when its page was
// seen again with other content (Algorithm 2); it then counts as having come
// last. A URL that was visited already stays away.
func (f *frontier) restate(url, state int32) {
	if old, ok := f.at[url]; ok && !f.blind && old != state {
		f.remove(old, slices.Index(f.urls[old], url))
		f.push(url, state)
	}
}
