package experiments

import (
	"context"
	"math"
	"slices"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// A fit is what the calibration of the news site measures of one world.
type fit struct {
	rl, wl, fixed fleetMeans
	site, rewired newssite.Structure
}

// fleetMeans are the numbers of Table 2, as means over the fleets of a kind.
type fleetMeans struct {
	downloaded, sent, relevant, found, freshness, age float64

	std float64 // of relevant; NaN of a single fleet
}

// Calibration declares what the parameters of the news site are fitted to
// (docs/deviations.md): in one world, fleets as in Table 2 of Palotai, Farkas
// and Lőrincz, Selection in Scale-Free Small World, and of foragers that learn
// nothing, and the structure of the links, as they are and rewired. A run's
// seed is its world's. The foragers have the defaults of the foraging
// experiment.
func Calibration(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "calibration",
		Version: calibrationVersion,
		Title: "what the news site is fitted to: fleets of Table 2 in one world, and its " +
			"links; a run's seed is its world's",
		Source: "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:  calibrationRules(),
	}, s.calibrationParams, calibrationMeasures, nil, s.runCalibration)
}

// calibrationRules are those of the site but for what is tied in a calibration.
func calibrationRules() []experiment.Rule {
	return slices.DeleteFunc(siteRules(), func(r experiment.Rule) bool {
		return slices.Contains(r.Params, "download_zipf")
	})
}

// notFitted are parameters of the site that have one value in a calibration.
// Its download_zipf is its section_zipf.
var notFitted = []string{"site_tables", "site", "pages", "rewired", "download_zipf"}

// calibrationParams declares the parameters: those of a generated site, and how
// much is measured.
func (s *sites) calibrationParams(c *foragingConfig) []experiment.Param {
	params := slices.DeleteFunc(s.siteParams(&c.site), func(p experiment.Param) bool {
		return slices.Contains(notFitted, p.Name)
	})
	measurement := []experiment.Param{
		{
			To:      &c.fleets,
			Name:    "fleets",
			Default: experiment.IntValue(3),
			Min:     1,
			Max:     1000,
			Group:   "measurement",
			Meaning: "runs of each kind of fleet in a world",
			Source:  "Table 2: 3 runs of each type",
		},
		{
			To:      &c.pathSources,
			Name:    "path_sources",
			Unit:    "URLs",
			Default: experiment.IntValue(200),
			Min:     1,
			Max:     5e6,
			Group:   "measurement",
			Meaning: "URLs from which shortest paths are measured, chosen at random",
			Source:  chosen,
		},
	}
	return append(experiment.Group(WorldGroup, params), measurement...)
}

func (s *sites) runCalibration(ctx context.Context, c *foragingConfig, seed int64) (
	m fit, none []struct{}, err error,
) {
	var all foragingConfig
	for _, p := range experiment.Params(s.params(&all)) {
		p.Set(p.Default)
	}
	world := all.site
	world.Model = c.site.Model
	world.Seed = seed
	world.DownloadZipf = world.SectionZipf
	all.site = world
	for _, of := range []struct {
		kind  string
		means *fleetMeans
	}{{"RL", &m.rl}, {"WL", &m.wl}, {"fixed", &m.fixed}} {
		all.kind = of.kind
		*of.means, err = s.runFleets(ctx, &all, c.fleets)
		if err != nil {
			return m, nil, err
		}
	}
	site, err := s.kept.get(world)
	if err != nil {
		return m, nil, err
	}
	m.site = newssite.Measure(site, c.pathSources)
	if err := ctx.Err(); err != nil {
		return m, nil, err
	}
	m.rewired = newssite.Measure(newssite.Rewire(site, 1, world.Seed), c.pathSources)
	return m, nil, nil
}

// runFleets simulates several fleets of a kind in one world, with seeds that no
// other world has.
func (s *sites) runFleets(
	ctx context.Context, c *foragingConfig, fleets int,
) (means fleetMeans, err error) {
	var relevant []float64
	for k := range fleets {
		m, err := s.run(ctx, c, c.site.Seed*int64(fleets)+int64(k), nil)
		if err != nil {
			return means, err
		}
		means.add(&m, float64(fleets))
		relevant = append(relevant, float64(m.Relevant))
	}
	means.std = math.NaN()
	if fleets > 1 {
		sum := 0.0
		for _, x := range relevant {
			d := x - means.relevant
			sum += float64(d * d)
		}
		means.std = math.Sqrt(sum / float64(fleets-1))
	}
	return means, nil
}

// add adds a fleet's share of the means over n of them.
func (f *fleetMeans) add(m *foraging.Measurements, n float64) {
	f.downloaded += float64(m.Downloaded) / n
	f.sent += float64(m.Sent) / n
	f.relevant += float64(m.Relevant) / n
	f.found += float64(m.Found) / n
	f.freshness += m.Freshness / n
	f.age += m.Age / n
}

func calibrationMeasures(m *fit) []experiment.Measure {
	const source = "section 4.1"
	return slices.Concat(fleetMeasures("rl", &m.rl), fleetMeasures("wl", &m.wl),
		[]experiment.Measure{
			experiment.Measured("fixed_relevant", "documents",
				"relevant documents of fleets that learn nothing, mean", "ours", m.fixed.relevant),
			experiment.Measured("wl_std", "documents",
				"standard deviation of the relevant documents of WL fleets", "Table 2", m.wl.std),
			experiment.Measured("out_slope", "", "out_slope of the structure experiment",
				source, m.site.OutDegree.Exponent),
			experiment.Measured("in_slope", "", "in_slope of the structure experiment",
				source, m.site.InDegree.Exponent),
			experiment.Measured("clustering", "", "clustering coefficient", source,
				m.site.Clustering),
			experiment.Measured("mean_path", "links", "mean length of shortest paths", source,
				m.site.MeanPath),
			experiment.Measured("rewired_clustering", "",
				"clustering coefficient if all links are rewired", source, m.rewired.Clustering),
			experiment.Measured("rewired_mean_path", "links",
				"mean length of shortest paths if all links are rewired", source,
				m.rewired.MeanPath),
		})
}

// fleetMeasures declares the numbers of Table 2 of a kind of fleet.
func fleetMeasures(kind string, f *fleetMeans) []experiment.Measure {
	measured := func(name, unit, meaning string, x float64) experiment.Measure {
		meaning += ", mean over the fleets"
		return experiment.Measured(kind+"_"+name, unit, meaning, "Table 2", x)
	}
	return []experiment.Measure{
		measured("downloaded", "documents", "documents downloaded", f.downloaded),
		measured("sent", "documents", "documents sent", f.sent),
		measured("relevant", "documents", "documents rewarded", f.relevant),
		measured("found_urls", "URLs", "URLs downloaded for the first time", f.found),
		measured("download_efficiency", "", "relevant / downloaded, of the means",
			f.relevant/f.downloaded),
		measured("sent_efficiency", "", "relevant / sent, of the means", f.relevant/f.sent),
		measured("relative_found_url", "", "found_urls / downloaded, of the means",
			f.found/f.downloaded),
		measured("freshness", "", "freshness", f.freshness),
		measured("age_hours", "h", "age", f.age),
	}
}
