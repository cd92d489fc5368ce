package experiments

import (
	"context"

	"sweep/algorithms/monitoring"
	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// monitoringConfig is what a point of the monitoring experiment configures.
type monitoringConfig struct {
	algorithm string
	recorded  recorded
	run       monitoring.Config
}

// nodesKey identifies nodes and their bound. Of recorded nodes the law tells
// their number and the capacity, and there is no seed.
type nodesKey struct {
	recorded recorded
	law      sources.Law
	model    string
	seed     int64
}

// monitored is nodes, and what a run measured that met them.
type monitored struct {
	monitoring.Measurements
	world          *sources.World
	bound, updates float64 // of the nodes
}

// nodes draws the nodes of a key, or has them replay their history.
func (h *histories) nodes(key nodesKey) (m monitored, err error) {
	if key.recorded.history == "" {
		m.world, err = sources.Draw(key.law, key.seed)
	} else if m.world, err = h.get(key.recorded); err == nil {
		m.world = m.world.WithCapacity(key.law.Capacity)
	}
	if err == nil {
		m.bound, m.updates = monitoring.Bound(m.world, key.model), expectedUpdates(m.world)
	}
	return m, err
}

// Monitoring declares the comparison of learning automata and other
// schedulers in Myrer and Olsen, Incremental Web Crawling as a Competitive
// Game of Learning Automata.
func Monitoring(shipped history.Files) *experiment.Experiment {
	records := &histories{shipped: shipped}
	worlds := newWorlds(records.nodes, func(m monitored) int64 { return m.world.Bytes() })
	return experiment.Simulation(experiment.Experiment{
		Name:    "monitoring",
		Version: monitoringVersion,
		Title:   "crawlers that monitor changing data sources under a capacity: learning automata, their rivals, the optimum",
		Source:  "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning Automata",
		Rules:   records.rules(),
		Figures: monitoringFigures(),
	}, records.params, monitoringMeasures, monitoringColumns,
		func(ctx context.Context, c *monitoringConfig, seed int64) (m monitored, _ []monitoring.Bin, err error) {
			key := nodesKey{c.recorded, c.run.World, c.run.Model, seed}
			if c.recorded.history != "" {
				if err := c.replay(records); err != nil {
					return m, nil, err
				}
				key.law, key.seed = c.run.World, 0
			}
			c.resolve()
			if m, err = worlds.get(key); err != nil {
				return m, nil, err
			}
			measured, err := monitoring.Run(ctx, m.world, c.run, seed)
			if err != nil {
				return m, nil, err
			}
			m.Measurements = *measured
			return m, m.Bins, nil
		})
}

// replay takes from a history what parameters say of drawn nodes.
func (c *monitoringConfig) replay(h *histories) error {
	read, err := h.get(c.recorded)
	if err != nil {
		return err
	}
	c.run.World.Nodes, c.run.Slots, c.run.Links = read.Law.Nodes, read.Slots(), read.Links
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

func monitoringMeasures(m *monitored) []experiment.Measure {
	const source = "section 7.2"
	return []experiment.Measure{
		measure("retrieved", "", "retrieved importance-value: share of the expected Σωp of a slot, mean after the warm-up", source, m.Retrieved),
		measure("bound", "", "what no algorithm can retrieve more of in the long run, on these nodes and told p, if they do not switch; with a history, if its changes were independent draws with the frequencies observed", "Lagrangian relaxation with integer intervals (algorithms/monitoring/optimum.go)",
			m.bound),
		measure("bound_ratio", "", "retrieved / bound", source, m.Retrieved/m.bound),
		measure("polls_per_slot", "polls", "polls in a slot, mean after the warm-up", "Figure 7.7", m.Polls),
		measure("dropped_per_slot", "polls", "polls that were wanted beyond the capacity and dropped, mean after the warm-up; large where CGLA's least rate 1/N exceeds capacity / nodes", "section 5.1.2",
			m.Dropped),
		measure("unused", "", "share of the capacity that no poll took, mean after the warm-up", "section 7.3.3", m.Unused),
		measure("convergence_slots", "slots", "slots from the start until 90 % of the final value, over 20 slots", "section 7.3.1, convergence", m.Cold),
		measure("adaptation_slots", "slots", "slots from a switch until 90 % of the value before the next, over 20 slots, mean over switches", "section 7.3.3, adaptability",
			m.Switched),
		measure("adaptation_slots_max", "slots", "the same from the switch after which it took longest", "section 7.3.3, adaptability", m.SlowestSwitch),
		measure("freshness", "", "share of all importance-value at nodes where nothing waits to be found, mean over every 61st slot after the warm-up; null in disappear", "Cho, Garcia-Molina: Effective page refresh policies for Web crawlers",
			m.Freshness),
		measure("updates_per_slot", "updates", "expected updates in a slot, Σp; with a history, as observed", "section 7.1", m.updates),
	}
}

// monitoringColumns returns the columns of the series, the axis first.
func monitoringColumns(b *monitoring.Bin) []experiment.Measure {
	return []experiment.Measure{
		measure("slot", "slots", "slots from the start to the end of the bin", "", b.End),
		measure("retrieved", "", "retrieved importance-value, mean over the bin", "Figures 7.2 to 7.4 and 7.8", b.Retrieved),
		measure("polls_per_slot", "polls", "polls in a slot, mean over the bin", "Figure 7.7", b.Polls),
		measure("slots_to_90", "slots", "slots until 90 % of the final value, from the start or the switch that falls into the bin, over 20 slots; null in bins without", "section 7.3.3, adaptability",
			b.SlotsTo90),
	}
}
