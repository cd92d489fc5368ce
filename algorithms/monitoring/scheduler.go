package monitoring

import (
	"sweep/algorithms/monitoring/bayes"
	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// A scheduler is an algorithm at work on one run.
type scheduler interface {
	// begin tells what is known of the nodes from the next slot on. It is
	// called before the first slot and at each switch.
	begin(known)

	// choose sets polls to the nodes to poll in this slot, within the
	// capacity. dropped is the number of further polls that it wanted.
	choose(polls bitset.Set) (dropped int)

	// learn takes the feedback of the slot: which polls were hits.
	learn(polls, hits bitset.Set)
}

// known is what an algorithm knows of the nodes. It must not be changed.
type known struct {
	importance []float64
	cost       sources.Costs
	host       []int32   // -1: not known; nil: no host is known
	p          []float64 // nil for algorithms that are not told the truth
	weight     []float64 // what a fresh copy of each node is worth; see weights
}

// values returns ω·p per cost of each node.
func (k *known) values() []float64 {
	values := weights(k, forRetrieved)
	for i := range values {
		values[i] /= k.cost.Of(i)
	}
	return values
}

// task is what all schedulers have: the configuration, what they know, random
// numbers. By itself it is the scheduler that polls the nodes in turn and
// learns nothing (section 7.3.2, "Uniform").
type task struct {
	*Config
	known
	random  randomWords
	largest selection
	signals bitset.Set // of changes in this slot; set before choose is called
	next    int        // the node whose turn it is
}

func startUniform(t *task) scheduler { return t }

func (t *task) begin(k known) { t.known = k }

func (t *task) choose(polls bitset.Set) int {
	clear(polls)
	left := t.capacity()
	nodes := t.World.Nodes
	for range nodes {
		cost := t.cost.Of(t.next)
		if cost > left && cost <= t.capacity() {
			break // its turn is in the next slot
		}
		if cost <= left { // a node that costs more than the capacity is skipped
			left -= cost
			polls.Add(t.next)
		}
		t.next++
		if t.next == nodes {
			t.next = 0
		}
	}
	return 0
}

func (t *task) learn(polls, hits bitset.Set) {}

// pollLargest sets polls to the nodes of largest index that fit into the
// capacity.
func (t *task) pollLargest(index []float64, polls bitset.Set) {
	t.largest.choose(index, t.cost, t.capacity(), polls)
}

// learner lets a learner of the package bayes schedule polls.
type learner struct{ *bayes.Learner }

func startBayes(t *task) scheduler {
	return learner{bayes.New(t.Model, t.World.Nodes, t.World.Capacity, t.Links, t.Without)}
}

func (l learner) begin(k known) { l.Begin(k.importance, k.cost) }

func (l learner) choose(polls bitset.Set) (dropped int) {
	l.Choose(polls)
	return 0
}

func (l learner) learn(_, hits bitset.Set) { l.Learn(hits) }
