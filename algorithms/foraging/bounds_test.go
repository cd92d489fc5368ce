package foraging

import (
	"testing"

	"sweep/environments/newssite"
)

// What happens at equality, which runs on generated sites hardly ever meet.

// Algorithms 5 and 7: "not older than 24 hours" includes 24 hours, and the
// moment that counts is that at which the download begins.
func TestADocumentOfTheAgeLimitIsRelevant(t *testing.T) {
	const hour = newssite.Hour
	for _, c := range []struct{ now, sent int64 }{{23 * hour, 1}, {23*hour + 1, 0}} {
		s := started(t, handmade(), published(t, "WL"))
		s.now = c.now
		s.steps++
		s.download(s.agent.foragers[0], 1) // B, dated hour −1
		if s.tally.sent != c.sent {
			t.Errorf("at %d ms %d documents sent, want %d", c.now, s.tally.sent, c.sent)
		}
	}
}

// A version holds from its time on, and until the next one's.
func TestAVersionHoldsFromItsTimeOn(t *testing.T) {
	const hour = newssite.Hour
	site := &newssite.Site{Dimension: 1, States: [][]float64{{-1}}, First: []int32{0, 2}, Start: []int32{0},
		Versions: []newssite.Version{{From: 0, Date: 0, Download: 1}, {From: 8 * hour, Date: 8 * hour, Download: 1}}}
	for _, c := range []struct {
		now     int64
		version int32
	}{{0, 0}, {8*hour - 1, 0}, {8 * hour, 1}} {
		s := started(t, site, published(t, "WL"))
		s.now = c.now
		s.steps++
		s.download(s.agent.foragers[0], 0)
		if got := s.memory.urls[0].stored; got != c.version {
			t.Errorf("at %d ms version %d was downloaded, want %d", c.now, got, c.version)
		}
	}
	// again by one who was there a millisecond before
	s := started(t, site, published(t, "WL"))
	s.now = 8*hour - 1
	for want := range int32(2) {
		s.steps++
		s.download(s.agent.foragers[0], 0)
		if got := s.memory.urls[0].stored; got != want {
			t.Errorf("download %d is of version %d", want, got)
		}
	}
}

// Algorithm 8: at the bounds themselves a forager is multiplied or deleted,
// and both foragers of a multiplication have INIT_SCORE, whatever it is.
func TestForagersAtTheBoundsOfTheScore(t *testing.T) {
	c := published(t, "WL")
	c.InitScore = 60
	s := started(t, handmade(), c)
	f := s.agent.foragers[0]
	f.score = c.MaxScore
	s.manage(f)
	if n := len(s.agent.foragers); n != 3 {
		t.Fatalf("%d foragers after a multiplication, want 3", n)
	}
	if child := s.agent.foragers[2]; f.score != 60 || child.score != 60 {
		t.Errorf("scores %v and %v, want 60", f.score, child.score)
	}
	f.score = c.MinScore
	s.manage(f)
	if n := len(s.agent.foragers); n != 2 {
		t.Errorf("%d foragers after a deletion, want 2", n)
	}
	f = s.agent.foragers[0]
	f.score = c.MinScore
	s.manage(f)
	if n := len(s.agent.foragers); n != 2 {
		t.Errorf("%d foragers, want no fewer than 2", n)
	}
}

// A step that ends with a window belongs to it, and the next begins.
func TestAStepEndsWithItsWindow(t *testing.T) {
	c := published(t, "WL")
	c.SliceTime = 4 // the time of A with its three links
	s := started(t, handmade(), c)
	s.tally.windowEnd, s.tally.length = 4000, 4000
	if err := s.activateNext(); err != nil {
		t.Fatal(err)
	}
	if s.now != 4000 || len(s.tally.windows) != 1 || s.tally.windows[0].Downloaded != 4 || s.tally.windowEnd != 8000 {
		t.Errorf("at %d ms windows %+v, the next until %d ms; want one with 4 downloads, the next until 8000 ms",
			s.now, s.tally.windows, s.tally.windowEnd)
	}
}
