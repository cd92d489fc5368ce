package experiments

import (
	"errors"
	"strings"

	"sweep/algorithms/monitoring"
	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// thesis is where most of the monitoring experiment's defaults come from.
const thesis = "Incremental Web Crawling as a Competitive Game of Learning Automata, "

// halfOfTheSlots is the warm-up that depends on the length of the run.
const halfOfTheSlots = -1

// monitoringFields declares every parameter of the monitoring experiment,
// with the place that its value goes to. Histories that specs name are read
// into h.
func monitoringFields(h *histories) []field[monitoringConfig] {
	var names, meanings []string
	for _, a := range monitoring.Algorithms() {
		names = append(names, a.Name)
		meanings = append(meanings, a.Name+": "+a.Meaning)
	}
	var models []string
	for _, m := range sources.Models() {
		models = append(models, string(m))
	}

	type config = monitoringConfig
	var fields []field[config]
	add := func(group string, rows ...field[config]) {
		for _, row := range rows {
			row.Group = group
			fields = append(fields, row)
		}
	}

	add("algorithm",
		choice(experiment.Algorithm, names, nil, strings.Join(meanings, "; "), thesis+"sections 5 and 7.3.2",
			func(c *config, v string) { c.algorithm = v }),
		whole("N", "N", "states", 64, 1, 1<<15, []string{"CGLA", "FPA"}, "states of each automaton of CGLA; of each class of FPA, for which the thesis takes 16", thesis+"section 7.3.1",
			func(c *config, n int) { c.run.N = n }),
		number("f", "f", "", 0.1, 0, 1, []string{"FPA"}, "share of the capacity that FPA spends on nodes outside of the class polled in every slot", thesis+"section 7.3.1",
			func(c *config) *float64 { return &c.run.F }),
		choice("execution", monitoring.Executions(), []string{"proportional", "lambda_crawl", "lambda_learn_and_crawl"}, "how rates become polls: independent draws, capped, or as evenly spaced as possible", "for weighted proportional the thesis does not say; its claims need independent draws (algorithms/monitoring/READINGS.md). LambdaCrawl polls at random times",
			func(c *config, v string) { c.run.Execution = v }),
		choice("objective", monitoring.Objectives(), []string{"refresh", "fixed_order", "lambda_crawl", "lambda_learn_and_crawl", "learn_and_crawl"}, "what rates are the best for: the importance-value retrieved, that is, copies weighed by ω·p, or, as published, fresh copies weighed by ω", chosen,
			func(c *config, v string) { c.run.Objective = v }),
	)

	add(WorldGroup,
		field[config]{experiment.Param{Name: "history", Kind: experiment.String,
			Input:    &experiment.Input{Accepts: history.Accepts, Read: h.read, Describe: h.describe},
			Replaces: []string{"nodes", "change_ratio", "switch_every", "cost_spread", "slots"},
			Meaning: "recorded changes of pages, replayed once; they take the place of nodes, change_ratio, switch_every, cost_spread and slots, " +
				"p is the frequency observed, and a seed chooses nothing but the algorithm's draws",
			Source: "the user's own, or the data set of Kolobov, Peres, Lu and Horvitz 2019"},
			func(c *config, v experiment.Value) { c.recorded.history = v.Text() }},
		field[config]{experiment.Param{Name: "pages", Kind: experiment.String,
			Input:   &experiment.Input{Accepts: history.PagesAccepts, Read: h.readPages, Describe: h.describePages},
			Meaning: "pages of a history that is a plain log of changes: importance, host, cost; pages without changes are nodes too",
			Source:  "the user's own"},
			func(c *config, v experiment.Value) { c.recorded.pages = v.Text() }},
		text("slot_length", "length of a slot of a plain log: 6h, 30m, 1d, or an integer in the units of its times",
			func(c *config, v string) { c.recorded.window.SlotLength = v }),
		text("from", "time from which a plain log is replayed; empty: the slot of the first change",
			func(c *config, v string) { c.recorded.window.From = v }),
		text("to", "time before which a plain log ends; empty: the slot of the last change",
			func(c *config, v string) { c.recorded.window.To = v }),
	)
	add(WorldGroup, within(lawFields(), func(c *config) *sources.Law { return &c.run.World })...)
	add(WorldGroup,
		choice("model", models, nil, "what becomes of an update that is not polled in its slot", thesis+"sections 3.2 and 8.2",
			func(c *config, v string) { c.run.Model = sources.Model(v) }),
		whole("switch_every", "", "slots", 0, 0, 1e9, nil, "slots after which node i and node R+1−i exchange p and ω; 0: never. The thesis takes 2500", thesis+"section 7.3.3",
			func(c *config, n int) { c.run.SwitchEvery = n }),
		field[config]{experiment.Param{Name: "cost_spread", Kind: experiment.Float, Default: experiment.FloatValue(0), Max: 1, MaxOpen: true,
			Meaning: "costs of polls are uniform in 1 ± this; 0: equal", Source: thesis + "section 8.2, further work"},
			func(c *config, v experiment.Value) { c.run.World.CostSpread = v.Float() }},
	)

	add("simulation",
		whole("slots", "", "slots", 10_000, 1, 1e7, nil, "length of the run", thesis+"axes of Figures 7.2 to 7.8",
			func(c *config, n int) { c.run.Slots = n }),
		whole("warmup", "", "slots", halfOfTheSlots, halfOfTheSlots, 1e9, nil, "slots left out of the means; -1: the first half, of a history none", chosen,
			func(c *config, n int) { c.run.Warmup = n }),
		whole("bin", "", "slots", 100, 1, 1e9, nil, "slots in each row of the series", chosen,
			func(c *config, n int) { c.run.Bin = n }),
	)
	return fields
}

// monitoringRules declares what the parameters must satisfy together. What
// depends on a history that was not read is left open.
func monitoringRules(fields []field[monitoringConfig], h *histories) []experiment.Rule {
	type config = monitoringConfig
	capacity := func(c *config) error { return c.run.CheckCapacity() }
	warmup := func(c *config) error {
		c.resolve()
		return c.run.CheckWarmup()
	}
	replayed := func(check func(*config) error) func(*config) error {
		return func(c *config) error {
			err := c.replay(h)
			switch {
			case err == nil:
				return check(c)
			case errors.Is(err, errUnread) || c.recorded.history == "":
				return nil
			}
			return err
		}
	}
	starved := rule(fields, func(c *config) error {
		if c.algorithm != "CGLA" {
			return nil
		}
		return c.run.CheckLeastRate()
	}, "N", "nodes", "capacity", experiment.Algorithm)
	starved.Warns = true
	return append(lawRules(), starved,
		rule(fields, capacity, "capacity", "nodes"),
		rule(fields, replayed(capacity), append([]string{"capacity"}, recordedParams...)...),
		rule(fields, warmup, "warmup", "slots"),
		rule(fields, replayed(warmup), append([]string{"warmup"}, recordedParams...)...))
}

// recordedParams are the parameters of recorded changes.
var recordedParams = []string{"history", "pages", "slot_length", "from", "to"}

// text declares a String parameter of a plain log, which is empty by default.
func text(name, meaning string, set func(*monitoringConfig, string)) field[monitoringConfig] {
	return field[monitoringConfig]{experiment.Param{Name: name, Kind: experiment.String, Default: experiment.StringValue(""), Meaning: meaning, Source: "the user's own"},
		func(c *monitoringConfig, v experiment.Value) { set(c, v.Text()) }}
}

// lawFields declares what the change probabilities of nodes are drawn from,
// with the place that each value goes to.
func lawFields() []field[sources.Law] {
	return []field[sources.Law]{
		whole("nodes", "R", "nodes", 1000, 1, 1e7, nil, "nodes to monitor", thesis+"section 7.1",
			func(l *sources.Law, n int) { l.Nodes = n }),
		whole("capacity", "C", "polls", 100, 1, 1e7, nil, "polls available in a slot, at most nodes", thesis+"section 7.1",
			func(l *sources.Law, n int) { l.Capacity = n }),
		number("change_ratio", "", "", 0, 0, 1e6, nil, "expected change-capacity ratio, updates over capacity; 0: as the law with θ in (0, 2) gives it, about 1.56 for ten nodes to a poll", thesis+"section 7.1",
			func(l *sources.Law) *float64 { return &l.ChangeRatio }),
	}
}

// lawRules declares what the parameters of a law must satisfy together.
func lawRules() []experiment.Rule {
	return []experiment.Rule{rule(lawFields(), (*sources.Law).CheckChangeRatio, "change_ratio", "capacity", "nodes")}
}

// choice declares a String parameter whose default is the first choice.
func choice[C any](name string, choices, usedBy []string, meaning, source string, set func(*C, string)) field[C] {
	return field[C]{experiment.Param{Name: name, Kind: experiment.String, Default: experiment.StringValue(choices[0]),
		Choices: choices, UsedBy: usedBy, Meaning: meaning, Source: source},
		func(c *C, v experiment.Value) { set(c, v.Text()) }}
}
