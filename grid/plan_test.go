package grid

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// expansions are specs of which the cells are known, each as what sets it apart,
// beside what nested loops say of random ones: see TestAgainstNestedLoops.
var expansions = []struct{ name, spec, cells string }{
	{"order of the document, not of the declaration", "[grid]\ny=[3,4]\nx=[1,2]", "y = 3, x = 1; y = 3, x = 2; y = 4, x = 1; y = 4, x = 2"},
	{"unused axes do not multiply", "[grid]\nalgorithm=['RL','WL']\nalpha=[0.1,0.2]\nbeta=[0.3,0.4]",
		"algorithm = RL, alpha = 0.1, gamma = 0.9; algorithm = RL, alpha = 0.2, gamma = 0.9; " +
			"algorithm = WL, beta = 0.3; algorithm = WL, beta = 0.4"},
	{"ranges", "[grid]\nx={from=0.6,to=0.7,step=0.1}\ny={from=1,to=100,count=3,scale='log'}",
		"x = 0.6, y = 1; x = 0.6, y = 10; x = 0.6, y = 100; x = 0.7, y = 1; x = 0.7, y = 10; x = 0.7, y = 100"},
	{"integers", "[grid]\nalgorithm='CGLA'\nN='7..9'", "N = 7; N = 8; N = 9"},
	{"integers from and to", "[grid]\nalgorithm='CGLA'\nN={from=9,to=7}", "N = 9; N = 8; N = 7"},
	{"rounded logarithms", "[grid]\nalpha={from=0.02,to=0.5,count=4,scale='log'}", "alpha = 0.02; alpha = 0.0585; alpha = 0.171; alpha = 0.5"},
	{"whole numbers where fractions are wanted", "[grid]\nx=[1,1.5]", "x = 1; x = 1.5"},
}

func TestExpansion(t *testing.T) {
	for _, c := range expansions {
		s := parse(t, c.spec)
		var cells []string
		for i := range s.Plan().Cells() {
			cells = append(cells, strings.TrimSuffix(s.Plan().Describe(s.Plan().Point(i)), ", seed = 1"))
		}
		if got := strings.Join(cells, "; "); got != c.cells {
			t.Errorf("%s:\n got %s\nwant %s", c.name, got, c.cells)
		}
		checkPlan(t, s)
	}
}

// checkPlan checks that a plan is consistent with itself.
func checkPlan(t *testing.T, s *Spec) {
	t.Helper()
	p := s.Plan()
	if p.Runs() != p.Cells()*p.Seeds() || p.Cells() < 1 || p.Seeds() < 1 {
		t.Fatalf("%d runs, %d cells, %d seeds", p.Runs(), p.Cells(), p.Seeds())
	}
	total := int64(0)
	for _, b := range s.Blocks {
		total += b.Cells
		sum := b.Combinations - b.Nulled - b.Excluded - b.Repeated + b.Included
		if sum != b.Cells || b.Nulled < 0 || b.Excluded < 0 || b.Repeated < 0 {
			t.Errorf("counts do not add up: %+v", b)
		}
	}
	if total != p.Cells() {
		t.Errorf("blocks have %d cells, the plan %d", total, p.Cells())
	}
	ids := map[ID]int64{}
	n := p.Runs()
	samples := []int64{n / 7, n / 3, n / 2, n - 1 - n/5, max(n-2, 0), n - 1}
	for i := range min(n, 200) {
		samples = append(samples, i)
	}
	for _, i := range samples {
		point := p.Point(i)
		if text, end := p.Describe(point), fmt.Sprintf("seed = %d", point.Seed); !strings.HasSuffix(text, end) || strings.Contains(text, "null") {
			t.Fatalf("Describe = %q, want it to end with %s", text, end)
		}
		for k, v := range point.Values {
			if err := p.Experiment().Params[k].Check(v); !v.IsNull() && err != nil {
				t.Fatalf("Point(%d): %v", i, err)
			}
		}
		id := Identify(point)
		if p.ID(i) != id {
			t.Fatalf("run %d is %v, its point %v", i, p.ID(i), id)
		}
		for _, last := range []int64{i - 1, i} { // before the run that is looked for, and elsewhere
			if found, ok := p.FindNext(last, p.CellID(i%p.Cells()), point.Seed); !ok || found != i {
				t.Fatalf("after %d, Point(%d) = %v is found at %d, %v", last, i, point.Values, found, ok)
			}
		}
		if k, twice := ids[id]; twice && k != i {
			t.Fatalf("runs %d and %d are both %v", k, i, id)
		}
		ids[id] = i
	}
}

func TestSeedForms(t *testing.T) {
	for _, c := range []struct {
		text        string
		n, from, to int64
	}{
		{"", 1, 1, 1},
		{"seeds = 30", 30, 1, 30},
		{`seeds = "0..30"`, 31, 0, 30},
		{"seeds = [5, 1, 2]", 3, 5, 2},
		{"seeds = [7]", 1, 7, 7},
		{"seeds = { from = 1, count = 30 }", 30, 1, 30},
		{"seeds = { from = 5, to = 30 }", 26, 5, 30},
		{"seeds = { count = 1, from = 9223372036854775807 }", 1, 1<<63 - 1, 1<<63 - 1},
		{"[seeds]\nfrom = 0\ncount = 9223372036854775807", 1<<63 - 1, 0, 1<<63 - 2},
	} {
		p := parse(t, c.text).Plan()
		if n := p.Seeds(); n != c.n || p.Seed(0) != c.from || p.Seed(n-1) != c.to {
			t.Errorf("%s: %d seeds from %d to %d, want %d from %d to %d", c.text, n, p.Seed(0), p.Seed(n-1), c.n, c.from, c.to)
		}
	}
}

// Plans of the same runs have no difference; else the first is told. Under
// another stopping rule, cells have other seeds.
func TestDifference(t *testing.T) {
	const axes = "\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]"
	const base = "seeds = 3" + axes
	const stop = "seeds = 30\n[stop]\nmetric = 'sent'\nhalf_width = '7%'"
	const rule = "a stopping rule (sent within 7% at a confidence of 0.95, at least 10 seeds)"
	for _, c := range []struct{ a, b, want string }{
		{base, base, ""},
		{base, "# as above\nname = 'y'\nseeds = [1, 2, 3]\n[grid]\nx = { from = 1, to = 2, step = 1 }\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", ""},
		{base, "seeds = '1..4'" + axes, "3 seeds (1 … 3) and 4 seeds (1 … 4)"},
		{base, "seeds = [1, 2, 4]" + axes, "3 seeds (1 … 3) and 3 seeds (1 … 4)"},
		{base, "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = 0.1", "6 and 4 cells"},
		{base, "seeds = 3\n[grid]\nx = [1, 3]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", "x is 2 and 3 in cell 4 of 6"},
		{base, "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['WL', 'RL']\nalpha = [0.1, 0.2]", "algorithm is RL and WL in cell 1 of 6"},
		{"seeds = 3\n[grid]\nx = 1\nalpha = [0.1, 0.2]", "seeds = 4\n[grid]\nx = 2\nalpha = 0.1", "x is 1 and 2"},
		{stop, "[stop]\nmin = 10\nmax = 30\nmetric = 'sent'\nhalf_width = '7 %'", ""},
		{stop, "seeds = 30", rule + " and no stopping rule"},
		{stop, "seeds = 30\n[stop]\nmetric = 'sent'\nhalf_width = 7", rule + " and a stopping rule (sent within 7 at a confidence of 0.95, at least 10 seeds)"},
		{stop, stop + "\nmin = 5", rule + " and a stopping rule (sent within 7% at a confidence of 0.95, at least 5 seeds)"},
	} {
		if got := parse(t, c.a).Plan().Difference(parse(t, c.b).Plan()); got != c.want {
			t.Errorf("%s\ngot %q, want %q", c.b, got, c.want)
		}
	}
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, spec  string
		want        Stop
		first, last int64 // seeds of the plan
	}{
		{"all given", "[stop]\nmetric='sent'\nhalf_width='1%'\nconfidence=0.9\nmin=5\nmax=40",
			Stop{0, 0.01, true, 0.9, 5, 40}, 1, 40},
		{"in the metric's unit", "[stop]\nmetric='sent'\nhalf_width=25\nmax=1000",
			Stop{0, 25, false, 0.95, 10, 1000}, 1, 1000},
		{"max is the number of seeds", "seeds='101..130'\n[stop]\nmetric='sent'\nhalf_width='0.5 %'",
			Stop{0, 0.005, true, 0.95, 10, 30}, 101, 130},
		{"max cuts the seeds", "seeds=[9,8,7,6]\n[stop]\nmetric='sent'\nhalf_width=1.5\nmin=2\nmax=3",
			Stop{0, 1.5, false, 0.95, 2, 3}, 9, 7},
	} {
		p := parse(t, c.spec).Plan()
		if first, last := p.Seed(0), p.Seed(p.Seeds()-1); *p.Stop() != c.want || first != c.first || last != c.last {
			t.Errorf("%s: rule %+v, seeds from %d to %d, want %+v, %d and %d", c.name, *p.Stop(), first, last, c.want, c.first, c.last)
		}
		if _, ok := p.FindNext(-1, p.CellID(0), 6); ok != (c.last > 6 && c.first < 6) {
			t.Errorf("%s: seed 6 is in the plan: %v", c.name, ok)
		}
	}
	if p := parse(t, "").Plan(); p.Stop() != nil {
		t.Error("a spec without a rule has one")
	}
}

// More of them: cli/testdata/thorough/stop.txt.
func TestCheckpoints(t *testing.T) {
	list := (&Stop{Min: 10, Max: 100}).Checkpoints()
	if want := []int64{10, 15, 23, 35, 53, 80, 100}; !slices.Equal(list, want) {
		t.Errorf("checkpoints %d, want %d", list, want)
	}
	huge := (&Stop{Min: 2, Max: math.MaxInt64}).Checkpoints()
	if !slices.IsSorted(huge) || len(slices.Compact(slices.Clone(huge))) != len(huge) {
		t.Errorf("checkpoints %d do not ascend", huge)
	}
}
