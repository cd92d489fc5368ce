package archtest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

// pages returns the texts of the README and of the pages in docs, by path.
func pages() map[string]string {
	texts := map[string]string{}
	for _, path := range append(testutil.Must(filepath.Glob(root+"/docs/*.md")), root+"/README.md") {
		texts[path] = read(path)
	}
	return texts
}

func read(path string) string { return string(testutil.Must(os.ReadFile(path))) }

// What the pages point to must exist, and so must the packages in the table of
// the architecture.
func TestLinksOfPages(t *testing.T) {
	for path, text := range pages() {
		for _, m := range regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`).FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s points to %s: %v", path, m[1], err)
			}
		}
	}
	packages := regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(read(root+"/docs/architecture.md"), -1)
	if len(packages) < 10 {
		t.Errorf("%d packages in the table of the architecture", len(packages))
	}
	for _, m := range packages {
		if _, err := os.Stat(root + "/" + m[1]); err != nil {
			t.Errorf("the architecture speaks of %s: %v", m[1], err)
		}
	}
}

// The pages must tell of every claim that does not hold, and of no other,
// and count rightly.
func TestPagesTellWhatDoesNotHold(t *testing.T) {
	verdicts := map[string][]string{}
	for _, m := range regexp.MustCompile(`(?m)^\| (holds|fails|tied|undecided|untested)(?:, calibrated)? \| (.*?) \|`).FindAllStringSubmatch(read(root+"/docs/reproduction.md"), -1) {
		verdicts[m[1]] = append(verdicts[m[1]], strings.ReplaceAll(m[2], `\`, ""))
	}
	deviations := read(root + "/docs/deviations.md")
	for _, verdict := range []string{"fails", "tied", "undecided"} {
		for _, claim := range verdicts[verdict] {
			if !strings.Contains(deviations, fmt.Sprintf("\n| %s | %s |", verdict, claim)) {
				t.Errorf("docs/deviations.md lacks what %s: %s", verdict, claim)
			}
		}
		if told := strings.Count(deviations, "\n| "+verdict+" | "); told != len(verdicts[verdict]) {
			t.Errorf("docs/deviations.md has %d claims under %q, want %d", told, verdict, len(verdicts[verdict]))
		}
	}
	holds, fails, tied, undecided, untested := len(verdicts["holds"]), len(verdicts["fails"]), len(verdicts["tied"]), len(verdicts["undecided"]), len(verdicts["untested"])
	counts := fmt.Sprintf("of the %d that sweeps test, %d hold, %d fail, %d are tied and %d undecided; %d more cannot be tested here",
		holds+fails+tied+undecided, holds, fails, tied, undecided, untested)
	if !strings.Contains(strings.Join(strings.Fields(read(root+"/README.md")), " "), counts) {
		t.Errorf("the README does not say %q", counts)
	}
	if !strings.Contains(deviations, fmt.Sprintf("[%d claims]", untested)) {
		t.Errorf("docs/deviations.md does not say that %d claims are untested", untested)
	}
}
