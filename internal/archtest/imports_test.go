// Package archtest holds the tests of the code base's own rules.
package archtest

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"sweep/internal/must"
)

// permitted is the plan of the house: which of our packages each package
// may import, tests aside. A package imports only what stands above it. A
// new package must be entered here, and a permission that nobody
// uses must go.
var permitted = []struct {
	pkg     string
	imports []string
}{
	// What all share.
	{"internal/document", nil},
	{"internal/lists", nil},
	{"internal/must", nil},
	{"experiment", []string{"internal/document", "internal/lists"}},
	{"internal/suggest", nil},
	{"internal/detmath", nil},
	{"internal/expr", []string{"internal/document"}},
	{"internal/progress", nil},
	{"internal/report", []string{"internal/lists"}},
	{"internal/rng", []string{"internal/detmath"}},
	{"internal/bitset", []string{"internal/rng"}},
	{"internal/design", []string{"internal/lists", "internal/rng"}},
	{"internal/inference", []string{"internal/detmath", "internal/rng"}},

	// From a spec to points.
	{"grid", []string{"internal/document", "internal/design", "internal/detmath", "internal/expr", "internal/rng", "experiment", "internal/suggest", "internal/lists"}},

	// From a point to a result.
	{"environments/newssite/text", []string{"internal/detmath", "internal/rng"}},
	{"environments/newssite", []string{"environments/newssite/text", "internal/detmath", "internal/rng"}},
	{"environments/sources", []string{"internal/detmath", "internal/bitset", "internal/rng"}},
	{"environments/sources/history", []string{"environments/sources", "internal/bitset", "internal/lists", "internal/suggest"}},
	{"environments/newssite/archive", []string{"environments/newssite", "environments/sources/history"}},
	{"environments/newssite/crawl", []string{"environments/newssite", "environments/newssite/text", "environments/sources/history", "internal/progress"}},
	{"algorithms/foraging", []string{"environments/newssite", "internal/bitset", "internal/rng"}},
	{"algorithms/ancestors", []string{"internal/rng"}},
	{"algorithms/monitoring", []string{"environments/sources", "internal/detmath", "internal/bitset", "internal/rng"}},
	{"experiments", []string{"algorithms/ancestors", "algorithms/foraging", "algorithms/monitoring", "environments/newssite", "environments/newssite/archive", "environments/sources", "environments/sources/history", "experiment", "internal/lists"}},
	{"experiments/command", []string{"experiment", "internal/document", "internal/suggest"}},

	// From results to files and tables.
	{"internal/disk", nil},
	{"internal/parquetfile", nil},
	{"results", []string{"grid", "internal/disk", "internal/inference", "internal/parquetfile", "experiment", "internal/lists"}},
	{"plots", []string{"experiment", "grid", "internal/inference", "results", "internal/lists"}},

	// From results to conclusions.
	{"analysis", []string{"grid", "internal/design", "internal/detmath", "internal/document", "internal/expr", "internal/inference", "experiment", "internal/report", "results", "internal/lists"}},

	// Where all is joined.
	{"internal/page", []string{"analysis", "internal/progress", "internal/report", "plots", "results", "internal/lists"}},
	{"runner", []string{"grid", "experiment", "results"}},
	{"internal/status", []string{"experiment", "grid", "internal/lists", "internal/progress", "results"}},
	{"internal/arrayjob", nil},
	{"internal/engines", nil},
	{"sweeps", nil},
	{"cli", []string{"grid", "analysis", "internal/progress", "experiment", "experiments/command", "internal/arrayjob", "internal/engines", "internal/page", "internal/report", "internal/status", "internal/suggest", "plots", "results", "runner", "internal/lists"}},
	{"cmd/sweep", []string{"cli", "experiments", "sweeps"}},
	{"internal/reference", []string{"cli", "experiments", "internal/report", "results", "sweeps", "internal/must"}},
	{"cmd/newssite", []string{"environments/newssite", "environments/newssite/archive", "environments/newssite/crawl", "experiment", "experiments"}},

	{"internal/archtest", nil},
}

const (
	module = "sweep"
	root   = "../.."
)

func TestImports(t *testing.T) {
	actual := ownImports()
	above := map[string]bool{}
	for _, p := range permitted {
		imports, exists := actual[p.pkg]
		delete(actual, p.pkg)
		if above[p.pkg] || !exists {
			t.Errorf("%s is in the table twice, or there is no such package", p.pkg)
		}
		for _, i := range p.imports {
			if !above[i] {
				t.Errorf("%s may import %s, which does not stand above it", p.pkg, i)
			}
			if !slices.Contains(imports, i) {
				t.Errorf("%s may import %s and does not: drop it from the table", p.pkg, i)
			}
		}
		for _, i := range imports {
			if !slices.Contains(p.imports, i) {
				t.Errorf("%s imports %s, which the table does not permit", p.pkg, i)
			}
		}
		above[p.pkg] = true
	}
	for pkg := range actual {
		t.Errorf("%s is not in the table", pkg)
	}
}

// ownImports returns, for each package of the module, those of our packages
// that its files import, on any of the systems; tests do not count.
func ownImports() map[string][]string {
	imports := map[string][]string{}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
		list.Dir, list.Env = root, append(os.Environ(), "GOOS="+system)
		for line := range strings.Lines(string(must.Get(list.Output()))) {
			words := strings.Fields(line)
			pkg := strings.TrimPrefix(words[0], module+"/")
			own := imports[pkg]
			for _, imported := range words[1:] {
				path, ok := strings.CutPrefix(imported, module+"/")
				if ok && !slices.Contains(own, path) {
					own = append(own, path)
				}
			}
			imports[pkg] = own
		}
	}
	return imports
}
