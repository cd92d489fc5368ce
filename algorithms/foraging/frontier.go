package foraging

import (
	"math"
	"math/bits"
	"slices"

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
// fewer states than pages; so the frontier is a ring of URLs for each
// state, and selecting means finding the best state that has any.
type frontier struct {
	nodes []node   // all URLs that came since the path began, also those taken
	top   []int32  // for each state, the index of the node that is next; −1 if none
	count []int32  // for each state, its nodes
	busy  []uint64 // a bit for each place of a state that has a node

	// at holds the node of each URL, if URLs can change their states.
	at map[int32]int32

	// place and order map states to bits of busy and back. For fixed
	// weights places are in descending order of value, so that the first
	// bit is the best; for weights that learn the place is the state.
	place []int32
	order []int32

	ties  string
	fixed bool // the weights of the ordering do not change
	blind bool // all URLs have the same value
}

// node is a URL in the ring of its state, in the order in which URLs are
// taken: next is the one after it, back the one before.
type node struct {
	url, state int32
	next, back int32
}

// init prepares an empty frontier for an ordering of a kind of forager.
func (f *frontier) init(o *ordering, k Kind, ties string) {
	f.ties, f.fixed, f.blind = ties, !k.OrderingUpdate, k.RandomWalk
	if f.blind {
		f.ties = TiesRandom
	}
	if o.states.changing {
		f.at = map[int32]int32{}
	}
	n := o.states.states()
	f.count, f.place, f.busy = make([]int32, n), make([]int32, n), make([]uint64, (n+63)/64)
	f.top = slices.Repeat([]int32{-1}, n)
	if f.fixed {
		f.order = o.ranking()
	} else {
		f.order = make([]int32, n)
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
			state := f.order[w<<6+bits.TrailingZeros64(word)]
			f.top[state], f.count[state] = -1, 0
		}
		f.busy[w] = 0
	}
	f.nodes = f.nodes[:0]
	clear(f.at)
}

// push adds a URL whose page is in the given state.
func (f *frontier) push(url, state int32) {
	if f.blind {
		state = 0
	}
	i, top := int32(len(f.nodes)), f.top[state]
	if f.at != nil {
		f.at[url] = i
	}
	n := node{url, state, i, i}
	if top < 0 {
		f.top[state] = i
		p := f.place[state]
		f.busy[p>>6] |= 1 << (p & 63)
	} else { // between the last and the first
		n.next, n.back = top, f.nodes[top].back
		f.nodes[n.back].next, f.nodes[top].back = i, i
		if f.ties == TiesLast {
			f.top[state] = i
		}
	}
	f.nodes = append(f.nodes, n)
	f.count[state]++
}

// pop takes a URL with the highest value (Algorithm 3). ok is false if the
// frontier is empty.
func (f *frontier) pop(o *ordering, s *rng.Stream) (url int32, ok bool) {
	state := f.best(o)
	if state < 0 {
		return 0, false
	}
	i := f.top[state]
	if f.ties == TiesRandom {
		for range s.IntN(int(f.count[state])) {
			i = f.nodes[i].next
		}
	}
	f.remove(i)
	return f.nodes[i].url, true
}

// remove takes a node out of its ring.
func (f *frontier) remove(i int32) {
	n := f.nodes[i]
	if f.at != nil {
		delete(f.at, n.url)
	}
	f.count[n.state]--
	if n.next == i {
		f.top[n.state] = -1
		p := f.place[n.state]
		f.busy[p>>6] &^= 1 << (p & 63)
		return
	}
	f.nodes[n.back].next, f.nodes[n.next].back = n.next, n.back
	if f.top[n.state] == i {
		f.top[n.state] = n.next
	}
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
	t, own := o.states, o.own
	for w, word := range f.busy {
		for ; word != 0; word &= word - 1 {
			s := w<<6 + bits.TrailingZeros64(word)
			part := 0.0 // ordering.value but for what all states have, here for speed
			for i := t.from[s]; i < t.from[s+1]; i++ {
				part += float64(t.excess[i] * own[t.index[i]])
			}
			if v := float64(t.total[s]*o.common) + part; v > most {
				best, most = int32(s), v
			}
		}
	}
	return best
}

// restate moves a URL of the frontier to another state, when its page was
// seen again with other content (Algorithm 2); it then counts as having come
// last. A URL that was visited already stays away.
func (f *frontier) restate(url, state int32) {
	if i, ok := f.at[url]; ok && !f.blind && f.nodes[i].state != state {
		f.remove(i)
		f.push(url, state)
	}
}
