package results

import (
	"fmt"
	"math"
	"testing"

	"sweep/experiment"
)

func TestDifferences(t *testing.T) {
	row := func(change func(r *Row)) *Row {
		r := &Row{Point: experiment.Point{Experiment: toy()}, Status: OK}
		r.Result = experiment.Result{Metrics: []float64{5, 0, math.NaN()}, Series: []float64{3, 1, 0.5, 6, 1, math.NaN()}}
		change(r)
		return r
	}
	for _, c := range []struct {
		change func(r *Row)
		want   string
	}{
		{func(*Row) {}, "[]"},
		{func(r *Row) { r.Result.Metrics[1] = math.Copysign(0, -1) }, "[]"}, // as the files have it
		{func(r *Row) { r.Result.Metrics[1] = 5e-324 }, "[efficiency: 0 and 5e-324]"},
		{func(r *Row) { r.Result.Metrics[2] = 1 }, "[age_hours: null and 1]"},
		{func(r *Row) { r.Result.Metrics[0], r.Result.Series[3] = 6, 9 }, "[downloaded: 5 and 6 hours in window 1: 6 and 9]"},
		{func(r *Row) { r.Result.Series[1] = 2 }, "[foragers in window 0: 1 and 2]"},
		{func(r *Row) { r.Result.Series = r.Result.Series[:3] }, "[windows of the series: 2 and 1]"},
		{func(r *Row) { r.Status, r.Error = Failed, "no luck" }, "[status: ok and failed (no luck)]"},
	} {
		if got := fmt.Sprint(Differences(row(func(*Row) {}), row(c.change))); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
	bad := func(why string) *Row {
		return &Row{Point: experiment.Point{Experiment: toy()}, Status: Failed, Error: why}
	}
	if got, want := fmt.Sprint(Differences(bad("a"), bad("b"))), "[error: a and b]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
