package foraging

import (
	"fmt"
	"slices"

	"sweep/environments/newssite"
	"sweep/internal/bitset"
)

// agent is the reinforcing agent: it rewards, multiplies and deletes
// foragers (section 3.2).
type agent struct {
	foragers []*forager // in the order in which they work
	next     int
	created  int
}

// startAgent initialises the foragers with the site's start list
// (Algorithm 9).
func (s *Simulator) startAgent() {
	s.agent = agent{foragers: s.agent.foragers[:0]}
	for _, k := range s.config.Foragers {
		f := s.addForager(k, newWeblog(s.site.Start), newOrdering(s.states, s.stream))
		f.watch = newWatchlist(k)
	}
}

// addForager adds a forager that begins a new path at its first step
// (Algorithm 10).
func (s *Simulator) addForager(k Kind, w weblog, o ordering) *forager {
	n := s.site.URLs()
	f := &forager{
		kind:     k,
		number:   s.agent.created,
		score:    s.config.InitScore,
		weblog:   w,
		ordering: o,
		habits: habits{
			born:      s.now,
			day:       s.now / newssite.Day,
			today:     bitset.NewSet(n),
			yesterday: bitset.NewSet(n),
		},
		previous: bitset.NewSet(len(s.site.Versions)),
		met:      bitset.NewSet(n),
		inPath:   bitset.NewSet(n),
	}
	f.frontier.init(&f.ordering, k, s.config.Ties)
	s.agent.created++
	s.agent.foragers = append(s.agent.foragers, f)
	return f
}

// activateNext lets the next forager work for a time slice (Algorithm 9).
// A step that has begun is finished. Foragers take turns in the order of
// their creation, as the predefined order of section 4.1. The error is that
// of a forager whose weights have grown beyond all numbers: it could not
// order URLs any more.
func (s *Simulator) activateNext() error {
	f := s.agent.foragers[s.agent.next]
	until := min(s.now+int64(s.config.SliceTime*1000), s.end)
	for s.now < until {
		s.step(f)
		if s.now >= s.tally.windowEnd {
			s.closeWindow()
		}
	}
	s.tally.turns++
	s.tally.overrun += max(0, s.now-until)
	if !f.ordering.finite() {
		hours := float64(s.now) / float64(newssite.Hour)
		return fmt.Errorf("the weights of a forager diverged after %.1f h: "+
			"alpha %v is too large for states of %d components",
			hours, s.config.Alpha, s.site.Dimension)
	}
	s.tally.LeastScore = min(s.tally.LeastScore, f.score)
	s.agent.next++
	s.manage(f)
	if s.agent.next >= len(s.agent.foragers) {
		s.agent.next = 0
	}
	return nil
}

// receive judges a document that a forager sent, age ms old (Algorithm 7):
// it is relevant if the agent has not seen it and it is young enough. It
// returns the reinforcement.
func (s *Simulator) receive(f *forager, document int, age int64) float64 {
	s.tally.Sent++
	f.score -= s.config.ScoreMinus
	if s.memory.relevant.Has(document) || age > s.relevance {
		return s.config.Penalty + s.config.SendCost
	}
	s.memory.relevant.Add(document)
	s.tally.Relevant++
	f.score += s.config.ScorePlus
	return s.config.Reward + s.config.SendCost
}

// manage multiplies or deletes a forager that has just been stopped
// (Algorithm 8).
func (s *Simulator) manage(f *forager) {
	c := &s.config
	switch n := len(s.agent.foragers); {
	case f.score >= c.MaxScore && n < c.MaxForager:
		s.multiply(f)
	case f.score <= c.MinScore && n > c.MinForager:
		s.tally.Deletions++
		i := slices.Index(s.agent.foragers, f)
		s.agent.foragers = slices.Delete(s.agent.foragers, i, i+1)
		if s.agent.next > i {
			s.agent.next--
		}
	}
}

// multiply creates a new forager from f (Algorithms 6 and 8). A weblog or a
// watchlist that is learned is divided between the two, a fixed one is the same
// for all; weights that are learned are copied, fixed ones drawn anew.
func (s *Simulator) multiply(f *forager) {
	s.tally.Multiplications++
	w := f.weblog
	if f.kind.WeblogUpdate {
		f.weblog, w = f.weblog.split(s.stream)
	}
	var o ordering
	if f.kind.OrderingUpdate {
		o = f.ordering.clone()
	} else {
		o = newOrdering(s.states, s.stream)
	}
	f.score = s.config.InitScore
	child := s.addForager(f.kind, w, o)
	if f.kind.Watch {
		child.watch = f.watch.split(s.stream)
	}
}
