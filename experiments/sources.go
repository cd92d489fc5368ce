package experiments

import (
	"cmp"
	"context"
	"slices"

	"sweep/environments/sources"
	"sweep/experiment"
)

// sourcesVersion is the model version of the sources experiment: raise it
// with any change that can alter a bit of a result.
const sourcesVersion = 1

// Sources declares the drawing of the nodes that the monitoring experiment
// monitors (Myrer and Olsen, section 7.1 and Figure 7.1). Nobody polls: a
// run draws one world, and its seed is that of the monitoring runs that
// meet these nodes.
func Sources() *experiment.Experiment {
	const section = "section 7.1"
	fields := lawFields()
	for i := range fields {
		fields[i].Group = WorldGroup
	}
	return &experiment.Experiment{
		Name:    "sources",
		Version: sourcesVersion,
		Title:   "the nodes of the monitoring experiment: how often they change, and how important that is",
		Source:  "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning Automata",
		Params:  params(fields),
		Rules:   lawRules(),
		Metrics: []experiment.Metric{
			{Name: "updates_per_slot", Kind: experiment.Float, Unit: "updates", Source: section, Meaning: "expected updates in a slot, Σp"},
			{Name: "drawn_ratio", Kind: experiment.Float, Source: section, Meaning: "expected change-capacity ratio, Σp / capacity"},
			{Name: "value_per_slot", Kind: experiment.Float, Source: "section 7.2", Meaning: "importance-value expected in a slot, Σωp"},
		},
		Series: experiment.Series{
			Axis: experiment.Metric{Name: "node", Kind: experiment.Int, Unit: "nodes", Meaning: "the node's place by falling change probability, from 1"},
			Columns: []experiment.Metric{
				{Name: "change_probability", Kind: experiment.Float, Source: "Figure 7.1", Meaning: "probability p that the node is updated in a slot"},
				{Name: "importance", Kind: experiment.Float, Source: section, Meaning: "its importance-value ω"},
			},
		},
		Figures: sourcesFigures(),
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			var law sources.Law
			configure(&law, fields, p.Values)
			world, err := sources.Draw(law, p.Seed)
			if err != nil {
				return err
			}
			*out = sourcesResult(world)
			return nil
		},
	}
}

// sourcesResult puts a world in the order of the declarations above.
func sourcesResult(w *sources.World) experiment.Result {
	updates := expectedUpdates(w)
	result := experiment.Result{Metrics: []float64{updates, updates / float64(w.Law.Capacity), w.Total}}
	order := make([]int, len(w.P))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(w.P[b], w.P[a]) })
	for place, i := range order {
		result.Series = append(result.Series, float64(place+1), w.P[i], w.Importance[i])
	}
	return result
}

// expectedUpdates returns Σp, the expected updates in a slot.
func expectedUpdates(w *sources.World) float64 {
	sum := 0.0
	for _, p := range w.P {
		sum += p
	}
	return sum
}
