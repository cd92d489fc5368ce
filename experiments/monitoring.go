package experiments

import (
	"context"

	"sweep/algorithms/monitoring"
	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// monitoringConfig is the configuration of a point of the monitoring
// experiment.
type monitoringConfig struct {
	monitoring.Config
	algorithm string
	nodes     nodesKey // without law, model and seed
}

// nodesKey identifies nodes and their bound. Recorded nodes have no seed, and
// their law holds only their number and the capacity; drawn nodes have no
// record.
type nodesKey struct {
	history string
	pages   string
	links   string
	window  history.Window
	law     sources.Law
	model   string
	seed    int64
}

// monitored is what a run measured, with the nodes that it monitored.
type monitored struct {
	monitoring.Measurements
	world   *sources.World
	bound   float64 // of what can be retrieved from the nodes
	updates float64 // expected in a slot
	regret  float64 // Σ of bound − retrieved over all slots
}

// A monitoredBin is some slots of a run, and its regret up to their end.
type monitoredBin struct {
	monitoring.Bin
	regret float64
}

// nodes draws the nodes of a key, or lets them replay their history.
func (h *histories) nodes(key nodesKey) (m monitored, err error) {
	if key.history == "" {
		m.world, err = sources.Draw(key.law, key.seed)
	} else {
		m.world, err = h.get(key)
	}
	if err != nil {
		return m, err
	}
	if key.history != "" {
		m.world = m.world.WithCapacity(key.law.Capacity)
	}
	m.bound = monitoring.Bound(m.world, key.model)
	m.updates = expectedUpdates(m.world)
	return m, nil
}

// Monitoring declares the comparison of learning automata and other
// schedulers in Myrer and Olsen, Incremental Web Crawling as a Competitive
// Game of Learning Automata.
func Monitoring(shipped history.Files) *experiment.Experiment {
	records := &histories{shipped: shipped}
	crawlers := &monitors{
		records: records,
		worlds:  newWorlds(records.nodes, func(m monitored) int64 { return m.world.Bytes() }),
	}
	return experiment.Simulation(experiment.Experiment{
		Name:    "monitoring",
		Version: monitoringVersion,
		Title: "crawlers that monitor changing data sources under a capacity: learning " +
			"automata, their rivals, the optimum",
		Source: "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning " +
			"Automata",
		Rules:   records.rules(),
		Figures: monitoringFigures(),
	}, records.params, monitoringMeasures, monitoringColumns, crawlers.run)
}

// monitors runs the monitoring experiment. It is safe for concurrent use.
type monitors struct {
	records *histories
	worlds  *worlds[nodesKey, monitored]
}

func (r *monitors) run(ctx context.Context, c *monitoringConfig, seed int64) (
	m monitored, bins []monitoredBin, err error,
) {
	key := c.nodes
	if key.history == "" {
		key.seed = seed
	} else if err := c.replay(r.records); err != nil {
		return m, nil, err
	}
	key.law = c.World
	key.model = c.Model
	c.resolve()
	m, err = r.worlds.get(key)
	if err != nil {
		return m, nil, err
	}
	measured, err := monitoring.Run(ctx, m.world, c.Config, seed)
	if err != nil {
		return m, nil, err
	}
	m.Measurements = *measured
	start := 0
	for _, bin := range m.Bins {
		m.regret += float64(float64(bin.End-start) * (m.bound - bin.Retrieved))
		bins = append(bins, monitoredBin{bin, m.regret})
		start = bin.End
	}
	return m, bins, nil
}

// replay takes from a history what parameters say of drawn nodes.
func (c *monitoringConfig) replay(h *histories) error {
	read, err := h.get(c.nodes)
	if err != nil {
		return err
	}
	c.World.Nodes = read.Law.Nodes
	c.Slots = read.Slots()
	c.Links = read.Links
	return nil
}

// resolve completes a configuration: it finds the algorithm by its name, and
// the warm-up that depends on the slots. That is the first half or, of a
// history, nothing.
func (c *monitoringConfig) resolve() {
	for _, a := range monitoring.Algorithms() {
		if a.Name == c.algorithm {
			c.Algorithm = a
		}
	}
	if c.Warmup == halfOfTheSlots {
		c.Warmup = 0
		if c.nodes.history == "" {
			c.Warmup = c.Slots / 2
		}
	}
}

func monitoringMeasures(m *monitored) []experiment.Measure {
	const source = "section 7.2"
	return []experiment.Measure{
		experiment.Measured("retrieved", "",
			"retrieved importance-value: share of the expected Σωp of a slot, mean after the "+
				"warm-up",
			source, m.Retrieved),
		experiment.Measured("bound", "",
			"what no algorithm can retrieve more of in the long run, on these nodes and told p, "+
				"if they do not switch; with a history, if its changes were independent draws "+
				"with the frequencies observed",
			"Lagrangian relaxation with integer intervals (algorithms/monitoring/optimum.go)",
			m.bound),
		experiment.Measured("bound_ratio", "", "retrieved / bound", source, m.Retrieved/m.bound),
		experiment.Measured("polls_per_slot", "polls",
			"polls in a slot, mean after the warm-up", "Figure 7.7", m.Polls),
		experiment.Measured("dropped_per_slot", "polls",
			"polls that were wanted beyond the capacity and dropped, mean after the warm-up; "+
				"large where CGLA's least rate 1/N exceeds capacity / nodes",
			"section 5.1.2", m.Dropped),
		experiment.Measured("unused", "",
			"share of the capacity that no poll took, mean after the warm-up",
			"section 7.3.3", m.Unused),
		experiment.Measured("convergence_slots", "slots",
			"slots from the start until 90 % of the final value, over 20 slots",
			"section 7.3.1, convergence", m.Cold),
		experiment.Measured("adaptation_slots", "slots",
			"slots from a switch until 90 % of the value before the next, over 20 slots, mean "+
				"over switches",
			"section 7.3.3, adaptability", m.Switched),
		experiment.Measured("adaptation_slots_max", "slots",
			"the same from the switch after which it took longest",
			"section 7.3.3, adaptability", m.SlowestSwitch),
		experiment.Measured("freshness", "",
			"share of all importance-value at nodes where nothing waits to be found, mean over "+
				"every 61st slot after the warm-up; null without such a slot, and in disappear",
			"Cho, Garcia-Molina: Effective page refresh policies for Web crawlers", m.Freshness),
		experiment.Measured("updates_per_slot", "updates",
			"expected updates in a slot, Σp; with a history, as observed",
			"section 7.1", m.updates),
		experiment.Measured("regret", "slots",
			"what the whole run, with its warm-up, retrieved less than the bound, in slots of "+
				"Σωp; below 0 if it retrieved more",
			regretSource, m.regret),
	}
}

// monitoringColumns returns the columns of the series, the axis first.
func monitoringColumns(b *monitoredBin) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("slot", "slots",
			"slots from the start to the end of the bin", "", b.End),
		experiment.Measured("retrieved", "",
			"retrieved importance-value, mean over the bin",
			"Figures 7.2 to 7.4 and 7.8", b.Retrieved),
		experiment.Measured("polls_per_slot", "polls",
			"polls in a slot, mean over the bin", "Figure 7.7", b.Polls),
		experiment.Measured("slots_to_90", "slots",
			"slots until 90 % of the final value, from the start or the switch that falls into "+
				"the bin, over 20 slots; null in bins without",
			"section 7.3.3, adaptability", b.SlotsTo90),
		experiment.Measured("regret", "slots",
			"what was retrieved less than the bound from the start to the end of the bin, in "+
				"slots of Σωp",
			regretSource, b.regret),
	}
}

// regretSource is where regret comes from.
const regretSource = "Upadhyay et al.: Learning to crawl, with the bound as the best policy"
