package experiments

import (
	"slices"

	"sweep/algorithms/foraging"
	"sweep/experiment"
)

// Sources of defaults of the foraging experiment.
const (
	paper  = "Selection in Scale-Free Small World, "
	chosen = "assumed; the papers say nothing"

	chosenForWatch = "chosen on four worlds, also rewired, and three real sites: " +
		"algorithms/foraging/READINGS.md, 36"
)

// params declares every parameter of the foraging experiment; those of its
// site are in site_params.go.
func (s *sites) params(c *foragingConfig) []experiment.Param {
	var kinds, weblogUpdate, orderingUpdate, ordering, watch, restarting []string
	for _, k := range foraging.Kinds() {
		kinds = append(kinds, k.Name)
		if k.WeblogUpdate {
			weblogUpdate = append(weblogUpdate, k.Name)
		}
		if k.OrderingUpdate {
			orderingUpdate = append(orderingUpdate, k.Name)
		}
		if !k.RandomWalk {
			ordering = append(ordering, k.Name)
		}
		if k.Watch {
			watch = append(watch, k.Name)
		} else {
			restarting = append(restarting, k.Name)
		}
	}

	fleet := []experiment.Param{
		{
			To:      &c.kind,
			Name:    experiment.Algorithm,
			Choices: kinds,
			Meaning: "kind of forager: WL learns starting URLs by weblog update, RL learns URL " +
				"ordering by temporal differences, WLRL both; two controls: fixed learns " +
				"neither, random does not even order URLs; watch walks like random, and " +
				"returns to pages when news is due there",
			Source: paper + "section 4.2.1",
		},
		{
			To:      &c.Alpha,
			Name:    "alpha",
			Symbol:  "α",
			Default: experiment.FloatValue(0.1),
			Max:     10,
			UsedBy:  orderingUpdate,
			Meaning: "learning rate of the URL ordering update",
			Source:  paper + "Algorithm 4",
		},
		{
			To:      &c.Beta,
			Name:    "beta",
			Symbol:  "β",
			Default: experiment.FloatValue(0.3),
			Max:     1,
			UsedBy:  weblogUpdate,
			Meaning: "weight of the newest path in the weblog update",
			Source:  paper + "Algorithm 1",
		},
		{
			To:      &c.Gamma,
			Name:    "gamma",
			Symbol:  "γ",
			Default: experiment.FloatValue(0.9),
			Max:     1,
			UsedBy:  orderingUpdate,
			Meaning: "discount of future profit in the URL ordering update",
			Source:  paper + "Algorithm 4",
		},
		{
			To:      &c.StartSize,
			Name:    "start_size",
			Symbol:  "START_SIZE",
			Unit:    "URLs",
			Default: experiment.IntValue(10),
			Min:     1,
			Max:     1e6,
			Meaning: "starting URLs: the first of the weblog",
			Source:  paper + "section 3.1.1",
		},
		{
			To:      &c.WeblogSize,
			Name:    "weblog_size",
			Symbol:  "WEBLOG_SIZE",
			Unit:    "URLs",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e6,
			UsedBy:  append(slices.Clone(weblogUpdate), watch...),
			Meaning: "URLs kept in the weblog, or watched",
			Source:  paper + "section 3.1.1",
		},
		{
			To:      &c.MaxStep,
			Name:    "max_step",
			Symbol:  "MAX_STEP",
			Unit:    "steps",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e6,
			UsedBy:  restarting,
			Meaning: "steps of a path after its start",
			Source:  paper + "section 3.3",
		},
		{
			To:      &c.Ties,
			Name:    "ties",
			Choices: foraging.Ties(),
			UsedBy:  ordering,
			Meaning: "which of several URLs of equal value is selected: that which came last or " +
				"first to the frontier, or any",
			Source: "chosen: algorithms/foraging/READINGS.md, 2",
		},
		{
			To:      &c.SkipVisited,
			Name:    "skip_visited",
			Default: experiment.BoolValue(false),
			Meaning: "whether a linked page that was visited in the path is not downloaded " +
				"again, as in the news-forager papers",
			Source: paper + "Algorithm 12",
		},
		{
			To:      &c.SendHours,
			Name:    "send_hours",
			Unit:    "h",
			Default: experiment.FloatValue(24),
			Max:     1e4,
			Meaning: "age up to which a document is sent; 48 in the news-forager papers, whose " +
				"dates are days",
			Source: paper + "section 3.1.3",
		},
		{
			To:      &c.SendAgain,
			Name:    "send_again",
			Default: experiment.BoolValue(false),
			Meaning: "whether every sighting of a document is sent, whatever was sent before, " +
				"as in the news-forager papers",
			Source: paper + "Algorithm 5",
		},
	}

	watching := []experiment.Param{
		{
			To:      &c.PriorHits,
			Name:    "prior_hits",
			Symbol:  "a",
			Default: experiment.FloatValue(0.5),
			Min:     0.001,
			Max:     1e3,
			UsedBy:  watch,
			Meaning: "prior belief about the rate of news of a page: news counted as seen before " +
				"all visits, in prior_hours",
			Source: chosenForWatch,
		},
		{
			To:      &c.PriorHours,
			Name:    "prior_hours",
			Symbol:  "b",
			Unit:    "h",
			Default: experiment.FloatValue(24),
			Min:     0.001,
			Max:     1e5,
			UsedBy:  watch,
			Meaning: "the time of prior_hits",
			Source:  chosenForWatch,
		},
		{
			To:      &c.EvidenceKept,
			Name:    "evidence_kept",
			Default: experiment.FloatValue(0.9),
			Max:     1,
			UsedBy:  watch,
			Meaning: "share of what was learned of a page that remains at its next visit",
			Source:  chosenForWatch,
		},
		{
			To:      &c.YieldKept,
			Name:    "yield_kept",
			Default: experiment.FloatValue(0.999),
			Max:     1,
			UsedBy:  watch,
			Meaning: "share of what walking brought, and of its time, that remains at the next " +
				"step of a walk",
			Source: chosenForWatch,
		},
		{
			To:      &c.WatchSendCost,
			Name:    "watch_send_cost",
			Unit:    "relevant documents",
			Default: experiment.FloatValue(0),
			Max:     100,
			UsedBy:  watch,
			Meaning: "what a sent document costs when visits and walks are valued: with more, a " +
				"forager sends less, and finds less",
			Source: "ours; 0: as many relevant documents as possible",
		},
	}
	fleet = append(fleet, watching...)

	agent := []experiment.Param{
		{
			To:      &c.Reward,
			Name:    "reward",
			Symbol:  "REWARD",
			Unit:    "reward",
			Default: experiment.FloatValue(100),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "reinforcement for a relevant document",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.Penalty,
			Name:    "penalty",
			Symbol:  "PENALTY",
			Unit:    "reward",
			Default: experiment.FloatValue(-1),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "reinforcement for a document that is not relevant",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.SendCost,
			Name:    "send_cost",
			Symbol:  "c₋",
			Unit:    "reward",
			Default: experiment.FloatValue(0),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "reinforcement for every document sent, beside the other two; −1 in the " +
				"news-forager papers",
			Source: "Centralized reward system…, section 2",
		},
		{
			To:      &c.RelevanceHours,
			Name:    "relevance_hours",
			Unit:    "h",
			Default: experiment.FloatValue(24),
			Max:     1e4,
			Meaning: "age up to which a document is relevant",
			Source:  paper + "section 3.1.3",
		},
		{
			To:      &c.Document,
			Name:    "document",
			Choices: foraging.Documents(),
			Meaning: "what is one document, relevant once: a URL, a URL on a day (GMT) of its " +
				"date stamp, or a version of a page",
			Source: "chosen: algorithms/foraging/READINGS.md, 1",
		},
		{
			To:      &c.InitScore,
			Name:    "init_score",
			Symbol:  "INIT_SCORE",
			Unit:    "score",
			Default: experiment.FloatValue(100),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "score of a new forager",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.ScorePlus,
			Name:    "score_plus",
			Symbol:  "SCORE+",
			Unit:    "score",
			Default: experiment.FloatValue(1),
			Max:     1e6,
			Meaning: "added to the score for each relevant document",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.ScoreMinus,
			Name:    "score_minus",
			Symbol:  "SCORE−",
			Unit:    "score",
			Default: experiment.FloatValue(0.05),
			Max:     1e6,
			Meaning: "taken from the score for each document sent",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.MaxScore,
			Name:    "max_score",
			Symbol:  "MAX_SCORE",
			Unit:    "score",
			Default: experiment.FloatValue(200),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "score at which a forager multiplies",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.MinScore,
			Name:    "min_score",
			Symbol:  "MIN_SCORE",
			Unit:    "score",
			Default: experiment.FloatValue(0),
			Min:     -1e6,
			Max:     1e6,
			Meaning: "score at which a forager is deleted",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.start,
			Name:    "start_forager",
			Unit:    "foragers",
			Default: experiment.IntValue(2),
			Min:     1,
			Max:     foraging.MaxFleet,
			Meaning: "foragers at the start; min_forager, if that is more",
			Source:  paper + "section 4.2.1",
		},
		{
			To:      &c.MinForager,
			Name:    "min_forager",
			Symbol:  "MIN_FORAGER",
			Unit:    "foragers",
			Default: experiment.IntValue(2),
			Max:     foraging.MaxFleet,
			Meaning: "foragers at least; with 0 all may die, which ends the run",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.MaxForager,
			Name:    "max_forager",
			Symbol:  "MAX_FORAGER",
			Unit:    "foragers",
			Default: experiment.IntValue(16),
			Min:     1,
			Max:     foraging.MaxFleet,
			Meaning: "foragers at most",
			Source:  paper + "section 3.2",
		},
		{
			To:      &c.SliceTime,
			Name:    "slice_seconds",
			Unit:    "s",
			Default: experiment.FloatValue(180),
			Min:     1,
			Max:     1e6,
			Meaning: "time that a forager works before the next one's turn; the step begun is " +
				"finished",
			Source: paper + "section 4.1",
		},
	}

	simulation := []experiment.Param{
		{
			To:      &c.Days,
			Name:    "days",
			Unit:    "d",
			Default: experiment.FloatValue(8),
			Min:     0.01,
			Max:     365,
			Meaning: "simulated time",
			Source:  paper + "axes of Figures 2 and 3",
		},
		{
			To:      &c.WindowHours,
			Name:    "window_hours",
			Unit:    "h",
			Default: experiment.FloatValue(3),
			Min:     0.01,
			Max:     8760,
			Meaning: "length of a measurement window; what is after the last whole one is in no " +
				"row of the series",
			Source: paper + "Table 1",
		},
	}

	worldSeed := []experiment.Param{
		{
			To:      &c.site.Seed,
			Name:    "world_seed",
			Default: experiment.IntValue(1),
			Max:     1 << 53,
			Meaning: "seed of the recorded site; all runs of the paper use one site",
			Source:  paper + "section 4.2",
		},
	}
	return slices.Concat(
		experiment.Group("fleet", fleet),
		experiment.Group("reinforcing agent", agent),
		experiment.Group("simulation", simulation),
		experiment.Group(WorldGroup, append(worldSeed, s.siteParams(&c.site)...)),
	)
}

// foragingRules declares what the parameters must satisfy together.
func (s *sites) foragingRules(params func(*foragingConfig) []experiment.Param) []experiment.Rule {
	type config = foragingConfig
	require := experiment.Rules(params)
	step := require((*config).checkStep, "alpha", "gamma", "topics")
	step.Warns = true
	fleet := func(c *config) error { return c.CheckFleet(max(c.start, c.MinForager)) }
	return slices.Concat(siteRules(), []experiment.Rule{
		step,
		require((*config).CheckStart, "start_size", "weblog_size"),
		require(fleet, "start_forager", "min_forager", "max_forager"),
		require((*config).CheckScores, "min_score", "max_score"),
		require(s.checkDays, "days", "site_days"),
		require(s.checkDays, "days", "site_tables"),
	})
}

// kindNamed returns the kind of foragers with a name, in a list.
func kindNamed(name string) (kinds []foraging.Kind) {
	for _, k := range foraging.Kinds() {
		if k.Name == name {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
