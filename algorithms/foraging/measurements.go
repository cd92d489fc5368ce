package foraging

import (
	"math"
	"slices"

	"sweep/environments/newssite"
	"sweep/internal/bitset"
)

// Counts are what is counted, over a window or a whole run.
type Counts struct {
	Downloaded int64 // documents downloaded, each time counted
	Sent       int64 // documents sent to the reinforcing agent
	Relevant   int64 // of these, documents that the agent found relevant
	Found      int64 // URLs downloaded for the first time by any forager
}

// A Window is one interval of Config.WindowHours. It is closed by the first
// step that ends at its end or later, and measured then. An interval in which
// no step ends, or in which the simulation does, is not a Window.
type Window struct {
	End float64 // hours from the start of the simulation
	Counts

	// Freshness is the share of current documents among those the fleet
	// has stored with a date stamp not older than the relevance limit, at
	// the end of the window: a stored document is current if its URL still
	// has that content. Age, in hours, is the mean over the same documents
	// of 0 for a current one and the time since the page's last change for
	// an obsolete one (Table 1, after Cho and Garcia-Molina). Both are NaN
	// if there is no such document.
	Freshness, Age float64

	Foragers  int     // at the end of the window
	MeanScore float64 // of these; NaN if there is none
	Scores    []Score // of these, in the order of their creation
}

// A Score is the score of one forager.
type Score struct {
	Forager int // its number, as in a Download
	Score   float64
}

// Measurements are the results of one run (Table 1).
type Measurements struct {
	Counts
	Freshness, Age  float64 // means over the windows in which they are defined
	Foragers        int     // at the end
	LeastScore      float64 // of any forager at the end of its time slices
	End             float64 // hours, of the simulation or of the last forager
	Multiplications int
	Deletions       int
	Findable        int64   // documents that a fleet that sees everything finds relevant
	StepSeconds     float64 // of a step, mean
	Overrun         float64 // seconds by which a turn is longer than SliceTime, mean
	Persistence     Persistence
	Peaks           Peaks
	Windows         []Window
}

// tally collects the measurements of a run.
type tally struct {
	Measurements
	windowEnd int64  // ms
	length    int64  // of a window, ms
	before    Counts // at its beginning

	persistence persistence
	turns       int
	overrun     int64 // summed over turns, ms
}

// since returns what was counted since an earlier time.
func (t *tally) since(before Counts) Counts {
	return Counts{
		t.Downloaded - before.Downloaded,
		t.Sent - before.Sent,
		t.Relevant - before.Relevant,
		t.Found - before.Found,
	}
}

func (t *tally) reset(c Config) {
	length := int64(c.WindowHours * float64(newssite.Hour))
	*t = tally{windowEnd: length, length: length}
	t.LeastScore = math.Inf(1)
}

// closeWindow measures the window that ended with the step just done.
func (s *Simulator) closeWindow() {
	t := &s.tally
	t.persistence.endWindow()
	freshness, age := s.freshness()
	foragers := len(s.agent.foragers)
	score := 0.0
	var scores []Score
	for _, f := range s.agent.foragers {
		score += f.score
		scores = append(scores, Score{f.number, f.score})
	}
	slices.SortFunc(scores, func(a, b Score) int { return a.Forager - b.Forager })
	t.Windows = append(t.Windows, Window{
		End:       float64(t.windowEnd) / float64(newssite.Hour),
		Counts:    t.since(t.before),
		Freshness: freshness,
		Age:       age,
		Foragers:  foragers,
		MeanScore: quotient(score, float64(foragers)),
		Scores:    scores,
	})
	t.before = t.Counts
	for t.windowEnd <= s.now {
		t.windowEnd += t.length
	}
}

// freshness returns freshness and age of the stored documents now. Those
// that have grown too old leave the list; a new date brings them back.
func (s *Simulator) freshness() (share, age float64) {
	var fresh int
	var obsolete int64 // summed ages, ms
	young := s.memory.dated[:0]
	for _, u := range s.memory.dated {
		m := &s.memory.urls[u]
		if s.now-s.site.Versions[s.memory.versions[u]].Date > s.relevance {
			s.memory.listed.Remove(int(u))
			continue
		}
		young = append(young, u)
		if m.changes > s.now {
			fresh++
		} else {
			now := current(s.site, u, s.memory.versions[u], s.now)
			obsolete += s.now - s.site.Versions[now].From
		}
	}
	s.memory.dated = young
	n := float64(len(young))
	return quotient(float64(fresh), n), quotient(float64(obsolete), n) / float64(newssite.Hour)
}

// measure returns the results of the finished run.
func (s *Simulator) measure() *Measurements {
	m := s.tally.Measurements
	m.End = float64(s.now) / float64(newssite.Hour)
	m.Findable = s.findable()
	m.Persistence = s.tally.persistence.result(s.agent.foragers)
	m.StepSeconds = float64(s.now) / 1000 / float64(s.steps)
	m.Overrun = quotient(float64(s.tally.overrun)/1000, float64(s.tally.turns))
	m.Peaks = peaks(m.Windows, s.config.WindowHours)
	m.Foragers = len(s.config.Foragers) + m.Multiplications - m.Deletions
	n := 0.0
	for _, w := range m.Windows {
		if !math.IsNaN(w.Freshness) {
			n++
			m.Freshness += w.Freshness
			m.Age += w.Age
		}
	}
	m.Freshness = quotient(m.Freshness, n)
	m.Age = quotient(m.Age, n)
	return &m
}

// findable returns the number of documents that some page shows during the run
// at an age within the limits of what is sent and of what is relevant. No fleet
// can find more. Some may be beyond all: pages that nothing links to.
func (s *Simulator) findable() int64 {
	documents := bitset.NewSet(len(s.site.Versions))
	end := max(s.end, s.now) // the last step may end later
	limit := min(s.relevance, s.sending)
	for u := range int32(s.site.URLs()) {
		history := s.site.History(u)
		for i := range history {
			v := &history[i]
			shown := max(v.From, 0)
			until := end
			if i+1 < len(history) {
				until = min(until, history[i+1].From)
			}
			if shown < until && shown-v.Date <= limit {
				documents.Add(s.document(u, s.site.First[u]+int32(i)))
			}
		}
	}
	return int64(documents.Len())
}

// quotient returns a/b, and NaN if b is 0.
func quotient(a, b float64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return a / b
}
