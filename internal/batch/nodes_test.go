package batch

import (
	"bufio"
	"container/heap"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

// This file simulates what node.sh does on many nodes, with the times that runs
// of real sweeps took, and compares how long that takes with a queue from which
// each worker takes the next run.

// coresPerNode is the number of workers of a simulated node.
const coresPerNode = 16

// A simulatedNode executes runs of the shards that it has.
type simulatedNode struct {
	slowness float64 // by which the time of a run is multiplied
	dies     float64 // when; +Inf: never
	passes   []int   // the shards that it tries, in order
}

// A simulatedShard is a part of the runs.
type simulatedShard struct {
	seconds []float64 // of its runs, in order
	begun   int
	under   int // runs under way
	owner   int // the node that has it; -1: none
}

// An event is a worker that becomes free.
type event struct {
	at    float64
	node  int
	shard int     // of the run that has ended; -1: none
	took  float64 // of that run, without slowness
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].node < e[j].node
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := len(*e) - 1
	x := (*e)[last]
	*e = (*e)[:last]
	return x
}

// simulate returns when the last run ends. If inTurn is true, a node begins no
// shard before the last one has ended; else when none of its runs is left to
// begin. What a dead node has left, another one executes.
func simulate(nodes []simulatedNode, shards []*simulatedShard, inTurn bool) (makespan float64) {
	queue := &events{}
	for n := range nodes {
		for range coresPerNode {
			heap.Push(queue, event{node: n, shard: -1})
		}
	}
	open := make([][]int, len(nodes)) // shards that a node has
	idle := make([]int, len(nodes))
	// next returns the shard from which a node takes its next run, or -1.
	next := func(n int) int {
		node := &nodes[n]
		for _, k := range open[n] {
			if s := shards[k]; s.begun < len(s.seconds) {
				return k
			}
		}
		if inTurn && len(open[n]) > 0 {
			return -1
		}
		for len(node.passes) > 0 {
			k := node.passes[0]
			node.passes = node.passes[1:]
			s := shards[k]
			if s.owner < 0 && s.begun < len(s.seconds) {
				s.owner = n
				open[n] = append(open[n], k)
				return k
			}
		}
		return -1
	}
	give := func(n int, at float64) bool {
		k := next(n)
		if k < 0 {
			return false
		}
		s := shards[k]
		took := s.seconds[s.begun]
		s.begun++
		s.under++
		heap.Push(queue, event{at: at + took*nodes[n].slowness, node: n, shard: k, took: took})
		return true
	}
	for queue.Len() > 0 {
		e := heap.Pop(queue).(event)
		node := &nodes[e.node]
		if e.shard >= 0 {
			s := shards[e.shard]
			s.under--
			if e.at > node.dies { // the run is lost, and the shard is free
				s.seconds = append(s.seconds, e.took)
			} else {
				makespan = max(makespan, e.at)
			}
			if s.under == 0 && (s.begun == len(s.seconds) || e.at > node.dies) {
				open[e.node] = slices.DeleteFunc(open[e.node], func(k int) bool { return k == e.shard })
				s.owner = -1
			}
		}
		if e.at > node.dies {
			continue
		}
		if !give(e.node, e.at) {
			idle[e.node]++
			continue
		}
		for idle[e.node] > 0 && give(e.node, e.at) { // a shard ended, in turn
			idle[e.node]--
		}
	}
	// The process that merges computes the rest, on one node.
	var rest []float64
	for _, s := range shards {
		rest = append(rest, s.seconds[s.begun:]...)
	}
	return makespan + together(rest, []simulatedNode{{slowness: 1, dies: math.Inf(1)}})
}

// together returns how long runs take if each worker takes the next one. A run
// that dies with its node is executed again.
func together(seconds []float64, nodes []simulatedNode) (makespan float64) {
	queue := &events{}
	for n := range nodes {
		for range coresPerNode {
			heap.Push(queue, event{node: n})
		}
	}
	for len(seconds) > 0 {
		e := heap.Pop(queue).(event)
		took := seconds[0]
		seconds = seconds[1:]
		e.at += took * nodes[e.node].slowness
		if e.at > nodes[e.node].dies {
			seconds = append(seconds, took)
			continue
		}
		makespan = max(makespan, e.at)
		heap.Push(queue, e)
	}
	return makespan
}

// runTimes returns how long each run of a sweep takes: cells in turn, as a plan
// has them, with the times of its seeds again and again.
func runTimes(t *testing.T, sweep string, runs int) (seconds []float64) {
	t.Helper()
	file := testutil.Must(os.Open("testdata/times/runs.csv"))
	defer file.Close()
	var cells [][]float64
	for lines := bufio.NewScanner(file); lines.Scan(); {
		fields := strings.Split(lines.Text(), ",")
		if fields[0] != sweep {
			continue
		}
		var cell []float64
		for _, field := range fields[2:] {
			cell = append(cell, testutil.Must(strconv.ParseFloat(field, 64))/1e6)
		}
		cells = append(cells, cell)
	}
	for i := range runs {
		cell := cells[i%len(cells)]
		seconds = append(seconds, cell[i/len(cells)%len(cell)])
	}
	return seconds
}

// divide deals runs to shards, beginning with another one in each round, as
// grid.Shard does.
func divide(seconds []float64, count int) []*simulatedShard {
	shards := make([]*simulatedShard, count)
	for k := range shards {
		shards[k] = &simulatedShard{owner: -1}
	}
	for i, took := range seconds {
		first := (i / count * 7919) % count
		s := shards[(first+i)%count]
		s.seconds = append(s.seconds, took)
	}
	return shards
}

// passesOf returns the shards that node.sh tries on a node: every N-th, and
// then all.
func passesOf(node, nodes, shards int, steals bool) (list []int) {
	for i := 0; i < shards; i += nodes {
		list = append(list, (i+node)%shards)
	}
	for i := 0; steals && i < shards; i++ {
		list = append(list, (i+node)%shards)
	}
	return list
}

// simulatedNodes returns nodes of which one may be slow or die.
func simulatedNodes(count, shards int, fault string, dies float64, steals bool) []simulatedNode {
	nodes := make([]simulatedNode, count)
	for n := range nodes {
		nodes[n] = simulatedNode{
			slowness: 1,
			dies:     math.Inf(1),
			passes:   passesOf(n, count, shards, steals),
		}
	}
	switch fault {
	case "slow":
		nodes[3].slowness = 2
	case "dead":
		nodes[3].dies = dies
	}
	return nodes
}

// With node.sh, a sweep on many nodes takes at most a tenth longer than with a
// queue of runs from which each worker takes the next, also if one node takes
// twice as long for each run, or dies in the middle. With -thorough and -v it
// prints the table of docs/machines.md: how much longer other divisions take.
func TestNodesAreBusy(t *testing.T) {
	const runsPerCore = 200
	sizes := []int{16}
	if testutil.Thorough() {
		sizes = append(sizes, 64)
	}
	for _, sweep := range []string{"monitors", "text", "sir"} {
		for _, count := range sizes {
			seconds := runTimes(t, sweep, count*coresPerNode*runsPerCore)
			for _, fault := range []string{"none", "slow", "dead"} {
				middle := together(seconds, simulatedNodes(count, 0, "none", 0, false)) / 2
				queue := together(seconds, simulatedNodes(count, 0, fault, middle, false))
				ratio := func(shards int, inTurn, steals bool) float64 {
					nodes := simulatedNodes(count, shards, fault, middle, steals)
					return simulate(nodes, divide(seconds, shards), inTurn) / queue
				}
				got := ratio(ShardsPerNode*count, false, true)
				if got > 1.1 {
					t.Errorf("%s, %d nodes, %s: %.2f times as long as with a queue", sweep, count, fault, got)
				}
				if testutil.Thorough() {
					t.Logf("| %s | %d | %s | %.2f | %.2f | %.2f | %.2f | %.1f s |", sweep, count, fault,
						ratio(count, true, false), ratio(8*count, true, true), ratio(8*count, false, true), got, queue)
				}
			}
		}
	}
}
