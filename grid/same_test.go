package grid

import "testing"

func TestDifference(t *testing.T) {
	const base = "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]"
	for _, c := range []struct{ name, other, want string }{
		{"itself", base, ""},
		{"another text", "# as above\nname = 'y'\nseeds = [1, 2, 3]\n[grid]\nx = { from = 1, to = 2, step = 1 }\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", ""},
		{"more seeds", "seeds = '1..4'\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", "3 seeds (1 … 3) and 4 seeds (1 … 4)"},
		{"other seeds", "seeds = [1, 2, 4]\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", "3 seeds (1 … 3) and 3 seeds (1 … 4)"},
		{"fewer cells", "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = 0.1", "6 and 4 cells"},
		{"another value", "seeds = 3\n[grid]\nx = [1, 3]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]", "x is 2 and 3 in cell 4 of 6"},
		{"another order", "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['WL', 'RL']\nalpha = [0.1, 0.2]", "algorithm is RL and WL in cell 1 of 6"},
	} {
		if got := parse(t, base).Plan().Difference(parse(t, c.other).Plan()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// Under another stopping rule, cells have other seeds.
func TestDifferenceOfRules(t *testing.T) {
	const base = "seeds = 30\n[stop]\nmetric = 'sent'\nhalf_width = '7%'"
	const rule = "a stopping rule (sent within 7% at a confidence of 0.95, at least 10 seeds)"
	for _, c := range []struct{ name, other, want string }{
		{"itself", base, ""},
		{"another text", "[stop]\nmin = 10\nmax = 30\nmetric = 'sent'\nhalf_width = '7 %'", ""},
		{"none", "seeds = 30", rule + " and no stopping rule"},
		{"another width", "seeds = 30\n[stop]\nmetric = 'sent'\nhalf_width = 7", rule + " and a stopping rule (sent within 7 at a confidence of 0.95, at least 10 seeds)"},
		{"another min", base + "\nmin = 5", rule + " and a stopping rule (sent within 7% at a confidence of 0.95, at least 5 seeds)"},
	} {
		if got := parse(t, base).Plan().Difference(parse(t, c.other).Plan()); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	plan := parse(t, "seeds = 3\n[grid]\nx = [1, 2]\nalgorithm = ['RL', 'WL']\nalpha = [0.1, 0.2]").Plan()
	for i, want := range map[int64]string{0: "x = 1, algorithm = RL, alpha = 0.1, gamma = 0.9, seed = 1", 17: "x = 2, algorithm = WL, beta = 0.3, seed = 3"} {
		if got := plan.Describe(plan.Point(i)); got != want {
			t.Errorf("run %d: got %q, want %q", i, got, want)
		}
	}
}
