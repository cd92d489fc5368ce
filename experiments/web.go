package experiments

import (
	"context"
	"slices"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// The orders in which the foragers of the web experiment work.
const (
	wlrlFirst = "WLRL first" // the paper's: 8 WLRL, then 8 WL
	wlFirst   = "WL first"   // 8 WL, then 8 WLRL
	mixed     = "mixed"      // one of each in turn
)

// crawlers returns the 16 foragers of the web experiment in an order.
func crawlers(order string) []foraging.Kind {
	const each = 8
	wlrl := kindNamed("WLRL")
	wl := kindNamed("WL")
	switch order {
	case wlFirst:
		return append(slices.Repeat(wl, each), slices.Repeat(wlrl, each)...)
	case mixed:
		return slices.Repeat(append(wlrl, wl...), each)
	}
	return append(slices.Repeat(wlrl, each), slices.Repeat(wl, each)...)
}

// A crawl is the result of a run of the web experiment: what the fleet did,
// what each kind of forager did, and what was recorded.
type crawl struct {
	foraging.Measurements
	wlrl, wl  foraging.Counts
	recording newssite.Structure
}

// pathSources is the number of URLs from which shortest paths are measured in
// what the web experiment records. It is assumed; the papers say nothing.
const pathSources = 100

// Web declares the web experiment of Palotai, Farkas and Lőrincz (section
// 4.1): a fixed fleet of two kinds crawls a living site, beginning at its first
// starting URL, and what it sees is recorded.
func Web(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "web",
		Version: webVersion,
		Title: "8 WLRL and 8 WL foragers crawl a living news site for 18 days: who finds " +
			"what, and the links of what is recorded",
		Source: "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:  s.foragingRules(s.webParams),
	}, s.webParams, webMeasures, foragingColumns, s.runWeb)
}

func (s *sites) runWeb(ctx context.Context, c *foragingConfig, seed int64) (
	result crawl, windows []foraging.Window, err error,
) {
	order := crawlers(c.order)
	var recording *foraging.Recording
	observe := func(site *newssite.Site) func(foraging.Download) {
		recording = foraging.NewRecording(site)
		tallies := map[string]*tally{
			"WLRL": {counts: &result.wlrl, found: make([]bool, site.URLs())},
			"WL":   {counts: &result.wl, found: make([]bool, site.URLs())},
		}
		return func(d foraging.Download) {
			recording.Observe(d)
			kind := order[d.Forager].Name // nobody is born or dies
			tallies[kind].add(d)
		}
	}
	result.Measurements, err = s.run(ctx, c, seed, observe)
	if err != nil {
		return result, nil, err
	}
	result.recording = newssite.Measure(recording.Site(), pathSources)
	return result, result.Windows, nil
}

// record returns what the web experiment with defaults records of a crawled
// site in some days, under a seed.
func record(site *newssite.Site, days int, seed int64) (*newssite.Site, error) {
	var c foragingConfig
	for _, p := range experiment.Params(new(sites).webParams(&c)) {
		p.Set(p.Default)
	}
	c.Days = float64(days)
	recording := foraging.NewRecording(site)
	s := foraging.Simulator{Observe: recording.Observe}
	if _, err := s.Run(context.Background(), site, c.config(), seed); err != nil {
		return nil, err
	}
	return recording.Site(), nil
}

// A tally counts the downloads of one kind of forager.
type tally struct {
	counts *foraging.Counts
	found  []bool // for each URL, whether it was downloaded
}

func (t *tally) add(d foraging.Download) {
	t.counts.Downloaded++
	if d.Sent {
		t.counts.Sent++
	}
	if d.Relevant {
		t.counts.Relevant++
	}
	if !t.found[d.URL] {
		t.found[d.URL] = true
		t.counts.Found++
	}
}

// webParams declares the parameters: those of the foraging experiment that WLRL
// foragers use, who use all that WL foragers do, without the kind of forager.
func (s *sites) webParams(c *foragingConfig) []experiment.Param {
	const source = paper + "section 4.1"
	c.site.site = crawledSite
	params := slices.DeleteFunc(s.params(c), func(p experiment.Param) bool {
		return p.Name == experiment.Algorithm || p.Name == "site" || !p.Uses("WLRL")
	})
	for i := range params {
		params[i].UsedBy = nil
	}
	for _, name := range []string{"start_forager", "min_forager", "max_forager"} {
		declare(params, name, experiment.IntValue(16), source)
	}
	declare(params, "days", experiment.FloatValue(18), source)
	order := experiment.Param{
		To:      &c.order,
		Name:    "order",
		Group:   "fleet",
		Choices: []string{wlrlFirst, wlFirst, mixed},
		Meaning: "order in which 8 WLRL and 8 WL foragers work; mixed: one of each in turn",
		Source:  source,
	}
	return slices.Insert(params, 0, order)
}

func webMeasures(c *crawl) []experiment.Measure {
	const source = paper + "section 4.1"
	ofKind := func(kind string, counts *foraging.Counts) []experiment.Measure {
		names := [4]string{"downloaded", "sent", "relevant", "found"}
		for i := range names {
			names[i] = kind + "_" + names[i]
		}
		return counted(names, " by "+kind+" foragers", source, counts)
	}
	recorded := []experiment.Measure{
		experiment.Measured("links", "links",
			"links recorded, in the last version of each URL", source, c.recording.Links),
		experiment.Measured("out_slope", "",
			"slope of the recording's out-degrees, as in the structure experiment",
			source, c.recording.OutDegree.Exponent),
		experiment.Measured("in_slope", "",
			"slope of its in-degrees", source, c.recording.InDegree.Exponent),
		experiment.Measured("clustering", "",
			"its clustering coefficient", source, c.recording.Clustering),
		experiment.Measured("mean_path", "links",
			"its mean shortest path", source, c.recording.MeanPath),
	}
	return slices.Concat(counted(relevantNames, "", source, &c.Counts), recorded,
		ofKind("WLRL", &c.wlrl), ofKind("WL", &c.wl))
}
