package experiments

import (
	"context"

	"sweep/algorithms/monitoring"
	"sweep/environments/sources"
	"sweep/experiment"
)

// monitoringVersion is the model version of the monitoring experiment:
// raise it with any change that can alter a bit of a result.
const monitoringVersion = 4

// monitoringConfig is what a point of the monitoring experiment configures.
type monitoringConfig struct {
	algorithm string
	recorded  recorded
	run       monitoring.Config
}

// nodesKey identifies nodes and their bound. Of recorded nodes the law tells
// nothing but the capacity, and there is no seed.
type nodesKey struct {
	recorded recorded
	law      sources.Law
	model    sources.Model
	seed     int64
}

type boundedWorld struct {
	*sources.World
	bound float64
}

// nodes draws the nodes of a key, or has them replay their history.
func (h *histories) nodes(key nodesKey) (boundedWorld, error) {
	var world *sources.World
	if key.recorded.history != "" {
		h, err := h.get(key.recorded)
		if err != nil {
			return boundedWorld{}, err
		}
		world = sources.Replay(h, key.law.Capacity)
	} else {
		var err error
		if world, err = sources.Draw(key.law, key.seed); err != nil {
			return boundedWorld{}, err
		}
	}
	return boundedWorld{world, monitoring.Bound(world, key.model)}, nil
}

// Monitoring declares the comparison of learning automata and other
// schedulers in Myrer and Olsen, Incremental Web Crawling as a Competitive
// Game of Learning Automata.
func Monitoring(o Options) *experiment.Experiment {
	records := newHistories(o.Shipped)
	fields := monitoringFields(records)
	worlds := newWorlds(o.WorldMemory, records.nodes, boundedWorld.Bytes)
	return &experiment.Experiment{
		Name:    "monitoring",
		Version: monitoringVersion,
		Title:   "crawlers that monitor changing data sources under a capacity: learning automata, their rivals, the optimum",
		Source:  "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning Automata",
		Params:  params(fields),
		Rules:   monitoringRules(fields, records),
		Metrics: monitoringMetrics(),
		Series:  monitoringSeries(),
		Run: func(ctx context.Context, p experiment.Point, out *experiment.Result) error {
			var c monitoringConfig
			configure(&c, fields, p.Values)
			key := nodesKey{law: c.run.World, model: c.run.Model, seed: p.Seed}
			if c.recorded.history != "" {
				if err := c.replay(records); err != nil {
					return err
				}
				key = nodesKey{recorded: c.recorded, law: sources.Law{Capacity: c.run.World.Capacity}, model: c.run.Model}
			}
			c.resolve()
			world, err := worlds.get(key)
			if err != nil {
				return err
			}
			m, err := monitoring.Run(ctx, world.World, c.run, p.Seed)
			if err != nil {
				return err
			}
			*out = monitoringResult(m, world)
			return nil
		},
	}
}

// replay takes from a history what parameters say of drawn nodes.
func (c *monitoringConfig) replay(h *histories) error {
	read, err := h.get(c.recorded)
	if err != nil {
		return err
	}
	c.run.World.Nodes, c.run.Slots = read.Nodes(), read.Slots()
	return nil
}

// resolve completes a configuration: the algorithm has a name only, and the
// warm-up may depend on the slots: it is the first half, and of a record nothing.
func (c *monitoringConfig) resolve() {
	for _, a := range monitoring.Algorithms() {
		if a.Name == c.algorithm {
			c.run.Algorithm = a
		}
	}
	if c.run.Warmup != halfOfTheSlots {
		return
	}
	c.run.Warmup = c.run.Slots / 2
	if c.recorded.history != "" {
		c.run.Warmup = 0
	}
}

func monitoringMetrics() []experiment.Metric {
	const source = "section 7.2"
	return []experiment.Metric{
		{Name: "retrieved", Kind: experiment.Float, Source: source,
			Meaning: "retrieved importance-value: share of the expected Σωp of a slot, mean after the warm-up"},
		{Name: "bound", Kind: experiment.Float, Source: "Lagrangian relaxation with integer intervals (algorithms/monitoring/bound.go)",
			Meaning: "what no algorithm can retrieve more of in the long run, on these nodes and told p, if they do not switch; with a history, if its changes were independent draws with the frequencies observed"},
		{Name: "bound_ratio", Kind: experiment.Float, Source: source,
			Meaning: "retrieved / bound"},
		{Name: "polls_per_slot", Kind: experiment.Float, Unit: "polls", Source: "Figure 7.7",
			Meaning: "polls in a slot, mean after the warm-up"},
		{Name: "dropped_per_slot", Kind: experiment.Float, Unit: "polls", Source: "section 5.1.2",
			Meaning: "polls that were wanted beyond the capacity and dropped, mean after the warm-up; large where CGLA's least rate 1/N exceeds capacity / nodes"},
		{Name: "unused", Kind: experiment.Float, Source: "section 7.3.3",
			Meaning: "share of the capacity that no poll took, mean after the warm-up"},
		{Name: "convergence_slots", Kind: experiment.Float, Unit: "slots", Source: "section 7.3.1, convergence",
			Meaning: "slots from the start until 90 % of the final value, over 20 slots"},
		{Name: "adaptation_slots", Kind: experiment.Float, Unit: "slots", Source: "section 7.3.3, adaptability",
			Meaning: "slots from a switch until 90 % of the value before the next, over 20 slots, mean over switches"},
		{Name: "adaptation_slots_max", Kind: experiment.Float, Unit: "slots", Source: "section 7.3.3, adaptability",
			Meaning: "the same from the switch after which it took longest"},
		{Name: "freshness", Kind: experiment.Float, Source: "Cho, Garcia-Molina: Effective page refresh policies for Web crawlers",
			Meaning: "share of all importance-value at nodes where nothing waits to be found, mean over every 61st slot after the warm-up; null in disappear"},
		{Name: "updates_per_slot", Kind: experiment.Float, Unit: "updates", Source: "section 7.1",
			Meaning: "expected updates in a slot, Σp; with a history, as observed"},
	}
}

func monitoringSeries() experiment.Series {
	return experiment.Series{
		Axis: experiment.Metric{Name: "slot", Kind: experiment.Int, Unit: "slots", Meaning: "slots from the start to the end of the bin"},
		Columns: []experiment.Metric{
			{Name: "retrieved", Kind: experiment.Float, Source: "Figures 7.2 to 7.4 and 7.8", Meaning: "retrieved importance-value, mean over the bin"},
			{Name: "polls_per_slot", Kind: experiment.Float, Unit: "polls", Source: "Figure 7.7", Meaning: "polls in a slot, mean over the bin"},
			{Name: "slots_to_90", Kind: experiment.Float, Unit: "slots", Source: "section 7.3.3, adaptability", Meaning: "slots until 90 % of the final value, from the start or the switch that falls into the bin, over 20 slots; null in bins without"},
		},
	}
}

// monitoringResult puts measurements in the order of the declarations above.
func monitoringResult(m *monitoring.Measurements, world boundedWorld) experiment.Result {
	result := experiment.Result{Metrics: []float64{
		m.Retrieved, world.bound, m.Retrieved / world.bound,
		m.Polls, m.Dropped, m.Unused,
		m.Cold, m.Switched, m.SlowestSwitch, m.Freshness,
		expectedUpdates(world.World),
	}}
	for _, b := range m.Bins {
		result.Series = append(result.Series, float64(b.End), b.Retrieved, b.Polls, b.SlotsTo90)
	}
	return result
}
