package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
	"sweep/internal/lists"
)

// foragingConfig is what a point of an experiment on a news site configures.
type foragingConfig struct {
	kind  string
	start int    // foragers at the start, if that is more than MinForager
	order string // of the web experiment's foragers; empty in others
	run   foraging.Config
	site  siteKey

	pathSources int // of the structure experiment: URLs from which paths are measured
}

// config returns the simulation's configuration, with its foragers.
func (c *foragingConfig) config() foraging.Config {
	run := c.run
	if c.order != "" {
		run.Foragers = crawlers(c.order)
	} else {
		run.Foragers = slices.Repeat(kindsThat(func(k foraging.Kind) bool { return k.Name == c.kind }), max(c.start, run.MinForager))
	}
	return run
}

// checkDays returns an error if the simulation would go on when the
// recording has ended. Tables that were not read are left alone.
func (s *sites) checkDays(c *foragingConfig) error {
	recorded, of := c.site.model.Days, "site_days"
	if c.site.tables != "" {
		site, ok := s.read.get(c.site.tables)
		if !ok {
			return nil
		}
		recorded, of = site.Days(), "the days of site_tables,"
	}
	if c.run.Days > float64(recorded) {
		return fmt.Errorf("days %v is above %s %d: the site would stand still when its recording has ended", c.run.Days, of, recorded)
	}
	return nil
}

// checkStep returns an error if the ordering update is known to diverge.
// Nearly all components of a state are −1, so that one update between
// two alike states corrects the error by the factor alpha · topics · (1 − gamma):
// with more than 2 the error grows. In a sweep of 18 alphas × 9 gammas with 50
// topics all runs above 2 failed, and of those below 1.7 none.
func (c *foragingConfig) checkStep() error {
	if topics := float64(c.site.model.Topics); float64(c.run.Alpha*topics)*(1-c.run.Gamma) > 2 {
		return fmt.Errorf("with alpha %v and gamma %v the weights of foragers are known to diverge, and runs fail: try alpha %.2g",
			c.run.Alpha, c.run.Gamma, 1/(topics*(1-c.run.Gamma)))
	}
	return nil
}

// siteKey identifies a world: all that a recorded site depends on.
type siteKey struct {
	tables  string // what stands for the tables of a site, of which the model has no more than a seed
	model   newssite.Model
	site    string
	rewired float64
}

// Which part of a site is simulated on.
const (
	wholeSite    = "whole"
	crawledSite  = "crawled"  // the whole site for the web experiment, which starts from one URL
	recordedSite = "recorded" // what a run of the web experiment sees of it
)

// sites reads and builds sites, keeps them, and runs simulations on them. It is
// safe for concurrent use. One that newSites did not make builds sites only.
type sites struct {
	shipped    history.Files
	read       files[*newssite.Site] // those whose tables specs name
	kept       *worlds[siteKey, *newssite.Site]
	simulators sync.Pool
}

func newSites(shipped history.Files) *sites {
	s := &sites{shipped: shipped, simulators: sync.Pool{New: func() any { return new(foraging.Simulator) }}}
	s.kept = newWorlds(s.build, (*newssite.Site).Bytes)
	return s
}

// build builds the site of a key.
func (s *sites) build(key siteKey) (site *newssite.Site, err error) {
	if key.tables == "" {
		site, err = newssite.Generate(key.model)
	} else if read, ok := s.read.get(key.tables); ok {
		site, key.model.Days = read, read.Days()
	} else {
		err = fmt.Errorf("site_tables %s %w", key.tables, errUnread)
	}
	if err == nil && key.site != wholeSite {
		crawled := *site
		crawled.Start = site.Start[:1]
		site = &crawled
	}
	if err == nil && key.site == recordedSite {
		site, err = record(site, key.model)
	}
	if err == nil && key.rewired > 0 {
		site = newssite.Rewire(site, key.rewired, key.model.Seed)
	}
	return site, err
}

// run simulates one fleet. observe, if not nil, returns what is told of the
// downloads on a site.
func (s *sites) run(ctx context.Context, c *foragingConfig, seed int64, observe func(*newssite.Site) func(foraging.Download)) (m foraging.Measurements, err error) {
	if err := s.checkDays(c); err != nil {
		return m, err
	}
	site, err := s.kept.get(c.site)
	if err != nil {
		return m, err
	}
	simulator := s.simulators.Get().(*foraging.Simulator)
	if simulator.Observe = nil; observe != nil {
		simulator.Observe = observe(site)
	}
	measured, err := simulator.Run(ctx, site, c.config(), seed)
	s.simulators.Put(simulator) // not deferred: one that panicked is not used again
	if err == nil {
		m = *measured
	}
	return m, err
}

// Foraging declares the comparison of weblog update and reinforcement
// learning in Palotai, Farkas and Lőrincz, Selection in Scale-Free Small
// World.
func Foraging(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "foraging",
		Version: foragingVersion,
		Title:   "fleets of news foragers on a recorded news site: weblog update (WL), URL ordering by temporal differences (RL), both (WLRL)",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:   s.foragingRules(s.params),
		Tables:  []experiment.Table{table2()},
		Figures: foragingFigures(),
	}, s.params, foragingMeasures, foragingColumns, func(ctx context.Context, c *foragingConfig, seed int64) (m foraging.Measurements, windows []foraging.Window, err error) {
		m, err = s.run(ctx, c, seed, nil)
		return m, m.Windows, err
	})
}

// WorldGroup is the Group of the parameters that a world depends on.
const WorldGroup = "world"

// NewsSite builds the world of a point of the foraging experiment.
func NewsSite(p experiment.Point) (*newssite.Site, error) {
	var c foragingConfig
	var s sites
	experiment.Configure(s.params(&c), p)
	return s.build(c.site)
}

// counted declares what is counted of downloads: names are those of the four
// numbers, during says of which downloads.
func counted(names [4]string, during, source string, c *foraging.Counts) []experiment.Measure {
	return []experiment.Measure{
		measure(names[0], "documents", "documents downloaded, each time counted"+during, source, c.Downloaded),
		measure(names[1], "documents", "documents sent to the reinforcing agent"+during, source, c.Sent),
		measure(names[2], "documents", "documents rewarded: sent first, and not older than the relevance limit"+during, source, c.Relevant),
		measure(names[3], "URLs", "URLs downloaded for the first time"+during, source, c.Found),
	}
}

// What Table 2 and the news-forager papers call the numbers of counted.
var (
	relevantNames   = [4]string{"downloaded", "sent", "relevant", "found_urls"}
	reinforcedNames = [4]string{"downloaded", "sent", "reinforced", "found_urls"}
)

func foragingMeasures(m *foraging.Measurements) []experiment.Measure {
	const source = "Table 1"
	return append(counted(relevantNames, "", source, &m.Counts),
		measure("download_efficiency", "", "relevant / downloaded, over the whole run; per window in the series", source, ratio(m.Relevant, m.Downloaded)),
		measure("sent_efficiency", "", "relevant / sent, over the whole run; per window in the series", source, ratio(m.Relevant, m.Sent)),
		measure("relative_found_url", "", "found_urls / downloaded at the end", source, ratio(m.Found, m.Downloaded)),
		measure("freshness", "", "share of current documents among the stored ones whose date is within the relevance limit, mean over windows", source, m.Freshness),
		measure("age_hours", "h", "mean age of the same documents: 0 if current, else time since the page last changed, mean over windows", source, m.Age),
		measure("foragers", "foragers", "foragers at the end", "section 3.2", m.Foragers),
		measure("multiplications", "", "foragers multiplied", "Algorithm 8", m.Multiplications),
		measure("deletions", "", "foragers deleted", "Algorithm 8", m.Deletions))
}

// foragingColumns returns the columns of the series, the axis first.
func foragingColumns(w *foraging.Window) []experiment.Measure {
	const source = "Table 1, Figures 2 and 3"
	return append(windowed(relevantNames, source, w),
		measure("download_efficiency", "", "relevant / downloaded in the window", source, ratio(w.Relevant, w.Downloaded)),
		measure("sent_efficiency", "", "relevant / sent in the window", source, ratio(w.Relevant, w.Sent)),
		measure("freshness", "", "share of current documents at the window's end", source, w.Freshness),
		measure("age_hours", "h", "mean age of documents at the window's end", source, w.Age),
		measure("foragers", "foragers", "foragers at the window's end", source, w.Foragers))
}

// windowed declares the axis and the counts of a series of windows.
func windowed(names [4]string, source string, w *foraging.Window) []experiment.Measure {
	hours := measure("hours", "h", "end of the window, from the start of the simulation", source, w.End)
	return append([]experiment.Measure{hours}, counted(names, " in the window", source, &w.Counts)...)
}

// ratio is NaN if the denominator is zero.
func ratio(a, b int64) float64 {
	if b == 0 {
		return math.NaN()
	}
	return float64(a) / float64(b)
}

// table2 is Table 2 of the paper, as printed.
func table2() experiment.Table {
	row := func(metric, label string, digits int, rl, rlStd, wl, wlStd float64) experiment.TableRow {
		return experiment.TableRow{Metric: metric, Label: label, Digits: digits,
			Mean: []float64{rl, wl}, Std: []float64{rlStd, wlStd}}
	}
	return experiment.Table{
		Name:    "table2",
		Title:   "Simulation results",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World, Table 2",
		Note:    "3 runs of each type",
		Column:  experiment.Algorithm,
		Headers: []string{"RL", "WL"},
		Rows: []experiment.TableRow{
			row("downloaded", "downloaded", 0, 540636, 9840, 669673, 9580),
			row("sent", "sent", 0, 9747, 98, 6345, 385),
			row("relevant", "relevant", 0, 2419, 45, 3107, 60),
			row("found_urls", "found URLs", 0, 31092, 1050, 33116, 3370),
			row("download_efficiency", "download efficiency", 4, 0.0045, 0.0001, 0.0046, 0.0001),
			row("sent_efficiency", "sent efficiency", 3, 0.248, 0.003, 0.49, 0.031),
			row("relative_found_url", "relative found URL", 3, 0.058, 0.001, 0.05, 0.006),
			row("freshness", "freshness", 3, 0.7, 0.006, 0.74, 0.011),
			row("age_hours", "age (in hours)", 2, 1.79, 0.04, 1.56, 0.08),
		},
	}
}

// Where defaults of the foraging experiment come from.
const (
	paper  = "Selection in Scale-Free Small World, "
	chosen = "assumed; the papers say nothing"
)

// params declares every parameter of the foraging experiment; those of its
// site are in site_params.go. Tables of sites that specs name are read.
func (s *sites) params(c *foragingConfig) []experiment.Param {
	kinds := namesOf(func(foraging.Kind) bool { return true })
	weblogUpdate := namesOf(func(k foraging.Kind) bool { return k.WeblogUpdate })
	orderingUpdate := namesOf(func(k foraging.Kind) bool { return k.OrderingUpdate })
	ordering := namesOf(func(k foraging.Kind) bool { return !k.RandomWalk })

	fleet := []experiment.Param{
		{To: &c.kind, Name: experiment.Algorithm, Choices: kinds,
			Meaning: "kind of forager: WL learns starting URLs by weblog update, RL learns URL ordering by temporal differences, WLRL both; two controls: fixed learns neither, random does not even order URLs",
			Source:  paper + "section 4.2.1"},
		{To: &c.run.Alpha, Name: "alpha", Symbol: "α", Default: experiment.FloatValue(0.1), Max: 10, UsedBy: orderingUpdate,
			Meaning: "learning rate of the URL ordering update", Source: paper + "Algorithm 4"},
		{To: &c.run.Beta, Name: "beta", Symbol: "β", Default: experiment.FloatValue(0.3), Max: 1, UsedBy: weblogUpdate,
			Meaning: "weight of the newest path in the weblog update", Source: paper + "Algorithm 1"},
		{To: &c.run.Gamma, Name: "gamma", Symbol: "γ", Default: experiment.FloatValue(0.9), Max: 1, UsedBy: orderingUpdate,
			Meaning: "discount of future profit in the URL ordering update", Source: paper + "Algorithm 4"},
		{To: &c.run.StartSize, Name: "start_size", Symbol: "START_SIZE", Unit: "URLs", Default: experiment.IntValue(10), Min: 1, Max: 1e6,
			Meaning: "starting URLs: the first of the weblog", Source: paper + "section 3.1.1"},
		{To: &c.run.WeblogSize, Name: "weblog_size", Symbol: "WEBLOG_SIZE", Unit: "URLs", Default: experiment.IntValue(100), Min: 1, Max: 1e6, UsedBy: weblogUpdate,
			Meaning: "URLs kept in the weblog", Source: paper + "section 3.1.1"},
		{To: &c.run.MaxStep, Name: "max_step", Symbol: "MAX_STEP", Unit: "steps", Default: experiment.IntValue(100), Min: 1, Max: 1e6,
			Meaning: "steps of a path after its start", Source: paper + "section 3.3"},
		{To: &c.run.Ties, Name: "ties", Choices: foraging.Ties(), UsedBy: ordering,
			Meaning: "which of several URLs of equal value is selected: that which came last or first to the frontier, or any",
			Source:  "chosen: algorithms/foraging/READINGS.md, 2"},
		{To: &c.run.SkipVisited, Name: "skip_visited", Default: experiment.BoolValue(false),
			Meaning: "whether a linked page that was visited in the path is not downloaded again, as in the news-forager papers",
			Source:  paper + "Algorithm 12"},
		{To: &c.run.SendHours, Name: "send_hours", Unit: "h", Default: experiment.FloatValue(24), Max: 1e4,
			Meaning: "age up to which a document is sent; 48 in the news-forager papers, whose dates are days", Source: paper + "section 3.1.3"},
		{To: &c.run.SendAgain, Name: "send_again", Default: experiment.BoolValue(false),
			Meaning: "whether every sighting of a document is sent, whatever was sent before, as in the news-forager papers",
			Source:  paper + "Algorithm 5"},
	}

	agent := []experiment.Param{
		{To: &c.run.Reward, Name: "reward", Symbol: "REWARD", Unit: "reward", Default: experiment.FloatValue(100), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for a relevant document", Source: paper + "section 3.2"},
		{To: &c.run.Penalty, Name: "penalty", Symbol: "PENALTY", Unit: "reward", Default: experiment.FloatValue(-1), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for a document that is not relevant", Source: paper + "section 3.2"},
		{To: &c.run.SendCost, Name: "send_cost", Symbol: "c₋", Unit: "reward", Default: experiment.FloatValue(0), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for every document sent, beside the other two; −1 in the news-forager papers",
			Source:  "Centralized reward system…, section 2"},
		{To: &c.run.RelevanceHours, Name: "relevance_hours", Unit: "h", Default: experiment.FloatValue(24), Max: 1e4,
			Meaning: "age up to which a document is relevant", Source: paper + "section 3.1.3"},
		{To: &c.run.Document, Name: "document", Choices: foraging.Documents(),
			Meaning: "what is one document, relevant once: a URL, a URL on a day (GMT) of its date stamp, or a version of a page",
			Source:  "chosen: algorithms/foraging/READINGS.md, 1"},
		{To: &c.run.InitScore, Name: "init_score", Symbol: "INIT_SCORE", Unit: "score", Default: experiment.FloatValue(100), Min: -1e6, Max: 1e6,
			Meaning: "score of a new forager", Source: paper + "section 3.2"},
		{To: &c.run.ScorePlus, Name: "score_plus", Symbol: "SCORE+", Unit: "score", Default: experiment.FloatValue(1), Max: 1e6,
			Meaning: "added to the score for each relevant document", Source: paper + "section 3.2"},
		{To: &c.run.ScoreMinus, Name: "score_minus", Symbol: "SCORE−", Unit: "score", Default: experiment.FloatValue(0.05), Max: 1e6,
			Meaning: "taken from the score for each document sent", Source: paper + "section 3.2"},
		{To: &c.run.MaxScore, Name: "max_score", Symbol: "MAX_SCORE", Unit: "score", Default: experiment.FloatValue(200), Min: -1e6, Max: 1e6,
			Meaning: "score at which a forager multiplies", Source: paper + "section 3.2"},
		{To: &c.run.MinScore, Name: "min_score", Symbol: "MIN_SCORE", Unit: "score", Default: experiment.FloatValue(0), Min: -1e6, Max: 1e6,
			Meaning: "score at which a forager is deleted", Source: paper + "section 3.2"},
		{To: &c.start, Name: "start_forager", Unit: "foragers", Default: experiment.IntValue(2), Min: 1, Max: foraging.MaxFleet,
			Meaning: "foragers at the start; min_forager, if that is more", Source: paper + "section 4.2.1"},
		{To: &c.run.MinForager, Name: "min_forager", Symbol: "MIN_FORAGER", Unit: "foragers", Default: experiment.IntValue(2), Max: foraging.MaxFleet,
			Meaning: "foragers at least; with 0 all may die, which ends the run", Source: paper + "section 3.2"},
		{To: &c.run.MaxForager, Name: "max_forager", Symbol: "MAX_FORAGER", Unit: "foragers", Default: experiment.IntValue(16), Min: 1, Max: foraging.MaxFleet,
			Meaning: "foragers at most", Source: paper + "section 3.2"},
		{To: &c.run.SliceTime, Name: "slice_seconds", Unit: "s", Default: experiment.FloatValue(180), Min: 1, Max: 1e6,
			Meaning: "time that a forager works before the next one's turn; the step begun is finished", Source: paper + "section 4.1"},
	}

	simulation := []experiment.Param{
		{To: &c.run.Days, Name: "days", Unit: "d", Default: experiment.FloatValue(8), Min: 0.01, Max: 365,
			Meaning: "simulated time", Source: paper + "axes of Figures 2 and 3"},
		{To: &c.run.WindowHours, Name: "window_hours", Unit: "h", Default: experiment.FloatValue(3), Min: 0.01, Max: 8760,
			Meaning: "length of a measurement window; what is after the last whole one is in no row of the series",
			Source:  paper + "Table 1"},
	}

	worldSeed := []experiment.Param{
		{To: &c.site.model.Seed, Name: "world_seed", Default: experiment.IntValue(1), Max: 1 << 53,
			Meaning: "seed of the recorded site; all runs of the paper use one site", Source: paper + "section 4.2"},
	}
	return slices.Concat(experiment.Group("fleet", fleet), experiment.Group("reinforcing agent", agent),
		experiment.Group("simulation", simulation), experiment.Group(WorldGroup, append(worldSeed, s.siteParams(&c.site)...)))
}

// foragingRules declares what the parameters must satisfy together.
func (s *sites) foragingRules(params func(*foragingConfig) []experiment.Param) []experiment.Rule {
	type config = foragingConfig
	diverging := experiment.Require(params, (*config).checkStep, "alpha", "gamma", "topics")
	diverging.Warns = true
	return append(siteRules(), diverging,
		experiment.Require(params, func(c *config) error { return c.run.CheckStart() }, "start_size", "weblog_size"),
		experiment.Require(params, func(c *config) error {
			return c.run.CheckFleet(max(c.start, c.run.MinForager))
		}, "start_forager", "min_forager", "max_forager"),
		experiment.Require(params, func(c *config) error { return c.run.CheckScores() }, "min_score", "max_score"),
		experiment.Require(params, s.checkDays, "days", "site_days"),
		experiment.Require(params, s.checkDays, "days", "site_tables"))
}

// kindsThat returns the kinds of foragers for which has is true.
func kindsThat(has func(foraging.Kind) bool) []foraging.Kind {
	return slices.DeleteFunc(foraging.Kinds(), func(k foraging.Kind) bool { return !has(k) })
}

// namesOf returns the names of these kinds.
func namesOf(has func(foraging.Kind) bool) []string {
	return lists.Map(kindsThat(has), func(k foraging.Kind) string { return k.Name })
}
