package experiments

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/internal/testutil"
)

// The bits of a result are a promise: they are the same on every processor,
// with every Go version, and as long as the version of the model stays what it
// is. If this test fails because the model was meant to change, raise the
// version with the digests; if not, something that must not matter did.
func TestBitsOfResults(t *testing.T) {
	foraging, monitoring, news, web, sources := Foraging(nil), Monitoring(nil), NewsForagers(nil), Web(nil), Sources()
	days := func(x float64) values { return values{"days": experiment.FloatValue(x)} }
	rewired := values{"days": experiment.FloatValue(3), "rewired": experiment.FloatValue(1)}
	texts := values{"days": experiment.FloatValue(2), "site_days": experiment.IntValue(3), "pages": experiment.StringValue("text"), "archive_pages": experiment.IntValue(2000)}
	recorded := values{"days": experiment.FloatValue(2), "site_days": experiment.IntValue(3), "site": experiment.StringValue(recordedSite)}

	var monitored []experiment.Point
	algorithms := monitoring.Params[0].Choices
	for _, algorithm := range algorithms {
		for _, model := range []string{"disappear", "overwrite"} {
			monitored = append(monitored, with(defaults(monitoring, algorithm, 1), values{
				"nodes": experiment.IntValue(150), "capacity": experiment.IntValue(15), "slots": experiment.IntValue(600),
				"switch_every": experiment.IntValue(250), "cost_spread": experiment.FloatValue(0.3),
				"change_ratio": experiment.FloatValue(2), "model": experiment.StringValue(model),
			}))
		}
	}
	var replayed []experiment.Point
	plan := replays("algorithm = ['" + strings.Join(algorithms, "', '") + "']\nmodel = ['disappear', 'overwrite', 'accumulate']\nbin = 7")
	for i := range plan.Runs() {
		replayed = append(replayed, plan.Point(i))
	}

	var signalled []experiment.Point
	for _, algorithm := range []string{"greedy_ncis", "greedy_ncis_learned"} {
		for _, model := range []string{"disappear", "overwrite", "accumulate"} {
			signalled = append(signalled, with(defaults(monitoring, algorithm, 1), values{
				"nodes": experiment.IntValue(150), "capacity": experiment.IntValue(15), "slots": experiment.IntValue(800),
				"signal_recall": experiment.FloatValue(0.7), "false_signals": experiment.FloatValue(0.05), "model": experiment.StringValue(model),
			}))
		}
	}

	type points = []experiment.Point
	for name, c := range map[string]struct {
		version, of int
		want        uint64
		points      points
	}{
		"RL":      {foragingVersion, 6, 0xcdc67ee41f808b90, points{with(defaults(foraging, "RL", 1), days(3))}},
		"WL":      {foragingVersion, 6, 0x1b30475ab31e5485, points{with(defaults(foraging, "WL", 1), days(3))}},
		"WLRL":    {foragingVersion, 6, 0x6d8abfe92ba079, points{with(defaults(foraging, "WLRL", 1), days(3))}},
		"rewired": {foragingVersion, 6, 0xcd41124079140246, points{with(defaults(foraging, "WLRL", 1), rewired)}},
		"watch": {foragingVersion, 6, 0x57621927e78db48c, points{
			with(defaults(foraging, "watch", 1), days(3)),
			with(with(defaults(foraging, "watch", 1), rewired), values{"watch_send_cost": experiment.FloatValue(0.2)})}},
		"texts":      {foragingVersion, 6, 0x55ecf2eedb220cdb, points{with(defaults(foraging, "RL", 1), texts)}},
		"monitoring": {monitoringVersion, 17, 0xa697b3a99e35c11a, monitored},
		"replays":    {monitoringVersion, 17, 0xfaea7f23c5b0ff8f, replayed},
		"signals":    {monitoringVersion, 17, 0x137f250e462633b, signalled},
		"communities and recordings": {newsForagersVersion + webVersion, 10, 0xefe676ef2e18a02d, points{
			with(defaults(news, "WLRL", 1), days(3)), with(defaults(web, "", 1), days(2)), with(defaults(foraging, "random", 1), recorded)}},
		"division":  {newsForagersVersion, 5, 0xf498c7b27f6ec677, points{with(defaults(NewsDivision(nil), "WLRL", 1), days(3))}},
		"structure": {structureVersion, 5, 0x3d86ab11be01e11d, points{smallSite(1, 0), smallSite(1, 1)}},
		"calibration": {calibrationVersion, 1, 0xa3bc6c1db4c22257, points{with(defaults(Calibration(nil), "", 1), values{
			"archive_pages": experiment.IntValue(2000), "sections": experiment.IntValue(10), "new_per_day": experiment.FloatValue(200), "path_sources": experiment.IntValue(20)})}},
		"news-calibration": {newsCalibrationVersion, 1, 0xaa69cce6fc3530c5, points{with(defaults(NewsCalibration(nil), "", 1), values{
			"archive_pages": experiment.IntValue(2000), "days": experiment.FloatValue(2)})}},
		"sources": {sourcesVersion, 1, 0x66e67e87d598d1c0, points{
			with(defaults(sources, "", 1), values{"change_ratio": experiment.FloatValue(2.5)})}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // the cache of worlds must bear it
			if c.version != c.of {
				t.Fatal("a new version has new digests")
			}
			var measured []experiment.Result
			for _, p := range c.points {
				measured = append(measured, result(p))
			}
			if got := digest(measured...); got != c.want {
				t.Errorf("digest %#x, want %#x", got, c.want)
			}
		})
	}
}

// digest returns a hash of the bits of results.
func digest(results ...experiment.Result) uint64 {
	h := fnv.New64a()
	for _, r := range results {
		for _, x := range append(r.Metrics, r.Series...) {
			h.Write(binary.LittleEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	return h.Sum64()
}

type values = map[string]experiment.Value

// defaults returns the point of an algorithm with all other parameters at
// their defaults.
func defaults(e *experiment.Experiment, algorithm string, seed int64) experiment.Point {
	p := experiment.Point{Experiment: e, Seed: seed}
	for i := range e.Params {
		param := &e.Params[i]
		v := param.Default
		switch {
		case param.Name == experiment.Algorithm:
			v = experiment.StringValue(algorithm)
		case !param.Uses(algorithm):
			v = experiment.Value{}
		}
		p.Values = append(p.Values, v)
	}
	return p
}

// with returns a point with some parameters changed.
func with(p experiment.Point, changed values) experiment.Point {
	p.Values = slices.Clone(p.Values)
	for name, v := range changed {
		_, i := p.Experiment.Param(name)
		p.Values[i] = v
	}
	return p
}

// result runs a point.
func result(p experiment.Point) (r experiment.Result) {
	testutil.NoError(p.Experiment.Run(context.Background(), p, &r))
	return r
}
