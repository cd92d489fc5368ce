package experiments

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
)

// What parameters cannot be together is a fault of the spec, with its place; of
// runs that are known to fail, or to starve, it warns.
func TestRulesAreFaultsOfTheSpec(t *testing.T) {
	const (
		starved   = "CGLA polls 10000 nodes at least 156.2 times a slot, which is above capacity 20: it is starved; N from 500 on is enough"
		diverging = "the weights of foragers are known to diverge, and runs fail: try alpha 0.04"
	)
	experiments := Experiments(nil)
	log := filepath.ToSlash(filepath.Join(t.TempDir(), "log.csv"))
	testutil.NoError(os.WriteFile(log, []byte("url_id,time,sha1\na,1,x\na,2,x\n"), 0o666))
	broken := map[string]int{} // specs that break each rule
	for _, c := range []struct{ experiment, text, want string }{
		{"foraging", "start_size = 101", "3:14: start_size 101 is above weblog_size 100"},
		{"foraging", "algorithm = 'RL'\nstart_size = 101", ""}, // has no weblog
		{"foraging", "min_forager = [2, 17]", "3:19: min_forager 17 is above max_forager 16"},
		{"foraging", "max_score = 0", "3:13: min_score 0 is not below max_score 0"},
		{"foraging", "algorithm = ['RL', 'WL']\nalpha = [0.1, 0.5]\ngamma = [0.9, 0.5]", "warns: 4:10: with alpha 0.1 and gamma 0.5 " + diverging},
		{"foraging", "algorithm = 'WL'", ""},
		{"foraging", "algorithm = 'RL'", ""},
		{"foraging", "days = 18.5", "3:8: days 18.5 is above site_days 18"},
		{"foraging", docsSite + "days = 18", ""},
		{"foraging", docsSite + "days = 19", "4:8: days 19 is above the days of site_tables, 18: the site would stand still"},
		{"news-foragers", docsSite + "days = 19", "4:8: days 19 is above"},
		{"web", docsSite + "days = 19", "4:8: days 19 is above"},
		{"foraging", docsSite + "sections = 4", "4:1: sections has no effect: site_tables takes its place"},
		{"foraging", "sections = 51", "3:12: 51 sections need as many topics"},
		{"foraging", "main_link_share = { from = 0.5, to = 0.7, step = 0.1 }", "3:19: shares of hub links"},
		{"foraging", "stray_share = 0.9", "3:15: shares of pages"},
		{"foraging", "download_seconds = 1e4\ndownload_zipf = -5", "3:20: a download from section 39 takes"},
		{"foraging", "archive_pages = 1000000\nnew_per_day = 1e5\nsite_days = 365", "4:15: about 37700121 URLs are more"},
		{"monitoring", "nodes = [1000, 50]\nchange_ratio = 0", "3:16: capacity 100 is above nodes 50"},
		{"monitoring", "change_ratio = [2, 12]", "3:20: change_ratio 12: 1200 updates are wanted in a slot, of 1000 nodes between 10 and 1000 are possible"},
		{"monitoring", "capacity = 20\nnodes = 10000\nN = 64", "warns: 5:5: with N 64 " + starved},
		{"monitoring", "capacity = 20\nnodes = 10000\nN = [500, 64]", "warns: 5:11: with N 64 " + starved},
		{"monitoring", "capacity = 20\nnodes = 10000\nN = 500", ""},
		{"monitoring", "capacity = 20\nnodes = 10000\nN = 64\nalgorithm = 'FPA'", ""},
		{"monitoring", "slots = 100\nwarmup = 100", "4:10: warmup 100 leaves nothing of slots 100"},
		{"monitoring", "slots = 1", ""},
		{"monitoring", recordedCrawl, "3:11: capacity 100 is above nodes 30"},
		{"monitoring", recordedCrawl + "capacity = 3\nwarmup = 90", "9:10: warmup 90 leaves nothing of slots 90"},
		{"monitoring", recordedCrawl + "capacity = 30\nwarmup = 89", ""},
		{"monitoring", recordedCrawl + "capacity = 1\nN = 16\nalgorithm = 'CGLA'", "warns: 9:5: with N 16 CGLA polls 30 nodes"},
		{"monitoring", "algorithm = 'refresh'\nhost_limit = 1", "warns: 4:14: this has no effect: no page has a host"},
		{"monitoring", recordedCrawl + "capacity = 1\nhost_limit = 1\nalgorithm = 'refresh'", "warns: 9:14: this has"},
		{"monitoring", strings.Replace(recordedCrawl, "pages.csv", "costs.csv", 1) + "capacity = 3",
			"warns: 8:12: pages cost more than capacity 3, and are never polled: 1 of 30"},
		{"monitoring", strings.Replace(recordedCrawl, "'1'", "'soon'", 1), "5:15: slot_length is \"soon\", want"},
		{"monitoring", strings.Replace(recordedCrawl, "'0'", "'90'", 1), "6:8: slots of 1 from 90 to 90: there are none"},
		{"monitoring", "history = '" + log + "'\nslot_length = '1'\ncapacity = 1", "warns: 3:11: the column sha1 is not read, and each row counts as a change: if"},
		{"monitoring", "slot_length = '6h'", "warns: 3:15: this has no effect without a history"},
		{"sources", "nodes = 100\nchange_ratio = 1", "4:16: change_ratio 1: 100 updates"},
		{"structure", "sections = [40, 51]", "3:17: 51 sections"},
		{"equipartition", "objects = 13", "3:11: objects 13 is not a multiple of groups 3"},
	} {
		text := "experiment = '" + c.experiment + "'\n[grid]\n" + c.text
		spec, err := grid.Parse("t.toml", []byte(text), experiments)
		said := ""
		if err != nil {
			said = err.Error()
		} else if spec.Warnings != nil {
			said = "warns: " + spec.Warnings[0].Error()
		}
		if said = strings.Replace(said, "t.toml:", "", 1); !strings.HasPrefix(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%s\n got %s\nwant %s", c.text, said, c.want)
		}
		at := slices.IndexFunc(experiments, func(e *experiment.Experiment) bool {
			return e.Name == c.experiment
		})
		e := experiments[at]
		for i := range e.Rules {
			alone := *e
			alone.Rules = e.Rules[i : i+1]
			spec, err := grid.Parse("t.toml", []byte(text), []*experiment.Experiment{&alone})
			if err != nil || len(spec.Warnings) > 0 {
				broken[fmt.Sprint(e.Rules[i].Params)]++
			}
		}
	}
	for _, e := range experiments {
		if err := e.Validate(); err != nil {
			t.Error(err)
		}
		for _, r := range e.Rules {
			if once := slices.Compact(slices.Sorted(slices.Values(r.Params))); len(once) < len(r.Params) {
				t.Errorf("%s: a rule names a parameter twice: %v", e.Name, r.Params)
			}
			if broken[fmt.Sprint(r.Params)] == 0 {
				t.Errorf("%s: no spec above breaks the rule on %v", e.Name, r.Params)
			}
		}
	}
}
