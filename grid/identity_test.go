package grid

import (
	"math/rand/v2"
	"strings"
	"testing"

	"sweep/experiment"
)

// TestGoldenIdentity pins the hashed text. Other people's results are
// filed under these numbers: if the test fails, the code is wrong. The
// first can be had with
//
//	printf 'sweep run 1\nexperiment foraging 3\nalgorithm="RL"\nalpha=0.1\ngamma=0.9\nrewired=false\nrhythm="flat"\nx=0\ny=1\nseed 7\n' |
//		sha256sum | cut -c1-32
func TestGoldenIdentity(t *testing.T) {
	for _, c := range []struct {
		spec string
		run  int64
		want string
	}{
		{"seeds=7", 6, "9c0f48a8b0fd5064287c52f83bcd62d4"},
		{"[grid]\nalgorithm='FPA'\nN=1099511627776\nf=1e-7\nrewired=true", 0, "59bc44e44c1b5aab7b26801700c6b993"},
	} {
		p := parse(t, c.spec).Plan().Point(c.run)
		if got := Identify(p).String(); got != c.want {
			t.Errorf("Identify(%v, seed %d) = %s, want %s", p.Values, p.Seed, got, c.want)
		}
	}
	p := parse(t, "").Plan() // of a cell all but the seed, the text's last line
	if got := p.CellID(0).String(); got != "5a681ad78aa46c8c35baf9348ecd5424" {
		t.Errorf("CellID = %s", got)
	}
	if _, ok := p.FindCell(ID{}); ok {
		t.Error("a cell without an identity is found")
	}
}

// TestIdentityOfEverything: each part of a run is part of its identity.
func TestIdentityOfEverything(t *testing.T) {
	make := func() experiment.Point { return parse(t, "").Plan().Point(0) }
	seen := map[ID]string{Identify(make()): "nothing"}
	for name, change := range map[string]func(*experiment.Point){
		"seed":       func(p *experiment.Point) { p.Seed = 2 },
		"value":      func(p *experiment.Point) { p.Values[1] = experiment.FloatValue(0.2) },
		"null":       func(p *experiment.Point) { p.Values[1] = experiment.Value{} },
		"default":    func(p *experiment.Point) { p.Values[6] = experiment.Value{} },
		"version":    func(p *experiment.Point) { p.Experiment.Version++ },
		"experiment": func(p *experiment.Point) { p.Experiment.Name = "forage" },
		"name":       func(p *experiment.Point) { p.Experiment.Params[1].Name = "alpha2" },
	} {
		p := make()
		change(&p)
		id := Identify(p)
		if other, ok := seen[id]; ok {
			t.Errorf("changing %s and changing %s give one identity", name, other)
		}
		seen[id] = name
	}
	// The order of the declaration is not part of it.
	p := make()
	last := len(p.Values) - 1
	params := p.Experiment.Params
	params[1], params[last] = params[last], params[1]
	p.Values[1], p.Values[last] = p.Values[last], p.Values[1]
	if seen[Identify(p)] != "nothing" {
		t.Error("reordering the declaration changes the identity")
	}
}

// identities returns the IDs of a spec's runs with their positions.
func identities(t *testing.T, text string) map[ID]int64 {
	t.Helper()
	p := parse(t, text).Plan()
	ids := map[ID]int64{}
	for i := range p.Runs() {
		ids[Identify(p.Point(i))] = i
	}
	if int64(len(ids)) != p.Runs() {
		t.Fatalf("%d identities for %d runs\n%s", len(ids), p.Runs(), text)
	}
	return ids
}

// TestIdentityIsNotPosition: what leaves the runs the same leaves their
// identities the same, and what adds runs keeps the old ones.
func TestIdentityIsNotPosition(t *testing.T) {
	axes := []string{
		"algorithm = ['RL', 'WL', 'FPA']",
		"beta = [0.1, 0.3, 0.5]",
		"gamma = [0.5, 0.6, 0.7, 0.8, 0.9]",
		"N = [8, 16, 32]",
	}
	before := identities(t, "seeds = 3\n[grid]\n"+strings.Join(axes, "\n"))
	same := map[string]string{
		"ranges": "seeds = '1..3'\n[grid]\nalgorithm = ['RL', 'WL', 'FPA']\nbeta = { from = 0.1, to = 0.5, step = 0.2 }\n" +
			"gamma = { from = 0.9, to = 0.5, count = 5 }\nN = { from = 8, to = 32, factor = 2 }",
		"split blocks": "seeds = [3, 1, 2]\n[[grid]]\nalgorithm = 'FPA'\nN = [32, 8, 16]\n[[grid]]\nalgorithm = ['RL', 'WL']\n" +
			"beta = [0.5, 0.1, 0.3]\n" + axes[2],
		"overlapping blocks":   "seeds = 3\n[[grid]]\n" + strings.Join(axes, "\n") + "\n[[grid]]\nalgorithm = 'RL'\n" + axes[2],
		"defaults spelled out": "seeds = 3\n[grid]\n" + strings.Join(axes, "\n") + "\nalpha = 0.1\nx = [0]\nrewired = false\n",
	}
	r := rand.New(rand.NewPCG(7, 8))
	for range 5 {
		shuffled := append([]string(nil), axes...)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		text := strings.Join(shuffled, "\n")
		same["order "+text] = "seeds = 3\n[grid]\n" + text
	}
	for name, text := range same {
		after := identities(t, text)
		if len(after) != len(before) {
			t.Errorf("%s: %d runs, want %d", name, len(after), len(before))
		}
		for id, i := range before {
			if _, ok := after[id]; !ok {
				t.Errorf("%s: run %d is lost", name, i)
				break
			}
		}
	}
	more := identities(t, "seeds = 5\n[grid]\n"+strings.Join(axes[1:], "\n")+"\nalgorithm = ['WLRL', 'RL', 'CGLA', 'WL', 'FPA']\nx = [7, 0]\n")
	for id, i := range before {
		if _, ok := more[id]; !ok {
			t.Fatalf("run %d is lost among more values and seeds", i)
		}
	}
}
