package foraging

import (
	"context"
	"math"
	"testing"

	"sweep/environments/newssite"
)

// Two foragers, worked by hand. Both visit A; the first goes on to B and C,
// the second to B and D, and downloads C from there. Of the URLs visited, A and B
// are shared, C and D not; of the walks from A both differ. An hour later
// the first is alone, and finds a document of half an hour ago.
func TestDivisionWorkedExample(t *testing.T) {
	const a, b, c, d = 0, 1, 2, 3
	const hour = newssite.Hour
	site := &newssite.Site{First: []int32{0, 1, 2, 3, 4}, Versions: []newssite.Version{{}, {}, {}, {Date: hour / 2}}}
	division := NewDivision(site, 1)
	visit := func(time int64, forager, depth int, url int32) {
		division.Observe(Download{Time: time, Forager: forager, Visited: true, Depth: depth, URL: url})
	}
	for depth, url := range []int32{a, b, c} {
		visit(1, 0, depth, url)
	}
	for depth, url := range []int32{a, b, d} {
		visit(2, 1, depth, url)
	}
	division.Observe(Download{Time: 3, Forager: 1, Depth: 2, URL: c})
	division.Observe(Download{Time: hour, Forager: 0, URL: d, Version: d, Relevant: true})
	got := division.Intervals()
	if len(got) != 2 {
		t.Fatalf("%d intervals, want 2", len(got))
	}
	want := Interval{Exclusive: 2. / 4, Downloads: 1. / 4, Walks: 1, NewStarts: 1}
	if lag := got[0].Lag; !math.IsNaN(lag) {
		t.Errorf("lag %v of nothing found", lag)
	}
	if got[0].Lag = 0; got[0] != want {
		t.Errorf("first interval %+v, want %+v", got[0], want)
	}
	if x := got[1]; x.Downloads != 1 || x.Lag != 0.5 || !math.IsNaN(x.Exclusive) || !math.IsNaN(x.Walks) {
		t.Errorf("second interval %+v, want one URL of one forager after half an hour", x)
	}
}

// The division of a run against its definition, with maps.
func TestDivisionEqualsTheNaiveTwin(t *testing.T) {
	const hours = 2
	site := smallSite(t, 1)
	c := published(t, "WLRL")
	c.Days, c.MaxScore = 0.5, 110
	division := NewDivision(site, hours)
	var all []Download
	s := Simulator{Observe: func(d Download) {
		all = append(all, d)
		division.Observe(d)
	}}
	if _, err := s.Run(context.Background(), site, c, 1); err != nil {
		t.Fatal(err)
	}
	starts := map[int32]bool{}
	shared := 0
	for i, got := range division.Intervals() {
		visits, downloads := map[int32]map[int]bool{}, map[int32]map[int]bool{}
		begin, walks := map[int32]map[int]bool{}, map[[3]int32]map[int]bool{}
		path := map[int][]int32{}
		var news int64
		for _, d := range all {
			if d.Visited {
				if d.Depth == 0 {
					path[d.Forager] = nil
				}
				path[d.Forager] = append(path[d.Forager], d.URL)
			}
			if int(d.Time/(hours*newssite.Hour)) != i {
				continue
			}
			add(downloads, d.URL, d.Forager)
			if !d.Visited {
				continue
			}
			add(visits, d.URL, d.Forager)
			if d.Depth == 0 && !starts[d.URL] {
				starts[d.URL] = true
				news++
			}
			if p := path[d.Forager]; len(p) > 2 {
				add(walks, [3]int32(p[len(p)-3:]), d.Forager)
				add(begin, p[len(p)-3], d.Forager)
			}
		}
		for w := range walks {
			if len(begin[w[0]]) < 2 {
				delete(walks, w)
			}
		}
		if !near(got.Exclusive, alone(visits)) || !near(got.Downloads, alone(downloads)) ||
			!near(got.Walks, alone(walks)) || got.NewStarts != news {
			t.Errorf("interval %d: %+v, want %v, %v, %v and %d", i, got, alone(visits), alone(downloads), alone(walks), news)
		}
		if alone(walks) < 1 {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no walk was shared: nothing was judged")
	}
}

func add[K comparable](who map[K]map[int]bool, key K, forager int) {
	if who[key] == nil {
		who[key] = map[int]bool{}
	}
	who[key][forager] = true
}

// alone returns the share of keys that one forager has.
func alone[K comparable](who map[K]map[int]bool) float64 {
	n := 0.0
	for _, foragers := range who {
		if len(foragers) == 1 {
			n++
		}
	}
	return n / float64(len(who))
}
