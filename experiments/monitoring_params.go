package experiments

import (
	"slices"
	"strings"

	"sweep/algorithms/monitoring"
	"sweep/algorithms/monitoring/bayes"
	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
)

// thesis is where most of the monitoring experiment's defaults come from.
const thesis = "Incremental Web Crawling as a Competitive Game of Learning Automata, "

// noisySignals is the source of change signals.
const noisySignals = "Busa-Fekete et al.: A scalable crawling algorithm utilizing noisy " +
	"change-indicating signals"

// halfOfTheSlots is the warm-up that depends on the length of the run.
const halfOfTheSlots = -1

// params declares every parameter of the monitoring experiment. h keeps the
// histories that specs name.
func (h *histories) params(c *monitoringConfig) []experiment.Param {
	var names, meanings []string
	for _, a := range monitoring.Algorithms() {
		names = append(names, a.Name)
		meanings = append(meanings, a.Name+": "+a.Meaning)
	}

	learners := []string{"lambda_learn_and_crawl", "learn_and_crawl", "explore_and_commit"}
	optima := append([]string{"refresh", "fixed_order", "lambda_crawl", "lambda_crawl_observed"},
		learners...)
	signalled := []string{"greedy_ncis", "greedy_ncis_learned"}

	algorithm := []experiment.Param{
		{
			To:      &c.algorithm,
			Name:    experiment.Algorithm,
			Choices: names,
			Meaning: strings.Join(meanings, "; "),
			Source:  thesis + "sections 5 and 7.3.2",
		},
		{
			To:      &c.N,
			Name:    "N",
			Symbol:  "N",
			Unit:    "states",
			Default: experiment.IntValue(64),
			Min:     1,
			Max:     1 << 15,
			UsedBy:  []string{"CGLA", "FPA", "HTRAA", "sorted_HTRAA"},
			Meaning: "states of each automaton of CGLA and HTRAA; of each class of FPA, for " +
				"which the thesis takes 16",
			Source: thesis + "section 7.3.1",
		},
		{
			To:      &c.F,
			Name:    "f",
			Symbol:  "f",
			Default: experiment.FloatValue(0.1),
			Max:     1,
			UsedBy:  []string{"FPA"},
			Meaning: "share of the capacity that FPA spends on nodes outside of the class " +
				"polled in every slot",
			Source: thesis + "section 7.3.1",
		},
		{
			To:      &c.Execution,
			Name:    "execution",
			Choices: monitoring.Executions(),
			UsedBy:  []string{"proportional", "lambda_crawl", "lambda_learn_and_crawl"},
			Meaning: "how rates become polls: independent draws, capped, or as evenly spaced as " +
				"possible",
			Source: "for weighted proportional the thesis does not say; its claims need " +
				"independent draws (algorithms/monitoring/READINGS.md). LambdaCrawl polls at " +
				"random times",
		},
		{
			To:      &c.Objective,
			Name:    "objective",
			Choices: monitoring.Objectives(),
			UsedBy:  slices.Concat(optima, signalled),
			Meaning: "what rates are the best for: the importance-value retrieved, that is, " +
				"copies weighed by ω·p, or, as published, fresh copies weighed by ω",
			Source: chosen,
		},
		{
			To:      &c.HostLimit,
			Name:    "host_limit",
			Unit:    "polls",
			Default: experiment.FloatValue(0),
			Max:     1e7,
			UsedBy:  optima,
			Meaning: "politeness: what the polls of a host may cost in a slot, as a mean; hosts " +
				"are those of a table of pages, and without it no node has one; 0: no limit",
			Source: "Kolobov et al.: Optimal freshness crawl under politeness constraints",
		},
		{
			To:      &c.Estimator,
			Name:    "estimator",
			Choices: monitoring.Estimators(),
			UsedBy:  learners,
			Meaning: "how p is estimated: the most likely one, from the share of polls that are " +
				"hits, or by stochastic approximation; the last two are for polls at random",
			Source: "Avrachenkov, Patil, Thoppe: Change rate estimation and optimal freshness " +
				"in web page crawling",
		},
		{
			To:      &c.Explore,
			Name:    "explore",
			Unit:    "slots",
			Default: experiment.IntValue(0),
			Max:     1e9,
			UsedBy:  []string{"explore_and_commit"},
			Meaning: "slots of polls in turn before rates are estimated; 0: so many that each " +
				"node is polled √slots times",
			Source: "Upadhyay et al.: Learning to crawl: proportional to √T; the factor is ours",
		},
		{
			To:      &c.Belief.Rates,
			Name:    "rates",
			Default: experiment.IntValue(32),
			Min:     2,
			Max:     1024,
			UsedBy:  []string{"filter"},
			Meaning: "rates that a node may have, evenly spaced in logarithms from 3 changes in " +
				"a slot down to 3 in 100,000",
			Source: chosen,
		},
		{
			To:      &c.Belief.Redraw,
			Name:    "redraw",
			Unit:    "1/slot",
			Default: experiment.FloatValue(2e-4),
			Max:     1,
			MaxOpen: true,
			UsedBy:  []string{"filter"},
			Meaning: "probability with which a node is taken to be redrawn in a slot; 0: nodes " +
				"are taken to stay as they are",
			Source: chosen,
		},
		{
			To:      &c.Belief.Optimism,
			Name:    "optimism",
			Default: experiment.FloatValue(0.1),
			Max:     10,
			UsedBy:  []string{"filter"},
			Meaning: "standard deviations of the index that are added to its mean, but where " +
				"updates disappear",
			Source: chosen,
		},
		{
			To:      &c.Belief.Prior,
			Name:    "prior",
			Choices: monitoring.Priors(),
			UsedBy:  []string{"filter"},
			Meaning: "what is believed of a node that was never polled: learned from all nodes, " +
				"or that all rates are equally likely",
			Source: chosen,
		},
		{
			To:      &c.Without,
			Name:    "without",
			Choices: bayes.Mechanisms(),
			UsedBy:  []string{"bayes"},
			Meaning: "the mechanism of bayes that is switched off, to see what it is worth " +
				"(algorithms/monitoring/bayes/mechanisms.go)",
			Source: chosen,
		},
		{
			To:      &c.Signals.Recall,
			Name:    "signal_recall",
			Default: experiment.FloatValue(0),
			Max:     1,
			UsedBy:  signalled,
			Meaning: "share of the updates of which a signal tells, as pings and sitemaps do",
			Source:  noisySignals,
		},
		{
			To:      &c.Signals.False,
			Name:    "false_signals",
			Unit:    "signals",
			Default: experiment.FloatValue(0),
			Max:     1,
			MaxOpen: true,
			UsedBy:  signalled,
			Meaning: "false signals of a node per slot",
			Source:  noisySignals,
		},
	}

	record := []experiment.Param{
		{
			To:       &c.nodes.history,
			Name:     "history",
			Input:    h.logInput(),
			Replaces: []string{"nodes", "change_ratio", "switch_every", "cost_spread", "slots"},
			Meaning: "recorded changes of pages, replayed once; they take the place of nodes, " +
				"change_ratio, switch_every, cost_spread and slots, " +
				"p is the frequency observed, and a seed chooses nothing but the algorithm's draws",
			Source: usersOwn,
		},
		{
			To:    &c.nodes.pages,
			Name:  "pages",
			Input: h.pages.input(history.PagesAccepts, history.PagesColumns, h.shipped.ReadPages),
			Meaning: "pages of a history: importance, cost, host; pages without changes are " +
				"nodes too",
			Source: usersOwn,
		},
		{
			To:     &c.nodes.links,
			Name:   "links",
			UsedBy: []string{"bayes"},
			Input:  h.links.input(history.LinksAccepts, history.LinksColumns, h.shipped.ReadLinks),
			Meaning: "links between pages of a plain log, which may change together: a change " +
				"that is found at one makes others likelier",
			Source: usersOwn,
		},
		{
			To:      &c.nodes.window.SlotLength,
			Name:    "slot_length",
			Default: experiment.StringValue(""),
			Meaning: "length of a slot of a history: 6h, 30m, 1d, or an integer in the units of " +
				"its times",
			Source: usersOwn,
		},
		{
			To:      &c.nodes.window.From,
			Name:    "from",
			Default: experiment.StringValue(""),
			Meaning: "time from which a history is replayed; empty: the slot of the first change",
			Source:  usersOwn,
		},
		{
			To:      &c.nodes.window.To,
			Name:    "to",
			Default: experiment.StringValue(""),
			Meaning: "time before which a history ends; empty: after the last change",
			Source:  usersOwn,
		},
	}
	changes := []experiment.Param{
		{
			To:      &c.Model,
			Name:    "model",
			Choices: sources.Models(),
			Meaning: "what becomes of an update that is not polled in its slot",
			Source:  thesis + "sections 3.2 and 8.2",
		},
		{
			To:      &c.SwitchEvery,
			Name:    "switch_every",
			Unit:    "slots",
			Default: experiment.IntValue(0),
			Max:     1e9,
			Meaning: "slots after which node i and node R+1−i exchange p and ω; 0: never. The " +
				"thesis takes 2500",
			Source: thesis + "section 7.3.3",
		},
		{
			To:      &c.World.CostSpread,
			Name:    "cost_spread",
			Default: experiment.FloatValue(0),
			Max:     1,
			MaxOpen: true,
			Meaning: "costs of polls are uniform in 1 ± this; 0: equal",
			Source:  thesis + "section 8.2, further work",
		},
	}
	simulation := []experiment.Param{
		{
			To:      &c.Slots,
			Name:    "slots",
			Unit:    "slots",
			Default: experiment.IntValue(10_000),
			Min:     1,
			Max:     1e7,
			Meaning: "length of the run",
			Source:  thesis + "axes of Figures 7.2 to 7.8",
		},
		{
			To:      &c.Warmup,
			Name:    "warmup",
			Unit:    "slots",
			Default: experiment.IntValue(halfOfTheSlots),
			Min:     halfOfTheSlots,
			Max:     1e9,
			Meaning: "slots left out of the means; -1: the first half, of a history none",
			Source:  chosen,
		},
		{
			To:      &c.Bin,
			Name:    "bin",
			Unit:    "slots",
			Default: experiment.IntValue(100),
			Min:     1,
			Max:     1e9,
			Meaning: "slots in each row of the series",
			Source:  chosen,
		},
	}
	world := slices.Concat(record, lawParams(&c.World), changes)
	return slices.Concat(
		experiment.Group("algorithm", algorithm),
		experiment.Group(WorldGroup, world),
		experiment.Group("simulation", simulation),
	)
}
