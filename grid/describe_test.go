package grid

import (
	"encoding/json"
	"testing"
)

func TestBlocks(t *testing.T) {
	s := parse(t, `[[grid]]
algorithm = ["RL", "WL"]
gamma = { from = 0.5, to = 0.9, step = 0.1 }
beta = { from = 0.1, to = 0.6, step = 0.1 }
exclude = [{ gamma = 0.5 }, { beta = 0.1 }]
include = [{ algorithm = "CGLA" }, { algorithm = "RL", gamma = 0.9 }]

[[grid]]
algorithm = "FPA"
N = [8, 16]
f = [0.1, 0.2]
x = [7]
zip = [["f", "N"]]

[[grid]]
algorithm = "RL"
gamma = [0.8, 0.95]
`)
	// Block 1: 2×5×6 combinations are 5 points of RL and 6 of WL; one of
	// each is excluded; one include is new and one is not.
	const want = `[{"line":2,"axes":[{"name":"algorithm","values":"RL, WL","len":2},` +
		`{"name":"gamma","values":"0.5, 0.6, 0.7, 0.8, 0.9","len":5},` +
		`{"name":"beta","values":"0.1, 0.2, 0.3, 0.4 … 0.6","len":6}],` +
		`"combinations":60,"nulled":49,"excluded":2,"included":2,"repeated":1,"cells":10},` +
		`{"line":9,"axes":[{"name":"N","values":"8, 16","len":2,"zip":1},{"name":"f","values":"0.1, 0.2","len":2,"zip":1},` +
		`{"name":"x","values":"7","len":1}],"combinations":2,"nulled":0,"excluded":0,"included":0,"repeated":0,"cells":2},` +
		`{"line":16,"axes":[{"name":"gamma","values":"0.8, 0.95","len":2}],` +
		`"combinations":2,"nulled":0,"excluded":0,"included":0,"repeated":1,"cells":1}]`
	got, err := json.Marshal(s.Blocks())
	if err != nil || string(got) != want {
		t.Errorf("%v\n got %s\nwant %s", err, got, want)
	}
	checkPlan(t, s)
}
