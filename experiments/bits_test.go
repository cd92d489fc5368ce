package experiments

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"strings"
	"testing"

	"sweep/experiment"
)

// The bits of a result are a promise: they are the same on every processor,
// with every Go version, and as long as foragingVersion stays what it is.
// If this test fails because the model was meant to change, raise the
// version with the digests; if not, something that must not matter did.
func TestBitsOfResults(t *testing.T) {
	if foragingVersion != 2 {
		t.Fatal("a new version has new digests")
	}
	e := Foraging(Options{WorldMemory: DefaultWorldMemory})
	_, rewired := e.Param("rewired")
	_, days := e.Param("days")
	for _, c := range []struct {
		fleet   string
		rewired bool
		want    uint64
	}{
		{"RL", false, 0x19c7f1844b480804},
		{"WL", false, 0x4ad2484d090434e7},
		{"WLRL", false, 0x282f87e38bfd7676},
		{"WLRL", true, 0xd6de27d0334cb372},
	} {
		t.Run(fmt.Sprintf("fleet=%s/rewired=%v", c.fleet, c.rewired), func(t *testing.T) {
			t.Parallel() // the cache of worlds must bear it
			p := defaults(e, c.fleet, 1)
			p.Values[rewired] = experiment.BoolValue(c.rewired)
			p.Values[days] = experiment.FloatValue(3)
			var r experiment.Result
			if err := e.Run(context.Background(), p, &r); err != nil {
				t.Fatal(err)
			}
			if got := digest(r); got != c.want {
				t.Errorf("digest %#x, want %#x", got, c.want)
			}
		})
	}
}

func TestBitsOfMonitoring(t *testing.T) {
	if monitoringVersion != 4 {
		t.Fatal("a new version has new digests")
	}
	e := Monitoring(Options{WorldMemory: DefaultWorldMemory})
	var all []experiment.Result
	for _, algorithm := range e.Params[0].Choices {
		for _, model := range []string{"disappear", "overwrite"} {
			p := defaults(e, algorithm, 1)
			for name, v := range map[string]experiment.Value{
				"nodes": experiment.IntValue(150), "capacity": experiment.IntValue(15), "slots": experiment.IntValue(600),
				"switch_every": experiment.IntValue(250), "cost_spread": experiment.FloatValue(0.3),
				"change_ratio": experiment.FloatValue(2), "model": experiment.StringValue(model),
			} {
				_, i := e.Param(name)
				p.Values[i] = v
			}
			var r experiment.Result
			if err := e.Run(context.Background(), p, &r); err != nil {
				t.Fatalf("%s, %s: %v", algorithm, model, err)
			}
			all = append(all, r)
		}
	}
	const want uint64 = 0x8dadbe5077804ddd
	if got := digest(all...); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}

func TestBitsOfCommunitiesAndRecordings(t *testing.T) {
	if newsForagersVersion != 1 || webVersion != 1 {
		t.Fatal("a new version has new digests")
	}
	news, web, recorded := NewsForagers(Options{}), Web(Options{}), Foraging(Options{})
	var all []experiment.Result
	for _, c := range []struct {
		e         *experiment.Experiment
		algorithm string
		values    map[string]experiment.Value
	}{
		{news, "WLRL", map[string]experiment.Value{"days": experiment.FloatValue(3)}},
		{web, "", map[string]experiment.Value{"days": experiment.FloatValue(2)}},
		{recorded, "random", map[string]experiment.Value{"days": experiment.FloatValue(2), "site_days": experiment.IntValue(3),
			"site": experiment.StringValue(recordedSite)}},
	} {
		p := defaults(c.e, c.algorithm, 1)
		for name, v := range c.values {
			_, i := c.e.Param(name)
			p.Values[i] = v
		}
		var r experiment.Result
		if err := c.e.Run(context.Background(), p, &r); err != nil {
			t.Fatal(err)
		}
		all = append(all, r)
	}
	const want uint64 = 0x3bd32beaaa26c403
	if got := digest(all...); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
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

func TestBitsOfReplays(t *testing.T) {
	if monitoringVersion != 4 {
		t.Fatal("a new version has new digests")
	}
	algorithms := strings.Join(Monitoring(Options{}).Params[0].Choices, "', '")
	plan := replays(t, "algorithm = ['"+algorithms+"']\nmodel = ['disappear', 'overwrite', 'accumulate']\nbin = 7")
	var all []experiment.Result
	for i := range plan.Runs() {
		all = append(all, result(t, plan.Point(i)))
	}
	const want uint64 = 0xb55ce907598e9dbf
	if got := digest(all...); got != want {
		t.Errorf("digest %#x, want %#x", got, want)
	}
}
