package experiments

import (
	"slices"

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
// site_params.go. Tables of sites that specs name are read into t.
func foragingFields(t *siteTables) []experiment.Field[foragingConfig] {
	var kinds []string
	for _, k := range foraging.Kinds() {
		kinds = append(kinds, k.Name)
	}
	weblogUpdate := kindsThat(func(k foraging.Kind) bool { return k.WeblogUpdate })
	orderingUpdate := kindsThat(func(k foraging.Kind) bool { return k.OrderingUpdate })
	ordering := kindsThat(func(k foraging.Kind) bool { return !k.RandomWalk })

	type config = foragingConfig
	fleet := experiment.Group("fleet",
		experiment.Bind(func(c *config) *string { return &c.kind }, experiment.Param{
			Name: experiment.Algorithm, Choices: kinds,
			Meaning: "kind of forager: WL learns starting URLs by weblog update, RL learns URL ordering by temporal differences, WLRL both; two controls: fixed learns neither, random does not even order URLs",
			Source:  paper + "section 4.2.1"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.Alpha }, experiment.Param{
			Name: "alpha", Symbol: "α", Default: experiment.FloatValue(0.1), Max: 10, UsedBy: orderingUpdate,
			Meaning: "learning rate of the URL ordering update", Source: paper + "Algorithm 4"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.Beta }, experiment.Param{
			Name: "beta", Symbol: "β", Default: experiment.FloatValue(0.3), Max: 1, UsedBy: weblogUpdate,
			Meaning: "weight of the newest path in the weblog update", Source: paper + "Algorithm 1"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.Gamma }, experiment.Param{
			Name: "gamma", Symbol: "γ", Default: experiment.FloatValue(0.9), Max: 1, UsedBy: orderingUpdate,
			Meaning: "discount of future profit in the URL ordering update", Source: paper + "Algorithm 4"}),
		experiment.Bind(func(c *config) *int { return &c.run.StartSize }, experiment.Param{
			Name: "start_size", Symbol: "START_SIZE", Unit: "URLs", Default: experiment.IntValue(10), Min: 1, Max: 1e6,
			Meaning: "starting URLs: the first of the weblog", Source: paper + "section 3.1.1"}),
		experiment.Bind(func(c *config) *int { return &c.run.WeblogSize }, experiment.Param{
			Name: "weblog_size", Symbol: "WEBLOG_SIZE", Unit: "URLs", Default: experiment.IntValue(100), Min: 1, Max: 1e6, UsedBy: weblogUpdate,
			Meaning: "URLs kept in the weblog", Source: paper + "section 3.1.1"}),
		experiment.Bind(func(c *config) *int { return &c.run.MaxStep }, experiment.Param{
			Name: "max_step", Symbol: "MAX_STEP", Unit: "steps", Default: experiment.IntValue(100), Min: 1, Max: 1e6,
			Meaning: "steps of a path after its start", Source: paper + "section 3.3"}),
		experiment.Bind(func(c *config) *string { return &c.run.Ties }, experiment.Param{
			Name: "ties", Choices: foraging.Ties(), UsedBy: ordering,
			Meaning: "which of several URLs of equal value is selected: that which came last or first to the frontier, or any",
			Source:  "chosen: algorithms/foraging/READINGS.md, 2"}),
		experiment.Bind(func(c *config) *bool { return &c.run.SkipVisited }, experiment.Param{
			Name: "skip_visited", Default: experiment.BoolValue(false),
			Meaning: "whether a linked page that was visited in the path is not downloaded again, as in the news-forager papers",
			Source:  paper + "Algorithm 12"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.SendHours }, experiment.Param{
			Name: "send_hours", Unit: "h", Default: experiment.FloatValue(24), Max: 1e4,
			Meaning: "age up to which a document is sent; 48 in the news-forager papers, whose dates are days", Source: paper + "section 3.1.3"}),
		experiment.Bind(func(c *config) *bool { return &c.run.SendAgain }, experiment.Param{
			Name: "send_again", Default: experiment.BoolValue(false),
			Meaning: "whether every sighting of a document is sent, whatever was sent before, as in the news-forager papers",
			Source:  paper + "Algorithm 5"}),
	)

	agent := experiment.Group("reinforcing agent",
		experiment.Bind(func(c *config) *float64 { return &c.run.Reward }, experiment.Param{
			Name: "reward", Symbol: "REWARD", Unit: "reward", Default: experiment.FloatValue(100), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for a relevant document", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.Penalty }, experiment.Param{
			Name: "penalty", Symbol: "PENALTY", Unit: "reward", Default: experiment.FloatValue(-1), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for a document that is not relevant", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.SendCost }, experiment.Param{
			Name: "send_cost", Symbol: "c₋", Unit: "reward", Default: experiment.FloatValue(0), Min: -1e6, Max: 1e6,
			Meaning: "reinforcement for every document sent, beside the other two; −1 in the news-forager papers",
			Source:  "Centralized reward system…, section 2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.RelevanceHours }, experiment.Param{
			Name: "relevance_hours", Unit: "h", Default: experiment.FloatValue(24), Max: 1e4,
			Meaning: "age up to which a document is relevant", Source: paper + "section 3.1.3"}),
		experiment.Bind(func(c *config) *string { return &c.run.Document }, experiment.Param{
			Name: "document", Choices: foraging.Documents(),
			Meaning: "what is one document, relevant once: a URL, a URL on a day (GMT) of its date stamp, or a version of a page",
			Source:  "chosen: algorithms/foraging/READINGS.md, 1"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.InitScore }, experiment.Param{
			Name: "init_score", Symbol: "INIT_SCORE", Unit: "score", Default: experiment.FloatValue(100), Min: -1e6, Max: 1e6,
			Meaning: "score of a new forager", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.ScorePlus }, experiment.Param{
			Name: "score_plus", Symbol: "SCORE+", Unit: "score", Default: experiment.FloatValue(1), Max: 1e6,
			Meaning: "added to the score for each relevant document", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.ScoreMinus }, experiment.Param{
			Name: "score_minus", Symbol: "SCORE−", Unit: "score", Default: experiment.FloatValue(0.05), Max: 1e6,
			Meaning: "taken from the score for each document sent", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.MaxScore }, experiment.Param{
			Name: "max_score", Symbol: "MAX_SCORE", Unit: "score", Default: experiment.FloatValue(200), Min: -1e6, Max: 1e6,
			Meaning: "score at which a forager multiplies", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.MinScore }, experiment.Param{
			Name: "min_score", Symbol: "MIN_SCORE", Unit: "score", Default: experiment.FloatValue(0), Min: -1e6, Max: 1e6,
			Meaning: "score at which a forager is deleted", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *int { return &c.start }, experiment.Param{
			Name: "start_forager", Unit: "foragers", Default: experiment.IntValue(2), Min: 1, Max: foraging.MaxFleet,
			Meaning: "foragers at the start; min_forager, if that is more", Source: paper + "section 4.2.1"}),
		experiment.Bind(func(c *config) *int { return &c.run.MinForager }, experiment.Param{
			Name: "min_forager", Symbol: "MIN_FORAGER", Unit: "foragers", Default: experiment.IntValue(2), Max: foraging.MaxFleet,
			Meaning: "foragers at least; with 0 all may die, which ends the run", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *int { return &c.run.MaxForager }, experiment.Param{
			Name: "max_forager", Symbol: "MAX_FORAGER", Unit: "foragers", Default: experiment.IntValue(16), Min: 1, Max: foraging.MaxFleet,
			Meaning: "foragers at most", Source: paper + "section 3.2"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.SliceTime }, experiment.Param{
			Name: "slice_seconds", Unit: "s", Default: experiment.FloatValue(180), Min: 1, Max: 1e6,
			Meaning: "time that a forager works before the next one's turn; the step begun is finished", Source: paper + "section 4.1"}),
	)

	simulation := experiment.Group("simulation",
		experiment.Bind(func(c *config) *float64 { return &c.run.Days }, experiment.Param{
			Name: "days", Unit: "d", Default: experiment.FloatValue(8), Min: 0.01, Max: 365,
			Meaning: "simulated time", Source: paper + "axes of Figures 2 and 3"}),
		experiment.Bind(func(c *config) *float64 { return &c.run.WindowHours }, experiment.Param{
			Name: "window_hours", Unit: "h", Default: experiment.FloatValue(3), Min: 0.01, Max: 8760,
			Meaning: "length of a measurement window", Source: paper + "Table 1"}),
	)

	worldSeed := experiment.Bind(func(c *config) *int64 { return &c.site.model.Seed }, experiment.Param{
		Name: "world_seed", Default: experiment.IntValue(1), Max: 1 << 53,
		Meaning: "seed of the recorded site; all runs of the paper use one site", Source: paper + "section 4.2"})
	site := experiment.Within(siteFields(t), func(c *config) *siteKey { return &c.site })
	world := experiment.Group(WorldGroup, append([]experiment.Field[config]{worldSeed}, site...)...)
	return slices.Concat(fleet, agent, simulation, world)
}

// foragingRules declares what the parameters must satisfy together.
func foragingRules(fields []experiment.Field[foragingConfig], t *siteTables) []experiment.Rule {
	type config = foragingConfig
	diverging := experiment.Require(fields, (*config).checkStep, "alpha", "gamma", "topics")
	diverging.Warns = true
	return append(siteRules(), diverging,
		experiment.Require(fields, func(c *config) error { return c.run.CheckStart() }, "start_size", "weblog_size"),
		experiment.Require(fields, (*config).checkFleet, "start_forager", "min_forager", "max_forager"),
		experiment.Require(fields, func(c *config) error { return c.run.CheckScores() }, "min_score", "max_score"),
		experiment.Require(fields, t.checkDays, "days", "site_days"),
		experiment.Require(fields, t.checkDays, "days", "site_tables"))
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
