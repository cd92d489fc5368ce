package plots

import (
	"math"
	"testing"
)

// What can be drawn does not depend on the size of numbers.
func TestSpansVary(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      bool
	}{
		{1, 1, false},
		{0, 0, false},
		{1, 1 + 1e-13, false},
		{1, 1.1, true},
		{1e200, 2e200, true},
		{1e-200, 2e-200, true},
		{-1e308, 1e308, true},
		{math.Inf(1), math.Inf(-1), false}, // of no numbers
	} {
		if got := (span{c.low, c.high}).varies(); got != c.want {
			t.Errorf("%v to %v varies: %v, want %v", c.low, c.high, got, c.want)
		}
	}
}
