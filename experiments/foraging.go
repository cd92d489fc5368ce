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
)

// foragingConfig is the configuration of a point of an experiment on a news
// site. Foragers of the simulation follow from kind, start and order.
type foragingConfig struct {
	foraging.Config
	kind  string
	start int    // foragers at the start, if more than MinForager
	order string // of the web experiment's foragers; empty in other experiments
	site  siteKey

	pathSources int // URLs from which paths are measured, of structure and calibration
	fleets      int // of the calibration: fleets of each kind
}

// config returns the simulation's configuration, with its foragers.
func (c *foragingConfig) config() foraging.Config {
	run := c.Config
	if c.order != "" {
		run.Foragers = crawlers(c.order)
	} else {
		run.Foragers = slices.Repeat(kindNamed(c.kind), max(c.start, c.MinForager))
	}
	return run
}

// checkDays returns an error if the simulation would go on after the recording
// has ended. It accepts tables that were not read.
func (s *sites) checkDays(c *foragingConfig) error {
	recorded := c.site.Days
	of := "site_days"
	if c.site.tables != "" {
		site, ok := s.read.get(c.site.tables)
		if !ok {
			return nil
		}
		recorded = site.Days()
		of = "the days of site_tables,"
	}
	if c.Days > float64(recorded) {
		return fmt.Errorf("days %v is above %s %d: the site would stand still when its "+
			"recording has ended", c.Days, of, recorded)
	}
	return nil
}

// diverging is the factor of checkStep above which errors grow.
const diverging = 2

// checkStep returns an error if the ordering update is known to diverge. Nearly
// all components of a state are −1, so that one update between two similar
// states corrects the error by the factor alpha · topics · (1 − gamma). In a
// sweep of 18 alphas × 9 gammas with 50 topics, all runs with a factor above 2
// failed, and none with one below 1.7.
func (c *foragingConfig) checkStep() error {
	topics := float64(c.site.Topics)
	if float64(c.Alpha*topics)*(1-c.Gamma) > diverging {
		return fmt.Errorf("with alpha %v and gamma %v the weights of foragers are known to "+
			"diverge, and runs fail: try alpha %.2g",
			c.Alpha, c.Gamma, 1/(topics*(1-c.Gamma)))
	}
	return nil
}

// siteKey identifies a world: it holds all that a recorded site depends on.
type siteKey struct {
	// tables stands for the content of the tables of a site. Of its Model, only
	// the seed matters then.
	tables string

	newssite.Model
	site    string // wholeSite, crawledSite or recordedSite
	rewired float64

	downloads float64 // of each URL in a day, as a mean; 0: as they are
}

// The parts of a site on which an experiment can run.
const (
	wholeSite    = "whole"
	crawledSite  = "crawled"  // the whole site for the web experiment, which starts from one URL
	recordedSite = "recorded" // what a run of the web experiment sees of it
)

// sites reads and builds sites, keeps them, and runs simulations on them. It is
// safe for concurrent use. The zero value can only build sites.
type sites struct {
	shipped    history.Files
	read       files[*newssite.Site] // those whose tables specs name
	kept       *worlds[siteKey, *newssite.Site]
	simulators sync.Pool
}

func newSites(shipped history.Files) *sites {
	s := &sites{shipped: shipped}
	s.simulators.New = func() any { return new(foraging.Simulator) }
	s.kept = newWorlds(s.build, (*newssite.Site).Bytes)
	return s
}

// build builds the site of a key.
func (s *sites) build(key siteKey) (*newssite.Site, error) {
	site, err := s.source(key)
	if err != nil {
		return nil, err
	}
	if key.downloads > 0 {
		site = newssite.Pace(site, key.downloads)
	}
	if key.site != wholeSite {
		crawled := *site
		crawled.Start = site.Start[:1]
		site = &crawled
	}
	if key.site == recordedSite {
		days := key.Days
		if key.tables != "" {
			days = site.Days()
		}
		site, err = record(site, days, key.Seed)
		if err != nil {
			return nil, err
		}
	}
	if key.rewired > 0 {
		site = newssite.Rewire(site, key.rewired, key.Seed)
	}
	return site, nil
}

// source returns the site of a key as it was generated, or read from tables.
func (s *sites) source(key siteKey) (*newssite.Site, error) {
	if key.tables == "" {
		return newssite.Generate(key.Model)
	}
	site, ok := s.read.get(key.tables)
	if !ok {
		return nil, fmt.Errorf("site_tables %s %w", key.tables, errUnread)
	}
	return site, nil
}

// An observer returns the function that gets each download on a site.
type observer func(*newssite.Site) func(foraging.Download)

// run simulates one fleet. observe may be nil.
func (s *sites) run(ctx context.Context, c *foragingConfig, seed int64, observe observer) (
	m foraging.Measurements, err error,
) {
	if err := s.checkDays(c); err != nil {
		return m, err
	}
	site, err := s.kept.get(c.site)
	if err != nil {
		return m, err
	}
	simulator := s.simulators.Get().(*foraging.Simulator)
	simulator.Observe = nil
	if observe != nil {
		simulator.Observe = observe(site)
	}
	measured, err := simulator.Run(ctx, site, c.config(), seed)
	s.simulators.Put(simulator) // not deferred: one that panicked is not used again
	if err != nil {
		return m, err
	}
	return *measured, nil
}

// Foraging declares the comparison of weblog update and reinforcement
// learning in Palotai, Farkas and Lőrincz, Selection in Scale-Free Small
// World.
func Foraging(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "foraging",
		Version: foragingVersion,
		Title: "fleets of news foragers on a recorded news site: weblog update (WL), " +
			"URL ordering by temporal differences (RL), both (WLRL)",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:   s.foragingRules(s.params),
		Tables:  []experiment.Table{table2()},
		Figures: foragingFigures(),
	}, s.params, foragingMeasures, foragingColumns, s.runForaging)
}

func (s *sites) runForaging(ctx context.Context, c *foragingConfig, seed int64) (
	foraging.Measurements, []foraging.Window, error,
) {
	m, err := s.run(ctx, c, seed, nil)
	return m, m.Windows, err
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

// counted declares the counts of downloads. names are those of the four
// numbers; during is appended to their meanings and says which downloads count.
func counted(names [4]string, during, source string, c *foraging.Counts) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured(names[0], "documents",
			"documents downloaded, each time counted"+during, source, c.Downloaded),
		experiment.Measured(names[1], "documents",
			"documents sent to the reinforcing agent"+during, source, c.Sent),
		experiment.Measured(names[2], "documents",
			"documents rewarded: sent first, and not older than the relevance limit"+during,
			source, c.Relevant),
		experiment.Measured(names[3], "URLs",
			"URLs downloaded for the first time"+during, source, c.Found),
	}
}

// What Table 2 and the news-forager papers call the numbers of counted.
var (
	relevantNames   = [4]string{"downloaded", "sent", "relevant", "found_urls"}
	reinforcedNames = [4]string{"downloaded", "sent", "reinforced", "found_urls"}
)

func foragingMeasures(m *foraging.Measurements) []experiment.Measure {
	const source = "Table 1"
	return slices.Concat(counted(relevantNames, "", source, &m.Counts), []experiment.Measure{
		experiment.Measured("download_efficiency", "",
			"relevant / downloaded, over the whole run; per window in the series",
			source, ratio(m.Relevant, m.Downloaded)),
		experiment.Measured("sent_efficiency", "",
			"relevant / sent, over the whole run; per window in the series",
			source, ratio(m.Relevant, m.Sent)),
		experiment.Measured("relative_found_url", "",
			"found_urls / downloaded at the end", source, ratio(m.Found, m.Downloaded)),
		experiment.Measured("freshness", "",
			"share of current documents among the stored ones whose date is within the "+
				"relevance limit, mean over windows",
			source, m.Freshness),
		experiment.Measured("age_hours", "h",
			"mean age of the same documents: 0 if current, else time since the page last "+
				"changed, mean over windows",
			source, m.Age),
		experiment.Measured("foragers", "foragers",
			"foragers at the end", "section 3.2", m.Foragers),
		experiment.Measured("multiplications", "",
			"foragers multiplied", "Algorithm 8", m.Multiplications),
		experiment.Measured("deletions", "", "foragers deleted", "Algorithm 8", m.Deletions),
		experiment.Measured("relevant_share", "",
			"relevant / all documents that the site shows during the run while they are young "+
				"enough to be relevant: 1 is a bound that no fleet exceeds",
			"ours", ratio(m.Relevant, m.Findable)),
		experiment.Measured("peaks", "/d",
			"windows a day, after the first day, whose download efficiency is above the mean "+
				"and above the windows before and after",
			"section 4.2.3, Figure 2", m.Peaks.Number),
		experiment.Measured("sharpness", "",
			"by how much download efficiency at these peaks is above the mean of the windows "+
				"before and after, in parts of the mean of all",
			"section 4.2.3, Figure 2", m.Peaks.Sharpness),
	}, persistence(paper+"section 5", &m.Persistence))
}

// persistence declares whether foragers stay where they were.
func persistence(source string, p *foraging.Persistence) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("same_visits", "",
			"share of the URLs that a forager visited on a day which it had visited on the "+
				"day before",
			source, p.Visits),
		experiment.Measured("same_starts", "",
			"share of the URLs at which a forager's paths began on a day, and also on the "+
				"day before",
			source, p.Starts),
		experiment.Measured("young_yield", "",
			"relevant documents per download of foragers created less than a day ago, in "+
				"parts of that of the others in the same windows",
			source, p.Young),
	}
}

// foragingColumns returns the columns of the series, the axis first.
func foragingColumns(w *foraging.Window) []experiment.Measure {
	const source = "Table 1, Figures 2 and 3"
	return slices.Concat(windowed(relevantNames, source, w), []experiment.Measure{
		experiment.Measured("download_efficiency", "",
			"relevant / downloaded in the window", source, ratio(w.Relevant, w.Downloaded)),
		experiment.Measured("sent_efficiency", "",
			"relevant / sent in the window", source, ratio(w.Relevant, w.Sent)),
		experiment.Measured("freshness", "",
			"share of current documents at the window's end", source, w.Freshness),
		experiment.Measured("age_hours", "h",
			"mean age of documents at the window's end", source, w.Age),
		experiment.Measured("foragers", "foragers",
			"foragers at the window's end", source, w.Foragers),
	})
}

// windowed declares the axis and the counts of a series of windows.
func windowed(names [4]string, source string, w *foraging.Window) []experiment.Measure {
	hours := experiment.Measured("hours", "h",
		"end of the window, from the start of the simulation", source, w.End)
	counts := counted(names, " in the window", source, &w.Counts)
	return append([]experiment.Measure{hours}, counts...)
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
	table := experiment.Table{
		Name:    "table2",
		Title:   "Simulation results",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World, Table 2",
		Note:    "3 runs of each type",
		Column:  experiment.Algorithm,
		Headers: []string{"RL", "WL"},
	}
	for _, row := range []struct {
		metric, label string
		digits        int
		rl, rlStd     float64
		wl, wlStd     float64
	}{
		{"downloaded", "downloaded", 0, 540636, 9840, 669673, 9580},
		{"sent", "sent", 0, 9747, 98, 6345, 385},
		{"relevant", "relevant", 0, 2419, 45, 3107, 60},
		{"found_urls", "found URLs", 0, 31092, 1050, 33116, 3370},
		{"download_efficiency", "download efficiency", 4, 0.0045, 0.0001, 0.0046, 0.0001},
		{"sent_efficiency", "sent efficiency", 3, 0.248, 0.003, 0.49, 0.031},
		{"relative_found_url", "relative found URL", 3, 0.058, 0.001, 0.05, 0.006},
		{"freshness", "freshness", 3, 0.7, 0.006, 0.74, 0.011},
		{"age_hours", "age (in hours)", 2, 1.79, 0.04, 1.56, 0.08},
	} {
		table.Rows = append(table.Rows, experiment.TableRow{
			Metric: row.metric,
			Label:  row.label,
			Mean:   []float64{row.rl, row.wl},
			Std:    []float64{row.rlStd, row.wlStd},
			Digits: row.digits,
		})
	}
	return table
}
