package experiments

import (
	"context"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
)

// recordedCrawl are grid lines of a recorded crawl: 30 pages, 90 slots.
const (
	recordedIn    = "../environments/sources/history/testdata/"
	recordedCrawl = "history = '" + recordedIn + "changes.csv'\npages = '" + recordedIn + "pages.csv'\nslot_length = '1'\nfrom = '0'\nto = '90'\n"
)

// replays returns the plan of a spec on the recorded crawl.
func replays(grids string) *grid.Plan {
	text := "experiment = 'monitoring'\nseeds = 2\n[grid]\n" + recordedCrawl + "capacity = 5\n" + grids
	return must(grid.Parse("t.toml", []byte(text), []*experiment.Experiment{Monitoring(nil)})).Plan()
}

// A history has its own nodes and slots, and nothing of it depends on the
// seed.
func TestReplaysDependOnTheSeedByDrawsOnly(t *testing.T) {
	plan := replays("algorithm = ['uniform', 'topC', 'CGLA']\nmodel = ['disappear', 'overwrite']\nbin = 10")
	e := plan.Experiment()
	for c := range plan.Cells() {
		p, q := plan.Point(c), plan.Point(plan.Cells()+c)
		for _, name := range []string{"nodes", "change_ratio", "switch_every", "cost_spread", "slots"} {
			if v := p.Value(name); !v.IsNull() {
				t.Errorf("%s is %s", name, v)
			}
		}
		if v := p.Value("history").Text(); !strings.HasPrefix(v, "changes.csv@sha256:") {
			t.Errorf("history is %s", v)
		}
		a, b := result(p), result(q)
		if len(a.Series) != 9*len(e.Series) {
			t.Errorf("%d numbers of series", len(a.Series))
		}
		if same := digest(experiment.Result{Series: a.Series}) == digest(experiment.Result{Series: b.Series}); same != (p.Value(experiment.Algorithm).Text() != "CGLA") {
			t.Errorf("%s: two seeds are the same: %v", p.Value(experiment.Algorithm), same)
		}
		if i := e.Metric("bound"); a.Metrics[i] != b.Metrics[i] {
			t.Errorf("bounds %v and %v", a.Metrics[i], b.Metrics[i])
		}
	}
}

// A spec that says what was in its files is a plan without them, but its
// runs cannot be made.
func TestHistoriesThatAreNotThere(t *testing.T) {
	const text = "experiment = 'monitoring'\n[grid]\nhistory = 'gone.csv'\ncapacity = 5000\n" +
		"[[inputs]]\nfile = 'gone.csv'\nholds = 'gone.csv@sha256:0123456789abcdef'\n"
	s := must(grid.Parse("t.toml", []byte(text), Experiments(nil)))
	p := s.Plan().Point(0)
	if err := p.Experiment.Run(context.Background(), p, new(experiment.Result)); err == nil || err.Error() != "history gone.csv@sha256:0123456789abcdef was not read" {
		t.Errorf("error %v", err)
	}
	if err := s.ReadInputs(); err == nil || !strings.HasPrefix(err.Error(), "t.toml:3:11: history: open gone.csv: ") {
		t.Errorf("error %v", err)
	}
}
