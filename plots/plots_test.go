package plots

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot/vg"

	"sweep/experiment"
	"sweep/experiments"
)

// names returns the names of parameters by their indices.
func names(d *Data, params []int) []string {
	var names []string
	for _, p := range params {
		names = append(names, d.Experiment.Params[p].Name)
	}
	return names
}

func TestFreeAxes(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       []string
	}{
		{"N follows from the algorithm", smallSchedulers, []string{"algorithm", "execution", "model", "change_ratio"}},
		{"of zipped axes the first counts", `
experiment = "monitoring"
[grid]
nodes = [20, 40, 60]
capacity = [2, 4, 6]
slots = 20
zip = [["nodes", "capacity"]]
`, []string{"nodes"}},
		{"no axis", smallSources, nil},
		{"one algorithm does not use the axis", smallWeblogs, []string{"algorithm", "beta"}},
	} {
		d := swept(t, c.spec)
		if got := names(d, d.axes); !slices.Equal(got, c.want) {
			t.Errorf("%s: axes %v, want %v", c.name, got, c.want)
		}
	}
}

// flat returns data of cells with the given means, one metric, two runs each
// that lie the given distance above and below.
func flat(e *experiment.Experiment, distance float64, cells map[float64][]experiment.Value) *Data {
	d := &Data{Experiment: e, student: student{}}
	for mean, params := range cells {
		c := cell{params: params, metrics: make([]moments, 1)}
		c.metrics[0].add(mean - distance)
		c.metrics[0].add(mean + distance)
		d.cells = append(d.cells, c)
	}
	slices.SortFunc(d.cells, func(a, b cell) int { return cmp.Compare(a.metrics[0].mean, b.metrics[0].mean) })
	d.axes = freeAxes(e, d.cells)
	return d
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*max(1, math.Abs(b)) }

// Worked by hand: y = 3a + b on {0, 1}² without noise has means 0, 1, 3, 4, of
// variance 2.5, to which a contributes 9/4 and b 1/4.
func TestTotalEffectsOfASum(t *testing.T) {
	v := experiment.IntValue
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "y"}}, Params: []experiment.Param{{Name: "a", Kind: experiment.Int}, {Name: "b", Kind: experiment.Int}}}
	d := flat(e, 1, map[float64][]experiment.Value{0: {v(0), v(0)}, 1: {v(0), v(1)}, 3: {v(1), v(0)}, 4: {v(1), v(1)}})
	effects, seeds := d.totalEffects(0)
	// runs at ±1 have variance 2 with n−1
	if !near(effects[0], 2.25/4.5) || !near(effects[1], 0.25/4.5) || !near(seeds, 2/4.5) {
		t.Errorf("effects %v, seeds %v; want 1/2, 1/18 and 4/9", effects, seeds)
	}
}

// An axis that only one algorithm uses: A has means 0 and 2 by it, B has 5.
// The algorithm's own effect is taken from A's mean 1: 1, 1 and 5 have variance
// 32/9, the axis moves two of three cells by 1.
func TestTotalEffectsOfAConditionalAxis(t *testing.T) {
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "y"}}, Params: []experiment.Param{
		{Name: experiment.Algorithm, Kind: experiment.String, Choices: []string{"A", "B"}},
		{Name: "x", Kind: experiment.Int, UsedBy: []string{"A"}},
	}}
	a, b := experiment.StringValue("A"), experiment.StringValue("B")
	d := flat(e, 0, map[float64][]experiment.Value{0: {a, experiment.IntValue(0)}, 2: {a, experiment.IntValue(1)}, 5: {b, {}}})
	total := 38. / 9
	effects, seeds := d.totalEffects(0)
	if !near(effects[0], 32./9/total) || !near(effects[1], 2./3/total) || seeds != 0 {
		t.Errorf("effects %v, seeds %v; want %v, %v and 0", effects, seeds, 32./9/total, 2./3/total)
	}
}

func TestParamTitle(t *testing.T) {
	for want, p := range map[string]experiment.Param{
		"nodes R":         {Name: "nodes", Symbol: "R", Unit: "nodes"},
		"capacity C [h]":  {Name: "capacity", Symbol: "C", Unit: "h"},
		"N [states]":      {Name: "N", Symbol: "N", Unit: "states"},
		"weblog size [h]": {Name: "weblog_size", Unit: "h"},
		"change ratio α":  {Name: "change_ratio", Symbol: "α"},
	} {
		if got := paramTitle(&p); got != want {
			t.Errorf("title %q, want %q", got, want)
		}
	}
}

// Shares that differ by less than one are in order too: the lowest is the
// lightest, whichever comes first in the sweep.
func TestShadesFollowFractions(t *testing.T) {
	v := experiment.FloatValue
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "y"}}, Params: []experiment.Param{{Name: "a", Kind: experiment.Float}, {Name: "f", Kind: experiment.Float}}}
	d := flat(e, 1, map[float64][]experiment.Value{0: {v(1), v(0.8)}, 1: {v(2), v(0.1)}, 2: {v(2), v(0.5)}, 3: {v(2), v(0.8)}})
	groups := d.groupBy(d.all(), d.axes)
	looks := d.looks(groups, d.axes)
	for i := range looks[2:] {
		if a, b := lightness(looks[i+1].color), lightness(looks[i+2].color); a <= b {
			t.Errorf("f = %v is no darker than f = %v", groups[i+2].key[1], groups[i+1].key[1])
		}
	}
	if looks[0].color != looks[3].color {
		t.Error("f = 0.8 has two shades")
	}
}

// The sweep has all of f where N is 8, and N = 1 at f = 0.1 alone: f is judged at
// 8, N at 0.1. An axis without any complete setting is averaged over all.
func TestBalancedEffects(t *testing.T) {
	i, f := experiment.IntValue, experiment.FloatValue
	e := &experiment.Experiment{Metrics: []experiment.Metric{{Name: "y"}}, Params: []experiment.Param{{Name: "N", Kind: experiment.Int}, {Name: "f", Kind: experiment.Float}}}
	d := flat(e, 1, map[float64][]experiment.Value{0: {i(1), f(0.1)}, 1: {i(8), f(0.1)}, 2: {i(8), f(0.2)}, 3: {i(8), f(0.5)}})
	if got := d.balanced(0, nil); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("N: cells %v, want 0 and 1", got)
	}
	if got := d.balanced(1, nil); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("f: cells %v, want 1, 2 and 3", got)
	}
	d = flat(e, 1, map[float64][]experiment.Value{0: {i(1), f(0.1)}, 1: {i(2), f(0.2)}, 2: {i(2), f(0.3)}})
	if got := d.balanced(0, nil); !slices.Equal(got, d.all()) {
		t.Errorf("scattered: cells %v, want all", got)
	}
}

func TestOnASheet(t *testing.T) {
	for rows := 1; rows < 20; rows++ {
		height, fit := onASheet(rows, panelHeight)
		p := page{rows: make([][]panel, rows), width: oneColumn, height: height, note: "note"}
		p.rows[0] = make([]panel, 1)
		if _, high := p.size(); fit && high > sheet {
			t.Errorf("%d rows are %.1f cm high", rows, high/vg.Centimeter)
		}
		if fit != (rows <= 6) || rows <= 5 && height != panelHeight {
			t.Errorf("%d rows: height %.1f cm, fit %v", rows, height/vg.Centimeter, fit)
		}
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
			wanted[i] = vg.Length(100 * random.Float64())
			heights[i] = vg.Length(5 + 7*random.IntN(2))
		}
		places := spread(wanted, heights, 0, 100)
		order := make([]int, n)
		for i := range order {
			order[i] = i
		}
		slices.SortFunc(order, func(a, b int) int { return cmp.Compare(places[a], places[b]) })
		crowded := false
		for k, i := range order {
			if places[i]-heights[i]/2 < -1e-9 || places[i]+heights[i]/2 > 100+1e-9 {
				t.Fatalf("label %d at %v leaves the range: %v of %v", i, places[i], places, wanted)
			}
			crowded = crowded || wanted[i]-heights[i]/2 < 0 || wanted[i]+heights[i]/2 > 100
			if k == 0 {
				continue
			}
			j := order[k-1]
			room := (heights[i] + heights[j]) / 2
			if places[i]-places[j] < room-1e-9 {
				t.Fatalf("labels %d and %d are %v apart, want %v", j, i, places[i]-places[j], room)
			}
			crowded = crowded || wanted[i]-wanted[j] < room
		}
		if !crowded && !slices.EqualFunc(places, wanted, func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 }) {
			t.Fatalf("labels that had room moved from %v to %v", wanted, places)
		}
	}
}

// Algorithms of an experiment differ in at least two of colour, dashes and
// marker; those that the papers compare differ in lightness too.
func TestLooks(t *testing.T) {
	for _, e := range experiments.Experiments(experiments.Options{}) {
		p, _ := e.Param(experiment.Algorithm)
		if p == nil {
			continue
		}
		for i, a := range p.Choices {
			for _, b := range p.Choices[:i] {
				if lookOf(e, a).alike(lookOf(e, b)) {
					t.Errorf("%s: %s and %s look too much alike", e.Name, a, b)
				}
			}
		}
	}
	table := algorithmLooks()
	for _, pair := range [][2]string{{"RL", "WL"}, {"CGLA", "FPA"}} {
		a, b := lightness(table[pair[0]].color), lightness(table[pair[1]].color)
		if math.Abs(a-b) < 20 {
			t.Errorf("%s and %s have lightness %.0f and %.0f: alike in grey", pair[0], pair[1], a, b)
		}
	}
	seen := sequence()
	for i, a := range seen {
		for _, b := range seen[:i] {
			if a.color == b.color && slices.Equal(a.dashes, b.dashes) {
				t.Errorf("look %d of the sequence comes twice", i)
			}
		}
	}
	for algorithm, l := range table {
		for i := 1; i < 4; i++ {
			if v := l.variant(i); v.marker == l.marker || slices.Equal(v.dashes, l.dashes) {
				t.Errorf("variant %d of %s has its marker or dashes", i, algorithm)
			}
		}
	}
}

// An algorithm that the table does not know looks the same wherever it
// appears, and unlike the others.
func TestUnknownAlgorithms(t *testing.T) {
	choices := []string{"new", "CGLA", "newer", "uniform", "newest"}
	e := &experiment.Experiment{Params: []experiment.Param{{Name: experiment.Algorithm, Choices: choices}}}
	for i, a := range choices {
		for _, b := range choices[:i] {
			if lookOf(e, a).alike(lookOf(e, b)) {
				t.Errorf("%s and %s look too much alike", a, b)
			}
		}
		longer := &experiment.Experiment{Params: []experiment.Param{{Name: experiment.Algorithm, Choices: append(slices.Clone(choices), "last")}}}
		if one, other := lookOf(e, a), lookOf(longer, a); one.color != other.color || one.marker != other.marker {
			t.Errorf("%s looks otherwise when there is another algorithm", a)
		}
	}
}

func TestRampGetsDarker(t *testing.T) {
	for name, l := range algorithmLooks() {
		ramp := l.ramp(5)
		for i, r := range ramp[1:] {
			if step := lightness(ramp[i].color) - lightness(r.color); step < 8 {
				t.Errorf("%s: shade %d is only %.1f darker than the one before", name, i+1, step)
			}
		}
	}
	if light, dark := lightness(fieldColor(0)), lightness(fieldColor(1)); math.Abs(light-96) > 1 || math.Abs(dark-26) > 1 {
		t.Errorf("fields go from lightness %.1f to %.1f, want 96 to 26", light, dark)
	}
}

func TestMoments(t *testing.T) {
	values := []float64{1e6 + 1, 1e6 + 2, 1e6 + 4, 1e6 + 8, 1e6 + 16}
	var m moments
	for _, v := range append(values, math.NaN()) {
		m.add(v)
	}
	mean, variance := stat.MeanVariance(values, nil)
	if m.n != 5 || !near(m.average(), mean) || math.Abs(m.variance()-variance) > 1e-8 {
		t.Errorf("n %d, mean %v, variance %v; want 5, %v, %v", m.n, m.average(), m.variance(), mean, variance)
	}
	const t4 = 2.7764451051977987 // Student's t, 4 degrees of freedom, 97.5 %
	if got, want := (student{}).margin(&m), t4*math.Sqrt(variance/5); math.Abs(got-want) > 1e-6 {
		t.Errorf("margin %v, want %v", got, want)
	}
	if got := quartiles([]float64{4, 1, 3, 2}); got != [3]float64{1.75, 2.5, 3.25} {
		t.Errorf("quartiles %v, want 1.75, 2.5, 3.25", got)
	}
}

func TestTrace(t *testing.T) {
	var even trace
	even.add([]float64{1, 10, 2, 20}, 2, 1)
	even.add([]float64{1, 30, 2, 40}, 2, 1)
	even.sort()
	if even.uneven || !slices.Equal(even.axis, []float64{1, 2}) || even.at[0].mean != 20 || even.at[1].mean != 30 {
		t.Errorf("runs with the same axis: %+v", even)
	}
	for _, second := range [][]float64{{1, 30}, {1, 30, 3, 40}, {1, 30, 2, 40, 3, 50}} {
		var uneven trace
		uneven.add([]float64{1, 10, 2, 20}, 2, 1)
		uneven.add(second, 2, 1)
		uneven.sort()
		if !uneven.uneven || !slices.IsSorted(uneven.axis) {
			t.Errorf("rows %v after those of 1 and 2 are taken for the same: %+v", second, uneven)
		}
	}
}

// The points of figure 1 are those that the slopes were fitted to: their
// least-squares line has the slope that the experiment measured.
func TestDoublingBinsAreThoseOfTheFit(t *testing.T) {
	d := swept(t, `
experiment = "structure"
[grid]
site_days = 2
archive_pages = 3000
path_sources = 20
`)
	for column, metric := range map[string]string{"out_urls": "out_slope", "in_urls": "in_slope"} {
		x, y := doublingBins(shares(&d.cells[0].traces[d.column(column)]))
		for i := range x {
			x[i], y[i] = math.Log(x[i]), math.Log(y[i])
		}
		_, slope := stat.LinearRegression(x, y, nil, false)
		if want := d.cells[0].metrics[d.Experiment.Metric(metric)].mean; math.Abs(slope-want) > 1e-9 {
			t.Errorf("%s: slope %v through the bins, want %v", column, slope, want)
		}
	}
}

func TestIsGeometric(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   bool
	}{
		{[]float64{16, 32, 64, 128}, true},
		{[]float64{0.01, 0.1, 1, 0.1}, true},
		{[]float64{1.5, 2, 2.5, 3, 3.5, 4}, false},
		{[]float64{0, 1, 10, 100}, false},
		{[]float64{1, 100}, false},
	} {
		if got := isGeometric(c.values); got != c.want {
			t.Errorf("isGeometric(%v) = %v", c.values, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 12: "12", -3: "−3", 1234: "1234", 12345: "12 345", 0.12345: "0.123", 0.00012: "1.2e−4", 2.5e7: "2.5e7", 1234.5: "1234",
	} {
		if got := formatNumber(x); got != want {
			t.Errorf("formatNumber(%v) = %q, want %q", x, got, want)
		}
	}
	if got := threeDigits(0.471)(0.3); got != "0.300" {
		t.Errorf("0.3 beside 0.471 is written %q", got)
	}
	labels := func(ticks linearTicks, low, high float64) (labels []string) {
		for _, tick := range ticks.Ticks(low, high) {
			labels = append(labels, tick.Label)
		}
		return labels
	}
	if got, want := labels(5, 0.1, 1.05), []string{"0.2", "0.4", "0.6", "0.8", "1.0"}; !slices.Equal(got, want) {
		t.Errorf("ticks %q, want %q", got, want)
	}
	if got, want := labels(5, -0.3, 0.9), []string{"−0.25", "0.00", "0.25", "0.50", "0.75"}; !slices.Equal(got, want) {
		t.Errorf("ticks %q, want %q", got, want)
	}
	for _, c := range [][4]float64{{0.125, 8, 0, 8}, {3.5, 8.5, 3.5, 8.5}, {2, 2, 1.9, 2.1}, {math.Inf(1), math.Inf(-1), 0, 1}} {
		if low, high := rounded(c[0], c[1], 8); low != c[2] || high != c[3] {
			t.Errorf("from %v to %v the range is %v … %v, want %v … %v", c[0], c[1], low, high, c[2], c[3])
		}
	}
}

// Lines that do not fit one chart go to panels by as few parameters as
// possible.
func TestLineUp(t *testing.T) {
	d := swept(t, smallSchedulers)
	panels, lines := d.lineUp(d.all(), d.names())
	if got, want := names(d, panels), []string{"model"}; !slices.Equal(got, want) {
		t.Errorf("panels by %v, want %v", got, want)
	}
	if got, want := names(d, lines), []string{"algorithm", "execution"}; !slices.Equal(got, want) {
		t.Errorf("lines by %v, want %v", got, want)
	}
}

// Each kind of sweep gets the figures that fit, and a reason for the others.
func TestWhichFiguresFit(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		fit, not   []string
	}{
		{"seeds and names", smallForaging,
			[]string{"distribution", "series", "figure2", "figure3"},
			[]string{"dependence", "map", "effects", "sensitivity", "figure1", "figure7.1"}},
		{"one quantity", smallWeblogs,
			[]string{"dependence", "sensitivity", "series"},
			[]string{"distribution", "map", "figure2"}},
		{"two quantities", smallPartitions,
			[]string{"map-retrieved", "effects", "sensitivity", "figure7.3", "figure7.4"},
			[]string{"dependence", "figure7.2", "figure7.5", "figure7.7", "figure7.8"}},
		{"resolutions", smallResolutions, []string{"figure7.2"}, []string{"figure7.3", "figure7.4"}},
		{"no switches", smallSchedulers, []string{"figure7.5", "figure7.6"}, []string{"figure7.7", "figure7.8"}},
		{"switches", smallSwitches, []string{"figure7.7", "figure7.8"}, []string{"figure7.2", "figure7.5"}},
		{"degrees are not the same in all worlds", smallStructure, []string{"figure1", "distribution"}, []string{"series"}},
		{"several worlds", `
experiment = "foraging"
[grid]
algorithm = ["RL", "WL"]
world_seed = [1, 2]
days = 0.2
site_days = 1
archive_pages = 1000
`, []string{"distribution", "sensitivity"}, []string{"dependence", "figure2", "figure3"}},
		{"learners on nodes that stay", `
experiment = "monitoring"
[grid]
algorithm = ["CGLA", "FPA"]
nodes = 20
capacity = 2
slots = 40
`, []string{"distribution", "series"}, []string{"figure7.2", "figure7.7", "figure7.8"}},
	} {
		fit, missing := swept(t, c.spec).Figures()
		for _, want := range c.fit {
			if !slices.ContainsFunc(fit, func(f Figure) bool { return f.Name == want && !f.Part }) {
				t.Errorf("%s: %s does not fit", c.name, want)
			}
		}
		for _, not := range c.not {
			if i := slices.IndexFunc(missing, func(m Missing) bool { return m.Name == not }); i < 0 || missing[i].Why == "" {
				t.Errorf("%s: %s fits, or nobody knows why it does not", c.name, not)
			}
		}
	}
}
