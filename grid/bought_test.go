package grid

import (
	"slices"
	"strings"
	"testing"
)

// Seeds that were bought follow the spec's own; their record replaces an older
// one and is at the end of the text.
func TestBought(t *testing.T) {
	for seeds, want := range map[string][]int64{
		"seeds = 2":         {1, 2, 3, 4, 5},
		"seeds = '7..8'":    {7, 8, 9, 10, 11},
		"seeds = [9, 3, 5]": {9, 3, 5, 10, 11},
	} {
		plain := parse(t, seeds+"\n[grid]\nalpha = [0.1, 0.2]\n\n")
		own := plain.Plan().Seeds()
		once := parse(t, strings.TrimPrefix(string(plain.WithBought([]int64{own, 4})), head))
		source := once.WithBought([]int64{own, 5})
		plan := parse(t, strings.TrimPrefix(string(source), head)).Plan()
		var got []int64
		for k := range plan.Seeds() {
			got = append(got, plan.Seed(k))
			if at, ok := plan.seeds.find(plan.Seed(k)); !ok || at != k {
				t.Errorf("%s: seed %d is at %d", seeds, plan.Seed(k), at)
			}
		}
		if !slices.Equal(got, want) || plan.Own() != own || !slices.Equal(plan.Bought(), []int64{own, 5}) {
			t.Errorf("%s: seeds %v, %d its own, want %v", seeds, got, plan.Own(), want)
		}
		if strings.Count(string(source), "bought") != 2 || !strings.HasSuffix(string(source), "]\n") {
			t.Errorf("%s", source)
		}
		if plan.ID(3) != plain.Plan().ID(3) || plan.Difference(plain.Plan()) == "" || !plan.Covers(plain.Plan()) {
			t.Errorf("%s: the spec's own runs are others", seeds)
		}
	}
}
