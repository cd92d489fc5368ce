// Package monitoring simulates crawlers that monitor changing data sources
// under a capacity: the learning automata of Myrer and Olsen, Incremental
// Web Crawling as a Competitive Game of Learning Automata ("the thesis"
// below), their rivals, and the optimum.
//
//	cgla.go          section 5.1, the competitive game of learning automata
//	fpa.go           section 5.2, the fixed partitioning automaton
//	rates.go         rates of polls, told p: weighted proportional, and the best for some aims;
//	                 how they become polls
//	learncrawl.go    such rates for estimates of p
//	mirrorsync.go    rates that are learned without estimates of p
//	signals.go       signals of changes, and polls where they point
//	optimum.go       the optima, and what no algorithm can exceed
//	bayes.go         a learner that comes near the optimum
//	belief.go        what it believes of a node, and the table of its functions
//	links.go         what it learns of links
//
//	simulator.go     a run, slot by slot
//	measurements.go  section 7.2, and how soon
//	knapsack.go      the capacity of a slot, the nodes of largest index, random words
//
// READINGS.md beside this file lists what was chosen where the thesis is open.
package monitoring

import (
	"fmt"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// An Algorithm is a way to choose the nodes to poll.
type Algorithm struct {
	Name    string
	Meaning string // one line, with its source

	// Truth: it is told the change probabilities, which are hidden from
	// all others.
	Truth bool

	start func(*task) scheduler
}

// Algorithms lists the algorithms; a new one is a line here and a file.
func Algorithms() []Algorithm {
	return []Algorithm{
		{Name: "CGLA", start: startCGLA,
			Meaning: "competitive game of learning automata (thesis, section 5.1)"},
		{Name: "FPA", start: startFPA,
			Meaning: "fixed partitioning automaton (thesis, section 5.2)"},
		{Name: "uniform", start: func(t *task) scheduler { return t },
			Meaning: "round robin (thesis, section 7.3.2)"},
		{Name: "proportional", start: executed(proportionalRates, ""), Truth: true,
			Meaning: "polls in proportion to p·ω, which it is told (thesis, section 7.3.2)"},
		{Name: "topC", Truth: true, start: func(t *task) scheduler { return newWhittle(t, sources.Disappear) },
			Meaning: "the nodes of largest p·ω, which it is told: the optimum of the model disappear"},
		{Name: "whittle", Truth: true, start: func(t *task) scheduler { return newWhittle(t, t.Model) },
			Meaning: "the nodes of largest Whittle index, told p: next to the optimum of each model (Avrachenkov and Borkar 2018)"},
		{Name: "refresh", start: executed(refreshRates, even), Truth: true,
			Meaning: "the optimal rates of polls at random, told p, polled evenly (Azar et al. 2018)"},
		{Name: "fixed_order", start: executed(fixedOrderRates, even), Truth: true,
			Meaning: "the optimal rates of polls at equal intervals, told p (Cho and Garcia-Molina 2003)"},
		{Name: "lambda_crawl", start: executed(lambdaRates, ""), Truth: true,
			Meaning: "LambdaCrawl, told p: the rates of least harmonic staleness (Kolobov et al. 2019)"},
		{Name: "lambda_learn_and_crawl", start: learned(lambdaRates, ""),
			Meaning: "LambdaLearnAndCrawl: the same for estimates of p, renewed now and then (Kolobov et al. 2019)"},
		{Name: "learn_and_crawl", start: learned(withFloor(refreshRates), even),
			Meaning: "the rates of refresh for estimates of p, part of the capacity to all nodes alike (Kolobov et al. 2019, as LambdaLearnAndCrawl with binary staleness)"},
		{Name: "explore_and_commit", start: startExploreAndCommit,
			Meaning: "round robin for some slots, then the rates of refresh for what it estimates of p, for good (Upadhyay et al. 2020)"},
		{Name: "mirror_sync", start: startMirrorSync,
			Meaning: "MirrorSync: mirror descent on rates towards the freshest copies, without a model (Kolobov, Bubeck and Zimmert 2020)"},
		{Name: "greedy_ncis", start: startGreedyNCIS, Truth: true,
			Meaning: "GREEDY-NCIS: the nodes of largest crawl value, told p and signals of changes (Busa-Fekete et al. 2025)"},
		{Name: "bayes", start: func(t *task) scheduler { return newBayes(t) },
			Meaning: "learns p by Bayes's rule and polls by the optimum's indices"},
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

	N         int     // CGLA, FPA: states (of each class)
	F         float64 // FPA: share of the capacity for the second class
	Execution string  // of rates: one of Executions
	Objective string  // of rates: one of Objectives
	HostLimit float64 // of rates: the load of a host in a slot, as a mean; 0: none
	Estimator string  // of p for rates: one of Estimators
	Explore   int     // explore_and_commit: slots of round robin; 0: each node is polled √Slots times
	Signals   Signals // greedy_ncis

	Links [][2]int32 // pairs of linked nodes, for bayes
}

// CheckCapacity returns an error if the capacity is more than all nodes
// take.
func (c *Config) CheckCapacity() error {
	if c.World.Capacity > c.World.Nodes {
		return fmt.Errorf("capacity %d is above nodes %d", c.World.Capacity, c.World.Nodes)
	}
	return nil
}

// CheckWarmup returns an error if nothing is left to measure.
func (c *Config) CheckWarmup() error {
	if c.Warmup >= c.Slots {
		return fmt.Errorf("warmup %d leaves nothing of slots %d", c.Warmup, c.Slots)
	}
	return nil
}

// CheckLeastRate returns an error if CGLA, whose automata want a poll with
// probability 1/N or more, wants more than the capacity for ever.
func (c *Config) CheckLeastRate() error {
	if c.World.Nodes > c.N*c.World.Capacity {
		return fmt.Errorf("with N %d CGLA polls %d nodes at least %.4g times a slot, which is above capacity %d: it is starved; N from %d on is enough",
			c.N, c.World.Nodes, float64(c.World.Nodes)/float64(c.N), c.World.Capacity,
			(c.World.Nodes+c.World.Capacity-1)/c.World.Capacity)
	}
	return nil
}

// A scheduler is an algorithm at work on one run.
type scheduler interface {
	// begin tells what is known of the nodes from the coming slot on. It
	// is called before the first slot and after each switch.
	begin(known)

	// choose sets polls to the nodes to poll in this slot, within the
	// capacity. dropped is how many more it wanted to poll.
	choose(polls bitset.Set) (dropped int)

	// learn takes the slot's feedback: which of the polls were hits.
	learn(polls, hits bitset.Set)
}

// known is what an algorithm knows of the nodes. It must not be changed.
type known struct {
	importance []float64
	cost       []float64 // nil: 1 for each
	host       []int32   // -1: not known; nil: none is
	p          []float64 // nil for algorithms that are not told the truth
	weight     []float64 // what rates are solved for; see weights
}

// costOf returns the cost of a poll of node i.
func (k *known) costOf(i int) float64 {
	if k.cost == nil {
		return 1
	}
	return k.cost[i]
}

// loadOf returns what polls take of the capacity.
func (k *known) loadOf(polls bitset.Set) (load float64) {
	if k.cost == nil {
		return float64(polls.Len())
	}
	for i := range polls.All {
		load += k.cost[i]
	}
	return load
}

// values returns ω·p per cost of each node.
func (k *known) values() []float64 {
	values := weights(k, forRetrieved)
	for i := range values {
		values[i] /= k.costOf(i)
	}
	return values
}

// task is what a scheduler is started with, and what it knows. By itself it is a
// scheduler that learns nothing and polls the nodes in turn (section 7.3.2, "Uniform").
type task struct {
	*Config
	known
	random  randomWords
	signals bitset.Set // of changes in this slot; set before choose is called
	next    int        // the node whose turn it is
}

func (t *task) begin(k known) { t.known = k }

func (t *task) choose(polls bitset.Set) int {
	clear(polls)
	left, nodes := float64(t.World.Capacity), t.World.Nodes
	for range nodes {
		cost := t.costOf(t.next)
		if cost > left && cost <= float64(t.World.Capacity) {
			break // its turn is in the next slot
		}
		if cost <= left { // no slot has room for the others, which would stop the round
			left -= cost
			polls.Add(t.next)
		}
		if t.next++; t.next == nodes {
			t.next = 0
		}
	}
	return 0
}

func (t *task) learn(polls, hits bitset.Set) {}
