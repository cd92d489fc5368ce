package monitoring

// links is what bayes learns of linked pages: pages of one project change
// together. Where updates overwrite, a change that is found at a page makes one
// likelier at those that it is linked with, and a poll that finds none makes it
// less likely.
//
// The strength q of a link is the probability that a page changed, too, when the
// other did. A page with miss probability M is found unchanged with probability
// M·Π(1−q), the product over pages that were found changed since its last poll.
// Of each link the posterior over some strengths is learned, with a prior that is
// the mean of those of all links: where these mean nothing it goes to q = 0.
//
// Rates are learned as without links.
type links struct {
	of      [][]link    // of each node, its links
	seen    []strengths // of each link, the posterior; 0 while nothing was seen
	prior   strengths   // Σ seen, and ten links that were seen before all others
	changed [][2]int32  // of each node, the slots of two polls, of which the second found its last change
}

// A link of a node is with another one, and has a number.
type link struct{ other, number int32 }

// strengths has a number for each value of q that a link may have.
type strengths [6]float64

var strength = strengths{0, 0.2, 0.4, 0.6, 0.8, 0.95}

// newLinks returns the links between pairs of nodes, or nil if there are none.
func newLinks(pairs [][2]int32, nodes int) *links {
	if len(pairs) == 0 {
		return nil
	}
	l := &links{
		of:      make([][]link, nodes),
		seen:    make([]strengths, len(pairs)),
		prior:   strengths{7, 0.6, 0.6, 0.6, 0.6, 0.6},
		changed: make([][2]int32, nodes),
	}
	for n, p := range pairs {
		l.of[p[0]] = append(l.of[p[0]], link{p[1], int32(n)})
		l.of[p[1]] = append(l.of[p[1]], link{p[0], int32(n)})
	}
	return l
}

// belief returns the posterior of a link, but for a factor, and its mean.
func (l *links) belief(number int32) (posterior strengths, q float64) {
	if posterior = l.seen[number]; posterior == (strengths{}) {
		posterior = l.prior
	}
	sum := 0.0
	for k, p := range posterior {
		sum += p
		q += float64(p * strength[k])
	}
	return posterior, q / sum
}

// part returns the part of the last change of another node that fell after the
// last poll of a node.
func (l *links) part(nodes []evidence, other, node int32) float64 {
	after, found, last := l.changed[other][0], l.changed[other][1], nodes[node].polled
	return float64(max(found-max(after, last), 0)) / float64(max(found-after, 1))
}

// unchanged returns the probability that since the last poll of a node no other
// brought a change along, and the slots by which its wait counts less because
// another was seen not to change.
func (l *links) unchanged(nodes []evidence, i int32) (none, less float64) {
	none = 1
	if l == nil {
		return none, 0
	}
	for _, k := range l.of[i] {
		since := nodes[k.other].polled - nodes[i].polled
		if since <= 0 {
			continue
		}
		_, q := l.belief(k.number)
		if part := l.part(nodes, k.other, i); part > 0 {
			none *= 1 - float64(part*q)
		} else {
			less = max(less, float64(float64(since)*q))
		}
	}
	return none, less
}

// learn takes the outcome of the poll of a node, some slots after its last one and
// with a probability of a miss, before the evidence of it is changed.
func (l *links) learn(nodes []evidence, i int32, gap int, miss float64, hit bool) {
	none, _ := l.unchanged(nodes, i)
	for _, k := range l.of[i] {
		part := l.part(nodes, k.other, i)
		if part == 0 {
			continue
		}
		posterior, mean := l.belief(k.number)
		sum := 0.0
		unchanged := float64(miss*none) / (1 - float64(part*mean)) // but for this link
		for n, q := range strength {
			likelihood := float64(unchanged * (1 - float64(part*q)))
			if hit {
				likelihood = 1 - likelihood
			}
			posterior[n] *= max(likelihood, 1e-6)
			sum += posterior[n]
		}
		for n := range posterior {
			posterior[n] = max(posterior[n]/sum, 1e-9)
			l.prior[n] += posterior[n] - l.seen[k.number][n]
		}
		l.seen[k.number] = posterior
	}
	if polled := nodes[i].polled; hit {
		l.changed[i] = [2]int32{polled, polled + int32(gap)}
	}
}
