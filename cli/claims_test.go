package cli

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sweep/experiments"
	"sweep/sweeps"
)

var thorough = flag.Bool("thorough", false, "check the papers' claims on all seeds")

// fewSeeds is how many seeds a sweep has unless the test is thorough.
var fewSeeds = regexp.MustCompile(`(?m)^(seeds .*)$`)

// verdictsOf runs a spec and returns the verdicts on its claims.
func verdictsOf(t *testing.T, name, source string) map[string]string {
	t.Helper()
	if !*thorough {
		seeds := `seeds = "1..6"`
		if name == "structure" { // seeds are worlds
			seeds = `seeds = "5001..5006"`
		}
		source = fewSeeds.ReplaceAllString(source, seeds)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, name+".toml")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	records, err := filepath.Abs("../sweeps/records") // beside the specs that come with the program
	if err == nil {
		err = os.Symlink(records, filepath.Join(dir, "records"))
	}
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	papers := program(experiments.Experiments(nil))
	code := papers.execute([]string{"check", file, "--quiet", "--format", "json", "-o", filepath.Join(dir, "out")}, &out, &errs)
	var claims []struct{ Claim, Verdict string }
	if err := json.Unmarshal(out.Bytes(), &claims); err != nil {
		t.Fatalf("exit code %d, %v\n%s", code, err, &errs)
	}
	verdicts := map[string]string{}
	for _, c := range claims {
		verdicts[c.Claim] = c.Verdict
	}
	return verdicts
}

// judged is a claim in docs/reproduction.md.
var judged = regexp.MustCompile(`^\| (holds|fails|undecided)(?:, calibrated)? \| (.*?) \|`)

// The verdicts on the claims of the papers are those of docs/reproduction.md.
// On few seeds more is undecided; nothing may be decided the other way round.
func TestClaimsOfThePapers(t *testing.T) {
	if testing.Short() {
		t.Skip("needs many runs")
	}
	text, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	expected := map[string]map[string]string{} // by sweep and claim
	sweep := ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			sweep = strings.TrimSpace(name)
			expected[sweep] = map[string]string{}
		} else if m := judged.FindStringSubmatch(line); m != nil {
			expected[sweep][strings.ReplaceAll(m[2], `\`, "")] = m[1]
		}
	}
	for _, name := range program(nil).sweeps() {
		source, err := sweeps.FS.ReadFile(name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		want := expected[name]
		if want == nil {
			continue // it makes no claims
		}
		t.Run(name, func(t *testing.T) {
			if !*thorough && slices.Contains([]string{"controls", "map", "news-foragers", "recorded", "rewired", "web", "worlds"}, name) {
				t.Skip("takes half a minute; .ci/run checks it with -thorough")
			}
			t.Parallel()
			own := 0
			if more, err := os.ReadFile(filepath.Join("testdata/claims", name+".toml")); err == nil {
				source = append(source, more...)
				own = strings.Count(string(more), "[[claim]]")
			}
			got := verdictsOf(t, name, string(source))
			if len(got) != len(want)+own {
				t.Errorf("%d verdicts, want %d and %d", len(got), len(want), own)
			}
			for claim, verdict := range got {
				compareVerdicts(t, claim, verdict, want[claim])
			}
		})
	}
}

// compareVerdicts compares a verdict with what is wanted; what no paper
// claims must hold.
func compareVerdicts(t *testing.T, claim, got, want string) {
	t.Helper()
	if want == "" {
		want = "holds"
	}
	if got != want && (*thorough || got != "undecided" && want != "undecided") {
		t.Errorf("%s: %s, want %s", claim, got, want)
	}
}

// The foragers behave on recorded sites that the calibration never met as
// on those that it was made on, though the limits are too wide to be sure of
// all: not that the spreads are small, nor that the means of RL's sent and
// relevant documents over the ten worlds are within 10 % of the paper's (8 and
// 7 % above).
func TestWorldsThatTheCalibrationNeverMet(t *testing.T) {
	if testing.Short() || !*thorough {
		t.Skip("needs many runs; .ci/run makes them with -thorough")
	}
	for _, name := range []string{"unmet", "unmet_rewired"} {
		source, err := os.ReadFile("testdata/claims/" + name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		for claim, verdict := range verdictsOf(t, name, string(source)) {
			compareVerdicts(t, claim, verdict, map[string]string{"Spreads are small": "undecided",
				"The means over worlds are those of Table 2: sent":     "undecided",
				"The means over worlds are those of Table 2: relevant": "undecided"}[claim])
		}
	}
}
