package experiments

import (
	"context"
	"math"
	"testing"

	"sweep/environments/newssite"
	"sweep/experiment"
)

// measured runs a structure experiment on a small site.
func measured(t *testing.T, seed int64, rewired bool) (*experiment.Experiment, experiment.Result) {
	t.Helper()
	e := Structure()
	p := defaults(e, "", seed)
	for name, v := range map[string]experiment.Value{
		"rewired": experiment.BoolValue(rewired), "archive_pages": experiment.IntValue(2000),
		"site_days": experiment.IntValue(3), "path_sources": experiment.IntValue(50),
	} {
		_, i := e.Param(name)
		p.Values[i] = v
	}
	var r experiment.Result
	if err := e.Run(context.Background(), p, &r); err != nil {
		t.Fatal(err)
	}
	return e, r
}

// The series holds every URL once by its out-degree and once by its
// in-degree, and both count the links.
func TestDegreesAddUp(t *testing.T) {
	e, r := measured(t, 1, false)
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
	foraging := Foraging(Options{})
	for _, rewired := range []bool{false, true} {
		e, r := measured(t, 7, rewired)
		p := defaults(foraging, "RL", 1)
		for name, v := range map[string]experiment.Value{
			"world_seed": experiment.IntValue(7), "rewired": experiment.BoolValue(rewired),
			"archive_pages": experiment.IntValue(2000), "site_days": experiment.IntValue(3),
		} {
			_, i := foraging.Param(name)
			p.Values[i] = v
		}
		site, err := NewsSite(p)
		if err != nil {
			t.Fatal(err)
		}
		want := newssite.Measure(site, 50)
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

// Bit by bit, as in bits_test.go.
func TestBitsOfStructure(t *testing.T) {
	if structureVersion != 2 {
		t.Fatal("a new version has new digests")
	}
	const want uint64 = 0x767b5b11417e8b44
	var both []experiment.Result
	for _, rewired := range []bool{false, true} {
		_, r := measured(t, 1, rewired)
		both = append(both, r)
	}
	if got := digest(both...); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}
