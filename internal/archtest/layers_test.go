package archtest

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers says what each folder of the module may import from the others.
// A folder always may import itself. Tests are not bound by it.
var layers = map[string][]string{
	// What all share: internal knows nothing above it but the public seam, and
	// that knows nothing of ours, so that no internal type becomes a part of it.
	"internal":   {"experiment"},
	"experiment": {},

	// From a point to a result. The models do not know that there are sweeps.
	"environments": {"internal"},
	"algorithms":   {"environments", "internal"},
	"experiments":  {"algorithms", "environments", "experiment", "internal"},

	// From a spec to runs, to files, to conclusions.
	"grid":     {"experiment", "internal"},
	"results":  {"grid", "experiment", "internal"},
	"runner":   {"results", "grid", "experiment", "internal"},
	"plots":    {"results", "grid", "experiment", "internal"},
	"analysis": {"results", "grid", "experiment", "internal"},
	"report":   {"analysis", "plots", "runner", "results", "internal"},

	// The command line serves any experiments: it knows none of them.
	"cli": {"report", "analysis", "plots", "runner", "results", "grid", "experiment", "internal"},

	// The specs of the papers' results are files, not code.
	"sweeps": {},

	// Where the command line and the experiments meet.
	"cmd": {"cli", "sweeps", "experiments", "environments", "results", "experiment", "internal"},

	// Fonts in place of a module that plots depends on.
	"packaging": {},

	// What anybody can write: from the public packages only.
	"examples": {"cli", "experiment"},
}

// maxInternal bounds the number of packages in internal; this one, which has
// tests only, does not count.
const maxInternal = 13

func TestLayers(t *testing.T) {
	for _, fault := range layerFaults(sources()) {
		t.Error(fault)
	}
	used := map[string]bool{}
	inside := map[string]bool{}
	for _, file := range sources() {
		used[layerOf(file.pkg)] = true
		if strings.HasPrefix(file.pkg, "internal/") {
			inside[file.pkg] = true
		}
	}
	for layer := range layers {
		if !used[layer] {
			t.Errorf("there is no folder %s: drop it from the layers", layer)
		}
	}
	if len(inside) > maxInternal {
		t.Errorf("internal has %d packages, want at most %d", len(inside), maxInternal)
	}
}

// layerFaults returns the imports that the layers do not permit.
func layerFaults(files []*sourceFile) (faults []string) {
	for _, file := range files {
		layer := layerOf(file.pkg)
		permitted, known := layers[layer]
		if !known {
			faults = append(faults, file.path+": "+layer+" is no layer")
			continue
		}
		for _, spec := range file.tree.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			own, ours := strings.CutPrefix(imported, module+"/")
			if err != nil || !ours {
				continue
			}
			to := layerOf(own)
			if to != layer && !slices.Contains(permitted, to) {
				faults = append(faults, file.path+": "+layer+" may not import "+own)
			}
		}
	}
	return faults
}

// layerOf returns the first folder of a package's path.
func layerOf(pkg string) string {
	layer, _, _ := strings.Cut(pkg, "/")
	return layer
}

// The test of the layers must fail where a layer is left out.
func TestLayersCanFail(t *testing.T) {
	tests := []struct{ path, imported, want string }{
		{"environments/x/x.go", "sweep/grid", "environments may not import grid"},
		{"algorithms/x/x.go", "sweep/results", "algorithms may not import results"},
		{"internal/x/x.go", "sweep/grid", "internal may not import grid"},
		{"report/x.go", "sweep/cli", "report may not import cli"},
		{"examples/x/x.go", "sweep/internal/rng", "examples may not import internal/rng"},
		{"experiment/x.go", "sweep/internal/table", "experiment may not import internal/table"},
		{"new/x.go", "fmt", "new is no layer"},
		{"cmd/x/x.go", "sweep/cli", ""},
		{"algorithms/x/x.go", "sweep/environments/sources", ""},
	}
	for _, test := range tests {
		file, err := parseSource(test.path, "package x\nimport _ \""+test.imported+"\"\n")
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Join(layerFaults([]*sourceFile{file}), "\n")
		want := test.want
		if want != "" {
			want = test.path + ": " + want
		}
		if got != want {
			t.Errorf("%s imports %s: %q, want %q", test.path, test.imported, got, want)
		}
	}
}
