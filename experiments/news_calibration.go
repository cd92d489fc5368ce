package experiments

import (
	"context"
	"slices"

	"sweep/algorithms/foraging"
	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// A newsFit is what a calibration of the site of the news foragers measures of
// one world.
type newsFit struct {
	run   newsRun
	steps int64
	site  newssite.Structure
	each  float64 // download time of a page, in seconds
}

// NewsCalibration declares what a site of the news foragers could be fitted to:
// the community of NewsForagers in one world, and the laws of the site that the
// papers of Palotai, Mandusitz and Lőrincz give. A run's seed is its world's.
func NewsCalibration(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "news-calibration",
		Version: newsCalibrationVersion,
		Title: "what the site of the news foragers is fitted to: their community in one " +
			"world, and its links; a run's seed is its world's",
		Source: "Palotai, Mandusitz, Lőrincz: Centralized reward system gives rise to fast and " +
			"efficient work sharing for intelligent Internet agents lacking direct communication",
		Rules: s.foragingRules(s.newsCalibrationParams),
	}, s.newsCalibrationParams, newsFitMeasures, nil, s.runNewsCalibration)
}

// newsCalibrationParams declares the parameters: those that news foragers use,
// without the kind of forager, and the world, which is the run's seed.
func (s *sites) newsCalibrationParams(c *foragingConfig) []experiment.Param {
	fixed := []string{experiment.Algorithm, "world_seed", "site", "rewired"}
	params := slices.DeleteFunc(s.newsForagersParams(c), func(p experiment.Param) bool {
		return slices.Contains(fixed, p.Name) || !p.Uses("WLRL")
	})
	for i := range params {
		params[i].UsedBy = nil
	}
	return params
}

func (s *sites) runNewsCalibration(ctx context.Context, c *foragingConfig, seed int64) (
	m newsFit, none []struct{}, err error,
) {
	c.kind = "WLRL"
	c.site.site = wholeSite
	c.site.Seed = seed
	var d *foraging.Division
	observe := func(site *newssite.Site) func(foraging.Download) {
		d = foraging.NewDivision(site, c.WindowHours)
		return func(download foraging.Download) {
			d.Observe(download)
			if download.Visited {
				m.steps++
			}
		}
	}
	m.run.Measurements, err = s.run(ctx, c, seed, observe)
	if err != nil {
		return m, nil, err
	}
	m.run.join(d.Intervals(), c.WindowHours, 24*c.Days)
	site, err := s.kept.get(c.site)
	if err != nil {
		return m, nil, err
	}
	m.site = newssite.Measure(site, 1)
	m.each = c.site.DownloadTime
	return m, nil, nil
}

func newsFitMeasures(m *newsFit) []experiment.Measure {
	const source = centralized + "section 3"
	perStep := ratio(m.run.Downloaded, m.steps)
	wanted := []string{"foragers", "deletions", "least_value", "lived_days", "exclusive"}
	kept := slices.DeleteFunc(newsForagersMeasures(&m.run), func(x experiment.Measure) bool {
		isCount := slices.Contains(reinforcedNames[:], x.Name)
		return !isCount && !slices.Contains(wanted, x.Name)
	})
	return append(kept,
		experiment.Measured("documents_per_step", "documents",
			"documents downloaded in a step, mean", source, perStep),
		experiment.Measured("path_seconds", "s",
			"time of 100 steps, if all pages take download_seconds", source,
			100*perStep*m.each),
		experiment.Measured("out_slope", "", "out_slope of the structure experiment",
			centralized+"section 2", m.site.OutDegree.Exponent),
		experiment.Measured("in_slope", "", "in_slope of the structure experiment",
			centralized+"section 2", m.site.InDegree.Exponent),
	)
}
