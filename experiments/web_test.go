package experiments

import (
	"testing"

	"sweep/environments/newssite"
	"sweep/experiment"
)

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
	m.model.Seed, m.model.Days, m.model.ArchivePages, m.model.NewPerDay = 3, 2, 1500, 300
	whole := must(new(sites).build(m))
	m.site = recordedSite
	recorded := must(new(sites).build(m))
	ok(recorded.Validate())
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
