package plots

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"flag"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"sweep/experiment"
	"sweep/experiments"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/results"
	"sweep/sweeps"
)

var update = flag.Bool("update", false, "redraw the figures in testdata")

// made returns what a sweep would yield if its runs were made up: metrics
// and series that depend on the cell and a little on the seed. The runs of the
// cells that fail are failures. As with commands, the spec may name what means are
// taken over.
func made(spec string, metrics, over []string, fail ...int64) *Data {
	s := testutil.Must(grid.Parse("sweeps/test.toml", []byte(spec), experiments.Experiments(sweeps.File)))
	plan := s.Plan()
	e := plan.Experiment()
	seeds := min(plan.Seeds(), 5)
	d := newData(cmp.Or(s.Name, "test"), plan, metrics)
	for i := range seeds * plan.Cells() {
		cell := i % plan.Cells()
		random := rand.New(rand.NewPCG(uint64(i), 1))
		level := 1 + float64(cell%7) + 0.3*float64(cell%3)
		row := &results.Row{Index: i, Status: results.OK}
		if slices.Contains(fail, cell) {
			row.Status = results.Failed
		}
		for m := range e.Metrics {
			row.Result.Metrics = append(row.Result.Metrics, level*float64(1+m)+0.5*random.Float64())
		}
		for x := 1.; d.Series && x <= 200; x *= 1.5 {
			row.Result.Series = append(row.Result.Series, x)
			for c := range e.Columns() {
				row.Result.Series = append(row.Result.Series, level*float64(1+c)*(1-math.Exp(-x/50))+0.3*random.Float64())
			}
		}
		d.Add(row)
	}
	if over == nil {
		over = e.NamesOf(s.Paper.Over)
	}
	d.Pool(over)
	return d
}

// drawn returns the pages of the figures that fit, by their names.
func drawn(d *Data) map[string]Page {
	pages := map[string]Page{}
	for _, f := range d.Figures() {
		if f.Why == "" {
			for _, p := range f.Pages() {
				pages[p.Name] = p
			}
		}
	}
	return pages
}

// why returns why a figure does not fit; empty if it does.
func why(d *Data, name string) string {
	figures := d.Figures()
	return figures[slices.IndexFunc(figures, func(f Figure) bool { return f.Name == name })].Why
}

// shipped returns the specs of the shipped sweeps by name.
func shipped() map[string]string {
	specs := map[string]string{}
	for _, name := range testutil.Must(fs.Glob(sweeps.FS, "*.toml")) {
		specs[strings.TrimSuffix(name, ".toml")] = string(testutil.Must(sweeps.FS.ReadFile(name)))
	}
	return specs
}

const (
	twoQuantities = `
experiment = "point_location"
seeds = 4
[grid]
truth = [0.6, 0.8, 0.95]
N = [16, 64]
`
	rivals = `
experiment = "monitoring"
seeds = 4
[[grid]]
algorithm = ["CGLA", "uniform"]
N = 16
change_ratio = [1.5, 2, 3]
[[grid]]
algorithm = "FPA"
N = 16
f = [0.1, 0.2, 0.5, 0.8]
change_ratio = [1.5, 2, 3]
`
	worlds = `
experiment = "foraging"
seeds = 3
[grid]
algorithm = ["RL", "WL"]
world_seed = [1, 2, 3, 4]
`
	costs = `
experiment = "foraging"
seeds = 3
[[grid]]
algorithm = ["RL", "WL"]
[[grid]]
algorithm = "watch"
watch_send_cost = [0, 0.1, 0.2]
`
	many = `
experiment = "monitoring"
[grid]
algorithm = ["CGLA", "FPA"]
model = ["overwrite", "disappear"]
N = { from = 1, to = 50 }
capacity = { from = 1, to = 20 }
`
)

// A writing is a text on a page, with the room that it takes.
type writing struct {
	text    string
	upright bool
	vg.Rectangle
}

// texts returns where the texts of a figure are.
func texts(p *Page) (list []writing) {
	var canvas recorder.Canvas
	p.draw(draw.NewCanvas(&canvas, p.width, p.fullHeight()))
	angles := []float64{0}
	for _, action := range canvas.Actions {
		last := &angles[len(angles)-1]
		switch a := action.(type) {
		case *recorder.Push:
			angles = append(angles, *last)
		case *recorder.Pop:
			angles = angles[:len(angles)-1]
		case *recorder.Rotate:
			*last += a.Angle
		case *recorder.FillString:
			sin, cos := math.Sincos(*last)
			turn := func(p vg.Point) vg.Point {
				return vg.Point{X: p.X*vg.Length(cos) - p.Y*vg.Length(sin), Y: p.X*vg.Length(sin) + p.Y*vg.Length(cos)}
			}
			face := font.DefaultCache.Lookup(a.Font, a.Size)
			from, to := turn(a.Point), turn(a.Point.Add(vg.Point{X: face.Width(a.String), Y: 0.7 * a.Size}))
			list = append(list, writing{a.String, sin == 0, vg.Rectangle{
				Min: vg.Point{X: min(from.X, to.X), Y: min(from.Y, to.Y)}, Max: vg.Point{X: max(from.X, to.X), Y: max(from.Y, to.Y)}}})
		}
	}
	return list
}

// Every figure of every shipped sweep has the width of a column or a page, at
// most the height of a sheet, all text on it, and no text on another; it says
// what it is of. The papers' figures are drawn of the sweeps that are named
// after them; without -thorough, the figures of three sweeps only are looked at.
// Thousands of cells are no panic, but figures that fit and reasons.
func TestShippedSweeps(t *testing.T) {
	papers := map[string][]string{
		"table2": {"figure2", "figure3", "series"}, "structure": {"figure1"}, "fig7.1": {"figure7.1"},
		"fig7.2": {"figure7.2"}, "fig7.3": {"figure7.3", "map", "effects", "sensitivity"}, "fig7.4": {"figure7.4"},
		"news-division": {"figure2b", "figure3b", "figure3c", "figure5"}, "news-foragers": {"figure2a", "figure2b", "figure3", "figure5"},
		"fig7.5": {"figure7.5", "dependence"}, "fig7.6": {"figure7.6"}, "fig7.7": {"figure7.7"}, "fig7.8": {"figure7.8"},
	}
	specs := map[string]string{"rivals": rivals, "two": twoQuantities, "many": many}
	quick := []string{"table2", "fig7.3", "structure"}
	for name, spec := range shipped() {
		if testutil.Thorough() || slices.Contains(quick, name) {
			specs[name] = spec
		}
	}
	for name, spec := range specs {
		pages := drawn(made(spec, nil, nil, 1))
		if len(pages) == 0 {
			t.Errorf("%s: no figure", name)
		}
		for _, w := range papers[name] {
			if _, ok := pages[w]; !ok && pages[w+"-1"].Name == "" {
				t.Errorf("%s has no %s, but %v", name, w, slices.Sorted(maps.Keys(pages)))
			}
		}
		for _, f := range pages {
			width, height := f.width, f.fullHeight()
			if width != 8.5*vg.Centimeter && width != 17.5*vg.Centimeter || height > 29.7*vg.Centimeter {
				t.Errorf("%s: %s is %.1f by %.1f cm", name, f.Name, width/vg.Centimeter, height/vg.Centimeter)
			}
			if f.Title == "" || !strings.HasPrefix(f.Description, "Sweep ") {
				t.Errorf("%s: %s has the title %q and the description %q", name, f.Name, f.Title, f.Description)
			}
			testutil.NoError(f.Write(io.Discard, SVG))
			all := texts(&f)
			for i, w := range all {
				if w.Min.X < -0.1 || w.Min.Y < -0.1 || w.Max.X > width+0.1 || w.Max.Y > height+0.1 {
					t.Errorf("%s: %s: %q leaves the page: %v of %v × %v", name, f.Name, w.text, w.Rectangle, width, height)
				}
				for _, v := range all[:i] {
					if w.upright && v.upright && overlap(v, w) {
						t.Errorf("%s: %s: %q and %q overprint", name, f.Name, v.text, w.text)
					}
				}
			}
		}
	}
	if why := why(made(shipped()["worlds"], nil, nil), "figure3"); !strings.Contains(why, "world_seed") || !strings.Contains(why, "--over") {
		t.Errorf("figure3 of several worlds: %v", why)
	}
	if d := made(many, nil, nil); why(d, "map") == "" || why(d, "series") == "" {
		t.Errorf("of many cells there are a map: %q; series: %q", why(d, "map"), why(d, "series"))
	}
}

func overlap(a, b writing) bool {
	const touch = 0.5
	return a.Min.X+touch < b.Max.X && b.Min.X+touch < a.Max.X && a.Min.Y+touch < b.Max.Y && b.Min.Y+touch < a.Max.Y
}

// Nothing in the package is the name of a parameter, a metric, an algorithm
// or a figure of a paper.
func TestKnowsNoExperiment(t *testing.T) {
	known := map[string]bool{}
	for _, e := range experiments.Experiments(nil) {
		known[e.Name] = true
		for _, p := range e.Params {
			known[p.Name] = p.Name != experiment.Algorithm
			for _, c := range p.Choices {
				known[c] = true
			}
		}
		for _, m := range slices.Concat(e.Metrics, e.Columns()) {
			known[m.Name] = true
		}
		for _, f := range e.Figures {
			known[f.Name] = true
		}
	}
	literals := 0
	for _, path := range testutil.Must(filepath.Glob("*.go")) {
		for _, l := range regexp.MustCompile(`"([^"\n]+)"`).FindAllStringSubmatch(string(testutil.Must(os.ReadFile(path))), -1) {
			if literals++; known[l[1]] && !strings.HasSuffix(path, "_test.go") {
				t.Errorf("%s knows %q", path, l[1])
			}
		}
	}
	if literals < 50 || !known["CGLA"] || !known["beta"] || !known["figure7.8"] {
		t.Errorf("%d strings were read, %d names are known", literals, len(known))
	}
}

// written returns a figure in a format; PNG with a resolution.
func written(p Page, format string, dpi int) []byte {
	var text bytes.Buffer
	testutil.NoError(p.write(&text, format, dpi))
	return text.Bytes()
}

// The figures in testdata are those that a person has looked at.
func TestGolden(t *testing.T) {
	for path, f := range map[string]Page{
		"lines.png":    drawn(made(shipped()["fig7.7"], nil, nil))["figure7.7"],
		"map.png":      drawn(made(twoQuantities, []string{"lambda_error"}, nil, 2))["map"],
		"exchange.png": drawn(made(costs, []string{"relevant_share"}, nil))["exchange"],
		"strips.png":   drawn(made(worlds, []string{"age_hours"}, nil, 3))["distribution"],
		"scatter.png":  drawn(made(sampled, []string{"relevant"}, nil))["scatter"],
		"right.png":    drawn(made(shipped()["news-foragers"], nil, nil))["figure2a"],
		"areas.png":    drawn(made(shipped()["news-division"], nil, nil))["figure3b"],
		"rows.png":     drawn(made(shipped()["news-division"], nil, nil))["figure2b"],
		"log.png":      drawn(logarithmic())["growth"],
	} {
		path, got := filepath.Join("testdata", path), written(f, PNG, 80)
		if *update {
			testutil.NoError(os.WriteFile(path, got, 0o666))
		}
		want := testutil.Must(os.ReadFile(path))
		// Rounding on another processor may blur edges a little.
		if share := differing(got, want, 1, 0.1); share > 0.001 {
			t.Errorf("%.2f %% of the pixels differ from %s; look at both, then go test ./plots -update", 100*share, path)
		}
	}
}

// logarithmic returns data with a figure whose axes are logarithmic.
func logarithmic() *Data {
	d := made(worlds, nil, nil)
	d.figures = []experiment.Figure{{
		Name: "growth", Title: "growth", Kind: experiment.Lines, Y: []string{"freshness"}, Colour: []string{"algorithm"},
		Log: []string{"x", "y"}, Limits: map[string][2]float64{"y": {0.1, 1000}}, Shared: []string{"y"},
	}}
	return d
}

// differing returns the share of squares, of so many pixels, whose mean colours
// differ in a channel by more than a share of its range; 1 if the sizes do.
func differing(a, b []byte, side int, visible float64) float64 {
	first, second := testutil.Must(png.Decode(bytes.NewReader(a))), testutil.Must(png.Decode(bytes.NewReader(b)))
	size := first.Bounds().Size()
	if d := size.Sub(second.Bounds().Size()); d.X*d.X > 1 || d.Y*d.Y > 1 {
		return 1
	}
	count := 0
	for x := range size.X/side - 1 { // the last ones may be cut
		for y := range size.Y/side - 1 {
			var sum [3]float64 // of the differences of each channel
			for i := range side * side {
				r, g, b, _ := first.At(x*side+i%side, y*side+i/side).RGBA()
				red, green, blue, _ := second.At(x*side+i%side, y*side+i/side).RGBA()
				for k, v := range []int64{int64(r) - int64(red), int64(g) - int64(green), int64(b) - int64(blue)} {
					sum[k] += float64(v) / 0xffff / float64(side*side)
				}
			}
			if max(math.Abs(sum[0]), math.Abs(sum[1]), math.Abs(sum[2])) > visible {
				count++
			}
		}
	}
	return float64(count) / float64((size.X/side)*(size.Y/side))
}

// A PDF looks as the PNG does: all characters, translucent colours.
func TestPDFLooksLikePNG(t *testing.T) {
	program, err := exec.LookPath("pdftoppm")
	if err != nil {
		t.Skip("pdftoppm (Debian's poppler-utils) is not installed, which renders the PDF")
	}
	pages := []Page{
		drawn(made(shipped()["structure"], nil, nil))["figure1"],
		drawn(made(shipped()["table2"], nil, nil))["figure3"],
		drawn(made(worlds, []string{"age_hours"}, nil))["distribution"],
	}
	for _, f := range pages[:testutil.IfThorough(3, 1)] {
		render := exec.Command(program, "-r", "200", "-png", "-singlefile", "-")
		render.Stdin = bytes.NewReader(written(f, PDF, 0))
		rendered := testutil.Must(render.Output())
		// Edges of letters and thin lines are smoothed otherwise.
		if share := differing(rendered, written(f, PNG, 200), 10, 0.1); share > 0.001 {
			t.Errorf("%s: %.2f %% of the squares of PDF and PNG differ", f.Name, 100*share)
		}
	}
}

// An SVG is XML that has a title and a description, and writes exponents and
// minus signs as such. A PDF does not tell when it was made.
func TestBytes(t *testing.T) {
	f := drawn(made(shipped()["structure"], nil, nil))["figure1"]
	f.Title = "a < b & c"
	text := string(written(f, SVG, 0))
	testutil.NoError(xml.Unmarshal([]byte(text), new(struct{ XMLName xml.Name })))
	for _, want := range []string{`<title id="figure1-title">a &lt; b &amp; c</title>`, `<desc id="figure1-desc">Sweep structure: `, `role="img"`, "−2.57"} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is missing", want)
		}
	}
	if all, measured := strings.Count(text, "<text "), strings.Count(text, " textLength="); all == 0 || all != measured {
		t.Errorf("%d of %d texts say how long they are", measured, all)
	}
	if bad := regexp.MustCompile(`>[^<>]*(\d[eE][-−]?\d|[( ]-\d)`).FindString(text); bad != "" {
		t.Errorf("%q is no number as people write it", bad)
	}
	if !bytes.Contains(written(f, PDF, 0), []byte("/CreationDate (D:20000101000000)")) {
		t.Error("a PDF tells when it was made")
	}
}

// Pooled, the replicates are the means of worlds.
func TestOver(t *testing.T) {
	single := made(worlds, nil, nil)
	d := made(worlds, nil, []string{"world_seed"})
	if len(d.cells) != 2 || len(d.axes) != 1 {
		t.Fatalf("%d cells, axes %v", len(d.cells), d.axes)
	}
	for i, g := range single.groupBy(single.all(), []string{"algorithm"}) {
		var means []float64
		for _, c := range g {
			means = append(means, stat.Mean(single.cells[c].values[2], nil))
		}
		mean, sd := stat.MeanStdDev(means, nil)
		const t3 = 3.182446305284263 // Student's t, 3 degrees of freedom, 97.5 %
		if got, margin := d.cells[i].metric(2).limits(); d.cells[i].runs != 4 || !near(got, mean) || math.Abs(margin-t3*sd/2) > 1e-9 {
			t.Errorf("algorithm %s: %v ± %v, want %v ± %v", single.name([]string{"algorithm"}, g), got, margin, mean, t3*sd/2)
		}
		if got := d.cells[i].series[0][1]; got.n != 4 {
			t.Errorf("a series of %d means, want 4", got.n)
		}
	}
	if f := drawn(d)["figure3"]; !strings.Contains(f.Description, "over 4 values of world seed") {
		t.Errorf("figure3: %q", f.Description)
	}
}

// flat returns data of cells with the given means, one metric, two runs each
// that lie the given distance above and below.
func flat(distance float64, cells map[float64][]experiment.Value, params ...experiment.Param) *Data {
	d := &Data{Experiment: &experiment.Experiment{Metrics: []experiment.Metric{{Name: "y"}}, Params: params}}
	for _, p := range params {
		d.varying = append(d.varying, p.Name)
	}
	for _, mean := range slices.Sorted(maps.Keys(cells)) {
		d.cells = append(d.cells, cell{params: cells[mean], runs: 2, values: [][]float64{{mean - distance, mean + distance}}})
	}
	d.axes = d.freeAxes(d.all())
	return d
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// Worked by hand: y = 3a + b on {0, 1}² without noise has means 0, 1, 3, 4, of
// variance 2.5, to which a contributes 9/4 and b 1/4; runs at ±1 have variance
// 2 with n−1.
func TestTotalEffects(t *testing.T) {
	v := experiment.IntValue
	d := flat(1, map[float64][]experiment.Value{0: {v(0), v(0)}, 1: {v(0), v(1)}, 3: {v(1), v(0)}, 4: {v(1), v(1)}},
		experiment.Param{Name: "a", Kind: experiment.Int}, experiment.Param{Name: "b", Kind: experiment.Int})
	if got := d.totalEffects(0, d.axes); !slices.EqualFunc(got, []float64{2.25 / 4.5, 0.25 / 4.5, 2 / 4.5}, near) {
		t.Errorf("effects %v, want 1/2, 1/18 and 4/9", got)
	}
	file := experiment.Param{Name: "a", Kind: experiment.String, Input: &experiment.Input{}} // null: none, which is a choice
	files := flat(1, map[float64][]experiment.Value{0: {{}}, 1: {experiment.StringValue("x")}}, file)
	if got := files.facets(files.all(), []string{"a"}); len(got) != 2 || files.name([]string{"a"}, got[0]) != "no a" {
		t.Errorf("cells without a file are in %v", got)
	}
	// means over b: 0.5 and 3.5 at a; the two runs of each lie ±1 about them
	if got, margin := d.mean(0, []int{2, 3}); got != 3.5 || math.Abs(margin-12.706204736174694) > 1e-9 {
		t.Errorf("mean over cells %v ± %v, want 3.5 ± t", got, margin)
	}
	d.cells[2] = cell{params: d.cells[2].params, failed: 2} // limits are those of the other
	if got, margin := d.mean(0, []int{2, 3}); got != 4 || !(margin > 12) {
		t.Errorf("mean over cells of which one failed %v ± %v, want 4 ± t", got, margin)
	}
	// An axis that only one algorithm uses: A has means 0 and 2 by it, B has 5.
	// The effect of the algorithm is of A's mean 1: 1, 1 and 5 have variance
	// 32/9; the axis moves two by 1.
	a, b := experiment.StringValue("A"), experiment.StringValue("B")
	d = flat(0, map[float64][]experiment.Value{0: {a, v(0)}, 2: {a, v(1)}, 5: {b, {}}},
		experiment.Param{Name: experiment.Algorithm, Kind: experiment.String, Choices: []string{"A", "B"}},
		experiment.Param{Name: "x", Kind: experiment.Int, UsedBy: []string{"A"}})
	total := 38. / 9
	if got := d.totalEffects(0, d.axes); !slices.EqualFunc(got, []float64{32. / 9 / total, 2. / 3 / total, 0}, near) {
		t.Errorf("effects %v, want %v, %v and 0", got, 32./9/total, 2./3/total)
	}
}

// The sweep has all of f where N is 8, and N = 1 at f = 0.1 alone: f is judged
// at 8, N at 0.1. An axis without any complete setting is averaged over all.
func TestAlikeValuesAreToldApart(t *testing.T) {
	const exact = 1 << 53 // float64 has no odd integer above it
	for want, values := range map[string][]experiment.Value{
		"a\u00a0=\u00a01 a\u00a0=\u00a02":                 {experiment.FloatValue(1), experiment.FloatValue(2)},
		"a\u00a0=\u00a0−1.00001 a\u00a0=\u00a0−1":         {experiment.FloatValue(-1.00001), experiment.FloatValue(-1)},
		"a\u00a0=\u00a09·10^15 a\u00a0=\u00a09.001·10^15": {experiment.FloatValue(9e15), experiment.FloatValue(9.001e15)},
		"a\u00a0=\u00a09007199254740992 a\u00a0=\u00a09007199254740993": {
			experiment.IntValue(exact), experiment.IntValue(exact + 1)},
	} {
		cells := map[float64][]experiment.Value{0: {values[0]}, 1: {values[1]}}
		d := flat(1, cells, experiment.Param{Name: "a", Kind: values[0].Kind()})
		var names []string
		for _, g := range d.groupBy(d.all(), []string{"a"}) {
			names = append(names, d.name([]string{"a"}, g))
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("values are called %q, want %q", got, want)
		}
	}
}

func TestBalancedEffects(t *testing.T) {
	i, f := experiment.IntValue, experiment.FloatValue
	params := []experiment.Param{{Name: "N", Kind: experiment.Int}, {Name: "f", Kind: experiment.Float}}
	type cells = map[float64][]experiment.Value
	d := flat(1, cells{0: {i(1), f(0.1)}, 1: {i(8), f(0.1)}, 2: {i(8), f(0.2)}, 3: {i(8), f(0.5)}}, params...)
	for axis, want := range map[string][]int{"N": {0, 1}, "f": {1, 2, 3}} {
		if got, _ := d.balanced(0, d.all(), axis, nil); !slices.Equal(got, want) {
			t.Errorf("%s: cells %v, want %v", axis, got, want)
		}
	}
	d = flat(1, cells{0: {i(1), f(0.1)}, 1: {i(2), f(0.1)}, 2: {i(2), f(0.3)}}, params...)
	d.cells[1].runs = 0 // all failed
	if got, which := d.balanced(0, d.all(), "N", nil); !slices.Equal(got, d.all()) || which != 2 {
		t.Errorf("scattered: cells %v, want all", got)
	}
}

// Of zipped axes the first or the shown one counts; so does one that an
// algorithm does not use, and whose panels all show its rivals.
func TestFreeAxes(t *testing.T) {
	for spec, want := range map[string]string{
		rivals: "[algorithm f change_ratio] [algorithm change_ratio f]",
		worlds: "[algorithm world_seed] [algorithm world_seed]",
		"experiment = \"monitoring\"\n[grid]\nnodes = [20, 40]\ncapacity = [2, 4]\nslots = 20\nzip = [[\"nodes\", \"capacity\"]]": "[nodes] [capacity]",
	} {
		if d := made(spec, nil, nil); fmt.Sprint(d.axes, d.freeAxes(d.all(), "capacity", "change_ratio")) != want {
			t.Errorf("axes %v, and others for a figure that shows some of them; want %v", d.axes, want)
		}
	}
	d := made(rivals, nil, nil)
	if panels := d.facets(d.all(), []string{"f", "change_ratio"}); len(panels) != 12 || slices.ContainsFunc(panels, func(g []int) bool { return len(g) != 3 }) {
		t.Errorf("panels %v, want 4 values of f at 3 ratios, each with all three", panels)
	}
}

// Labels never cover each other, stay in their range, and move only if they
// must.
func TestSpread(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		n := 1 + random.IntN(8)
		wanted, heights := make([]vg.Length, n), make([]vg.Length, n)
		for i := range wanted {
			wanted[i], heights[i] = vg.Length(100*random.Float64()), vg.Length(5+7*random.IntN(2))
		}
		free := func(places []vg.Length) bool { // nothing covers the one below or leaves the range
			below := vg.Length(0)
			for i, p := range places {
				if p-heights[i]/2 < below-1e-9 {
					return false
				}
				below = p + heights[i]/2
			}
			return below <= 100+1e-9
		}
		slices.Sort(wanted)
		places := spread(wanted, heights, 0, 100)
		if !free(places) || free(wanted) && !slices.Equal(places, wanted) {
			t.Fatalf("labels of heights %v moved from %v to %v", heights, wanted, places)
		}
	}
}

// Algorithms differ in at least two of colour, dashes and marker, and the
// values of a quantity get darker.
func TestLooks(t *testing.T) {
	for i := range 35 {
		for k := range i {
			a, b := sequence(i), sequence(k)
			color, dashes, marker := a.color == b.color, slices.Equal(a.dashes, b.dashes), a.marker == b.marker
			if color && dashes || color && marker || dashes && marker {
				t.Errorf("looks %d and %d are too much alike", i, k)
			}
		}
	}
	grey := func(i int) float64 {
		c := shade(orange, i, 5)
		return 0.21*float64(c.R) + 0.72*float64(c.G) + 0.07*float64(c.B)
	}
	for i := range 4 {
		if grey(i)-grey(i+1) < 10 {
			t.Errorf("shade %d is hardly darker than %d", i+1, i)
		}
	}
}

// The points of a distribution are those that slopes are fitted to: their
// least-squares line has the slope of the law they were drawn from.
func TestShares(t *testing.T) {
	var series []float64
	for k := range 64 {
		series = append(series, float64(k), math.Round(1e6*math.Pow(float64(k+1), -2)))
	}
	var one cell
	one.add(&experiment.Experiment{Series: make([]experiment.Metric, 2)}, 0, experiment.Result{Series: series})
	each, bins := shares(one.series, 1)
	sum := 0.0
	for _, p := range each {
		sum += math.Pow(10, p.Y)
	}
	if !near(sum, 1) || len(each) != 63 || len(bins) != 6 {
		t.Errorf("%d shares that add up to %v, %d bins", len(each), sum, len(bins))
	}
	if b := bins[1]; !near(b.X, math.Log10(6)/2) || !near(b.Y, math.Log10((math.Pow(10, each[1].Y)+math.Pow(10, each[2].Y))/2)) {
		t.Errorf("the bin of 2 and 3 is at %v", b)
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 12: "12", -3: "−3", 1234: "1234", 12345: "12 345", 0.12345: "0.123", 0.00012: "1.2·10^−4", -1e6: "−10^6", -2e6: "−2·10^6", 1e-4: "10^−4", 2.5e7: "2.5·10^7", 1234.5: "1234", 999.9: "1000",
	} {
		if got := formatNumber(x, 3); got != want {
			t.Errorf("formatNumber(%v) = %q, want %q", x, got, want)
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{{0.1, 1.05, "0.2 0.4 0.6 0.8 1"}, {-0.3, 0.9, "−0.25 0 0.25 0.5 0.75"}, {7000, 12100, "8000 10 000 12 000"},
		{1e7 + 1, 1e7 + 9, "1.0000002·10^7 1.0000004·10^7 1.0000006·10^7 1.0000008·10^7"}} {
		var labels []string
		for _, tick := range numbers(1).Ticks(c.low, c.high) {
			labels = append(labels, tick.Label)
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("ticks from %v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
	for want, values := range map[bool][][]float64{
		true:  {{16, 32, 64, 128}, {0.01, 0.1, 1}},
		false: {{1.5, 2, 2.5, 3, 3.5, 4}, {0, 1, 10, 100}, {1, 100}, {1, 90, 99}},
	} {
		for _, v := range values {
			if isGeometric(v) != want {
				t.Errorf("isGeometric(%v) = %v", v, !want)
			}
		}
	}
	p := Page{rows: [][]*plot.Plot{{newPlot("", "", strings.Repeat("10^−4 ", 60))}}, width: columnWidth, height: columnWidth}
	if p.breakTitles(); slices.ContainsFunc(texts(&p), func(w writing) bool { return w.Max.Y > p.fullHeight() || strings.Contains(w.text, "^") }) {
		t.Error("a long title leaves the page, or has its exponents as they are typed")
	}
	if textStyle(labelSize).Width(p.rows[0][0].Y.Label.Text) > p.height {
		t.Error("a long title is longer than its axis")
	}
}

// The text of a PDF is text: its title, Greek letters and minus signs are found
// in it, words are whole, and its bytes are the same each time.
func TestTextOfPDF(t *testing.T) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		t.Skip("pdftotext (Debian's poppler-utils) is not installed, which reads the PDF")
	}
	f := drawn(made(shipped()["structure"], nil, nil))["figure1"]
	f.Title = "Fußnote of β"
	f.Description = "AVAVA To κβγ ≤ 10^−4, Wave Type"
	content := written(f, PDF, 0)
	if !bytes.Equal(content, written(f, PDF, 0)) {
		t.Error("the bytes differ from those before")
	}
	read := exec.Command(program, "-", "-")
	read.Stdin = bytes.NewReader(content)
	text := string(testutil.Must(read.Output()))
	for _, want := range []string{"κβγ ≤ 10", "−4", "AVAVA To", "Wave Type", "degree k", "out: "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %q", want, text)
		}
	}
	info := exec.Command("pdfinfo", "-")
	info.Stdin = bytes.NewReader(content)
	if told := string(testutil.Must(info.Output())); !strings.Contains(told, "Fußnote of β") {
		t.Errorf("the title is missing in %s", told)
	}
}

// ending returns data of one cell with a series x, y: run i has 10·(i+1) rows,
// in which y is i+1.
func ending(runs int) *Data {
	e := &experiment.Experiment{
		Metrics: []experiment.Metric{{Name: "y"}},
		Series:  []experiment.Metric{{Name: "x"}, {Name: "y"}},
	}
	d := &Data{Experiment: e, Series: true, single: make([]cell, 1)}
	d.cells = d.single
	for i := range runs {
		var r experiment.Result
		r.Metrics = []float64{0}
		for x := range 10 * (i + 1) {
			r.Series = append(r.Series, float64(x), float64(i+1))
		}
		d.cells[0].add(e, i, r)
	}
	return d
}

// Series of unequal length are drawn over the union: means are over the runs
// that go on or, if they are held, over all, and how many go on is said.
func TestUnevenSeries(t *testing.T) {
	d := ending(4)
	series := experiment.Figure{Name: "f", Kind: experiment.Lines, Y: []string{"y"}}
	for _, hold := range []bool{false, true} {
		series.Hold = hold
		f := d.figure(series)
		rows := f.data.cells[0].series
		if f.Why != "" || len(rows) != 40 {
			t.Fatalf("hold %v: %q, %d rows", hold, f.Why, len(rows))
		}
		for x, row := range rows {
			var going, all moments // worked anew
			for i := range 4 {
				all.add(float64(i + 1))
				if x < 10*(i+1) {
					going.add(float64(i + 1))
				}
			}
			want := going
			if hold {
				want = all
			}
			if got := row[1]; got.n != want.n || !near(got.mean, want.mean) {
				t.Errorf("hold %v, x = %d: %v, want %v", hold, x, got, want)
			}
		}
		note := f.Pages()[0].Description
		want := "of 4 runs 4 go on to x 9, 3 to 19, 2 to 29, 1 to 39; means are over those that go on."
		if hold {
			want = "those that have ended keep their last values."
		}
		if !strings.HasSuffix(note, want) {
			t.Errorf("hold %v: %q, want the end %q", hold, note, want)
		}
	}
	if n := d.cells[0].series[39][1].n; n != 1 {
		t.Errorf("holding one figure changed the data: %d", n)
	}
}

// The smooth line through dots on a straight line is that line, and follows a
// wave; too few dots have none.
func TestSmooth(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var straight, wave plotter.XYs
	for range 300 {
		x := 10 * random.Float64()
		straight = append(straight, plotter.XY{X: x, Y: 3 - 2*x})
		wave = append(wave, plotter.XY{X: x, Y: math.Sin(x) + 0.2*random.NormFloat64()})
	}
	for _, p := range smooth(straight) {
		if math.Abs(p.y-(3-2*p.x)) > 1e-9 {
			t.Errorf("the line is %v at %v, want %v", p.y, p.x, 3-2*p.x)
		}
	}
	for _, p := range smooth(wave) {
		if math.Abs(p.y-math.Sin(p.x)) > 0.35 {
			t.Errorf("the wave is %v at %v, want %v", p.y, p.x, math.Sin(p.x))
		}
	}
	var few plotter.XYs // at two places only
	for i := range 100 {
		few = append(few, plotter.XY{X: float64(i % 2), Y: float64(i)})
	}
	if smooth(few) != nil || smooth(straight[:9]) != nil {
		t.Error("there is a line through two places, or nine dots")
	}
}

const sampled = `
experiment = "foraging"
seeds = 3
[sample]
design = "sobol"
points = 64
[grid]
algorithm = "WLRL"
alpha = { from = 0.01, to = 0.07 }
beta = { from = 0.1, to = 0.5 }
`

// No figure joins the points of a sample.
func TestSamples(t *testing.T) {
	d := made(sampled, []string{"relevant"}, nil)
	for _, f := range d.general() {
		joins := f.Kind == experiment.Lines && len(f.X) > 0 || f.Kind == experiment.Heat
		if f.Why == "" && joins {
			t.Errorf("%s is drawn of a sample", f.Name)
		}
	}
	page := drawn(d)["scatter"]
	if len(page.rows) == 0 || !strings.Contains(page.Description, "dots: single ones") {
		t.Errorf("scatter: %q", page.Description)
	}
}

// Only a figure that has smooth lines tells of them: three values of a
// parameter have none.
func TestNotesOfSmoothLines(t *testing.T) {
	for spec, c := range map[string]struct{ x, want string }{
		sampled:       {"beta", "; lines: smooth means of logarithms, local least squares"},
		twoQuantities: {"truth", ""},
	} {
		d := made(spec, nil, nil)
		y := d.Experiment.Metrics[0].Name
		figure := d.figure(experiment.Figure{Name: "f", Title: "f", Kind: experiment.Scatter, X: []string{c.x}, Y: []string{y}, Log: []string{"y"}})
		if figure.Why != "" {
			t.Fatal(figure.Why)
		}
		note := figure.Pages()[0].Description
		if strings.Contains(note, "lines:") != (c.want != "") || !strings.Contains(note, c.want) {
			t.Errorf("against %s: %q", c.x, note)
		}
	}
}

// Bars of limits at points beyond the limits of an axis are not drawn.
func TestBarsBeyondLimits(t *testing.T) {
	p := newPlot("", "", "")
	l := line{marks: true, marker: draw.CircleGlyph{}}
	for x := range 5 {
		l.points = append(l.points, pointAt(float64(x), 1, 0.5))
	}
	l.addLimits(p)
	p.X.Min, p.X.Max = 1, 3
	var c recorder.Canvas
	p.Draw(draw.NewCanvas(&c, 100, 100))
	for _, action := range c.Actions {
		stroke, is := action.(*recorder.Stroke)
		for i := 0; is && i < len(stroke.Path); i++ {
			if at := stroke.Path[i].Pos; at.X < 0 || at.X > 100 {
				t.Errorf("a line is drawn at %v", at)
			}
		}
	}
}

// A name stands where its line leaves the plot.
func TestEndBefore(t *testing.T) {
	nan := math.NaN()
	l := line{points: []point{pointAt(1, 10, 0), pointAt(2, 20, 0), pointAt(3, nan, 0), pointAt(4, 40, 0), pointAt(6, 50, 0)}}
	for limit, want := range map[float64]float64{7: 50, 6: 50, 5: 45, 4: 40, 3.5: 20, 1.5: 15, 0: 50} {
		if got := l.endBefore(limit); got != want {
			t.Errorf("before %v the line ends at %v, want %v", limit, got, want)
		}
	}
}

// What is beyond the limits of an axis takes no room from labels.
func TestThinOfLimits(t *testing.T) {
	axis := newPlot("", "", "").X
	axis.Min, axis.Max = 0.01, 0.2
	axis.Tick.Marker = plot.ConstantTicks{{Value: 0.001, Label: "0.001"}, {Value: 0.01, Label: "0.01"}, {Value: 0.02, Label: "0.02"}, {Value: 0.2, Label: "0.2"}}
	thin(&axis, 100, wide)
	var labels []string
	for _, tick := range axis.Tick.Marker.Ticks(axis.Min, axis.Max) {
		labels = append(labels, tick.Label)
	}
	if got := strings.Join(labels[1:], " "); got != "0.01  0.2" {
		t.Errorf("the labels are %q, want 0.01 and 0.2", got)
	}
}

// Panels have scales of their own, unless these are shared; a share's axis does
// not leave 0 to 1, whatever its limits; limits that are asked for hold.
func TestScales(t *testing.T) {
	i := experiment.IntValue
	params := []experiment.Param{{Name: "a", Kind: experiment.Int}, {Name: "b", Kind: experiment.Int}}
	cells := map[float64][]experiment.Value{0.02: {i(1), i(1)}, 0.1: {i(2), i(1)}, 0.7: {i(1), i(2)}, 0.98: {i(2), i(2)}}
	d := flat(0.02, cells, params...)
	d.single = d.cells
	axes := func(f experiment.Figure) (list [][2]float64) {
		f.Name, f.Kind, f.Title = "f", experiment.Lines, "f"
		f.X, f.Y, f.Panels = []string{"a"}, []string{"y"}, []string{"b"}
		figure := d.figure(f)
		if figure.Why != "" {
			t.Fatal(figure.Why)
		}
		for panel := range figure.Pages()[0].panels {
			list = append(list, [2]float64{panel.Y.Min, panel.Y.Max})
		}
		return list
	}
	if got := axes(experiment.Figure{}); got[0][0] != 0 || got[0][1] > 0.5 || got[1][0] < 0.4 || got[1][1] != 1 {
		t.Errorf("own scales are %v", got)
	}
	if got := axes(experiment.Figure{Shared: []string{"y"}}); got[0] != got[1] || got[0] != [2]float64{0, 1} {
		t.Errorf("shared scales are %v", got)
	}
	limits := map[string][2]float64{"y": {0.01, 10}}
	if got := axes(experiment.Figure{Limits: limits, Log: []string{"y"}}); got[1] != [2]float64{-2, 1} {
		t.Errorf("limits on a logarithmic axis are %v", got)
	}
}

// A strip of a million runs has as few dots as its figure may have, which show
// the same distribution.
func TestStripOfManyRuns(t *testing.T) {
	dots := make(plotter.XYs, 1_000_001)
	for i := range dots {
		dots[i] = plotter.XY{X: float64(i * 7 % len(dots)), Y: float64(i)}
	}
	kept := atEqualRanks(dots, 101)
	if len(kept) != 101 {
		t.Fatalf("%d dots, want 101", len(kept))
	}
	for i, dot := range kept {
		if dot.X != float64(i*10_000) {
			t.Errorf("dot %d is at %v, want %d", i, dot.X, i*10_000)
		}
	}
	if few := atEqualRanks(dots[:100], 101); !slices.Equal(few, dots[:100]) {
		t.Error("few dots are not drawn as they are")
	}
}

// An axis that is logarithmic by itself has the limits that are asked for, and
// labels where few values are within; limits of 0 or less make it linear.
func TestLimitsOfLogarithms(t *testing.T) {
	cells := map[float64][]experiment.Value{}
	for y, x := range []float64{1, 10, 100, 1000} {
		cells[float64(y)] = []experiment.Value{experiment.FloatValue(x)}
	}
	d := flat(0.02, cells, experiment.Param{Name: "a", Kind: experiment.Float})
	d.single = d.cells
	for _, c := range []struct{ limits, want [2]float64 }{
		{[2]float64{5, 2000}, [2]float64{math.Log10(5), math.Log10(2000)}},
		{[2]float64{5, 50}, [2]float64{math.Log10(5), math.Log10(50)}},
		{[2]float64{0, 50}, [2]float64{0, 50}},
	} {
		for _, kind := range []string{experiment.Lines, experiment.Scatter} {
			f := experiment.Figure{Name: "f", Title: "f", Kind: kind, X: []string{"a"}, Y: []string{"y"}, Limits: map[string][2]float64{"x": c.limits}}
			figure := d.figure(f)
			x := figure.Pages()[0].rows[0][0].X
			if got := [2]float64{x.Min, x.Max}; got != c.want {
				t.Errorf("%s with the limits %v: the axis goes from %v, want %v", kind, c.limits, got, c.want)
			}
			labels := 0
			for _, tick := range x.Tick.Marker.Ticks(x.Min, x.Max) {
				if tick.Label != "" && x.Min <= tick.Value && tick.Value <= x.Max {
					labels++
				}
			}
			if labels < 2 {
				t.Errorf("%s with the limits %v: %d labels", kind, c.limits, labels)
			}
		}
	}
}

// Limits that reach 0 have no place on a logarithmic axis, which the note says.
func TestLimitsWithoutPlace(t *testing.T) {
	l := line{points: []point{pointAt(1, 2, 3), pointAt(2, 2, 1), pointAt(3, -1, 1)}}
	if lost, bare := l.onLog(); lost != 1 || bare != 1 {
		t.Errorf("%d points and %d limits have no place, want 1 and 1", lost, bare)
	}
	p := newPlot("", "", "")
	if lost, bare := l.addStrip(p, []float64{0, 1, 0, 4}, 1, 9, logarithm); lost != 2 || bare != 1 {
		t.Errorf("%d dots and %d limits have no place, want 2 and 1", lost, bare)
	}
	i := experiment.IntValue
	d := flat(9, map[float64][]experiment.Value{1: {i(1)}, 2: {i(2)}}, experiment.Param{Name: "a", Kind: experiment.Int})
	log := experiment.Figure{Name: "f", Kind: experiment.Lines, X: []string{"a"}, Y: []string{"y"}, Log: []string{"y"}}
	d.single = d.cells
	figure := d.figure(log)
	if got := figure.Pages()[0].Description; !strings.Contains(got, "; at 2 points limits reach 0 or less, and are not drawn") {
		t.Errorf("the note is %s", got)
	}
}

// A figure of the spec may be of any kind; what it does not name has panels of
// its own; it stands in place of another one with its name.
func TestFiguresOfSpecs(t *testing.T) {
	d := made(worlds, nil, nil)
	d.figures = []experiment.Figure{
		{Name: "series", Title: "mine", Kind: experiment.Lines, Y: []string{"freshness"}, Colour: []string{"algorithm"}},
		{Name: "pooled", Title: "mine", Kind: experiment.Lines, Y: []string{"freshness"}, Over: []string{"world_seed", "beta"}},
		{Name: "dots", Title: "mine", Kind: experiment.Scatter, X: []string{"sent"}, Y: []string{"relevant"}, Colour: []string{"algorithm"}, Log: []string{"x", "y"}},
	}
	pages := drawn(d)
	if got := pages["series"]; got.Title != "mine" || len(slices.Concat(got.rows...)) != 4 {
		t.Errorf("series of the spec: %q, panels %v", got.Title, got.rows)
	}
	if got := pages["pooled"]; !strings.Contains(got.Description, "over 4 values of world seed") {
		t.Errorf("pooled: %q", got.Description)
	}
	if got := pages["dots"]; !strings.Contains(got.Description, "dots: single ones") {
		t.Errorf("dots: %q", got.Description)
	}
	if len(d.cells) != 8 {
		t.Errorf("the figures left %d cells, want 8", len(d.cells))
	}
}

// Windows of one grey are one field, and those without a value none; an axis at
// the right has the ticks of its own numbers.
func TestRowsAndRightAxis(t *testing.T) {
	nan := math.NaN()
	b := &bandRows{ends: []float64{1, 2, 3, 4, 5}, rows: [][]float64{{nan, 0, 0, 8, nan}}, high: 8}
	p := newPlot("", "", "")
	p.Add(b)
	var canvas recorder.Canvas
	b.Plot(draw.NewCanvas(&canvas, 100, 100), p)
	fills := 0
	for _, action := range canvas.Actions {
		if _, is := action.(*recorder.Fill); is {
			fills++
		}
	}
	if fills != 2 {
		t.Errorf("%d fields, want 2", fills)
	}
	if xmin, xmax, _, _ := b.DataRange(); xmin != 0 || xmax != 5 {
		t.Errorf("the rows go from %v to %v", xmin, xmax)
	}
	p.Y.Min, p.Y.Max = 0, 10 // at the right: 100 to 200
	a := rightAxis{low: 100, scale: 10}
	ticks := a.ticks(p)
	if first, last := ticks[0], ticks[len(ticks)-1]; first.Label != "100" || first.Value != 0 || last.Label != "200" || last.Value != 10 {
		t.Errorf("ticks %v", ticks)
	}
}

// The axis of a pile is that of its sum, and a few areas have their names.
func TestAreas(t *testing.T) {
	d := ending(3)
	pile := experiment.Figure{Name: "f", Kind: experiment.Areas, Y: []string{"y", "y"}} // 3 at the most
	figure := d.figure(pile)
	page := figure.Pages()[0]
	for panel := range page.panels {
		if panel.Y.Min != 0 || panel.Y.Max != 6 {
			t.Errorf("the axis goes from %v to %v, want 0 to 6", panel.Y.Min, panel.Y.Max)
		}
	}
	named := map[string]int{}
	for _, w := range texts(&page) {
		named[w.text]++
	}
	if named["y"] != 2 || named["sum"] == 0 {
		t.Errorf("the texts are %v, want the names of 2 areas, and sum", named)
	}
}

// Labels of columns name the areas of a figure of the spec, not the axis of
// their sum. Those of a paper's figure are the titles of its axes.
func TestLabelsOfAreas(t *testing.T) {
	d := ending(3)
	labels := map[string]string{"x": "day", "y": "wood"}
	pile := experiment.Figure{Name: "f", Title: "f", Kind: experiment.Areas, Y: []string{"y", "y"}, Labels: labels}
	d.figures = []experiment.Figure{pile}
	d.Experiment.Figures = []experiment.Figure{pile}
	d.Experiment.Figures[0].Name = "paper"
	for name, want := range map[string][4]int{"f": {2, 0, 1, 1}, "paper": {1, 2, 0, 1}} {
		page := drawn(d)[name]
		found := map[string]int{}
		for _, w := range texts(&page) {
			found[w.text]++
		}
		if got := [4]int{found["wood"], found["y"], found["sum"], found["day"]}; got != want {
			t.Errorf("%s: wood, y, sum and day are there %v times, want %v", name, got, want)
		}
		if told := strings.Contains(page.Description, "from wood at the bottom to wood"); told != (name == "f") {
			t.Errorf("%s: the description is %q", name, page.Description)
		}
	}
}

// About the share of dots that is asked for is kept, all if it is 1, and a
// sample of a logarithmic range has a logarithmic axis.
func TestThinnedAndSkewed(t *testing.T) {
	dots := make(plotter.XYs, 10000)
	for share, want := range map[float64]float64{0: 0, 0.1: 1000, 0.5: 5000, 1: 10000} {
		if got := float64(len(thinned(dots, share))); math.Abs(got-want) > 200 {
			t.Errorf("%v of 10000 dots are %v", share, got)
		}
	}
	var linear, logs []float64
	for i := range 100 {
		linear = append(linear, 1+float64(i))
		logs = append(logs, math.Round(math.Pow(10, 0.04*float64(i))))
	}
	if isSkewed(linear) || !isSkewed(logs) || isSkewed([]float64{1, 2, 3, 3}) || !isSkewed([]float64{1, 1, 10, 100}) {
		t.Error("a linear range is skewed, or a logarithmic one is not")
	}
}
