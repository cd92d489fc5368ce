package analysis

import (
	"math"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/internal/table"
)

// A case is decided at the largest distance at which limits would decide: from
// the bound, or what the margin leaves.
func TestDistance(t *testing.T) {
	base := []float64{10, 11, 12, 13, 14, 15, 16, 17} // 13.5
	for expect, want := range map[string]struct {
		distance  float64
		isOutside bool
	}{
		"sent[RL] > 13":            {0.5, false},
		"sent[RL] > 14":            {0.5, true},
		"sent[RL] < 14":            {0.5, false},
		"sent[RL] within 1 of 14":  {0.5, false},
		"sent[RL] within 1 of 15":  {0.5, true},
		"sent[RL] > 14 margin 2":   {1.5, false},
		"sent[RL] > 14 margin 0.6": {0.5, true},
		"sent[RL] < 13 margin 2":   {1.5, false},
	} {
		distance, isOutside := judged(expect, base, base).distance()
		if distance != want.distance || isOutside != want.isOutside {
			t.Errorf("%s: %v, outside %v; want %v", expect, distance, isOutside, want)
		}
	}
}

// The smallest margin of a tie is that of the farther limit.
func TestTiedWithin(t *testing.T) {
	base := []float64{10, 11, 12, 13, 14, 15, 16, 17}
	for expect, isNone := range map[string]bool{
		"sent[RL] > 14": false, "sent[RL] - sent[WL] < 0": true, "2 * sent[RL] < sent[RL] + 13": false, "sent[RL] within 1 of 14": true,
	} {
		k := judged(expect, base, base)
		c := &Claim{Claim: &grid.Claim{}, Cases: []*Case{k}}
		share := c.tiedWithin()
		if math.IsNaN(share) != isNone {
			t.Errorf("%s: %v", expect, share)
			continue
		}
		for factor, want := range map[float64]string{0.999: Undecided, 1.001: Tied} {
			k.Margin = share * factor * 14
			if k.Quantity == Difference {
				k.Margin = share * factor * k.Right
			}
			if got := k.at(1); !isNone && got != want {
				t.Errorf("%s with a margin of %v × %v: %s, want %s", expect, factor, share, got, want)
			}
		}
	}
}

// A claim about each case waits for all that may hold, or for the first that
// fails; a claim about some for the first place that holds, or all that fail.
func TestNeeded(t *testing.T) {
	claim := func(places int, estimates ...float64) *Claim {
		c := &Claim{Claim: &grid.Claim{}}
		for i, x := range estimates {
			k := &Case{Most: math.Inf(1), open: true, place: []experiment.Value{experiment.IntValue(int64(i % places))}}
			k.Contrast = Contrast{N: 100, Estimate: &inference.Location{N: 100, Value: x, SE: 1}}
			c.Cases = append(c.Cases, k)
		}
		return c
	}
	need := func(x float64, number int) float64 { // of a distance from 0
		l := &inference.Location{N: 100, SE: 1}
		return l.NeededAtLooks(x, inference.Simultaneous(inference.Confidence, number))
	}
	for _, c := range []struct {
		estimates   []float64
		every, some float64
	}{
		{[]float64{1, 0.5}, need(0.5, 1), need(1, 2)},
		{[]float64{9, 0.5}, need(0.5, 1), 0}, // it holds
		{[]float64{-1, 0.5}, need(1, 2), need(0.5, 2)},
		{[]float64{-1, -0.5}, need(1, 2), need(0.5, 1)},
		{[]float64{0, 0}, math.Inf(1), math.Inf(1)},
	} {
		if every, some := claim(1, c.estimates...).needed(), claim(2, c.estimates...).needed(); every != c.every || some != c.some {
			t.Errorf("%v: each %v, some %v; want %v and %v", c.estimates, every, some, c.every, c.some)
		}
	}
	if open := claim(1, 9, 0.5, -0.5).open(); len(open) != 2 {
		t.Errorf("%d open cases, want 2: the first holds", len(open))
	}
	if got := (&inference.Location{N: 20, Value: 3}).NeededAtLooks(1, inference.Confidence); got != 97 {
		t.Errorf("of equal values: %v, want 97", got)
	}
}

// The list says what a verdict costs in seeds, or in values of an average, and
// no time.
func TestTimelessPriceTable(t *testing.T) {
	claim := &Claim{Claim: &grid.Claim{Over: []string{"world"}}, Sweep: "mine", Text: "it grows"}
	for want, p := range map[string]*Price{
		"mine,it grows,20 seeds,49 seeds,120 runs,12 %":             {Seeds: 20, Needed: 48.2, Runs: 120, Margin: 0.12, Seconds: 3},
		"mine,it grows,6 values of world,33 values,\"1,350 runs\",": {Values: 6, MoreValues: 27, Needed: math.NaN(), Runs: 1350, Margin: math.NaN()},
		"mine,it grows,1 seed,not known,,":                          {Seeds: 1, Needed: math.NaN(), Margin: math.NaN()},
		"mine,it grows,20 seeds,more than is worth counting,,":      {Seeds: 20, Needed: math.Inf(1), Margin: math.NaN()},
	} {
		p.Claim = claim
		var text strings.Builder
		if err := table.Write(&text, table.CSV, TimelessPriceTable([]*Price{p})); err != nil {
			t.Fatal(err)
		}
		if _, row, _ := strings.Cut(text.String(), "\n"); strings.TrimSpace(row) != want {
			t.Errorf("got %s, want %s", row, want)
		}
	}
}

// Who takes the margin that is printed has a tie.
func TestMarginText(t *testing.T) {
	for margin, want := range map[float64]string{
		0.12: "12", 0.13369: "14", 0.067: "6.7", 0.0671: "6.8", 1.7: "170", 1.723: "173", 0.00123: "0.13", 0.0999: "10", 0: "0", 0.07: "7",
	} {
		if got := marginText(margin); got != want {
			t.Errorf("a margin of %v is %s %%, want %s", margin, got, want)
		}
	}
}
