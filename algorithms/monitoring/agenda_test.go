package monitoring

import (
	"cmp"
	"slices"
	"testing"

	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// naiveBayes is bayes with one number for each node, the slot from which on it
// competes, and a sort in place of lists, histograms and partitions. It
// shares the beliefs' arithmetic.
type naiveBayes struct {
	beliefs   beliefs
	doubts    doubts
	worth     []float64
	cost      []float64
	capacity  int
	due       []int
	price     float64
	slot      int
	polled    []int32
	dismissed []int32
}

func (s *naiveBayes) choose() {
	s.slot++
	rivals := s.rivals()
	index := make([]float64, len(s.worth))
	s.beliefs.evaluate(index[:len(rivals)], rivals, s.slot)
	of := map[int32]float64{}
	for k, i := range rivals {
		of[i] = index[k]
	}
	slices.SortFunc(rivals, func(i, j int32) int { return cmp.Or(cmp.Compare(of[j], of[i]), cmp.Compare(i, j)) })
	s.polled, s.dismissed = nil, nil
	var rest []int32
	left, least := float64(s.capacity), 0.0
	for _, i := range rivals {
		cost := (&known{cost: s.cost}).costOf(int(i))
		if cost > left {
			rest = append(rest, i)
			continue
		}
		left -= cost
		least = of[i]
		s.polled = append(s.polled, i)
	}
	s.price += 0.2 * (least - s.price)
	for _, i := range rest {
		if of[i] < 0.9*s.price {
			s.dismissed = append(s.dismissed, i)
		}
	}
}

// rivals returns the nodes that are due; all, if those do not use up the
// capacity.
func (s *naiveBayes) rivals() (due []int32) {
	load := 0.0
	for i, slot := range s.due {
		if slot <= s.slot {
			due = append(due, int32(i))
			load += (&known{cost: s.cost}).costOf(i)
		}
	}
	if load >= float64(s.capacity)+1 {
		return due
	}
	clear(s.due)
	due = nil
	for i := range s.due {
		due = append(due, int32(i))
	}
	return due
}

func (s *naiveBayes) learn(order []int32, hits bitset.Set) {
	s.beliefs.learn(order, hits, s.slot, &s.doubts)
	if s.doubts.alarm() {
		for i := range s.due {
			s.beliefs.forget(i, s.slot)
			s.due[i] = 0
		}
		s.doubts.clear()
		return
	}
	wait := make([]int32, 1)
	for _, i := range slices.Concat(s.polled, s.dismissed) {
		s.beliefs.await(wait, []int32{i}, s.slot, 0.9*s.price)
		s.due[i] = s.slot + int(wait[0])
	}
}

// The doubts multiply what they are told in the order of the polls, so the
// twin learns in the order of the fast one; of nodes of equal index either
// may be polled, so there are as many nodes as ranks, and none are equal.
func TestBayesAgreesWithItsNaiveTwin(t *testing.T) {
	for _, model := range []sources.Model{sources.Disappear, sources.Overwrite} {
		for _, spread := range []float64{0, 0.5} {
			c := config(t, "bayes")
			c.Model, c.World = model, sources.Law{Nodes: 100, Capacity: 10, CostSpread: spread}
			scheduler, _ := start(t, c, 3)
			fast := scheduler.(*bayes)
			w := world(t, c.World, 3)
			twin := &naiveBayes{worth: fast.worth, cost: w.Cost, capacity: 10, due: make([]int, 100)}
			if twin.beliefs = newRates(twin.worth, nil); model == sources.Disappear {
				twin.beliefs = newShares(twin.worth, nil)
			}
			for i := range 100 {
				twin.beliefs.forget(i, 0)
			}
			twin.doubts.clear()
			feedback := rng.New("feedback")
			polls, hits := bitset.NewSet(100), bitset.NewSet(100)
			p := slices.Clone(w.P)
			for slot := range 1200 {
				if slot == 700 { // which it has to notice
					slices.Reverse(p)
				}
				fast.choose(polls)
				twin.choose()
				want := slices.Clone(twin.polled)
				slices.Sort(want)
				var got []int32
				clear(hits)
				for i := range polls.All {
					got = append(got, int32(i))
					if feedback.Chance(p[i]) {
						hits.Add(i)
					}
				}
				if !slices.Equal(got, want) {
					t.Fatalf("%s, spread %v, slot %d: polls of %v, want %v", model, spread, slot, got, want)
				}
				order := slices.Clone(fast.leavers[:fast.polled])
				fast.learn(polls, hits)
				twin.learn(order, hits)
			}
		}
	}
}
