// Package monitoring simulates crawlers that monitor changing data sources
// under a capacity: the learning automata of Myrer and Olsen, Incremental
// Web Crawling as a Competitive Game of Learning Automata ("the thesis"
// below), their rivals, and the optimum.
//
//	cgla.go          section 5.1, the competitive game of learning automata
//	fpa.go           section 5.2, the fixed partitioning automaton
//	htraa.go         a tree of automata, by the thesis's advisers
//	sortedtree.go    the same with leaves that change places
//	rates.go         rates of polls from known p, and how rates become polls
//	learncrawl.go    the same rates from estimates of p
//	mirrorsync.go    rates that are learned without estimates of p
//	observed.go      polls upon updates, of all of which it is told
//	signals.go       signals of changes, and an algorithm that uses them
//	learnncis.go     the same, which learns p and how good the signals are
//	optimum.go       the optimal policies, and a bound for every algorithm
//	filter.go        the exact filter of nodes that are redrawn one by one
//	bayes/           a learner that comes near the optimum
//
//	scheduler.go     what every algorithm has and does
//	knapsack.go      polls that fit into the capacity, by index or at random
//	simulator.go     one run, slot by slot
//	measurements.go  what a run measures (section 7.2), and how fast it adapts
//
// READINGS.md in this directory lists what was chosen where the thesis leaves a
// choice.
package monitoring

import (
	"fmt"

	"sweep/environments/sources"
)

// An Algorithm is a way to choose the nodes to poll.
type Algorithm struct {
	Name    string
	Meaning string // one line, with its source

	// Truth says that it is told the change probabilities, which are hidden
	// from the other algorithms.
	Truth bool

	// Observed says that it is told of each update in its slot, as by signals
	// that neither miss one nor tell of none.
	Observed bool

	start func(*task) scheduler
}

// Algorithms lists the algorithms; a new one is an entry here and a file.
func Algorithms() []Algorithm {
	return []Algorithm{
		{
			Name:    "CGLA",
			Meaning: "competitive game of learning automata (thesis, section 5.1)",
			start:   startCGLA,
		},
		{
			Name:    "FPA",
			Meaning: "fixed partitioning automaton (thesis, section 5.2)",
			start:   startFPA,
		},
		{
			Name:    "HTRAA",
			Meaning: "hierarchy of twofold resource allocation automata (Granmo and Oommen 2010)",
			start:   startHTRAA,
		},
		{
			Name:    "sorted_HTRAA",
			Meaning: "the same with its leaves sorted by what was learned of their yields (not in print)",
			start:   startSortedTree,
		},
		{
			Name:    "uniform",
			Meaning: "round robin (thesis, section 7.3.2)",
			start:   startUniform,
		},
		{
			Name:    "proportional",
			Meaning: "polls in proportion to p·ω, which it is told (thesis, section 7.3.2)",
			Truth:   true,
			start:   executed(proportionalRates, ""),
		},
		{
			Name:    "topC",
			Meaning: "the nodes of largest p·ω, which it is told: the optimum of the model disappear",
			Truth:   true,
			start:   startTopC,
		},
		{
			Name:    "whittle",
			Meaning: "the nodes of largest Whittle index, told p: next to the optimum of each model (Avrachenkov and Borkar 2018)",
			Truth:   true,
			start:   startWhittle,
		},
		{
			Name:    "refresh",
			Meaning: "the optimal rates of polls at random, told p, polled evenly (Azar et al. 2018)",
			Truth:   true,
			start:   executed(refreshRates, even),
		},
		{
			Name:    "fixed_order",
			Meaning: "the optimal rates of polls at equal intervals, told p (Cho and Garcia-Molina 2003)",
			Truth:   true,
			start:   executed(fixedOrderRates, even),
		},
		{
			Name:    "lambda_crawl",
			Meaning: "LambdaCrawl, told p: the rates of least harmonic staleness (Kolobov et al. 2019)",
			Truth:   true,
			start:   executed(lambdaRates, ""),
		},
		{
			Name:     "lambda_crawl_observed",
			Meaning:  "LambdaCrawl, told p and, at once, of every update, upon which it polls with a probability of each node (Kolobov et al. 2019, complete change observations)",
			Truth:    true,
			Observed: true,
			start:    startObservedCrawl,
		},
		{
			Name:    "lambda_learn_and_crawl",
			Meaning: "LambdaLearnAndCrawl: the same for estimates of p, renewed now and then (Kolobov et al. 2019)",
			start:   learned(lambdaRates, ""),
		},
		{
			Name:    "learn_and_crawl",
			Meaning: "the rates of refresh for estimates of p, part of the capacity to all nodes alike (Kolobov et al. 2019, as LambdaLearnAndCrawl with binary staleness)",
			start:   learned(withFloor(refreshRates), even),
		},
		{
			Name:    "explore_and_commit",
			Meaning: "round robin for some slots, then the rates of refresh for what it estimates of p, for good (Upadhyay et al. 2020)",
			start:   startExploreAndCommit,
		},
		{
			Name:    "mirror_sync",
			Meaning: "MirrorSync: mirror descent on rates towards the freshest copies, without a model (Kolobov, Bubeck and Zimmert 2020)",
			start:   startMirrorSync,
		},
		{
			Name:    "greedy_ncis",
			Meaning: "GREEDY-NCIS: the nodes of largest crawl value, told p and signals of changes (Busa-Fekete et al. 2025)",
			Truth:   true,
			start:   startGreedyNCIS,
		},
		{
			Name:    "greedy_ncis_learned",
			Meaning: "GREEDY-NCIS for estimates of p and of the quality of the signals, from its own polls and the signals, renewed now and then (not in print)",
			start:   startLearnedNCIS,
		},
		{
			Name:    "bayes",
			Meaning: "learns p by Bayes's rule and polls by the optimum's indices",
			start:   startBayes,
		},
		{
			Name:    "filter",
			Meaning: "the exact filter of nodes that have one of some rates and are redrawn one by one, and its mean of Whittle's index",
			start:   startFilter,
		},
		{
			Name:    "told_at_poll",
			Meaning: "whittle, told p of a node only when it polls the node for the first time since p changed: what learning costs at least (not in print)",
			Truth:   true,
			start:   startToldAtPoll,
		},
	}
}

// Config is one run's configuration.
type Config struct {
	Algorithm Algorithm

	World       sources.Law
	Model       string
	SwitchEvery int // slots between switches; 0: none

	Slots  int // length of the run
	Warmup int // slots left out of the means
	Bin    int // slots in each row of the series

	N         int     // CGLA, FPA, HTRAA: states (FPA: of each class)
	F         float64 // FPA: share of the capacity for the second class
	Execution string  // of rates: one of Executions
	Objective string  // of rates: one of Objectives
	HostLimit float64 // of rates: the load of a host in a slot, as a mean; 0: none
	Estimator string  // of p for rates: one of Estimators
	Explore   int     // explore_and_commit: slots of round robin; 0: √Slots polls of each node
	Signals   Signals // greedy_ncis, greedy_ncis_learned

	Belief Belief // filter

	Without string // bayes: the mechanism that is switched off, one of bayes.Mechanisms

	Links [][2]int32 // pairs of linked nodes, for bayes
}

// capacity returns the cost of all polls of a slot.
func (c *Config) capacity() float64 { return float64(c.World.Capacity) }

// CheckCapacity returns an error if the capacity is enough to poll more than
// all nodes.
func (c *Config) CheckCapacity() error {
	if c.World.Capacity > c.World.Nodes {
		return fmt.Errorf("capacity %d is above nodes %d", c.World.Capacity, c.World.Nodes)
	}
	return nil
}

// CheckWarmup returns an error if the warm-up leaves no slots to measure.
func (c *Config) CheckWarmup() error {
	if c.Warmup >= c.Slots {
		return fmt.Errorf("warmup %d leaves nothing of slots %d", c.Warmup, c.Slots)
	}
	return nil
}

// CheckLeastRate returns an error if CGLA, whose automata want a poll with
// probability 1/N at least, always wants more polls than the capacity allows.
func (c *Config) CheckLeastRate() error {
	if c.World.Nodes > c.N*c.World.Capacity {
		polls := float64(c.World.Nodes) / float64(c.N)
		enough := (c.World.Nodes + c.World.Capacity - 1) / c.World.Capacity
		return fmt.Errorf("with N %d CGLA polls %d nodes at least %.4g times a slot, "+
			"which is above capacity %d: it is starved; N from %d on is enough",
			c.N, c.World.Nodes, polls, c.World.Capacity, enough)
	}
	return nil
}
