package newssite

import (
	"sweep/environments/newssite/text"
	"sweep/internal/rng"
)

// Where the states of pages come from.
const (
	PagesDrawn = "drawn" // saturated vectors: +1 in the page's topic, −1 elsewhere
	PagesText  = "text"  // a classifier's, of texts written by a topic model
)

// The topic model, which no paper tells: all is assumed.
const (
	stopWords   = 100    // the most used words do not count
	vocabulary  = 20_000 // words beside these; the r-th of all is used ∝ 1/r (Zipf's law)
	topicWords  = 100    // of them are a topic's, drawn at random; its r-th is used ∝ 1/r
	shortest    = 50     // words of a page: this, and an exponential number
	moreWords   = 50     // of this mean
	leastTopic  = 0.5    // a page's words are of its topics with a probability
	mostTopic   = 1.0    // uniform between these
	manyTopics  = 4      // of a page that is not about a single one
	sampleTexts = 40     // of each topic, and of the general ones, from which the classifier learns
)

// writer writes texts by a topic model: a text's words are the general
// vocabulary's or, with a probability of the text's own, of its topics.
type writer struct {
	stream         *rng.Stream
	general, topic cumulative
	words          [][]int32 // of each topic, the most used first
}

func newWriter(m *Model) *writer {
	zipf := func(from, words int) cumulative {
		weight := make([]float64, words)
		for r := range weight {
			weight[r] = 1 / float64(from+r+1)
		}
		return newCumulative(weight)
	}
	w := &writer{rng.New("news site texts", uint64(m.Seed)),
		zipf(stopWords, vocabulary), zipf(0, topicWords), make([][]int32, m.Topics)}
	for t := range w.words {
		for range topicWords {
			w.words[t] = append(w.words[t], int32(w.stream.IntN(vocabulary)))
		}
	}
	return w
}

// write returns the words of a text of topics, a general one if there are none.
func (w *writer) write(topics ...int) []int32 {
	s := w.stream
	words := make([]int32, shortest+int(moreWords*s.Exp()))
	share := leastTopic + float64((mostTopic-leastTopic)*s.Float64())
	for i := range words {
		if len(topics) > 0 && s.Chance(share) {
			words[i] = w.words[topics[s.IntN(len(topics))]][w.topic.draw(s)]
		} else {
			words[i] = int32(w.general.draw(s))
		}
	}
	return words
}

// classifier returns a classifier of the topic model's texts. As in the papers
// (Selection in Scale-Free Small World, section 3.1.2) it has learned from texts of
// elsewhere, divided into as many clusters as there are topics, and from
// general ones, a last class.
func (w *writer) classifier() *text.Classifier {
	var sample [][]int32
	for t := range w.words {
		for range sampleTexts {
			sample = append(sample, w.write(t))
		}
	}
	class := text.Cluster(sample, len(w.words))
	for range sampleTexts {
		sample = append(sample, w.write())
		class = append(class, int32(len(w.words)))
	}
	return text.Train(sample, class, len(w.words)+1)
}

// writeTexts replaces the drawn states of a site by those that a classifier finds
// in texts: of its topic where a page has one, of several at random where it has
// none. Revisions do not change a page's words.
func (m *Model) writeTexts(site *Site) {
	w := newWriter(m)
	classifier := w.classifier()
	site.States = nil
	number := map[string]int32{}
	for u := range int32(site.URLs()) {
		history := site.History(u)
		topics := []int{int(history[0].State) - 1}
		if topics[0] < 0 {
			topics = make([]int, manyTopics)
			for i := range topics {
				topics[i] = w.stream.IntN(m.Topics)
			}
		}
		n := site.AddState(classifier.State(w.write(topics...), m.Topics), number)
		for i := range history {
			history[i].State = n
		}
	}
}
