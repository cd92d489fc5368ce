package monitoring

import "sweep/internal/rng"

// startThompson starts Thompson sampling (Thompson 1933, On the likelihood
// that one unknown probability exceeds another in view of the evidence of
// two samples; of several arms at a time, Komiyama et al. 2015). It is bayes
// with p drawn from what is believed of it, the beta distribution where updates
// disappear and that of the rate where they overwrite, so that a node is
// polled as often as it may be worth it.
//
// A draw stands until the node is polled, or for drawStands slots. One for
// every slot takes five times as long and retrieves some thousandths more
// after a switch, and less in the long run.
func startThompson(t *task) scheduler {
	return newBayes(t, rng.New("thompson", uint64(t.seed)))
}

const drawStands = 8

// renewedAfter returns the slots after which an estimate is renewed.
func renewedAfter(draws *rng.Stream) int {
	if draws == nil {
		return farthest
	}
	return drawStands
}
