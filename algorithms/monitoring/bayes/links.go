package bayes

// links is what is learned of linked pages: pages of one project change
// together. Where updates overwrite, a change that is found at a page makes one
// likelier at the pages linked with it, and a poll that finds none makes it
// less likely.
//
// The strength q of a link is the probability that a page changed, too, when
// the other one did. A page with miss probability M is found unchanged with
// probability M·Π(1−q)/(1−q(1−M′)), the product over pages that were found
// changed since its last poll, in place of a miss of probability M′. For each
// link the posterior over some strengths is learned as if it were the only one,
// with a prior that is the mean of those of all links: links that mean nothing
// come to q = 0. Rates are learned as without links.
type links struct {
	of      [][]link    // the links of each node
	seen    []strengths // the posterior of each link; 0 while nothing was seen
	prior   strengths   // Σ seen, and linkPrior
	changes []change    // the last change that was found at each node
}

// A link of a node leads to another one, and has a number.
type link struct{ other, number int32 }

// A change was found by the second of two polls, with some probability of a
// miss.
type change struct {
	after, found int32 // slots of the polls
	miss         float64
}

// strengths has a number for each value of strengthValues.
type strengths [6]float64

// newLinks returns the links between pairs of nodes, or nil if there are none.
func newLinks(pairs [][2]int32, nodes int) *links {
	if len(pairs) == 0 {
		return nil
	}
	l := &links{
		of:      make([][]link, nodes),
		seen:    make([]strengths, len(pairs)),
		prior:   linkPrior,
		changes: make([]change, nodes),
	}
	for n, p := range pairs {
		l.of[p[0]] = append(l.of[p[0]], link{p[1], int32(n)})
		l.of[p[1]] = append(l.of[p[1]], link{p[0], int32(n)})
	}
	return l
}

// has reports whether a node has links. Nil has none.
func (l *links) has(i int32) bool { return l != nil && l.of[i] != nil }

// belief returns the posterior of a link, but for a factor, and its mean.
func (l *links) belief(number int32) (posterior strengths, q float64) {
	posterior = l.seen[number]
	if posterior == (strengths{}) {
		posterior = l.prior
	}
	sum := 0.0
	for k, p := range posterior {
		sum += p
		q += float64(p * strengthValues[k])
	}
	return posterior, q / sum
}

// news returns the factor by which the last change of another node makes it
// less likely that a node is unchanged since its last poll, if changes bring
// one along with probability q.
//
// That change may have fallen at any time between two polls; if the node's last
// poll found a change, too, then rather before it. It is news as far as it was
// not expected.
func (l *links) news(nodes []evidence, other, node int32, q float64) float64 {
	c := &l.changes[other]
	own := &l.changes[node]
	last := nodes[node].polled
	between := max(c.found-c.after, 1)
	part := float64(max(c.found-max(c.after, last), 0)) / float64(between)
	if own.found == last {
		part /= 1 + float64((1-part)*q*own.miss/max(1-own.miss, minOwnHit))
	}
	return (1 - float64(part*q)) / (1 - float64(part*q*(1-c.miss)))
}

// unchanged returns the probability that since the last poll of a node no other
// brought a change along, and the slots by which its wait counts less because
// another was seen not to change.
func (l *links) unchanged(nodes []evidence, i int32) (none, less float64) {
	none = 1
	for _, k := range l.of[i] {
		since := nodes[k.other].polled - nodes[i].polled
		if since <= 0 {
			continue
		}
		_, q := l.belief(k.number)
		news := l.news(nodes, k.other, i, q)
		if news < 1 {
			none *= news
		} else {
			less = max(less, float64(float64(since)*q))
		}
	}
	return max(none, minUnchanged), less
}

// learn takes the outcome of the poll of a node, some slots after its last one
// and with a probability of a miss, before the evidence of the node changes.
func (l *links) learn(nodes []evidence, i int32, gap int, miss float64, hit bool) {
	for _, k := range l.of[i] {
		if l.news(nodes, k.other, i, 0.5) == 1 { // none, whatever the strength
			continue
		}
		posterior, _ := l.belief(k.number)
		sum := 0.0
		for n, q := range strengthValues {
			likelihood := float64(miss * l.news(nodes, k.other, i, q))
			if hit {
				likelihood = 1 - likelihood
			}
			posterior[n] = float64(posterior[n] * max(likelihood, minLikelihood))
			sum += posterior[n]
		}
		for n := range posterior {
			posterior[n] = max(posterior[n]/sum, minPosterior)
			l.prior[n] += posterior[n] - l.seen[k.number][n]
		}
		l.seen[k.number] = posterior
	}
	if hit {
		polled := nodes[i].polled
		l.changes[i] = change{polled, polled + int32(gap), miss}
	}
}
