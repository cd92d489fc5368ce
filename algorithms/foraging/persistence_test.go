package foraging

import (
	"context"
	"math"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/testutil"
)

// A place is a day of a forager.
type place struct {
	forager int
	day     int64
}

// Persistence against its definition, with maps, from what is downloaded.
func TestPersistenceEqualsTheNaiveTwin(t *testing.T) {
	site := smallSite(1)
	kinds := []string{"WL", "RL", "watch"}
	for _, kind := range kinds[:testutil.IfThorough(3, 1)] {
		c := published(kind)
		c.Days, c.MaxScore, c.WindowHours = 2.5, 120, 2
		var all []Download
		s := Simulator{Observe: func(d Download) { all = append(all, d) }}
		m := testutil.Must(s.Run(context.Background(), site, c, 1))
		if m.Deletions > 0 || m.Multiplications == 0 {
			t.Fatalf("%s: %d foragers died, %d multiplied", kind, m.Deletions, m.Multiplications)
		}
		born := map[int]int64{}
		for _, f := range s.agent.foragers {
			born[f.number] = f.habits.born
		}
		visits, starts := map[place]map[int32]bool{}, map[place]map[int32]bool{}
		put := func(sets map[place]map[int32]bool, at place, url int32) {
			if sets[at] == nil {
				sets[at] = map[int32]bool{}
			}
			sets[at][url] = true
		}
		var window ages
		var found, expected float64
		closes := int64(c.WindowHours * float64(newssite.Hour))
		windows := 0
		for i := 0; i < len(all); {
			first := all[i]
			at := place{first.Forager, first.Time / newssite.Day}
			put(visits, at, first.URL)
			if first.Depth == 0 {
				put(starts, at, first.URL)
			}
			group := &window.old
			if b := born[first.Forager]; b > 0 && first.Time-b < newssite.Day {
				group = &window.young
			}
			var end int64
			for next := true; next; next = i < len(all) && !all[i].Visited {
				group.Downloaded++
				if all[i].Relevant {
					group.Relevant++
				}
				end = all[i].Time + int64(site.Versions[all[i].Version].Download)
				i++
			}
			if end < closes {
				continue
			}
			if y, o := window.young, window.old; y.Downloaded > 0 && o.Downloaded > 0 {
				found += float64(y.Relevant)
				expected += float64(y.Downloaded) * float64(o.Relevant) / float64(o.Downloaded)
			}
			window = ages{}
			windows++
			for closes <= end {
				closes += int64(c.WindowHours * float64(newssite.Hour))
			}
		}
		shared := func(sets map[place]map[int32]bool) float64 {
			var same, all int
			for at, urls := range sets {
				before := sets[place{at.forager, at.day - 1}]
				if before == nil {
					continue
				}
				for u := range urls {
					all++
					if before[u] {
						same++
					}
				}
			}
			return quotient(float64(same), float64(all))
		}
		for name, x := range map[string][2]float64{
			"visits": {m.Persistence.Visits, shared(visits)},
			"starts": {m.Persistence.Starts, shared(starts)},
			"young":  {m.Persistence.Young, quotient(found, expected)},
		} {
			if !(math.Abs(x[0]-x[1]) < 1e-9) && !(math.IsNaN(x[0]) && math.IsNaN(x[1])) {
				t.Errorf("%s: %s is %v, want %v", kind, name, x[0], x[1])
			}
		}
		if windows != len(m.Windows) || math.IsNaN(m.Persistence.Visits) || math.IsNaN(m.Persistence.Young) {
			t.Errorf("%s: %d windows, want %d; %+v", kind, len(m.Windows), windows, m.Persistence)
		}
	}
}
