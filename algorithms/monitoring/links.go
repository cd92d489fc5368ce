package monitoring

// links is what bayes learns of linked pages: pages of one project change
// together. Where updates overwrite, a change that is found at a page makes one
// likelier at those that it is linked with, either way, and a poll that finds
// none makes it less likely.
//
// For each direction it estimates the probability q that a page changed, too,
// when the other did. A page with miss probability M is found changed with
// probability f = 1 − M·Π(1−q), the product over pages that were found changed
// since its last poll, and then one of these brought the change along with
// probability q/f. To add that up is a step of expectation maximisation. It takes
// q to 0 where links mean nothing: there f is 1 − M. The mean over all directions
// is the prior of each.
//
// Rates are learned as without links.
type links struct {
	first []int32 // of each node, the first of its directions; and their number
	from  []int32 // of each direction, the other node
	back  []int32 // and the opposite one
	seen  []tally
	all   tally // of all directions

	changed []interval // of each node, when its last change was found
}

// A tally counts how often the other page changed, in parts of these changes
// that fell between the polls, and how often that brought a change along.
type tally struct{ others, along float64 }

// An interval is the time between two polls, of which the second found a change.
type interval struct{ after, found int32 }

// newLinks returns the links between pairs of nodes, or nil if there are none.
func newLinks(pairs [][2]int32, nodes int) *links {
	if len(pairs) == 0 {
		return nil
	}
	l := &links{
		first:   make([]int32, nodes+1),
		from:    make([]int32, 2*len(pairs)),
		back:    make([]int32, 2*len(pairs)),
		seen:    make([]tally, 2*len(pairs)),
		all:     tally{others: 10, along: 1}, // a weak prior of the prior
		changed: make([]interval, nodes),
	}
	for _, p := range pairs {
		l.first[p[0]]++
		l.first[p[1]]++
	}
	sum := int32(0)
	for i := range l.first { // the end of each node's directions, from where they are filled
		sum += l.first[i]
		l.first[i] = sum
	}
	for _, p := range pairs {
		l.first[p[0]]--
		l.first[p[1]]--
		j, k := l.first[p[0]], l.first[p[1]]
		l.from[j], l.from[k] = p[1], p[0]
		l.back[j], l.back[k] = k, j
	}
	return l
}

// of returns the number of links of a node.
func (l *links) of(i int32) int { return int(l.first[i+1] - l.first[i]) }

// q returns the estimate for a direction, of which the prior counts as one
// change.
func (l *links) q(k int32) float64 {
	return min((l.seen[k].along+l.all.along/l.all.others)/(l.seen[k].others+1), 0.95)
}

// part returns the part of the last change of another node that fell after the
// last poll of a node.
func (l *links) part(nodes []evidence, other, node int32) float64 {
	c, last := l.changed[other], nodes[node].polled
	if c.found <= last {
		return 0
	}
	return float64(c.found-max(c.after, last)) / float64(c.found-c.after)
}

// unchanged returns the probability that since the last poll of a node no other
// brought a change along, and the slots by which its wait counts less because
// another was seen not to change. That is half of the most that is estimated of
// any, since the largest of many estimates is too large.
func (l *links) unchanged(nodes []evidence, i int32) (none, less float64) {
	none = 1
	for k := l.first[i]; k < l.first[i+1]; k++ {
		other := l.from[k]
		if part := l.part(nodes, other, i); part > 0 {
			none *= 1 - float64(part*l.q(k))
		} else if since := nodes[other].polled - nodes[i].polled; since > 0 {
			less = max(less, float64(0.5*float64(since)*l.q(l.back[k])))
		}
	}
	return none, less
}

// learn takes the outcome of the poll of a candidate, before the evidence of
// that is changed.
func (l *links) learn(nodes []evidence, c *candidate, hit bool) {
	none, _ := l.unchanged(nodes, c.node)
	found := max(1-float64(c.miss*none), 1e-9)
	for k := l.first[c.node]; k < l.first[c.node+1]; k++ {
		part := l.part(nodes, l.from[k], c.node)
		along := 0.0
		if hit {
			along = float64(part*l.q(k)) / found
		}
		l.seen[k].others += part
		l.seen[k].along += along
		l.all.others += part
		l.all.along += along
	}
	if polled := nodes[c.node].polled; hit {
		l.changed[c.node] = interval{polled, polled + c.gap}
	}
}
