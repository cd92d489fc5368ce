package grid

import (
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

// TestIdentityIsNotPosition: what leaves the runs the same leaves their
// identities the same, and what adds runs keeps the old ones.
func TestIdentityIsNotPosition(t *testing.T) {
	const algorithm, beta, gamma, N = "algorithm = ['RL', 'WL', 'FPA']\n", "beta = [0.1, 0.3, 0.5]\n", "gamma = [0.5, 0.6, 0.7, 0.8, 0.9]\n", "N = [8, 16, 32]\n"
	before := parse(t, "seeds = 3\n[grid]\n"+algorithm+beta+gamma+N).Plan()
	for name, text := range map[string]string{
		"ranges": "seeds = '1..3'\n[grid]\nalgorithm = ['RL', 'WL', 'FPA']\nbeta = { from = 0.1, to = 0.5, step = 0.2 }\n" +
			"gamma = { from = 0.9, to = 0.5, count = 5 }\nN = { from = 8, to = 32, factor = 2 }",
		"split blocks":         "seeds = [3, 1, 2]\n[[grid]]\nalgorithm = 'FPA'\nN = [32, 8, 16]\n[[grid]]\nalgorithm = ['RL', 'WL']\nbeta = [0.5, 0.1, 0.3]\n" + gamma,
		"overlapping blocks":   "seeds = 3\n[[grid]]\n" + algorithm + beta + gamma + N + "[[grid]]\nalgorithm = 'RL'\n" + gamma,
		"defaults spelled out": "seeds = 3\n[grid]\n" + algorithm + beta + gamma + N + "alpha = 0.1\nx = [0]\nrewired = false",
		"another order":        "seeds = 3\n[grid]\n" + N + gamma + algorithm + beta,
		"more":                 "seeds = 5\n[grid]\n" + beta + gamma + N + "algorithm = ['WLRL', 'RL', 'CGLA', 'WL', 'FPA']\nx = [7, 0]",
	} {
		after := parse(t, text).Plan()
		ids := map[ID]bool{}
		for i := range after.Runs() {
			ids[after.ID(i)] = true
		}
		if int64(len(ids)) != after.Runs() || name != "more" && after.Runs() != before.Runs() {
			t.Errorf("%s: %d identities for %d runs, before %d", name, len(ids), after.Runs(), before.Runs())
		}
		for i := range before.Runs() {
			if !ids[before.ID(i)] {
				t.Errorf("%s: run %d is lost", name, i)
			}
		}
	}
}
