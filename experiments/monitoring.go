package experiments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sweep/algorithms/monitoring"
	"sweep/environments/sources"
	"sweep/environments/sources/history"
	"sweep/experiment"
	"sweep/internal/lists"
)

// monitoringConfig is what a point of the monitoring experiment configures.
type monitoringConfig struct {
	algorithm string
	nodes     nodesKey // but for law, model and seed
	run       monitoring.Config
}

// nodesKey identifies nodes and their bound. Of recorded nodes the law tells
// their number and the capacity, and there is no seed; of drawn ones there is no
// record.
type nodesKey struct {
	history, pages, links string
	window                history.Window
	law                   sources.Law
	model                 string
	seed                  int64
}

// monitored is nodes, and what a run measured that met them.
type monitored struct {
	monitoring.Measurements
	world          *sources.World
	bound, updates float64 // of the nodes
}

// nodes draws the nodes of a key, or has them replay their history.
func (h *histories) nodes(key nodesKey) (m monitored, err error) {
	if key.history == "" {
		m.world, err = sources.Draw(key.law, key.seed)
	} else if m.world, err = h.get(key); err == nil {
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
			key := c.nodes
			if key.history == "" {
				key.seed = seed
			} else if err := c.replay(records); err != nil {
				return m, nil, err
			}
			key.law, key.model = c.run.World, c.run.Model
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
	read, err := h.get(c.nodes)
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
	if c.run.Warmup == halfOfTheSlots {
		c.run.Warmup = 0
		if c.nodes.history == "" {
			c.run.Warmup = c.run.Slots / 2
		}
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
		measure("freshness", "", "share of all importance-value at nodes where nothing waits to be found, mean over every 61st slot after the warm-up; null without such a slot, and in disappear", "Cho, Garcia-Molina: Effective page refresh policies for Web crawlers",
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

// thesis is where most of the monitoring experiment's defaults come from.
const thesis = "Incremental Web Crawling as a Competitive Game of Learning Automata, "

// noisySignals is where change signals come from.
const noisySignals = "Busa-Fekete et al.: A scalable crawling algorithm utilizing noisy change-indicating signals"

// halfOfTheSlots is the warm-up that depends on the length of the run.
const halfOfTheSlots = -1

// params declares every parameter of the monitoring experiment. Histories that
// specs name are read into h.
func (h *histories) params(c *monitoringConfig) []experiment.Param {
	var names, meanings []string
	for _, a := range monitoring.Algorithms() {
		names = append(names, a.Name)
		meanings = append(meanings, a.Name+": "+a.Meaning)
	}

	algorithm := []experiment.Param{
		{To: &c.algorithm, Name: experiment.Algorithm, Choices: names,
			Meaning: strings.Join(meanings, "; "), Source: thesis + "sections 5 and 7.3.2"},
		{To: &c.run.N, Name: "N", Symbol: "N", Unit: "states", Default: experiment.IntValue(64), Min: 1, Max: 1 << 15, UsedBy: []string{"CGLA", "FPA"},
			Meaning: "states of each automaton of CGLA; of each class of FPA, for which the thesis takes 16",
			Source:  thesis + "section 7.3.1"},
		{To: &c.run.F, Name: "f", Symbol: "f", Default: experiment.FloatValue(0.1), Max: 1, UsedBy: []string{"FPA"},
			Meaning: "share of the capacity that FPA spends on nodes outside of the class polled in every slot",
			Source:  thesis + "section 7.3.1"},
		{To: &c.run.Execution, Name: "execution", Choices: monitoring.Executions(), UsedBy: []string{"proportional", "lambda_crawl", "lambda_learn_and_crawl"},
			Meaning: "how rates become polls: independent draws, capped, or as evenly spaced as possible",
			Source:  "for weighted proportional the thesis does not say; its claims need independent draws (algorithms/monitoring/READINGS.md). LambdaCrawl polls at random times"},
		{To: &c.run.Objective, Name: "objective", Choices: monitoring.Objectives(), UsedBy: []string{"refresh", "fixed_order", "lambda_crawl", "lambda_learn_and_crawl", "learn_and_crawl", "explore_and_commit", "greedy_ncis"},
			Meaning: "what rates are the best for: the importance-value retrieved, that is, copies weighed by ω·p, or, as published, fresh copies weighed by ω",
			Source:  chosen},
		{To: &c.run.HostLimit, Name: "host_limit", Unit: "polls", Default: experiment.FloatValue(0), Max: 1e7,
			UsedBy:  []string{"refresh", "fixed_order", "lambda_crawl", "lambda_learn_and_crawl", "learn_and_crawl", "explore_and_commit"},
			Meaning: "politeness: what the polls of a host may cost in a slot, as a mean; hosts are those of a table of pages, and without it no node has one; 0: no limit",
			Source:  "Kolobov et al.: Optimal freshness crawl under politeness constraints"},
		{To: &c.run.Estimator, Name: "estimator", Choices: monitoring.Estimators(), UsedBy: []string{"lambda_learn_and_crawl", "learn_and_crawl", "explore_and_commit"},
			Meaning: "how p is estimated: the most likely one, from the share of polls that are hits, or by stochastic approximation; the last two are for polls at random",
			Source:  "Avrachenkov, Patil, Thoppe: Change rate estimation and optimal freshness in web page crawling"},
		{To: &c.run.Explore, Name: "explore", Unit: "slots", Default: experiment.IntValue(0), Max: 1e9, UsedBy: []string{"explore_and_commit"},
			Meaning: "slots of polls in turn before rates are estimated; 0: so many that each node is polled √slots times",
			Source:  "Upadhyay et al.: Learning to crawl: proportional to √T; the factor is ours"},
		{To: &c.run.Signals.Recall, Name: "signal_recall", Default: experiment.FloatValue(0), Max: 1, UsedBy: []string{"greedy_ncis"},
			Meaning: "share of the updates of which a signal tells, as pings and sitemaps do", Source: noisySignals},
		{To: &c.run.Signals.False, Name: "false_signals", Unit: "signals", Default: experiment.FloatValue(0), Max: 1, MaxOpen: true, UsedBy: []string{"greedy_ncis"},
			Meaning: "false signals of a node per slot", Source: noisySignals},
	}

	record := []experiment.Param{
		{To: &c.nodes.history, Name: "history", Input: h.logInput(),
			Replaces: []string{"nodes", "change_ratio", "switch_every", "cost_spread", "slots"},
			Meaning: "recorded changes of pages, replayed once; they take the place of nodes, change_ratio, switch_every, cost_spread and slots, " +
				"p is the frequency observed, and a seed chooses nothing but the algorithm's draws",
			Source: usersOwn},
		{To: &c.nodes.pages, Name: "pages",
			Input:   h.pages.input(history.PagesAccepts, h.shipped.ReadPages),
			Meaning: "pages of a history: importance, cost, host; pages without changes are nodes too",
			Source:  usersOwn},
		{To: &c.nodes.links, Name: "links", UsedBy: []string{"bayes"},
			Input:   h.links.input(history.LinksAccepts, h.shipped.ReadLinks),
			Meaning: "links between pages of a plain log, which may change together: a change that is found at one makes others likelier",
			Source:  usersOwn},
		{To: &c.nodes.window.SlotLength, Name: "slot_length", Default: experiment.StringValue(""),
			Meaning: "length of a slot of a history: 6h, 30m, 1d, or an integer in the units of its times", Source: usersOwn},
		{To: &c.nodes.window.From, Name: "from", Default: experiment.StringValue(""),
			Meaning: "time from which a history is replayed; empty: the slot of the first change", Source: usersOwn},
		{To: &c.nodes.window.To, Name: "to", Default: experiment.StringValue(""),
			Meaning: "time before which a history ends; empty: after the last change", Source: usersOwn},
	}
	changes := []experiment.Param{
		{To: &c.run.Model, Name: "model", Choices: sources.Models(),
			Meaning: "what becomes of an update that is not polled in its slot", Source: thesis + "sections 3.2 and 8.2"},
		{To: &c.run.SwitchEvery, Name: "switch_every", Unit: "slots", Default: experiment.IntValue(0), Max: 1e9,
			Meaning: "slots after which node i and node R+1−i exchange p and ω; 0: never. The thesis takes 2500",
			Source:  thesis + "section 7.3.3"},
		{To: &c.run.World.CostSpread, Name: "cost_spread", Default: experiment.FloatValue(0), Max: 1, MaxOpen: true,
			Meaning: "costs of polls are uniform in 1 ± this; 0: equal", Source: thesis + "section 8.2, further work"},
	}
	simulation := []experiment.Param{
		{To: &c.run.Slots, Name: "slots", Unit: "slots", Default: experiment.IntValue(10_000), Min: 1, Max: 1e7,
			Meaning: "length of the run", Source: thesis + "axes of Figures 7.2 to 7.8"},
		{To: &c.run.Warmup, Name: "warmup", Unit: "slots", Default: experiment.IntValue(halfOfTheSlots), Min: halfOfTheSlots, Max: 1e9,
			Meaning: "slots left out of the means; -1: the first half, of a history none", Source: chosen},
		{To: &c.run.Bin, Name: "bin", Unit: "slots", Default: experiment.IntValue(100), Min: 1, Max: 1e9,
			Meaning: "slots in each row of the series", Source: chosen},
	}
	return slices.Concat(experiment.Group("algorithm", algorithm),
		experiment.Group(WorldGroup, slices.Concat(record, lawParams(&c.run.World), changes)), experiment.Group("simulation", simulation))
}

// rules declares what the parameters must satisfy together. What
// depends on a history that was not read is left open.
func (h *histories) rules() []experiment.Rule {
	type config = monitoringConfig
	capacity := func(c *config) error { return c.run.CheckCapacity() }
	warmup := func(c *config) error {
		c.resolve()
		return c.run.CheckWarmup()
	}
	recorded := func(check func(*config) error, names ...string) experiment.Rule {
		return experiment.Require(h.params, func(c *config) error {
			if err := c.replay(h); errors.Is(err, errUnread) { // or there is none
				return nil
			} else if err != nil {
				return err
			}
			return check(c)
		}, append(names, slices.DeleteFunc(slices.Clone(recordedParams),
			func(name string) bool { return slices.Contains(names, name) })...)...)
	}
	starved := func(c *config) error {
		if c.algorithm != "CGLA" {
			return nil
		}
		return c.run.CheckLeastRate()
	}
	length := func(c *config) error {
		if _, read := h.logs.get(c.nodes.history); !read {
			return nil
		}
		_, err := history.ParseLength(c.nodes.window.SlotLength)
		return err
	}
	unrecorded := func(c *config) error { // nodes are null with a history
		if c.nodes != (nodesKey{}) {
			return errors.New("this has no effect without a history")
		}
		return nil
	}
	hostless := func(c *config) error {
		if world, _ := h.get(c.nodes); c.run.HostLimit > 0 && (world == nil || world.Host == nil) {
			return errors.New("this has no effect: no page has a host")
		}
		return nil
	}
	dear := func(c *config) error {
		world, _ := h.get(c.nodes)
		capacity := c.run.World.Capacity
		if n := lists.Count(world.Cost, func(x float64) bool { return x > float64(capacity) }); n > 0 {
			return fmt.Errorf("pages cost more than capacity %d, and are never polled: %d of %d", capacity, n, len(world.Cost))
		}
		return nil
	}
	warns := func(r experiment.Rule) experiment.Rule {
		r.Warns = true
		return r
	}
	return append(lawRules(),
		warns(experiment.Require(h.params, starved, "N", "nodes", "capacity", experiment.Algorithm)),
		warns(recorded(starved, "N", "capacity", experiment.Algorithm)),
		warns(experiment.Require(h.params, unrecorded, append(recordedParams[1:], "nodes")...)),
		warns(experiment.Require(h.params, hostless, "host_limit", "nodes")),
		warns(recorded(hostless, "host_limit")),
		experiment.Require(h.params, capacity, "capacity", "nodes"),
		experiment.Require(h.params, length, "slot_length", "history"),
		recorded(func(*config) error { return nil }, recordedParams[1:]...),
		recorded(capacity, "capacity"),
		warns(recorded(dear, "capacity")),
		experiment.Require(h.params, warmup, "warmup", "slots"),
		recorded(warmup, "warmup"))
}

// recordedParams are the parameters of recorded changes.
var recordedParams = []string{"history", "from", "to", "slot_length", "pages", "links"}

// usersOwn is the source of what belongs to a record.
const usersOwn = "the user's own"

// lawParams declares what the change probabilities of nodes are drawn from.
func lawParams(l *sources.Law) []experiment.Param {
	return experiment.Group(WorldGroup, []experiment.Param{
		{To: &l.Nodes, Name: "nodes", Symbol: "R", Unit: "nodes", Default: experiment.IntValue(1000), Min: 1, Max: 1e7,
			Meaning: "nodes to monitor", Source: thesis + "section 7.1"},
		{To: &l.Capacity, Name: "capacity", Symbol: "C", Unit: "polls", Default: experiment.IntValue(100), Min: 1, Max: 1e7,
			Meaning: "polls available in a slot, at most nodes", Source: thesis + "section 7.1"},
		{To: &l.ChangeRatio, Name: "change_ratio", Default: experiment.FloatValue(0), Max: 1e6,
			Meaning: "expected change-capacity ratio, updates over capacity; 0: as the law with θ in (0, 2) gives it, about 1.56 for ten nodes to a poll",
			Source:  thesis + "section 7.1"},
	})
}

// lawRules declares what the parameters of a law must satisfy together.
func lawRules() []experiment.Rule {
	return []experiment.Rule{experiment.Require(lawParams, (*sources.Law).CheckChangeRatio, "change_ratio", "capacity", "nodes")}
}

// Sources declares the drawing of the nodes that the monitoring experiment
// monitors (Myrer and Olsen, section 7.1 and Figure 7.1). Nobody polls: a
// run draws one world, and its seed is that of the monitoring runs that
// meet these nodes.
func Sources() *experiment.Experiment {
	return experiment.Simulation(experiment.Experiment{
		Name:    "sources",
		Version: sourcesVersion,
		Title:   "the nodes of the monitoring experiment: how often they change, and how important that is",
		Source:  "Myrer, Olsen: Incremental Web Crawling as a Competitive Game of Learning Automata",
		Rules:   lawRules(),
		Figures: sourcesFigures(),
	}, lawParams, sourcesMeasures, sourcesColumns,
		func(_ context.Context, law *sources.Law, seed int64) (m sources.World, _ []node, err error) {
			world, err := sources.Draw(*law, seed)
			if err != nil {
				return m, nil, err
			}
			return *world, nodesByFrequency(world), nil
		})
}

func sourcesMeasures(w *sources.World) []experiment.Measure {
	const section = "section 7.1"
	return []experiment.Measure{
		measure("updates_per_slot", "updates", "expected updates in a slot, Σp", section, expectedUpdates(w)),
		measure("drawn_ratio", "", "expected change-capacity ratio, Σp / capacity", section, expectedUpdates(w)/float64(w.Law.Capacity)),
		measure("value_per_slot", "", "importance-value expected in a slot, Σωp", "section 7.2", w.Total),
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
		measure("node", "nodes", "the node's place by falling change probability, from 1", "", n.place),
		measure("change_probability", "", "probability p that the node is updated in a slot", "Figure 7.1", n.p),
		measure("importance", "", "its importance-value ω", "section 7.1", n.importance),
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
