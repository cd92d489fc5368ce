package foraging

import (
	"math"
	"math/bits"
	"slices"
)

// frontier is the set of linked but not yet visited URLs of a path.
//
// Pages in the same state have the same value, and a news site has far
// fewer states than pages; so the frontier is a stack of URLs for each
// state, and selecting means finding the best state that has any. Among
// equals the URL that came last is taken (see READINGS.md, ties).
type frontier struct {
	nodes []node   // all URLs that came since the path began, also those taken
	top   []int32  // for each state, the index of its last node; −1 if none
	busy  []uint64 // a bit for each place of a state that has a node

	// place and order map states to bits of busy and back. For fixed
	// weights places are in descending order of value, so that the first
	// bit is the best; for weights that learn the place is the state.
	place []int32
	order []int32
	fixed bool
}

type node struct {
	url   int32
	below int32 // the next node of the same state; −1 if none
}

// init prepares an empty frontier for an ordering. If fixed, the weights
// of the ordering do not change any more.
func (f *frontier) init(o *ordering, fixed bool) {
	n := o.states.states()
	f.nodes = f.nodes[:0]
	f.fixed = fixed
	f.top = slices.Grow(f.top[:0], n)[:n]
	f.place = slices.Grow(f.place[:0], n)[:n]
	f.busy = slices.Grow(f.busy[:0], (n+63)/64)[:(n+63)/64]
	clear(f.busy)
	for s := range f.top {
		f.top[s] = -1
	}
	if fixed {
		f.order = o.ranking()
	} else {
		f.order = slices.Grow(f.order[:0], n)[:n]
		for s := range f.order {
			f.order[s] = int32(s)
		}
	}
	for p, s := range f.order {
		f.place[s] = int32(p)
	}
}

// clear empties the frontier.
func (f *frontier) clear() {
	for w, word := range f.busy {
		for ; word != 0; word &= word - 1 {
			f.top[f.order[w<<6+bits.TrailingZeros64(word)]] = -1
		}
		f.busy[w] = 0
	}
	f.nodes = f.nodes[:0]
}

// push adds a URL whose page is in the given state.
func (f *frontier) push(url, state int32) {
	f.nodes = append(f.nodes, node{url, f.top[state]})
	f.top[state] = int32(len(f.nodes) - 1)
	p := f.place[state]
	f.busy[p>>6] |= 1 << (p & 63)
}

// pop takes the URL with the highest value, the latest among equals
// (Algorithm 3). ok is false if the frontier is empty.
func (f *frontier) pop(o *ordering) (url int32, ok bool) {
	state := f.best(o)
	if state < 0 {
		return 0, false
	}
	n := f.nodes[f.top[state]]
	f.setTop(state, n.below)
	return n.url, true
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
	best := int32(-1)
	most := math.Inf(-1)
	total, common := o.states.total, o.common
	for w, word := range f.busy {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			if o.current[s] != o.epoch {
				o.refresh(int32(s))
			}
			// ordering.rank, here for speed
			if v := float64(total[s]*common) + o.part[s]; v > most {
				best, most = int32(s), v
			}
		}
	}
	return best
}

func (f *frontier) setTop(state, node int32) {
	f.top[state] = node
	if node < 0 {
		p := f.place[state]
		f.busy[p>>6] &^= 1 << (p & 63)
	}
}

// restate moves a URL of the frontier to another state, when its page was
// seen again with other content (Algorithm 2); it then counts as the
// latest of that state. A URL that was visited already stays away. This is
// a search, for what few recordings contain.
func (f *frontier) restate(url, state int32) {
	for s := range f.top {
		above := int32(-1)
		for n := f.top[s]; n >= 0; n = f.nodes[n].below {
			if f.nodes[n].url == url {
				if int32(s) == state {
					return
				}
				if above < 0 {
					f.setTop(int32(s), f.nodes[n].below)
				} else {
					f.nodes[above].below = f.nodes[n].below
				}
				f.push(url, state)
				return
			}
			above = n
		}
	}
}
