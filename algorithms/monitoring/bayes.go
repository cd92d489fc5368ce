package monitoring

import (
	"sweep/environments/sources"
	"sweep/internal/bitset"
	"sweep/internal/rng"
)

// bayes learns the change probabilities and polls by the indices that are
// optimal if one knows them: ω·p where updates disappear, Whittle's where
// they overwrite or accumulate. Not from the thesis; it simplifies a
// prototype that kept a grid of probabilities for each node.
//
// What it believes of a node are two numbers (see shares and rates). It
// forgets slowly all the time; everything of a node whose importance-value
// becomes another, or, in disappear, whose feedback the prior explains much
// better than what was learned; and everything of all nodes when that is so of
// all feedback of recent slots (see doubts).
//
// Its constants were chosen by hand on the thesis's law with R = 1000, C = 100
// and ratios 1.5 to 4: sharesFading, ratesFading and suspicious on seeds 2001
// to 2012, the priors, optimism, alarming, eager and pursuit before, on seeds
// below 108. What README.md and READINGS.md say of it was measured on
// seeds from 3001 on, on which nothing was chosen.
type bayes struct {
	agenda
	beliefs beliefs
	doubts  doubts

	importance []float64
	worth      []float64 // importance-value per cost
	slot       int
}

// beliefs is what is believed of the nodes.
type beliefs interface {
	// forget returns a node to the prior.
	forget(i, slot int)

	// evaluate sets index to the indices of nodes.
	evaluate(index []float64, nodes []int32, slot int)

	// learn takes the feedback of the polls of nodes, and tells doubts how it
	// was foreseen.
	learn(nodes []int32, hits bitset.Set, slot int, d *doubts)

	// await sets wait to the slots, at least 1, until the indices of nodes
	// are likely to reach a level.
	await(wait []int32, nodes []int32, slot int, level float64)
}

// kept returns the part of what is believed that is left after some slots,
// in each of which a part fades.
func kept(slots int, fading float64) float64 { return max(1-float64(fading*float64(slots)), 0) }

func startBayes(t *task) scheduler { return newBayes(t, nil) }

// newBayes returns a bayes whose indices take p at its best (shares) or on
// average (rates), or as drawn from a stream of random numbers, if there is one.
func newBayes(t *task, draws *rng.Stream) *bayes {
	s := &bayes{agenda: newAgenda(t), worth: make([]float64, t.World.Nodes)}
	if t.Model == sources.Disappear {
		s.beliefs = newShares(s.worth, draws)
	} else {
		s.beliefs = newRates(s.worth, draws)
	}
	s.doubts.clear()
	return s
}

func (s *bayes) begin(k known) {
	s.cost = k.cost
	for i, v := range k.importance {
		s.worth[i] = v / k.costOf(i)
		if s.importance == nil || s.importance[i] != v {
			s.beliefs.forget(i, s.slot)
		}
	}
	s.importance = k.importance
	s.doubts.clear()
	s.gather()
}

func (s *bayes) choose(polls bitset.Set) int {
	s.slot++
	s.open(s.slot)
	s.beliefs.evaluate(s.index, s.rivals, s.slot)
	s.pick(polls)
	return 0
}

func (s *bayes) learn(polls, hits bitset.Set) {
	s.beliefs.learn(s.leavers[:s.polled], hits, s.slot, &s.doubts)
	if s.doubts.alarm() {
		for i := range s.worth {
			s.beliefs.forget(i, s.slot)
		}
		s.doubts.clear()
		s.gather()
		return
	}
	s.beliefs.await(s.waits[:len(s.leavers)], s.leavers, s.slot, s.level())
	s.postpone()
}
