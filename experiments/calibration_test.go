package experiments

import (
	"math"
	"testing"

	"sweep/experiment"
)

// What is calibrated are the fleets of the foraging experiment and the links of
// the structure experiment, in the world of the run's seed.
func TestCalibrationIsOfTheOtherExperiments(t *testing.T) {
	small := values{
		"archive_pages": experiment.IntValue(2000), "sections": experiment.IntValue(10),
		"new_per_day": experiment.FloatValue(200), "section_zipf": experiment.FloatValue(0.5),
	}
	e := Calibration(nil)
	measured := result(with(with(defaults(e, "", 7), small), values{
		"fleets": experiment.IntValue(2), "path_sources": experiment.IntValue(20),
	}))
	want := map[string]float64{}
	for _, rewired := range []float64{0, 1} {
		r := result(with(with(defaults(Structure(nil), "", 7), small), values{
			"rewired": experiment.FloatValue(rewired), "path_sources": experiment.IntValue(20),
		}))
		for _, name := range []string{"out_slope", "in_slope", "clustering", "mean_path"} {
			x := r.Metrics[Structure(nil).Metric(name)]
			switch {
			case rewired == 0:
				want[name] = x
			case e.Metric("rewired_"+name) >= 0:
				want["rewired_"+name] = x
			}
		}
	}
	foraging := Foraging(nil)
	world := values{"world_seed": experiment.IntValue(7), "download_zipf": experiment.FloatValue(0.5)}
	for kind, prefix := range map[string]string{"RL": "rl_", "WL": "wl_", "fixed": "fixed_"} {
		var both [2][]float64
		for k := range both {
			both[k] = result(with(with(defaults(foraging, kind, 14+int64(k)), small), world)).Metrics
		}
		mean := func(name string) float64 {
			m := foraging.Metric(name)
			return (both[0][m] + both[1][m]) / 2
		}
		for _, name := range []string{"downloaded", "sent", "relevant", "found_urls", "freshness", "age_hours"} {
			if e.Metric(prefix+name) >= 0 {
				want[prefix+name] = mean(name)
			}
		}
		if kind == "WL" {
			m := foraging.Metric("relevant")
			want["wl_std"] = math.Abs(both[0][m]-both[1][m]) / math.Sqrt2
			want["wl_sent_efficiency"] = mean("relevant") / mean("sent")
		}
	}
	for name, x := range want {
		if got := measured.Metrics[e.Metric(name)]; !(math.Abs(got-x) <= 1e-12*math.Abs(x)) {
			t.Errorf("%s is %v, want %v", name, got, x)
		}
	}
	if len(want) < 20 {
		t.Errorf("%d numbers are compared", len(want))
	}
}
