package experiments

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/environments/newssite"
	"sweep/environments/newssite/archive"
	"sweep/experiment"
	"sweep/internal/testutil"
)

// docsSite is a line of a spec: a real site that comes with the program.
const docsSite = "site_tables = '../sweeps/records/docs-site'\n"

// Runs on the tables of a generated site are those on the site, rewired or not.
func TestTablesAreTheSite(t *testing.T) {
	for _, e := range []*experiment.Experiment{Foraging(nil), Structure(nil)} {
		p := defaults(e, map[string]string{"foraging": "RL"}[e.Name], 1)
		small := values{"archive_pages": experiment.IntValue(500), "new_per_day": experiment.FloatValue(100), "site_days": experiment.IntValue(2)}
		site := testutil.Must(NewsSite(with(defaults(Foraging(nil), "RL", 1), small)))
		if e.Name == "foraging" {
			small["days"] = experiment.FloatValue(2)
		}
		dir := filepath.Join(t.TempDir(), "site")
		testutil.NoError(archive.Write(dir, site))
		tables, _ := e.Param("site_tables")
		read := testutil.Must(tables.Input.Read(dir, nil))
		if got := tables.Input.Describe(read); !strings.HasSuffix(got, " states, 2 days") {
			t.Errorf("described as %s", got)
		}
		for _, rewired := range []float64{0, 0.5} {
			p := with(with(p, small), values{"rewired": experiment.FloatValue(rewired)})
			q := with(p, values{"site_tables": read})
			for _, name := range tables.Replaces {
				q = with(q, values{name: experiment.Value{}})
			}
			if a, b := digest(result(p)), digest(result(q)); a != b {
				t.Errorf("%s, rewired=%v: %x on tables, %x on the site", e.Name, rewired, b, a)
			}
		}
	}
}

// newsRunOf runs the news foragers with some other values, and returns the
// metrics by name and the rows of the series.
func newsRunOf(changed values) (map[string]float64, [][]float64) {
	e := NewsForagers(nil)
	r := result(with(defaults(e, "WLRL", 1), changed))
	metrics := map[string]float64{}
	for i, m := range e.Metrics {
		metrics[m.Name] = r.Metrics[i]
	}
	return metrics, slices.Collect(slices.Chunk(r.Series, len(e.Series)))
}

// Every number of the community is where its name says: counts of windows add
// up to those of the run, foragers are those that began, came and went.
func TestTheCommunityAddsUp(t *testing.T) {
	m, rows := newsRunOf(values{"days": experiment.FloatValue(2), "max_score": experiment.FloatValue(120)})
	columns := NewsForagers(nil).Columns()
	for i, c := range columns[:4] {
		sum := 0.0
		for _, row := range rows {
			sum += row[1+i]
		}
		if whole := m[c.Name]; sum > whole || sum < 0.95*whole {
			t.Errorf("%s: windows have %v of %v", c.Name, sum, whole)
		}
	}
	if m["foragers"] != 2+m["multiplications"]-m["deletions"] || m["multiplications"] == 0 {
		t.Errorf("%v foragers after %v multiplications and %v deletions of 2", m["foragers"], m["multiplications"], m["deletions"])
	}
	if m["lived_days"] < 2 || m["lived_days"] > 2.01 {
		t.Errorf("a community of two days lived %v", m["lived_days"])
	}
	for _, share := range []string{"exclusive", "exclusive_downloads", "own_walks"} {
		if !(m[share] > 0 && m[share] < 1) {
			t.Errorf("%s is %v", share, m[share])
		}
	}
	if last := rows[len(rows)-1]; last[0] != 47.5 { // of 38.4 windows of 75 minutes
		t.Errorf("last window ends after %v h", last[0])
	}
}

// Where sending costs too much all die, and nothing happens any more.
func TestTheCommunityDiesOut(t *testing.T) {
	m, rows := newsRunOf(values{"score_minus": experiment.FloatValue(0.3)})
	if m["foragers"] != 0 || m["lived_days"] > 7 || m["least_value"] > 0 {
		t.Errorf("%v foragers after %v days, least value %v", m["foragers"], m["lived_days"], m["least_value"])
	}
	if len(rows) != 268 { // as many as if it lived
		t.Errorf("%d windows, want 268", len(rows))
	}
	for i, row := range rows {
		if row[0] != 1.25*float64(i+1) || row[0] > 24*m["lived_days"] && row[1]+row[7] != 0 {
			t.Errorf("window %d of a community that lived %v days: %v", i, m["lived_days"], row)
		}
	}
}

// The two kinds of the web experiment share its counts, and either order has
// eight of each.
func TestTheCrawlersShareTheCrawl(t *testing.T) {
	e := Web(nil)
	for _, order := range e.Params[0].Choices {
		r := result(with(defaults(e, "", 1), values{e.Params[0].Name: experiment.StringValue(order), "days": experiment.FloatValue(1)}))
		of := func(name string) float64 { return r.Metrics[e.Metric(name)] }
		for _, name := range []string{"downloaded", "sent", "relevant"} {
			if of("WLRL_"+name)+of("WL_"+name) != of(name) || of("WL_"+name) == 0 || of("WLRL_"+name) == 0 {
				t.Errorf("%s: %s %v and %v, together %v", order, name, of("WLRL_"+name), of("WL_"+name), of(name))
			}
		}
		if both := of("WLRL_found") + of("WL_found"); both < of("found_urls") || of("WL_found") > of("found_urls") {
			t.Errorf("%s: found %v and %v URLs, together %v", order, of("WLRL_found"), of("WL_found"), of("found_urls"))
		}
	}
}

// A recording is a valid site, and shows of each URL versions that it had,
// no earlier than it had them, with links that they had.
func TestARecordingIsPartOfTheSite(t *testing.T) {
	m := siteKey{}
	for _, p := range experiment.Params(new(sites).siteParams(&m)) {
		p.Set(p.Default)
	}
	m.Seed, m.Days, m.ArchivePages, m.NewPerDay = 3, 2, 1500, 300
	whole := testutil.Must(new(sites).build(m))
	m.site = recordedSite
	recorded := testutil.Must(new(sites).build(m))
	testutil.NoError(recorded.Validate())
	if n := recorded.URLs(); n < whole.URLs()/10 || n >= whole.URLs() || len(recorded.Start) != 10 {
		t.Errorf("%d of %d URLs recorded, %d to start from", n, whole.URLs(), len(recorded.Start))
	}
	known := map[newssite.Version]int64{} // what is the same in both, and from when on
	for _, v := range whole.Versions {
		v.LinkFrom, v.LinkTo = 0, 0
		from := v.From
		v.From = 0
		if first, ok := known[v]; !ok || from < first {
			known[v] = from
		}
	}
	for i, v := range recorded.Versions {
		v.LinkFrom, v.LinkTo = 0, 0
		from := v.From
		v.From = 0
		if first, ok := known[v]; !ok || from < first {
			t.Fatalf("version %d of the recording, %+v, is not the site's", i, v)
		}
	}
	if whole, recorded := newssite.Measure(whole, 10), newssite.Measure(recorded, 10); recorded.Links >= whole.Links || recorded.Links == 0 {
		t.Errorf("%d of %d links recorded", recorded.Links, whole.Links)
	}
}

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
	for _, rewired := range testutil.IfThorough([]float64{0, 0.5, 1}, []float64{0.5}) {
		e, r := Structure(nil), result(smallSite(7, rewired))
		p := with(defaults(foraging, "RL", 1), values{
			"world_seed": experiment.IntValue(7), "rewired": experiment.FloatValue(rewired),
			"archive_pages": experiment.IntValue(2000), "site_days": experiment.IntValue(3),
		})
		want := newssite.Measure(testutil.Must(NewsSite(p)), 50)
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

func BenchmarkNewsSite(b *testing.B) {
	e := Foraging(nil)
	for _, c := range []struct {
		days    int64
		rewired float64
	}{{8, 0}, {18, 0}, {18, 1}} {
		b.Run(fmt.Sprintf("days=%d/rewired=%v", c.days, c.rewired), func(b *testing.B) {
			p := with(defaults(e, "RL", 1), values{"site_days": experiment.IntValue(c.days), "rewired": experiment.FloatValue(c.rewired)})
			b.ReportAllocs()
			for b.Loop() {
				testutil.Must(NewsSite(p))
			}
		})
	}
}
