package experiments

import (
	"sweep/algorithms/foraging"
	"sweep/experiment"
)

// Where defaults of the foraging experiment come from.
const (
	paper  = "Selection in Scale-Free Small World, "
	chosen = "assumed; the papers say nothing"
)

// foragingFields declares every parameter of the foraging experiment,
// with the place that its value goes to; those of its site are in
// site_params.go.
func foragingFields() []field[foragingConfig] {
	var kinds []string
	for _, k := range foraging.Kinds() {
		kinds = append(kinds, k.Name)
	}
	weblogUpdate := kindsThat(func(k foraging.Kind) bool { return k.WeblogUpdate })
	orderingUpdate := kindsThat(func(k foraging.Kind) bool { return k.OrderingUpdate })
	ordering := kindsThat(func(k foraging.Kind) bool { return !k.RandomWalk })

	type config = foragingConfig
	var fields []field[config]
	add := func(group string, rows ...field[config]) {
		for _, row := range rows {
			row.Group = group
			fields = append(fields, row)
		}
	}

	add("fleet",
		field[config]{experiment.Param{Name: experiment.Algorithm, Kind: experiment.String,
			Default: experiment.StringValue(kinds[0]), Choices: kinds,
			Meaning: "kind of forager: WL learns starting URLs by weblog update, RL learns URL ordering by temporal differences, WLRL both; two controls: fixed learns neither, random does not even order URLs",
			Source:  paper + "section 4.2.1"},
			func(c *config, v experiment.Value) { c.kind = v.Text() }},
		number("alpha", "α", "", 0.1, 0, 10, orderingUpdate, "learning rate of the URL ordering update", paper+"Algorithm 4",
			func(c *config) *float64 { return &c.run.Alpha }),
		number("beta", "β", "", 0.3, 0, 1, weblogUpdate, "weight of the newest path in the weblog update", paper+"Algorithm 1",
			func(c *config) *float64 { return &c.run.Beta }),
		number("gamma", "γ", "", 0.9, 0, 1, orderingUpdate, "discount of future profit in the URL ordering update", paper+"Algorithm 4",
			func(c *config) *float64 { return &c.run.Gamma }),
		whole("start_size", "START_SIZE", "URLs", 10, 1, 1e6, nil, "starting URLs: the first of the weblog", paper+"section 3.1.1",
			func(c *config, n int) { c.run.StartSize = n }),
		whole("weblog_size", "WEBLOG_SIZE", "URLs", 100, 1, 1e6, weblogUpdate, "URLs kept in the weblog", paper+"section 3.1.1",
			func(c *config, n int) { c.run.WeblogSize = n }),
		whole("max_step", "MAX_STEP", "steps", 100, 1, 1e6, nil, "steps of a path after its start", paper+"section 3.3",
			func(c *config, n int) { c.run.MaxStep = n }),
		choice("ties", foraging.Ties(), ordering, "which of several URLs of equal value is selected: that which came last or first to the frontier, or any", "chosen: see algorithms/foraging/READINGS.md, 2",
			func(c *config, s string) { c.run.Ties = s }),
		toggle("skip_visited", "whether a linked page that was visited in the path is not downloaded again; true in the news-forager papers", paper+"Algorithm 12",
			func(c *config, b bool) { c.run.SkipVisited = b }),
		number("send_hours", "", "h", 24, 0, 1e4, nil, "age up to which a document is sent; 48 in the news-forager papers, whose date stamps are of days", paper+"section 3.1.3",
			func(c *config) *float64 { return &c.run.SendHours }),
		toggle("send_again", "whether every sighting of a document is sent, whatever was sent before; true in the news-forager papers", paper+"Algorithm 5",
			func(c *config, b bool) { c.run.SendAgain = b }),
	)

	add("reinforcing agent",
		number("reward", "REWARD", "reward", 100, -1e6, 1e6, nil, "reinforcement for a relevant document", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.Reward }),
		number("penalty", "PENALTY", "reward", -1, -1e6, 1e6, nil, "reinforcement for a document that is not relevant", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.Penalty }),
		number("send_cost", "c₋", "reward", 0, -1e6, 1e6, nil, "reinforcement for every document sent, beside the other two; −1 in the news-forager papers", "Centralized reward system…, section 2",
			func(c *config) *float64 { return &c.run.SendCost }),
		number("relevance_hours", "", "h", 24, 0, 1e4, nil, "age up to which a document is relevant", paper+"section 3.1.3",
			func(c *config) *float64 { return &c.run.RelevanceHours }),
		choice("document", foraging.Documents(), nil, "what is one document, sent and rewarded once: a URL, a URL on a day (GMT) of its date stamp, or a version of a page", "chosen: see algorithms/foraging/READINGS.md, 1",
			func(c *config, s string) { c.run.Document = s }),
		number("init_score", "INIT_SCORE", "score", 100, -1e6, 1e6, nil, "score of a new forager", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.InitScore }),
		number("score_plus", "SCORE+", "score", 1, 0, 1e6, nil, "added to the score for each relevant document", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.ScorePlus }),
		number("score_minus", "SCORE−", "score", 0.05, 0, 1e6, nil, "taken from the score for each document sent", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.ScoreMinus }),
		number("max_score", "MAX_SCORE", "score", 200, -1e6, 1e6, nil, "score at which a forager multiplies", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.MaxScore }),
		number("min_score", "MIN_SCORE", "score", 0, -1e6, 1e6, nil, "score at which a forager is deleted", paper+"section 3.2",
			func(c *config) *float64 { return &c.run.MinScore }),
		whole("start_forager", "", "foragers", 2, 1, foraging.MaxFleet, nil, "foragers at the start; min_forager, if that is more", paper+"section 4.2.1",
			func(c *config, n int) { c.start = n }),
		whole("min_forager", "MIN_FORAGER", "foragers", 2, 0, foraging.MaxFleet, nil, "foragers at least; with 0 all may die, which ends the run", paper+"section 3.2",
			func(c *config, n int) { c.run.MinForager = n }),
		whole("max_forager", "MAX_FORAGER", "foragers", 16, 1, foraging.MaxFleet, nil, "foragers at most", paper+"section 3.2",
			func(c *config, n int) { c.run.MaxForager = n }),
		number("slice_seconds", "", "s", 180, 1, 1e6, nil, "time that a forager works before the next one's turn; the step begun is finished", paper+"section 4.1",
			func(c *config) *float64 { return &c.run.SliceTime }),
	)

	add("simulation",
		number("days", "", "d", 8, 0.01, 365, nil, "simulated time", paper+"axes of Figures 2 and 3",
			func(c *config) *float64 { return &c.run.Days }),
		number("window_hours", "", "h", 3, 0.01, 8760, nil, "length of a measurement window", paper+"Table 1",
			func(c *config) *float64 { return &c.run.WindowHours }),
	)

	add(WorldGroup, field[config]{experiment.Param{Name: "world_seed", Kind: experiment.Int, Default: experiment.IntValue(1), Min: 0, Max: 1 << 53,
		Meaning: "seed of the recorded site; all runs of the paper use one site",
		Source:  paper + "section 4.2"},
		func(c *config, v experiment.Value) { c.site.model.Seed = v.Int() }})
	add(WorldGroup, within(siteFields(), func(c *config) *siteKey { return &c.site })...)
	return fields
}

// foragingRules declares what the parameters must satisfy together.
func foragingRules(fields []field[foragingConfig]) []experiment.Rule {
	type config = foragingConfig
	return append(siteRules(),
		rule(fields, func(c *config) error { return c.run.CheckStart() }, "start_size", "weblog_size"),
		rule(fields, func(c *config) error { return c.checkFleet() }, "start_forager", "min_forager", "max_forager"),
		rule(fields, func(c *config) error { return c.run.CheckScores() }, "min_score", "max_score"),
		rule(fields, (*config).checkDays, "days", "site_days"))
}

func kindsThat(has func(foraging.Kind) bool) []string {
	var names []string
	for _, k := range foraging.Kinds() {
		if has(k) {
			names = append(names, k.Name)
		}
	}
	return names
}

// toggle declares a Bool parameter that is false.
func toggle[C any](name, meaning, source string, set func(*C, bool)) field[C] {
	return field[C]{experiment.Param{Name: name, Kind: experiment.Bool, Default: experiment.BoolValue(false),
		Meaning: meaning, Source: source}, func(c *C, v experiment.Value) { set(c, v.Bool()) }}
}

// number declares a Float parameter in [lo, hi].
func number[C any](name, symbol, unit string, value, lo, hi float64, usedBy []string, meaning, source string, at func(*C) *float64) field[C] {
	return field[C]{experiment.Param{Name: name, Symbol: symbol, Kind: experiment.Float, Unit: unit,
		Default: experiment.FloatValue(value), Min: lo, Max: hi, UsedBy: usedBy,
		Meaning: meaning, Source: source},
		func(c *C, v experiment.Value) { *at(c) = v.Float() }}
}

// share declares a Float parameter in [0, 1].
func share[C any](name string, value float64, meaning, source string, at func(*C) *float64) field[C] {
	return number(name, "", "", value, 0, 1, nil, meaning, source, at)
}

// whole declares an Int parameter in [lo, hi].
func whole[C any](name, symbol, unit string, value int64, lo, hi float64, usedBy []string, meaning, source string, set func(*C, int)) field[C] {
	return field[C]{experiment.Param{Name: name, Symbol: symbol, Kind: experiment.Int, Unit: unit,
		Default: experiment.IntValue(value), Min: lo, Max: hi, UsedBy: usedBy,
		Meaning: meaning, Source: source},
		func(c *C, v experiment.Value) { set(c, int(v.Int())) }}
}
