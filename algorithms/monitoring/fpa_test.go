package monitoring

import (
	"maps"
	"math"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// naiveFPA follows section 5.2 with scans, reading the same words.
type naiveFPA struct {
	*fpa         // whose probabilities it shares
	state, order []int
	p1           map[int]bool
	second       []int
	first, other float64 // the capacities of P1 and P2
	random       randomWords
}

// room returns what P1 leaves of its capacity.
func (a *naiveFPA) room() float64 {
	room := a.first
	for i := range a.state {
		if a.p1[i] {
			room -= a.cost.Of(i)
		}
	}
	return room
}

func (a *naiveFPA) choose() []bool {
	polls := make([]bool, len(a.state))
	left := a.room() + a.other
	a.second = nil
	for range a.order {
		i := a.order[0]
		if cost := a.cost.Of(i); !a.p1[i] && cost <= left {
			polls[i] = true
			left -= cost
			a.second = append(a.second, i)
		} else if !a.p1[i] && len(a.second) > 0 {
			break
		}
		if a.order = append(a.order[1:], i); left == 0 {
			break
		}
	}
	for i := range a.p1 {
		polls[i] = true
	}
	return polls
}

// partner takes a node with the highest state from a list; ties as the
// fast code breaks them. It returns −1 if the list is empty.
func (a *naiveFPA) partner(list *[]int) int {
	highest := 0
	for _, i := range *list {
		highest = max(highest, a.state[i])
	}
	if highest == 0 {
		return -1
	}
	var ties []int // indices into list
	for k, i := range *list {
		if a.state[i] == highest {
			ties = append(ties, k)
		}
	}
	chosen := a.random.below(len(ties))
	partner := (*list)[ties[chosen]]
	// The last of the ties takes the chosen one's place in the list.
	(*list)[ties[chosen]] = (*list)[ties[len(ties)-1]]
	*list = slices.Delete(*list, ties[len(ties)-1], ties[len(ties)-1]+1)
	return partner
}

func (a *naiveFPA) learn(polls, hits []bool) {
	counts := make([]bool, len(polls)) // whether a miss does
	for first := 0; first < len(polls); first += 64 {
		var missed uint64
		for i := first; i < min(first+64, len(polls)); i++ {
			if polls[i] && !hits[i] {
				missed |= 1 << (i - first)
			}
		}
		missed = a.random.misses(first/64, missed, a.miss)
		for i := first; i < min(first+64, len(polls)); i++ {
			counts[i] = missed>>(i-first)&1 != 0
		}
	}
	moved := map[int]bool{}
	exchange := func(leave []int, joins int) {
		room := a.room() - a.cost.Of(joins)
		for _, i := range leave {
			room += a.cost.Of(i)
		}
		if room < 0 {
			return
		}
		for _, i := range leave {
			delete(a.p1, i)
			a.state[i], moved[i] = a.n, true
		}
		a.p1[joins] = true
		a.state[joins], moved[joins] = a.n, true
		if len(leave) > 0 {
			x, y := slices.Index(a.order, leave[0]), slices.Index(a.order, joins)
			a.order[x], a.order[y] = joins, leave[0]
		}
	}
	var misses []int
	for _, i := range slices.Sorted(maps.Keys(a.p1)) {
		if counts[i] {
			misses = append(misses, i)
		}
	}
	for _, i := range a.second {
		switch {
		case counts[i]:
			a.state[i] = max(a.state[i]-1, 1)
		case !hits[i] || !a.random.chance(a.hit[i]):
		case a.state[i] < a.n:
			a.state[i]++
		default:
			var leave []int
			for room := a.room(); room < a.cost.Of(i); {
				x := a.partner(&misses)
				if x < 0 {
					break
				}
				leave = append(leave, x)
				room += a.cost.Of(x)
			}
			exchange(leave, i)
		}
	}
	var found []int
	for _, i := range a.second {
		if hits[i] && !moved[i] {
			found = append(found, i)
		}
	}
	var leavers []int
	for _, i := range slices.Sorted(maps.Keys(a.p1)) {
		switch {
		case moved[i]:
		case hits[i]:
			if a.state[i] > 1 && a.random.chance(a.hit[i]) {
				a.state[i]--
			}
		case !counts[i]:
		case a.state[i] < a.n:
			a.state[i]++
		default:
			leavers = append(leavers, i)
		}
	}
	for len(leavers) > 0 && len(found) > 0 {
		k, last := a.random.below(len(leavers)), len(leavers)-1
		exchange(leavers[k:k+1], a.partner(&found))
		leavers[k] = leavers[last]
		leavers = leavers[:last]
	}
}

func TestFPAAgreesWithItsNaiveTwin(t *testing.T) {
	for _, c := range []struct {
		n         int
		f, spread float64
	}{{1, 0.1, 0}, {4, 0.5, 0}, {8, 0.2, 0}, {16, 0.8, 0}, {16, 1, 0}, {3, 0, 0}, {4, 0.05, 0.5}, {8, 0.5, 0.9}, {2, 0, 0.9}} {
		config := config("FPA")
		config.N, config.F, config.World = c.n, c.f, sources.Law{Nodes: 150, Capacity: 20, CostSpread: c.spread}
		s, _ := start(config, 3)
		a, w := s.(*fpa), world(config.World, 3)
		twin := &naiveFPA{fpa: a, state: slices.Repeat([]int{c.n}, 150), p1: map[int]bool{}, random: a.random, first: 20 - a.share, other: a.share}
		for _, i := range a.order { // as many as fit
			twin.order = append(twin.order, int(i))
			if a.cost.Of(int(i)) <= twin.room() {
				twin.p1[int(i)] = true
			}
		}
		feedback := rng.New("feedback")
		polls, hits := bitset.NewSet(150), bitset.NewSet(150)
		for slot := range 1500 {
			a.choose(polls)
			if c.spread == 0 && polls.Len() != 20 || !slices.Equal(members(polls, 150), twin.choose()) {
				t.Fatalf("%+v, slot %d: other polls", c, slot)
			}
			draw(feedback, w, polls, hits)
			a.learn(polls, hits)
			twin.learn(members(polls, 150), members(hits, 150))
			for i, state := range twin.state {
				if int(a.state[i]) != state {
					t.Fatalf("%+v, slot %d, node %d: state %d, want %d", c, slot, i, a.state[i], state)
				}
			}
		}
	}
}

// f·C is rounded to whole polls, and every node is as likely as any other
// to begin in P1.
func TestFPABeginsAtRandom(t *testing.T) {
	for _, c := range []struct {
		capacity, turns int
		f               float64
	}{{15, 2, 0.1}, {10, 1, 0.1}, {4, 0, 0.1}, {10, 8, 0.8}, {1, 1, 1}, {40, 4, 0.1}} {
		config := config("FPA")
		config.F, config.World = c.f, sources.Law{Nodes: 40, Capacity: c.capacity}
		const seeds = 400
		first, share := make([]float64, 40), float64(c.capacity-c.turns)/40
		for seed := range int64(seeds) {
			s, _ := start(config, seed)
			a := s.(*fpa)
			within(t, a.share, float64(c.turns), 0, "%+v: capacity for turns", c)
			within(t, float64(a.first.Len())/40, share, 0, "%+v: share in P1", c)
			for i := range a.first.All {
				first[i]++
			}
		}
		for i, n := range first {
			within(t, n/seeds, share, 5*math.Sqrt(share*(1-share)/seeds), "%+v: share of seeds with node %d in P1", c, i)
		}
	}
}
