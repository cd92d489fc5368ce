package experiments

import (
	"context"
	"slices"

	"sweep/environments/newssite"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// Structure declares the measurement of the recorded news site's links, for
// which section 4.1 of Palotai, Farkas and Lőrincz, Selection in Scale-Free
// Small World, gives numbers and a figure. Nobody crawls: a run measures
// one world, and its seed is that world's (world_seed of the foraging
// experiment).
//
// The numbers that the paper gives are targets of the calibration, so that to
// meet them is a fit. The form of the distributions was not aimed at.
func Structure(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "structure",
		Version: structureVersion,
		Title:   "the links of the recorded news site, as it is and rewired: degree distributions, clustering, paths; a run's seed is its world's",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:   siteRules(),
		Figures: structureFigures(),
	}, s.structureParams, structureMeasures, structureColumns, func(ctx context.Context, c *foragingConfig, seed int64) (m newssite.Structure, rows []degreeCount, err error) {
		c.site.model.Seed = seed
		site, err := s.build(c.site)
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			m = newssite.Measure(site, c.pathSources)
			rows = degrees(&m)
		}
		return m, rows, err
	})
}

// structureParams declares every parameter of the structure experiment.
func (s *sites) structureParams(c *foragingConfig) []experiment.Param {
	sources := experiment.Param{To: &c.pathSources, Name: "path_sources", Unit: "URLs", Default: experiment.IntValue(1000), Max: 5e6, Group: "measurement",
		Meaning: "URLs from which shortest paths are measured, chosen at random; 0: all, which takes long", Source: chosen}
	return append(experiment.Group(WorldGroup, s.siteParams(&c.site)), sources)
}

func structureMeasures(m *newssite.Structure) []experiment.Measure {
	const (
		source = "section 4.1"
		target = source + "; a target of the calibration"
	)
	return []experiment.Measure{
		measure("urls", "URLs", "URLs of the site", source, m.URLs),
		measure("links", "links", "links between them in the last version of each, counted once", source, m.Links),
		measure("out_slope", "", "exponent of P(k) as the slope of the least-squares line through log frequency and log out-degree, in bins that double", target, m.OutDegree.Exponent),
		measure("in_slope", "", "the same of in-degrees", target, m.InDegree.Exponent),
		measure("out_likelihood", "", "exponent of P(k) by maximum likelihood over all out-degrees from 1 on", "Clauset, Shalizi, Newman 2009, equation 3.7",
			m.OutDegree.Likelihood),
		measure("in_likelihood", "", "the same of in-degrees", "Clauset, Shalizi, Newman 2009, equation 3.7", m.InDegree.Likelihood),
		measure("clustering", "", "clustering coefficient of Watts and Strogatz, links without direction, mean over URLs", target, m.Clustering),
		measure("mean_path", "links", "mean length of shortest paths to what can be reached; the paper says diameter", target, m.MeanPath),
		measure("longest_path", "links", "longest of these paths, a lower bound of the diameter", source, m.Longest),
		measure("reached_share", "", "share of the URLs that can be reached from one, mean over the paths' sources", source, m.Reached),
	}
}

// degreeCount is a row of the series.
type degreeCount struct{ degree, out, in int }

// structureColumns returns the columns of the series, the axis first.
func structureColumns(d *degreeCount) []experiment.Measure {
	const source = "Figure 1"
	return []experiment.Measure{
		measure("degree", "links", "number of links; only degrees that some URL has", "", d.degree),
		measure("out_urls", "URLs", "URLs with as many outgoing links", source, d.out),
		measure("in_urls", "URLs", "URLs with as many incoming links", source, d.in),
	}
}

// degrees returns the degrees that some URL has, with the URLs of each.
func degrees(s *newssite.Structure) []degreeCount {
	rows := make([]degreeCount, max(len(s.OutDegree.Count), len(s.InDegree.Count)))
	for degree, urls := range s.OutDegree.Count {
		rows[degree].out = urls
	}
	for degree, urls := range s.InDegree.Count {
		rows[degree].in = urls
	}
	for degree := range rows {
		rows[degree].degree = degree
	}
	return slices.DeleteFunc(rows, func(r degreeCount) bool { return r.out+r.in == 0 })
}
