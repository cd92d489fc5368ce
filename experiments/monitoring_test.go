package experiments

import (
	"bytes"
	"context"
	"encoding/csv"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// recordedCrawl are grid lines of a recorded crawl: 30 pages, 90 slots.
const (
	recordedIn    = "../environments/sources/history/testdata/"
	recordedCrawl = "history = '" + recordedIn + "changes.csv'\npages = '" + recordedIn + "pages.csv'\nslot_length = '1'\nfrom = '0'\nto = '90'\n"
)

// The nodes come by falling probability, and add up to the metrics.
func TestNodesAreOrdered(t *testing.T) {
	e := Sources()
	r := result(with(defaults(e, "", 1), values{"change_ratio": experiment.FloatValue(2.5)}))
	var updates, value float64
	last := 1.0
	for i := 0; i < len(r.Series); i += 3 {
		place, p, importance := r.Series[i], r.Series[i+1], r.Series[i+2]
		if place != float64(i/3+1) || p > last || importance < p {
			t.Fatalf("row %d is node %v with p=%v after %v, ω=%v; want falling p, and ω in [p, 1)", i/3, place, p, last, importance)
		}
		last = p
		updates += p
		value += p * importance
	}
	for name, want := range map[string]float64{"updates_per_slot": updates, "value_per_slot": value, "drawn_ratio": 2.5} {
		if got := r.Metrics[e.Metric(name)]; math.Abs(got-want) > 1e-6*want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if len(r.Series) != 3*1000 {
		t.Errorf("%d nodes, want 1000", len(r.Series)/3)
	}
}

// replays returns the plan of a spec on the recorded crawl.
func replays(grids string) *grid.Plan {
	text := "experiment = 'monitoring'\nseeds = 2\n[grid]\n" + recordedCrawl + "capacity = 5\n" + grids
	return testutil.Must(grid.Parse("t.toml", []byte(text), []*experiment.Experiment{Monitoring(nil)})).Plan()
}

// The best C pages by p·ω, polled in every slot: counted from the table.
func TestReplayedChangesAreThoseOfTheTable(t *testing.T) {
	const slots, capacity = 90, 5
	table := func(name string) [][]string {
		return testutil.Must(csv.NewReader(bytes.NewReader(testutil.Must(os.ReadFile(recordedIn + name)))).ReadAll())[1:]
	}
	importance := map[string]float64{}
	for _, l := range table("pages.csv") {
		importance[l[0]] = testutil.Must(strconv.ParseFloat(l[1], 64))
	}
	value := map[string]float64{} // importance times changes, by page
	total := 0.0
	for _, l := range table("changes.csv") {
		value[l[0]] += importance[l[0]] / slots
		total += importance[l[0]] / slots
	}
	want := 0.0
	for _, v := range slices.Sorted(maps.Values(value))[len(value)-capacity:] {
		want += v
	}
	r := result(replays("algorithm = 'topC'").Point(0))
	if got := r.Metrics[0]; math.Abs(got-want/total) > 1e-7 { // importance is kept in units of 2⁻³²
		t.Errorf("retrieved %v, want %v", got, want/total)
	}
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
	s := testutil.Must(grid.Parse("t.toml", []byte(text), Experiments(nil)))
	p := s.Plan().Point(0)
	if err := p.Experiment.Run(context.Background(), p, new(experiment.Result)); err == nil || err.Error() != "history gone.csv@sha256:0123456789abcdef was not read" {
		t.Errorf("error %v", err)
	}
	if err := s.ReadInputs(); err == nil || !strings.HasPrefix(err.Error(), "t.toml:3:11: history: open gone.csv: ") {
		t.Errorf("error %v", err)
	}
}
