package experiments

import (
	"math"
	"testing"

	"sweep/environments/newssite"
	"sweep/experiment"
)

// smallSite is a point of the structure experiment.
func smallSite(seed int64, rewired float64) experiment.Point {
	return with(defaults(Structure(nil), "", seed), values{
		"rewired": experiment.FloatValue(rewired), "archive_pages": experiment.IntValue(2000),
		"site_days": experiment.IntValue(3), "path_sources": experiment.IntValue(50),
	})
}

// The series holds every URL once by its out-degree and once by its
// in-degree, and both count the links.
func TestDegreesAddUp(t *testing.T) {
	e, r := Structure(nil), result(smallSite(1, 0))
	var out, in, outLinks, inLinks float64
	last := -1.0
	for i := 0; i < len(r.Series); i += 3 {
		degree := r.Series[i]
		if degree <= last || r.Series[i+1]+r.Series[i+2] == 0 {
			t.Fatalf("degree %v follows %v with %v and %v URLs", degree, last, r.Series[i+1], r.Series[i+2])
		}
		last = degree
		out += r.Series[i+1]
		in += r.Series[i+2]
		outLinks += degree * r.Series[i+1]
		inLinks += degree * r.Series[i+2]
	}
	urls, links := r.Metrics[e.Metric("urls")], r.Metrics[e.Metric("links")]
	if out != urls || in != urls || outLinks != links || inLinks != links {
		t.Errorf("degrees count %v and %v URLs, %v and %v links; want %v URLs, %v links", out, in, outLinks, inLinks, urls, links)
	}
}

// A run's seed is its world's: that of the foraging experiment.
func TestStructureIsOfTheForagersSite(t *testing.T) {
	foraging := Foraging(nil)
	for _, rewired := range []float64{0, 0.5, 1} {
		e, r := Structure(nil), result(smallSite(7, rewired))
		p := with(defaults(foraging, "RL", 1), values{
			"world_seed": experiment.IntValue(7), "rewired": experiment.FloatValue(rewired),
			"archive_pages": experiment.IntValue(2000), "site_days": experiment.IntValue(3),
		})
		want := newssite.Measure(must(NewsSite(p)), 50)
		for name, x := range map[string]float64{
			"urls": float64(want.URLs), "links": float64(want.Links), "clustering": want.Clustering,
			"out_slope": want.OutDegree.Exponent, "in_slope": want.InDegree.Exponent,
			"out_likelihood": want.OutDegree.Likelihood, "in_likelihood": want.InDegree.Likelihood,
			"mean_path": want.MeanPath, "longest_path": float64(want.Longest), "reached_share": want.Reached,
		} {
			if got := r.Metrics[e.Metric(name)]; got != x || math.IsNaN(got) {
				t.Errorf("rewired=%v: %s is %v, want %v", rewired, name, got, x)
			}
		}
	}
}
