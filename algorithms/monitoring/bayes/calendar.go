package bayes

import (
	"math"

	"sweep/internal/bitset"
)

// calendar tells which nodes are looked at in a slot.
//
// A node that waits is in the list of one of the coming slots. A candidate is
// in the list of its class of index.
type calendar struct {
	lists  lists      // the nodes, then the slots modulo horizon, then the classes by falling index
	filled bitset.Set // the classes that have nodes
	middle float64    // the index of the class in the middle

	near    float64 // the share of the cutoff from which a node is a candidate
	maxWait float64 // slots after which a node is looked at in any case

	polled []int32 // the candidates that are polled in this slot
	ending []int32 // the nodes whose leases end in this slot
}

func newCalendar(nodes, capacity int) calendar {
	noise := cutoffNoise(capacity)
	c := calendar{
		lists:   make(lists, nodes+horizon+classes),
		filled:  bitset.NewSet(classes),
		near:    1 - float64(nearMargin*noise*noise),
		maxWait: maxWait,
	}
	for i := range c.lists { // all are empty
		c.lists[i].next = int32(i)
		c.lists[i].before = int32(i)
	}
	return c
}

// cutoffNoise returns about the standard deviation of the cutoff, as a share of
// it.
func cutoffNoise(capacity int) float64 {
	return 1 / math.Sqrt(float64(capacity))
}

// put has a node looked at some slots ahead.
func (l *Learner) put(i int32, ahead int) { l.lists.move(i, l.day(ahead)) }

// day returns the list of the nodes that are looked at some slots ahead.
func (l *Learner) day(ahead int) int32 {
	return int32(len(l.nodes) + int(uint(l.slot+ahead)%horizon))
}

// enter makes a node of some index a candidate.
func (l *Learner) enter(i int32, index float64) {
	k := l.class(index)
	l.lists.move(i, l.ofClass(k))
	l.filled.Add(k)
}

// class returns the class of an index.
func (l *Learner) class(index float64) int {
	return int(classScale * l.middle / (l.middle + index + minIndex))
}

// ofClass returns the list of a class.
func (l *Learner) ofClass(k int) int32 {
	return int32(len(l.nodes) + horizon + k)
}

// rest has a node wait until its index comes near the cutoff. In disappear,
// where indices do not rise, it stays a candidate.
func (l *Learner) rest(i int32) {
	if l.disappear {
		l.enter(i, l.indexNow(i))
		return
	}
	ago := l.slot - int(l.nodes[i].polled)
	gap := l.gapTo(i, float64(l.near*l.cutoff))
	wait := int(min(gap, l.maxWait)) - ago
	wait = max(wait, ago/latenessPart)
	l.put(i, min(1+wait, int(l.maxWait), 1+int(l.patience())))
}

// patience returns the number of slots that waits and leases have at most, as
// long as little is known after a switch or an alarm.
func (l *Learner) patience() float64 { return l.patient * float64(l.slot-l.since) }

// gather makes the nodes that the calendar has for this slot candidates, and
// those of later slots while there is room for more.
func (l *Learner) gather(room float64) {
	l.ending = l.ending[:0]
	for ahead := range horizon {
		if ahead > 0 && (room <= 0 || l.disappear) {
			return
		}
		end := l.day(ahead)
		next := l.lists[end].next
		for next != end {
			i := next
			next = l.lists[i].next
			if l.nodes[i].leaseGap > 0 {
				if ahead == 0 {
					l.ending = append(l.ending, i)
				}
				continue
			}
			l.enter(i, l.indexNow(i))
			room -= l.cost.Of(int(i))
		}
	}
}

// take polls the candidates of the highest classes, as many as there is room
// for. The other candidates wait; in disappear they stay in their classes.
func (l *Learner) take(room float64) {
	l.polled = l.polled[:0]
	near := l.class(float64(l.near * l.cutoff))
	for k := range l.filled.All {
		end := l.ofClass(k)
		next := l.lists[end].next
		if next == end {
			l.filled.Remove(k)
		}
		for next != end {
			i := next
			next = l.lists[i].next
			cost := l.cost.Of(int(i))
			switch {
			case cost <= room:
				room -= cost
				l.polled = append(l.polled, i)
			case l.disappear:
				if room <= 0 {
					return
				}
			case k <= near:
				l.put(i, 1)
			default:
				l.rest(i)
			}
		}
	}
}

// lists are doubly linked lists of nodes; each node is in one of them. Each
// list begins and ends at an element of its own, after those of the nodes.
type lists []struct{ next, before int32 }

// move moves a node to the end of a list.
func (l lists) move(i, list int32) {
	node := &l[i]
	end := &l[list]
	l[node.next].before = node.before
	l[node.before].next = node.next
	node.next = list
	node.before = end.before
	l[end.before].next = i
	end.before = i
}
