package results

import (
	"strings"
	"testing"
)

// TestRefusalSaysWhatDiffers: of the runs that a spec no longer has, one is
// named with what sets it apart.
func TestRefusalSaysWhatDiffers(t *testing.T) {
	const spec = "experiment = 'toy'\nseeds = '1..4'\n[grid]\nalgorithm = ['RL', 'WL']\nbeta = [0.1, 0.3]\nk = 10\n"
	for _, test := range []struct{ old, new, want string }{
		{"'1..4'", "'1..3'", `holds 3 runs that this spec does not have, such as algorithm = "RL", beta = null, seed = 4; it has these parameters, but not with this seed`},
		{"[0.1, 0.3]", "[0.1, 0.5]", `holds 4 runs that this spec does not have, such as algorithm = "WL", beta = 0.3, seed = 1; the nearest that it has is beta = 0.1`},
		{"k = 10", "k = 11", `holds 12 runs that this spec does not have, such as algorithm = "RL", beta = null, k = 10, seed = 1; the nearest that it has is k = 11`},
	} {
		dir := t.TempDir()
		runPlan(t, dir, spec, ascending)
		changed, plan := mustParse(t, strings.Replace(spec, test.old, test.new, 1))
		if _, err := Open(dir, changed, plan); err == nil || !strings.HasSuffix(err.Error(), ": "+test.want) {
			t.Errorf("%s in place of %s:\ngot  %v\nwant %s", test.new, test.old, err, test.want)
		}
	}
}
