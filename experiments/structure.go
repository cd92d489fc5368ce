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
// Small World, gives numbers and a figure. Nothing is crawled: a run measures
// one world, and its seed is that world's (world_seed of the foraging
// experiment).
//
// The calibration aimed at the numbers that the paper gives, so agreement with
// them is a fit. It did not aim at the form of the distributions.
func Structure(shipped history.Files) *experiment.Experiment {
	s := newSites(shipped)
	return experiment.Simulation(experiment.Experiment{
		Name:    "structure",
		Version: structureVersion,
		Title: "the links of the recorded news site, as it is and rewired: degree " +
			"distributions, clustering, paths; a run's seed is its world's",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Rules:   siteRules(),
		Figures: structureFigures(),
	}, s.structureParams, structureMeasures, structureColumns, s.runStructure)
}

func (s *sites) runStructure(ctx context.Context, c *foragingConfig, seed int64) (
	m newssite.Structure, rows []degreeCount, err error,
) {
	c.site.Seed = seed
	site, err := s.build(c.site)
	if err != nil {
		return m, nil, err
	}
	if err := ctx.Err(); err != nil {
		return m, nil, err
	}
	m = newssite.Measure(site, c.pathSources)
	return m, degrees(&m), nil
}

// structureParams declares every parameter of the structure experiment.
func (s *sites) structureParams(c *foragingConfig) []experiment.Param {
	sources := experiment.Param{
		To:      &c.pathSources,
		Name:    "path_sources",
		Unit:    "URLs",
		Default: experiment.IntValue(1000),
		Max:     5e6,
		Group:   "measurement",
		Meaning: "URLs from which shortest paths are measured, chosen at random; 0: all, which " +
			"takes long",
		Source: chosen,
	}
	return append(experiment.Group(WorldGroup, s.siteParams(&c.site)), sources)
}

func structureMeasures(m *newssite.Structure) []experiment.Measure {
	const (
		source  = "section 4.1"
		target  = source + "; a target of the calibration"
		clauset = "Clauset, Shalizi, Newman 2009, equation 3.7"
	)
	return []experiment.Measure{
		experiment.Measured("urls", "URLs", "URLs of the site", source, m.URLs),
		experiment.Measured("links", "links",
			"links between them in the last version of each, counted once", source, m.Links),
		experiment.Measured("out_slope", "",
			"exponent of P(k) as the slope of the least-squares line through log frequency and "+
				"log out-degree, in bins that double",
			target, m.OutDegree.Exponent),
		experiment.Measured("in_slope", "", "the same of in-degrees", target, m.InDegree.Exponent),
		experiment.Measured("out_likelihood", "",
			"exponent of P(k) by maximum likelihood over all out-degrees from 1 on",
			clauset, m.OutDegree.Likelihood),
		experiment.Measured("in_likelihood", "",
			"the same of in-degrees", clauset, m.InDegree.Likelihood),
		experiment.Measured("clustering", "",
			"clustering coefficient of Watts and Strogatz, links without direction, mean over URLs",
			target, m.Clustering),
		experiment.Measured("mean_path", "links",
			"mean length of shortest paths to what can be reached; the paper says diameter",
			target, m.MeanPath),
		experiment.Measured("longest_path", "links",
			"longest of these paths, a lower bound of the diameter", source, m.Longest),
		experiment.Measured("reached_share", "",
			"share of the URLs that can be reached from one, mean over the paths' sources",
			source, m.Reached),
	}
}

// degreeCount is a row of the series.
type degreeCount struct{ degree, out, in int }

// structureColumns returns the columns of the series, the axis first.
func structureColumns(d *degreeCount) []experiment.Measure {
	const source = "Figure 1"
	return []experiment.Measure{
		experiment.Measured("degree", "links",
			"number of links; only degrees that some URL has", "", d.degree),
		experiment.Measured("out_urls", "URLs", "URLs with as many outgoing links", source, d.out),
		experiment.Measured("in_urls", "URLs", "URLs with as many incoming links", source, d.in),
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
