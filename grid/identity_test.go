package grid

import "testing"

// TestGoldenIdentity pins the hashed text. Other people's results are
// filed under these numbers: if the test fails, the code is wrong. All parts of a
// point are in the text, in the order of their names, and nothing else (checkPlan:
// the identity of a run is that of its point alone). The first can be had with
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
	if _, ok := p.FindNext(-1, ID{}, p.Seed(0)); ok {
		t.Error("a cell without an identity is found")
	}
}
