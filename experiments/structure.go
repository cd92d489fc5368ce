package experiments

import (
	"context"

	"sweep/environments/newssite"
	"sweep/experiment"
)

// structureVersion is the model version of the structure experiment: raise
// it with any change that can alter a bit of a result.
const structureVersion = 1

// structureConfig is what a point of the structure experiment configures.
type structureConfig struct {
	site        siteKey
	pathSources int
}

// Structure declares the measurement of the recorded news site's links, for
// which section 4.1 of Palotai, Farkas and Lőrincz, Selection in Scale-Free
// Small World, gives numbers and a figure. Nobody crawls: a run measures
// one world, and its seed is that world's (world_seed of the foraging
// experiment).
//
// The four numbers that the paper gives for the original site are targets
// of the calibration, so that to meet them there is a fit. Those of the
// rewired site, and the form of the distributions, were not aimed at.
func Structure() *experiment.Experiment {
	fields := structureFields()
	return &experiment.Experiment{
		Name:    "structure",
		Version: structureVersion,
		Title:   "the links of the recorded news site, as it is and rewired: degree distributions, clustering, paths; a run's seed is its world's",
		Source:  "Palotai, Farkas, Lőrincz: Selection in Scale-Free Small World",
		Params:  params(fields),
		Rules:   siteRules(),
		Metrics: structureMetrics(),
		Series:  structureSeries(),
		Figures: structureFigures(),
		Run: func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			c := structureConfig{site: siteKey{model: newssite.Model{Seed: p.Seed}}}
			configure(&c, fields, p.Values)
			site, err := buildSite(c.site)
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			*out = structureResult(newssite.Measure(site, c.pathSources))
			return nil
		},
	}
}

// structureFields declares every parameter of the structure experiment,
// with the place that its value goes to.
func structureFields() []field[structureConfig] {
	type config = structureConfig
	fields := within(siteFields(), func(c *config) *siteKey { return &c.site })
	for i := range fields {
		fields[i].Group = WorldGroup
	}
	sources := whole("path_sources", "", "URLs", 1000, 0, 5e6, nil,
		"URLs from which shortest paths are measured, chosen at random; 0: all, which takes long", chosen,
		func(c *config, n int) { c.pathSources = n })
	sources.Group = "measurement"
	return append(fields, sources)
}

func structureMetrics() []experiment.Metric {
	const (
		source = "section 4.1"
		target = source + "; a target of the calibration where the site is not rewired"
	)
	return []experiment.Metric{
		{Name: "urls", Kind: experiment.Int, Unit: "URLs", Source: source,
			Meaning: "URLs of the site"},
		{Name: "links", Kind: experiment.Int, Unit: "links", Source: source,
			Meaning: "links between them in the last version of each, counted once"},
		{Name: "out_slope", Kind: experiment.Float, Source: target,
			Meaning: "exponent of P(k) as the slope of the least-squares line through log frequency and log out-degree, in bins that double"},
		{Name: "in_slope", Kind: experiment.Float, Source: target,
			Meaning: "the same of in-degrees"},
		{Name: "out_likelihood", Kind: experiment.Float, Source: "Clauset, Shalizi, Newman 2009, equation 3.7",
			Meaning: "exponent of P(k) by maximum likelihood over all out-degrees from 1 on"},
		{Name: "in_likelihood", Kind: experiment.Float, Source: "Clauset, Shalizi, Newman 2009, equation 3.7",
			Meaning: "the same of in-degrees"},
		{Name: "clustering", Kind: experiment.Float, Source: target,
			Meaning: "clustering coefficient of Watts and Strogatz, links without direction, mean over URLs"},
		{Name: "mean_path", Kind: experiment.Float, Unit: "links", Source: target,
			Meaning: "mean length of shortest paths to what can be reached; the paper says diameter"},
		{Name: "longest_path", Kind: experiment.Int, Unit: "links", Source: source,
			Meaning: "longest of these paths, a lower bound of the diameter"},
		{Name: "reached_share", Kind: experiment.Float, Source: source,
			Meaning: "share of the URLs that can be reached from one, mean over the paths' sources"},
	}
}

func structureSeries() experiment.Series {
	const source = "Figure 1"
	return experiment.Series{
		Axis: experiment.Metric{Name: "degree", Kind: experiment.Int, Unit: "links", Meaning: "number of links; only degrees that some URL has"},
		Columns: []experiment.Metric{
			{Name: "out_urls", Kind: experiment.Int, Unit: "URLs", Source: source, Meaning: "URLs with as many outgoing links"},
			{Name: "in_urls", Kind: experiment.Int, Unit: "URLs", Source: source, Meaning: "URLs with as many incoming links"},
		},
	}
}

// structureResult puts a structure in the order of the declarations above.
func structureResult(s newssite.Structure) experiment.Result {
	result := experiment.Result{Metrics: []float64{
		float64(s.URLs), float64(s.Links),
		s.OutDegree.Exponent, s.InDegree.Exponent, s.OutDegree.Likelihood, s.InDegree.Likelihood,
		s.Clustering, s.MeanPath, float64(s.Longest), s.Reached,
	}}
	urls := func(count []int, degree int) int {
		if degree < len(count) {
			return count[degree]
		}
		return 0
	}
	for degree := range max(len(s.OutDegree.Count), len(s.InDegree.Count)) {
		out, in := urls(s.OutDegree.Count, degree), urls(s.InDegree.Count, degree)
		if out+in > 0 {
			result.Series = append(result.Series, float64(degree), float64(out), float64(in))
		}
	}
	return result
}
