package foraging

import (
	"context"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/testutil"
)

// The division of a run against its definition, with maps.
func TestDivisionEqualsTheNaiveTwin(t *testing.T) {
	const hours = 2
	site := smallSite(1)
	c := published("WLRL")
	c.Days, c.MaxScore = 0.5, 110
	division := NewDivision(site, hours)
	var all []Download
	var counts Counts
	s := Simulator{Observe: func(d Download) {
		all = append(all, d)
		division.Observe(d)
	}}
	m := testutil.Must(s.Run(context.Background(), site, c, 1))
	starts := map[int32]bool{}
	shared := 0
	for i, got := range division.Intervals() {
		visits, downloads := map[int32]map[int]bool{}, map[int32]map[int]bool{}
		begin, walks := map[int32]map[int]bool{}, map[[3]int32]map[int]bool{}
		path := map[int][]int32{}
		var news, late int64
		var lag, relevant float64
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
			counts.Downloaded++
			if d.Sent {
				counts.Sent++
			}
			if d.Relevant {
				counts.Relevant++
				relevant++
				if stamp := site.Versions[d.Version].Date; stamp < d.Time-d.Time%newssite.Day {
					late++ // before the midnight that was the last one
				}
				lag += float64(d.Time-site.Versions[d.Version].Date) / float64(newssite.Hour)
			}
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
			!near(got.Walks, alone(walks)) || got.NewStarts != news || !near(got.Lag, lag/relevant) || got.Late != late {
			t.Errorf("interval %d: %+v, want %v, %v, %v, %d, %v and %d", i, got, alone(visits), alone(downloads), alone(walks), news, lag/relevant, late)
		}
		for k, own := range got.Own {
			if !near(own.Visits, aloneOf(visits, k)) || len(walks) > 0 && !near(own.Walks, aloneOf(walks, k)) {
				t.Errorf("interval %d: forager %d contributes %+v, want %v and %v", i, k, own, aloneOf(visits, k), aloneOf(walks, k))
			}
		}
		if len(got.Starts) != int(news) {
			t.Errorf("interval %d: new starting points %v, want %d", i, got.Starts, news)
		}
		if alone(walks) < 1 {
			shared++
		}
	}
	if shared == 0 {
		t.Error("no walk was shared: nothing was judged")
	}
	if counts.Found = m.Found; counts != m.Counts {
		t.Errorf("observed %+v, measured %+v", counts, m.Counts)
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

// aloneOf returns the share of keys that only the k-th forager has.
func aloneOf[K comparable](who map[K]map[int]bool, k int) float64 {
	n := 0.0
	for _, foragers := range who {
		if len(foragers) == 1 && foragers[k] {
			n++
		}
	}
	return n / float64(len(who))
}
