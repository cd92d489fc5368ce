package experiments

import (
	"cmp"
	"context"
	"slices"

	"sweep/environments/sources"
	"sweep/experiment"
)

// lawParams declares what the change probabilities of nodes are drawn from.
func lawParams(l *sources.Law) []experiment.Param {
	return experiment.Group(WorldGroup, []experiment.Param{
		{
			To:      &l.Nodes,
			Name:    "nodes",
			Symbol:  "R",
			Unit:    "nodes",
			Default: experiment.IntValue(1000),
			Min:     1,
			Max:     1e7,
			Meaning: "nodes to monitor",
			Source:  thesis + "section 7.1",
		},
		{
			To:      &l.Capacity,
			Name:    "capacity",
			Symbol:  "C",
			Unit:    "polls",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e7,
			Meaning: "polls available in a slot, at most nodes",
			Source:  thesis + "section 7.1",
		},
		{
			To:      &l.ChangeRatio,
			Name:    "change_ratio",
			Default: experiment.FloatValue(0),
			Max:     1e6,
			Meaning: "expected change-capacity ratio, updates over capacity; 0: as the law with " +
				"θ in (0, 2) gives it, about 1.56 for ten nodes to a poll",
			Source: thesis + "section 7.1",
		},
	})
}

// lawRules declares what the parameters of a law must satisfy together.
func lawRules() []experiment.Rule {
	return []experiment.Rule{
		experiment.Rules(lawParams)((*sources.Law).CheckChangeRatio,
			"change_ratio", "capacity", "nodes"),
	}
}

// Sources declares the drawing of the nodes that the monitoring experiment
// monitors (Myrer and Olsen, section 7.1 and Figure 7.1). Nothing is polled: a
// run draws one world, and its seed is that of the monitoring runs with these
// nodes.
func Sources() *experiment.Experiment {
	return experiment.Simulation(experiment.Experiment{
		Name:    "sources",
		Version: sourcesVersion,
		Title: "the nodes of the monitoring experiment: how often they change, and how " +
			"important that is",
		Source: "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning " +
			"Automata",
		Rules:   lawRules(),
		Figures: sourcesFigures(),
	}, lawParams, sourcesMeasures, sourcesColumns, drawNodes)
}

func drawNodes(_ context.Context, law *sources.Law, seed int64) (
	m sources.World, nodes []node, err error,
) {
	world, err := sources.Draw(*law, seed)
	if err != nil {
		return m, nil, err
	}
	return *world, nodesByFrequency(world), nil
}

func sourcesMeasures(w *sources.World) []experiment.Measure {
	const section = "section 7.1"
	return []experiment.Measure{
		experiment.Measured("updates_per_slot", "updates",
			"expected updates in a slot, Σp", section, expectedUpdates(w)),
		experiment.Measured("drawn_ratio", "",
			"expected change-capacity ratio, Σp / capacity",
			section, expectedUpdates(w)/float64(w.Law.Capacity)),
		experiment.Measured("value_per_slot", "",
			"importance-value expected in a slot, Σωp", "section 7.2", w.Total),
	}
}

// node is a row of the series.
type node struct {
	place         int
	p, importance float64
}

// sourcesColumns returns the columns of the series, the axis first.
func sourcesColumns(n *node) []experiment.Measure {
	return []experiment.Measure{
		experiment.Measured("node", "nodes",
			"the node's place by falling change probability, from 1", "", n.place),
		experiment.Measured("change_probability", "",
			"probability p that the node is updated in a slot", "Figure 7.1", n.p),
		experiment.Measured("importance", "",
			"its importance-value ω", "section 7.1", n.importance),
	}
}

// nodesByFrequency returns the nodes of a world by falling p.
func nodesByFrequency(w *sources.World) []node {
	nodes := make([]node, len(w.P))
	for i := range nodes {
		nodes[i] = node{p: w.P[i], importance: w.Importance[i]}
	}
	slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(b.p, a.p) })
	for i := range nodes {
		nodes[i].place = i + 1
	}
	return nodes
}

// expectedUpdates returns Σp, the expected updates in a slot.
func expectedUpdates(w *sources.World) float64 {
	sum := 0.0
	for _, p := range w.P {
		sum += p
	}
	return sum
}
