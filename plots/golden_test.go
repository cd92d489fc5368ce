package plots

import (
	"bytes"
	"context"
	"flag"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sweep/experiments"
	"sweep/grid"
	"sweep/results"
	"sweep/runner"
)

var update = flag.Bool("update", false, "redraw the figures in testdata")

// swept runs a small sweep as the program does, and reads it back.
func swept(t *testing.T, spec string) *Data {
	t.Helper()
	experiments := experiments.Experiments(experiments.Options{WorldMemory: experiments.DefaultWorldMemory})
	s, err := grid.Parse("test.toml", []byte(spec), experiments)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	store, err := results.Open(dir, s)
	if err != nil {
		t.Fatal(err)
	}
	report, err := runner.Sweep(context.Background(), store, runner.Options{Workers: 2})
	if err == nil {
		err = store.Close()
	}
	if err != nil || report.Failed > 0 {
		t.Fatalf("%v, failures %v", err, report.Failures)
	}
	view, err := results.OpenReader(dir, experiments)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Read(view)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const (
	smallForaging = `
experiment = "foraging"
seeds = 4
[grid]
algorithm = ["RL", "WL"]
days = 2
site_days = 2
archive_pages = 3000
`
	smallStructure = `
experiment = "structure"
seeds = 2
[grid]
rewired = [false, true]
site_days = 2
archive_pages = 3000
path_sources = 20
`
	smallSources = `
experiment = "sources"
seeds = 5
[grid]
nodes = 100
capacity = 10
`
	smallResolutions = `
experiment = "monitoring"
seeds = 5
[grid]
algorithm = "CGLA"
model = "overwrite"
N = [4, 8, 16]
nodes = 60
capacity = 6
slots = 600
bin = 20
`
	smallPartitions = `
experiment = "monitoring"
seeds = 5
[grid]
algorithm = "FPA"
model = "overwrite"
N = [8, 16, 32]
f = [0.1, 0.5, 0.8]
nodes = 60
capacity = 6
slots = 400
bin = 20
`
	smallSchedulers = `
experiment = "monitoring"
seeds = 5
[[grid]]
algorithm = ["CGLA", "uniform", "proportional"]
model = ["overwrite", "disappear"]
change_ratio = [1.5, 2, 3]
execution = ["independent", "even"]
nodes = 60
capacity = 6
slots = 400
[[grid]]
algorithm = "FPA"
N = 16
model = ["overwrite", "disappear"]
change_ratio = [1.5, 2, 3]
nodes = 60
capacity = 6
slots = 400
`
	smallSwitches = `
experiment = "monitoring"
seeds = 5
[[grid]]
algorithm = "CGLA"
model = ["overwrite", "disappear"]
switch_every = 300
nodes = 60
capacity = 6
slots = 900
bin = 20
[[grid]]
algorithm = "FPA"
N = 16
model = ["overwrite", "disappear"]
switch_every = 300
nodes = 60
capacity = 6
slots = 900
bin = 20
`
	smallPoints = `
experiment = "point_location"
seeds = 4
[grid]
truth = [0.6, 0.8, 0.95]
N = [16, 64]
steps = 200
`
	smallWeblogs = `
experiment = "foraging"
seeds = 3
[grid]
algorithm = ["RL", "WL"]
beta = { from = 0.01, to = 1.0, count = 3, scale = "log" }
days = 1
site_days = 1
archive_pages = 3000
`
)

// The figures that are compared with those in testdata, which a person has
// looked at.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		figures    []string
	}{
		{"foraging", smallForaging, []string{"figure2", "figure3", "distribution-relevant", "series-sent"}},
		{"structure", smallStructure, []string{"figure1"}},
		{"sources", smallSources, []string{"figure7.1"}},
		{"resolutions", smallResolutions, []string{"figure7.2", "dependence-retrieved"}},
		{"partitions", smallPartitions, []string{"figure7.3", "figure7.4", "map-retrieved"}},
		{"schedulers", smallSchedulers, []string{"figure7.5", "figure7.6", "dependence-bound_ratio"}},
		{"switches", smallSwitches, []string{"figure7.7", "figure7.8", "series-slots_to_90"}},
		{"points", smallPoints, []string{"map-lambda_error", "effects", "sensitivity"}},
		{"weblogs", smallWeblogs, []string{"dependence-relevant"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			fit, missing := swept(t, c.spec).Figures()
			for _, name := range c.figures {
				i := slices.IndexFunc(fit, func(f Figure) bool { return f.Name == name })
				if i < 0 {
					t.Errorf("%s is missing; there are %v, not %v", name, fit, missing)
					continue
				}
				compare(t, &fit[i], filepath.Join("testdata", c.name+"-"+name+".png"))
			}
		})
	}
}

// compare compares a figure with the one in a file. Rounding on another
// processor may blur edges a little.
func compare(t *testing.T, f *Figure, path string) {
	t.Helper()
	const dpi = 100
	var drawn bytes.Buffer
	p := f.page()
	if err := p.write(&drawn, PNG, dpi); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, drawn.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./plots -update draws it", err)
	}
	const tolerated = 0.0005 // share of pixels
	if share := differing(t, drawn.Bytes(), stored); share > tolerated {
		t.Errorf("%s: %.2f %% of the pixels differ from %s; look at both, then go test ./plots -update", f.Name, 100*share, path)
	}
}

// differing returns the share of pixels that differ visibly, 1 if the sizes
// do.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	decode := func(text []byte) image.Image {
		m, err := png.Decode(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	one, other := decode(a), decode(b)
	size := one.Bounds()
	if size != other.Bounds() {
		return 1
	}
	const visible = 0x1800 // of 0xffff in any channel
	count := 0
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			r1, g1, b1, _ := one.At(x, y).RGBA()
			r2, g2, b2, _ := other.At(x, y).RGBA()
			for _, d := range []float64{float64(r1) - float64(r2), float64(g1) - float64(g2), float64(b1) - float64(b2)} {
				if math.Abs(d) > visible {
					count++
					break
				}
			}
		}
	}
	return float64(count) / float64(size.Dx()*size.Dy())
}

// The bytes of a figure follow from the results.
func TestFiguresRepeat(t *testing.T) {
	for _, format := range []Format{SVG, PNG} {
		var first, second bytes.Buffer
		for _, w := range []*bytes.Buffer{&first, &second} {
			fit, _ := swept(t, smallSwitches).Figures()
			for i := range fit {
				if fit[i].Part {
					continue
				}
				if err := fit[i].Write(w, format); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s differs when drawn again", format)
		}
	}
}

func TestPDFIsWhole(t *testing.T) {
	fit, _ := swept(t, smallSources).Figures()
	var text bytes.Buffer
	if err := fit[0].Write(&text, PDF); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(text.String(), "%PDF-") || !strings.HasSuffix(strings.TrimSpace(text.String()), "%%EOF") {
		t.Errorf("%d bytes are no PDF", text.Len())
	}
}
