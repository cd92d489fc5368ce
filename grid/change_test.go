package grid

import (
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

func TestChanged(t *testing.T) {
	specimens := []*experiment.Experiment{foraging(), {Name: "own", Declare: func(*experiment.Request) (*experiment.Experiment, error) { return nil, nil }}}
	alpha, _ := specimens[0].Param("alpha")
	alpha.Symbol = "α"
	for _, c := range []struct {
		name, text, seeds, set, want string
	}{
		{"replaced", "experiment = 'foraging' # e\nseeds = 3 # s\n[grid] # g\nalpha = [0.1, # a\n 0.2] # b\n", "7", "alpha=0.3",
			"experiment = 'foraging' # e\nseeds = 7 # s\n[grid] # g\nalpha = 0.3 # b\n"},
		{"by its symbol", "experiment = 'foraging'\n[grid]\nalpha = 0.1\n", "", "α=0.3", "experiment = 'foraging'\n[grid]\nalpha = 0.3\n"},
		{"which has a symbol", "experiment = 'foraging'\n[grid]\n\"α\" = 0.1\n", "", "alpha=0.3", "experiment = 'foraging'\n[grid]\n\"α\" = 0.3\n"},
		{"added", "experiment = 'foraging'\n[[grid]] # g\n[[grid]]\nN=3\n", "2..5", "x=1,2.5,3e3",
			"seeds = \"2..5\"\nexperiment = 'foraging'\n[[grid]]\nx = [1, 2.5, 3000.0] # g\n[[grid]]\nx = [1, 2.5, 3000.0]\nN=3\n"},
		{"where it is", "experiment = 'foraging'\n[[grid]]\nx = 1\n[[grid]]\nN=3\n", "", "x=2",
			"experiment = 'foraging'\n[[grid]]\nx = 2\n[[grid]]\nN=3\n"},
		{"no grid", "experiment = 'foraging'\n[paper]\n", "", "rhythm=daily,7", "experiment = 'foraging'\n[paper]\n\n[grid]\nrhythm = [\"daily\", \"7\"]\n"},
		{"braces", "experiment = 'foraging'\ngrid = { x = 1 }\n", "", "rewired=true,false", "experiment = 'foraging'\ngrid = { rewired = [true, false], x = 1 }\n"},
		{"TOML", "experiment = 'foraging'\n[grid]\nalgorithm = 'FPA'\nN = \"1..3\"\r\n", "", "N={ from = 1, to = 9, step = 4 }", "experiment = 'foraging'\n[grid]\nalgorithm = 'FPA'\nN = { from = 1, to = 9, step = 4 }\r\n"},
	} {
		got, err := Changed("x.toml", []byte(c.text), c.seeds, []string{c.set}, specimens)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, got, c.want)
		}
		if _, err := Parse("x.toml", got, specimens); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	const texts, numbers = "experiment = 'own'\n[grid]\ny = ['a']", "experiment = 'own'\n[parameters]\ny = { default = 3 }"
	for _, c := range [][4]string{ // what a program's parameter is set to, seeds, what comes of it
		{"experiment = 'foraging'\ngrid.x = 3", "1", "", "x.toml:2:1: y cannot be changed where the [grid] is written with dots"},
		{"experiment = 'own'\n[grid]\nx = 3", "1", "", "x.toml:2:2: the spec names no parameter \"y\""},
		{"experiment = 'own'\n[grid.y]\nfrom = 3", "1", "", "x.toml:2:7: y cannot be changed where it has a header of its own, or is written with dots"},
		{"experiment = 'own'\nseeds.from = 1\n[grid]\ny = 3", "1", "5", "x.toml:2:1: seeds cannot be changed where it has a header of its own, or is written with dots"},
		{texts, "007,1", "", "experiment = 'own'\n[grid]\ny = [\"007\", \"1\"]"},
		{texts, "1..3", "", "experiment = 'own'\n[grid]\ny = [\"1..3\"]"},
		{texts, `"b,c"`, "", "experiment = 'own'\n[grid]\ny = [\"b,c\"]"},
		{texts, `"b", 'c'`, "", "experiment = 'own'\n[grid]\ny = [\"b\", 'c']"},
		{texts, `the "b",c`, "", "experiment = 'own'\n[grid]\ny = [\"the \\\"b\\\"\", \"c\"]"},
		{numbers, "1..3", "", numbers + "\n[grid]\ny = \"1..3\"\n"},
		{numbers, "nan,0x1,9223372036854775808", "", numbers + "\n[grid]\ny = [nan, 0x1, 9223372036854775808]\n"},
	} {
		got, err := Changed("x.toml", []byte(c[0]), c[2], []string{"y=" + c[1]}, specimens)
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != c[3] {
			t.Errorf("%s: %s, want %s", c[0], got, c[3])
		}
	}
}

// Parameters may be spelled as the papers do.
func TestSymbols(t *testing.T) {
	e := foraging()
	for name, symbol := range map[string]string{"alpha": "α", "gamma": "γ", "x": "N", "y": "f"} { // the last two are names
		p, _ := e.Param(name)
		p.Symbol = symbol
	}
	read := func(text string) (*Spec, error) {
		return Parse("x.toml", []byte("experiment = 'foraging'\n[grid]\nalgorithm = 'RL'\n"+text), []*experiment.Experiment{e})
	}
	greek := testutil.Must(read("\"α\" = [0.1, 0.2]\n\"γ\" = [0.3, 0.4]\nzip = [['α', 'γ']]\nexclude = [{ \"γ\" = 0.3 }]\ninclude = [{ \"α\" = 0.5 }]"))
	latin, err := read("alpha = [0.1, 0.2]\ngamma = [0.3, 0.4]\nzip = [['alpha', 'gamma']]\nexclude = [{ gamma = 0.3 }]\ninclude = [{ alpha = 0.5 }]")
	if err != nil || greek.Plan().Difference(latin.Plan()) != "" || greek.Plan().Cells() != 2 {
		t.Errorf("%v: %s", err, greek.Plan().Difference(latin.Plan()))
	}
	if _, err := read("alpha = 0.1\n\"α\" = 0.2"); err == nil || err.Error() != "x.toml:5:1: α is alpha, which is already set" {
		t.Errorf("twice: %v", err)
	}
}
