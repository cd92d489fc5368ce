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

// The topic model. No paper gives one, so that all its numbers are assumed.
const (
	stopWords  = 100    // the most frequent words, which do not count
	vocabulary = 20_000 // the other words; the r-th of all is used ∝ 1/r (Zipf's law)
	topicWords = 100    // words of a topic, drawn from these; its r-th is used ∝ 1/r

	// The number of words of a page is minWords and an exponential number.
	minWords      = 50
	meanMoreWords = 50

	// A word of a page is of one of its topics with a probability that is
	// uniform between these.
	minTopicShare = 0.5
	maxTopicShare = 1.0

	mixedTopics = 4  // topics of a page that is not about a single one
	sampleTexts = 40 // texts of each topic, and general ones, that the classifier learns from
)

// writer writes texts by a topic model: a word of a text is of one of its
// topics, with a probability that differs from text to text, or of the general
// vocabulary.
type writer struct {
	stream         *rng.Stream
	general, topic cumulative
	words          [][]int32 // of each topic, the most used first
}

func newWriter(m *Model) *writer {
	w := &writer{
		stream:  rng.New("news site texts", uint64(m.Seed)),
		general: zipf(stopWords, vocabulary),
		topic:   zipf(0, topicWords),
		words:   make([][]int32, m.Topics),
	}
	for t := range w.words {
		for range topicWords {
			w.words[t] = append(w.words[t], int32(w.stream.IntN(vocabulary)))
		}
	}
	return w
}

// zipf returns the distribution of words by Zipf's law, without the most
// frequent ones, skipped in number.
func zipf(skipped, words int) cumulative {
	weight := make([]float64, words)
	for r := range weight {
		weight[r] = 1 / float64(skipped+r+1)
	}
	return newCumulative(weight)
}

// write returns the words of a text of some topics; of a general one without
// topics.
func (w *writer) write(topics ...int) []int32 {
	s := w.stream
	words := make([]int32, minWords+int(meanMoreWords*s.Exp()))
	share := minTopicShare + float64((maxTopicShare-minTopicShare)*s.Float64())
	for i := range words {
		if len(topics) > 0 && s.Chance(share) {
			topic := topics[s.IntN(len(topics))]
			words[i] = w.words[topic][w.topic.draw(s)]
		} else {
			words[i] = int32(w.general.draw(s))
		}
	}
	return words
}

// classifier returns a classifier of the topic model's texts. As in the papers
// (Selection in Scale-Free Small World, section 3.1.2) it learns from texts
// that are not of the site: texts of topics, divided into as many clusters as
// there are topics, and general ones, which are the last class.
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

// writeTexts replaces the drawn states of a site by those that a classifier
// gives to texts. The text of a page is of its topic, or of several random ones
// if it has none. Revisions do not change the text of a page.
func (m *Model) writeTexts(site *Site) {
	w := newWriter(m)
	classifier := w.classifier()
	site.States = nil
	number := map[string]int32{}
	for u := range int32(site.URLs()) {
		history := site.History(u)
		topics := []int{int(history[0].State) - 1}
		if topics[0] < 0 {
			topics = make([]int, mixedTopics)
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
