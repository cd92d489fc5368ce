package grid

import (
	"math"
	"reflect"
	"testing"
)

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name, spec string
		want       Stop
		seeds      []int64 // the first and the last of the plan
	}{
		{"all given", "[stop]\nmetric='sent'\nhalf_width='1%'\nconfidence=0.9\nmin=5\nmax=40",
			Stop{0, 0.01, true, 0.9, 5, 40}, []int64{1, 40}},
		{"in the metric's unit", "[stop]\nmetric='sent'\nhalf_width=25\nmax=1000",
			Stop{0, 25, false, 0.95, 10, 1000}, []int64{1, 1000}},
		{"max is the number of seeds", "seeds='101..130'\n[stop]\nmetric='sent'\nhalf_width='0.5 %'",
			Stop{0, 0.005, true, 0.95, 10, 30}, []int64{101, 130}},
		{"max cuts the seeds", "seeds=[9,8,7,6]\n[stop]\nmetric='sent'\nhalf_width=1.5\nmin=2\nmax=3",
			Stop{0, 1.5, false, 0.95, 2, 3}, []int64{9, 7}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := parse(t, c.spec).Plan()
			if got := *p.Stop(); got != c.want {
				t.Errorf("rule %+v, want %+v", got, c.want)
			}
			if got := []int64{p.Seed(0), p.Seed(p.Seeds() - 1)}; !reflect.DeepEqual(got, c.seeds) {
				t.Errorf("seeds from %d to %d, want %d", got[0], got[1], c.seeds)
			}
			if _, ok := p.SeedIndex(6); ok != (c.seeds[1] > 6 && c.seeds[0] < 6) {
				t.Errorf("seed 6 is in the plan: %v", ok)
			}
		})
	}
	if p := parse(t, "").Plan(); p.Stop() != nil {
		t.Error("a spec without a rule has one")
	}
}

func TestCheckpoints(t *testing.T) {
	for _, c := range []struct {
		rule Stop
		want []int64
	}{
		{Stop{Min: 10, Max: 10}, []int64{10}},
		{Stop{Min: 10, Max: 100}, []int64{10, 15, 23, 35, 53, 80, 100}},
		{Stop{Min: 2, Max: 7}, []int64{2, 3, 5, 7}},
	} {
		if got := c.rule.Checkpoints(); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%d to %d: %d, want %d", c.rule.Min, c.rule.Max, got, c.want)
		}
	}
	huge := (&Stop{Min: 2, Max: math.MaxInt64}).Checkpoints()
	for i := 1; i < len(huge); i++ {
		if huge[i] <= huge[i-1] {
			t.Fatalf("checkpoint %d is %d after %d", i, huge[i], huge[i-1])
		}
	}
}
