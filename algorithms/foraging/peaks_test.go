package foraging

import (
	"math"
	"testing"
)

// Peaks are counted from the second day on; the first and the last window are
// none, as one neighbour is missing.
func TestPeaks(t *testing.T) {
	var windows []Window
	for i, y := range []int64{90, 5, 90, 5, 2, 4, 2, 8, 4, 3, 9} { // windows of six hours
		windows = append(windows, Window{End: float64(6 * (i + 1)), Counts: Counts{Downloaded: 100, Relevant: y}})
	}
	// The curve is 2 4 2 8 4 3 9 with a mean of 32/7: its only peak is 8, by 5 above
	// the windows beside it. 4 is below the mean, 9 the last.
	got := peaks(windows, 6)
	if math.Abs(got.Number-1/(7*6/24.)) > 1e-12 || math.Abs(got.Sharpness-5/(32./7)) > 1e-12 {
		t.Errorf("%+v", got)
	}
	if none := peaks(windows[:6], 6); !math.IsNaN(none.Number) {
		t.Errorf("of two windows: %+v", none)
	}
}

// The hour of the peak is that of a cosine, on whichever side of midnight, and
// nothing but a number makes one.
func TestPeakHour(t *testing.T) {
	for _, want := range []float64{0, 3.3, 11.9, 18, 23.5} {
		var hours, values []float64
		for h := 0.5; h < 48; h++ {
			hours = append(hours, h)
			values = append(values, 5+math.Cos(2*math.Pi*(h-want)/24))
		}
		if got := PeakHour(hours, values); math.Abs(got-want) > 1e-9 {
			t.Errorf("of two days: peak at %v, want %v", got, want)
		}
	}
	for _, x := range []float64{PeakHour([]float64{1}, []float64{math.NaN()}), PeakHour(nil, nil)} {
		if !math.IsNaN(x) {
			t.Errorf("without a number the peak is at %v", x)
		}
	}
}
