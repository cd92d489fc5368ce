// Package foraging simulates fleets of foragers on a recorded news site:
// Algorithms 1–12 of Palotai, Farkas and Lőrincz, Selection in Scale-Free
// Small World ("the paper" below).
//
// One file holds one idea:
//
//	weblog.go          Algorithm 1, weblog update; its split in Algorithm 6
//	watch.go           section 2, refresh policies in place of the weblog
//	ordering.go        the values of Algorithm 3; Algorithm 4, their update
//	frontier.go        the frontier, and Algorithm 3, which selects from it
//	memory.go          downloads, Algorithm 5, and what is known of each URL
//	forager.go         Algorithms 11 and 12, a forager's step
//	agent.go           Algorithms 6–10, the reinforcing agent
//	measurements.go    Table 1
//	persistence.go     whether foragers stay where they were
//	peaks.go           the curve of Figure 2: its peaks, and its hour
//	division.go        who visits what, for the news-forager papers
//	recording.go       section 4.1, what the foragers saw of a living site
//
// The readings chosen where the paper's text is open are listed in
// READINGS.md beside this file. Comments say where the code departs from the
// pseudo-code for speed; its twin in naive_test.go is that line by line.
package foraging

import (
	"context"
	"fmt"
	"slices"

	"sweep/environments/newssite"
	"sweep/internal/rng"
)

// A Kind of forager tells which of its two memories it adapts (section
// 4.2.1), and walks by.
type Kind struct {
	Name string

	// WeblogUpdate: the starting URLs are learned by Algorithm 1, and the
	// weblog is halved when a forager multiplies. Otherwise a forager keeps
	// the site's start list.
	WeblogUpdate bool

	// OrderingUpdate: the weights of the URL ordering are learned by
	// Algorithm 4, and copied when a forager multiplies. Otherwise they
	// stay as drawn, and a new forager draws its own.
	OrderingUpdate bool

	// RandomWalk: the next URL is any of the frontier, with equal chances,
	// whatever the ordering.
	RandomWalk bool

	// Watch: pages are returned to when it pays, by the watchlist that takes
	// the place of the weblog, and paths have no MaxStep. Otherwise the forager
	// does as the other fields say; with OrderingUpdate it goes on by the
	// ordering or to any URL, whichever brought more of late.
	Watch bool
}

// Kinds lists the kinds of foragers; a new one is a line here. The last four
// are ours, not the papers': two controls, of which one learns nothing and one
// does not even choose, and two that do what section 2 of the paper proposes
// (READINGS.md, 36).
func Kinds() []Kind {
	return []Kind{
		{Name: "WL", WeblogUpdate: true},
		{Name: "RL", OrderingUpdate: true},
		{Name: "WLRL", WeblogUpdate: true, OrderingUpdate: true},
		{Name: "fixed"},
		{Name: "random", RandomWalk: true},
		{Name: "watch", RandomWalk: true, Watch: true},
		{Name: "watch_RL", OrderingUpdate: true, Watch: true},
	}
}

// What counts as one document, to a forager that has sent it and to the
// agent that has seen it (READINGS.md, 1).
const (
	DocumentURL     = "url"     // a URL, whatever becomes of its page
	DocumentDay     = "day"     // a URL on a day, at GMT, of its date stamp
	DocumentVersion = "version" // a version of a page
)

// Documents lists the values of Config.Document.
func Documents() []string { return []string{DocumentURL, DocumentDay, DocumentVersion} }

// Config holds the constants of the algorithms. The paper's names and
// values are given in parentheses.
type Config struct {
	Foragers []Kind // the foragers at the start, in the order in which they work (2)

	Days        float64 // simulated time, days (8, from the axes of Figures 2 and 3)
	SliceTime   float64 // time a forager works before the next one's turn, seconds (180)
	WindowHours float64 // length of a measurement window, hours (3)

	StartSize  int     // starting URLs: the first of the weblog (START_SIZE 10)
	WeblogSize int     // URLs in the weblog (WEBLOG_SIZE 100)
	MaxStep    int     // steps of a path after its start (MAX_STEP 100)
	Beta       float64 // weight of the newest path in the weblog (β 0.3)
	Alpha      float64 // learning rate of the URL ordering (α 0.1)
	Gamma      float64 // discount of future profit (γ 0.9)
	Ties       string  // which of several URLs of equal value is selected: one of Ties()

	PriorHits     float64 // of the belief about a page that a watch forager has not visited
	PriorHours    float64 // of the same belief, hours
	EvidenceKept  float64 // share of what was learned of a page that remains at a visit
	YieldKept     float64 // share of the yield of walking that remains at a step
	WatchSendCost float64 // of a sent document, in parts of a relevant one

	SendHours   float64 // age limit of sent documents, hours (24; 48 in the news-forager papers)
	SendAgain   bool    // whether every sighting is sent, whatever was sent before (as in these)
	SkipVisited bool    // whether a linked page visited in the path is not downloaded (as in these)
	Document    string  // what a document is: one of Documents()

	Reward         float64 // for a relevant document (REWARD 100)
	Penalty        float64 // for a document that is not (PENALTY −1)
	SendCost       float64 // for every document sent (none; −1 in the news-forager papers)
	RelevanceHours float64 // a relevant document is not older, hours (24)

	InitScore  float64 // (INIT_SCORE 100)
	ScorePlus  float64 // for each relevant document (SCORE+ 1)
	ScoreMinus float64 // for each sent document (SCORE− 0.05)
	MaxScore   float64 // a forager multiplies at (MAX_SCORE 200)
	MinScore   float64 // a forager is deleted at (MIN_SCORE 0)
	MinForager int     // foragers at least (MIN_FORAGER 2); with 0 a fleet may die out
	MaxForager int     // foragers at most, up to MaxFleet (MAX_FORAGER 16)
}

// MaxFleet bounds Config.MaxForager: 64 foragers take 32 bytes for each URL of
// the site, and 8 for each version.
const MaxFleet = 4096

// CheckStart returns an error if the starting URLs, which are the first of
// the weblog, are more than a weblog holds. It is for fleets with
// WeblogUpdate.
func (c *Config) CheckStart() error {
	if c.StartSize > c.WeblogSize {
		return fmt.Errorf("start_size %d is above weblog_size %d", c.StartSize, c.WeblogSize)
	}
	return nil
}

// CheckFleet returns an error if a fleet of so many foragers at the start
// is not within its bounds.
func (c *Config) CheckFleet(start int) error {
	switch {
	case c.MinForager > c.MaxForager:
		return fmt.Errorf("min_forager %d is above max_forager %d", c.MinForager, c.MaxForager)
	case start < max(c.MinForager, 1) || start > c.MaxForager:
		return fmt.Errorf("start_forager %d is above max_forager %d, or below min_forager %d or 1",
			start, c.MaxForager, c.MinForager)
	}
	return nil
}

// CheckScores returns an error if no score keeps a forager.
func (c *Config) CheckScores() error {
	if c.MinScore >= c.MaxScore {
		return fmt.Errorf("min_score %v is not below max_score %v", c.MinScore, c.MaxScore)
	}
	return nil
}

func (c *Config) validate() error {
	if c.MaxForager > MaxFleet {
		return fmt.Errorf("max_forager %d is above %d", c.MaxForager, MaxFleet)
	}
	if slices.ContainsFunc(c.Foragers, func(k Kind) bool { return k.WeblogUpdate }) {
		if err := c.CheckStart(); err != nil {
			return err
		}
	}
	if err := c.CheckFleet(len(c.Foragers)); err != nil {
		return err
	}
	return c.CheckScores()
}

// A Download is one download of a page by a forager.
type Download struct {
	Time    int64 // at which it begins, ms
	Forager int   // who downloads: foragers are numbered as they are created, from 0
	Visited bool  // whether it is of the page visited in the step, not of one linked from it
	Depth   int   // pages visited in the path before this step; 0 at its start
	URL     int32
	Version int32 // of the site

	Sent     bool // whether it was sent to the reinforcing agent,
	Relevant bool // and rewarded
}

// A Simulator runs simulations one after another, in memory that it keeps
// between them. It is not safe for concurrent use.
type Simulator struct {
	// Observe, if not nil, is told of every download of a run, in order.
	Observe func(Download)

	site   *newssite.Site
	states *stateTable
	config Config
	stream *rng.Stream

	now, end  int64 // simulated time and its end, ms
	relevance int64 // age limit of relevant documents, ms
	sending   int64 // age limit of documents that are sent, ms

	// The present step: its number from 1 on, the page visited, and the profit
	// so far.
	steps    uint32
	visiting int32
	begun    int64 // ms
	profit   float64
	ahead    uint32 // only written: see download

	memory memory
	agent  agent
	tally  tally

	place           []int32 // of URLs in a weblog, from 1 on, in updateWeblog; 0 of others
	changed, merged weblog  // memory of updateWeblog
}

// Run simulates the fleet of a configuration on a site. It is a pure
// function of its arguments, and returns early with the error of ctx when
// ctx ends. It is an error if a forager's weights diverge, as Algorithm 4
// does with a large Alpha (READINGS.md, 8).
func (s *Simulator) Run(
	ctx context.Context, site *newssite.Site, config Config, seed int64,
) (*Measurements, error) {
	if err := config.validate(); err != nil {
		return nil, err
	}
	if s.site != site {
		s.site = site
		s.states = newStateTable(site)
		s.memory = newMemory(site)
		s.place = make([]int32, site.URLs())
	}
	s.config = config
	s.stream = rng.New("foraging", uint64(seed))
	s.now = 0
	s.end = int64(config.Days * float64(newssite.Day))
	s.relevance = int64(config.RelevanceHours * float64(newssite.Hour))
	s.sending = int64(config.SendHours * float64(newssite.Hour))
	s.steps = 0
	s.memory.reset()
	s.tally.reset(config)
	s.startAgent()

	for s.now < s.end && len(s.agent.foragers) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := s.activateNext(); err != nil {
			return nil, err
		}
	}
	return s.measure(), nil
}
