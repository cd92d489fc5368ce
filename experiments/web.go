package experiments

import (
	"cmp"
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
	wlrl := kindsThat(func(k foraging.Kind) bool { return k.Name == "WLRL" })
	wl := kindsThat(func(k foraging.Kind) bool { return k.Name == "WL" })
	switch order {
	case wlFirst:
		return append(slices.Repeat(wl, each), slices.Repeat(wlrl, each)...)
	case mixed:
		return slices.Repeat(append(wlrl, wl...), each)
	}
	return append(slices.Repeat(wlrl, each), slices.Repeat(wl, each)...)
}

// A crawl is what a run of the web experiment yields: what the fleet does,
// what each kind of forager has of it, and what was recorded.
type crawl struct {
	foraging.Measurements
	kinds     map[string]*foraging.Counts
	recording newssite.Structure
}

// Web declares the web experiment of Palotai, Farkas and Lőrincz (section
// 4.1): a fixed fleet of two kinds crawls a living site from its first starting
// URL on, and what it sees is recorded.
func Web(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "web",
		Version: webVersion,
		Title:   "8 WLRL and 8 WL foragers crawl a living news site for 18 days: who finds what, and the links of what is recorded",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:   s.foragingRules(s.webParams),
	}, s.webParams, webMeasures, foragingColumns, func(ctx context.Context, c *foragingConfig, seed int64) (result crawl, windows []foraging.Window, err error) {
		order := crawlers(c.order)
		result.kinds = map[string]*foraging.Counts{"WLRL": {}, "WL": {}}
		var recording *foraging.Recording
		result.Measurements, err = s.run(ctx, c, seed, func(site *newssite.Site) func(foraging.Download) {
			recording = foraging.NewRecording(site)
			found := map[string][]bool{"WLRL": make([]bool, site.URLs()), "WL": make([]bool, site.URLs())}
			return func(d foraging.Download) {
				recording.Observe(d)
				kind := order[d.Forager].Name // nobody is born or dies
				count(result.kinds[kind], d, found[kind])
			}
		})
		if err == nil {
			result.recording = newssite.Measure(recording.Site(), 100)
		}
		return result, result.Windows, err
	})
}

// record returns what the web experiment records of a crawled site in all its
// days, with the site's seed.
func record(site *newssite.Site, m newssite.Model) (*newssite.Site, error) {
	var c foragingConfig
	for _, p := range experiment.Params(new(sites).webParams(&c)) {
		p.Set(p.Default)
	}
	c.run.Days = float64(m.Days)
	recording := foraging.NewRecording(site)
	s := foraging.Simulator{Observe: recording.Observe}
	if _, err := s.Run(context.Background(), site, c.config(), m.Seed); err != nil {
		return nil, err
	}
	return recording.Site(), nil
}

// count counts a download; found has for each URL whether it was counted.
func count(c *foraging.Counts, d foraging.Download, found []bool) {
	c.Downloaded++
	if d.Sent {
		c.Sent++
	}
	if d.Relevant {
		c.Relevant++
	}
	if !found[d.URL] {
		found[d.URL] = true
		c.Found++
	}
}

// webParams declares the parameters: those of the foraging experiment but
// the kind of forager.
func (s *sites) webParams(c *foragingConfig) []experiment.Param {
	const source = paper + "section 4.1"
	c.site.site = crawledSite
	params := slices.DeleteFunc(s.params(c), func(p experiment.Param) bool {
		return p.Name == experiment.Algorithm || p.Name == "site"
	})
	for i := range params {
		params[i].UsedBy = nil
	}
	for _, name := range []string{"start_forager", "min_forager", "max_forager"} {
		declare(params, name, experiment.IntValue(16), source)
	}
	declare(params, "days", experiment.FloatValue(18), source)
	order := experiment.Param{To: &c.order, Name: "order", Group: "fleet", Choices: []string{wlrlFirst, wlFirst, mixed},
		Meaning: "order in which 8 WLRL and 8 WL foragers work; mixed: one of each in turn", Source: source}
	return slices.Insert(params, 0, order)
}

func webMeasures(c *crawl) []experiment.Measure {
	const source = paper + "section 4.1"
	list := append(counted(relevantNames, "", source, &c.Counts),
		measure("links", "links", "links recorded, in the last version of each URL", source, c.recording.Links),
		measure("out_slope", "", "slope of the recording's out-degrees, as in the structure experiment", source, c.recording.OutDegree.Exponent),
		measure("in_slope", "", "slope of its in-degrees", source, c.recording.InDegree.Exponent),
		measure("clustering", "", "its clustering coefficient", source, c.recording.Clustering),
		measure("mean_path", "links", "its mean shortest path", source, c.recording.MeanPath))
	for _, kind := range []string{"WLRL", "WL"} {
		list = append(list, counted([4]string{kind + "_downloaded", kind + "_sent", kind + "_relevant", kind + "_found"},
			" by "+kind+" foragers", source, cmp.Or(c.kinds[kind], new(foraging.Counts)))...)
	}
	return list
}
