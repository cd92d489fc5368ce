package foraging

import (
	"math"

	"sweep/environments/newssite"
	"sweep/internal/detmath"
)

const day = float64(newssite.Day / newssite.Hour) // hours

// Peaks describes the curve of download efficiency over the windows after the
// first day, on which all news is new (READINGS.md, 38). Its numbers are NaN
// with fewer than three windows, Sharpness also without a peak.
type Peaks struct {
	// Number is the number of peaks a day: windows above the mean of all, and
	// above the windows before and after.
	Number float64

	// Sharpness is by how much a peak is above the mean of the windows before
	// and after, in parts of the mean of all; the mean over peaks.
	Sharpness float64
}

// peaks returns the peaks of a series of windows of a length in hours.
func peaks(windows []Window, length float64) Peaks {
	var curve []float64
	for i := range windows {
		w := &windows[i]
		if w.End-length >= day {
			curve = append(curve, quotient(float64(w.Relevant), float64(w.Downloaded)))
		}
	}
	if len(curve) < 3 {
		return Peaks{math.NaN(), math.NaN()}
	}
	mean := 0.0
	for _, y := range curve {
		mean += y
	}
	mean /= float64(len(curve))
	var number, above float64
	for i, y := range curve[1 : len(curve)-1] {
		before := curve[i]
		after := curve[i+2]
		if y > mean && y > before && y > after {
			number++
			above += y - (before+after)/2
		}
	}
	days := float64(float64(len(curve))*length) / day
	return Peaks{Number: number / days, Sharpness: quotient(above/mean, number)}
}

// PeakHour returns the hour of the day, to a tenth, at which a daily
// oscillation of values at hours from a midnight on is largest: that of the
// circular mean of the hours, with the values as weights. It is NaN if a value
// is, or without any.
func PeakHour(hours, values []float64) float64 {
	var east, north float64 // the weighted sum of the hours as directions
	for i, h := range hours {
		east += float64(values[i] * detmath.Cos2Pi(h/day))
		north += float64(values[i] * detmath.Cos2Pi(h/day-0.25))
	}
	if len(hours) == 0 || math.IsNaN(east) || math.IsNaN(north) {
		return math.NaN()
	}
	const tenths = 240 // of an hour, in a day
	best := 0
	most := math.Inf(-1)
	for k := range tenths {
		turn := float64(k) / tenths
		along := float64(east*detmath.Cos2Pi(turn)) + float64(north*detmath.Cos2Pi(turn-0.25))
		if along > most {
			most = along
			best = k
		}
	}
	return float64(best) / 10
}
