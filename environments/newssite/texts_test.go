package newssite

import (
	"math"
	"slices"
	"testing"
)

// A site whose states come from texts is the drawn one but for these. Most pages
// with a topic are seen to have one, and most of a topic the same; those without
// hardly ever.
func TestStatesOfTexts(t *testing.T) {
	m := small(1)
	m.Topics = 50
	site := generate(t, m)
	m.Pages = PagesText
	other, again := generate(t, m), generate(t, m)
	if err := other.Validate(); err != nil {
		t.Fatal(err)
	}
	if distinct := len(other.States); distinct < site.URLs()*9/10 {
		t.Errorf("%d distinct states of %d pages", distinct, site.URLs())
	}
	if !slices.EqualFunc(other.States, again.States, slices.Equal) || !slices.Equal(other.Versions, again.Versions) {
		t.Fatal("two sites of one model differ")
	}
	seen := make([][]int, m.Topics) // of each topic, pages of each positive component
	for i := range seen {
		seen[i] = make([]int, m.Topics)
	}
	topical, topicless, wrong := 0, 0, 0
	for u := range int32(site.URLs()) {
		topic, state := int(site.History(u)[0].State)-1, other.States[other.History(u)[0].State]
		yes := slices.IndexFunc(state, func(x float64) bool { return x > 0 })
		switch {
		case topic < 0:
			topicless++
			wrong += bit(yes >= 0)
		case yes >= 0:
			seen[topic][yes]++
			fallthrough
		default:
			topical++
		}
	}
	right := 0
	for _, of := range seen {
		right += slices.Max(of)
	}
	if right < topical*2/3 || wrong > topicless/20 {
		t.Errorf("%d of %d pages with a topic have their topic's component, %d of %d without one have some", right, topical, wrong, topicless)
	}
	for u := range int32(site.URLs()) {
		for i, v := range other.History(u) {
			if v.State = site.History(u)[i].State; v != site.History(u)[i] {
				t.Fatalf("version %d of URL %d is %v, drawn %v", i, u, v, site.History(u)[i])
			}
		}
	}
}

// Words of a text are its topics' in the share of the model, and general ones
// follow Zipf's law.
func TestWordsOfTexts(t *testing.T) {
	m := large(1)
	w := newWriter(&m)
	harmonic := func(from, to int) (sum float64) {
		for r := from; r <= to; r++ {
			sum += 1 / float64(r)
		}
		return sum
	}
	first, words, lengths, rare := 0, 0, 0.0, 0
	const texts = 3000
	for range texts {
		general := w.write()
		words += len(general)
		lengths += float64(len(general))
		for _, x := range general {
			first += bit(x < 10)
			rare += bit(x >= vocabulary/2)
		}
	}
	all := harmonic(stopWords+1, stopWords+vocabulary)
	counted(t, "the ten most used words", first, words, harmonic(stopWords+1, stopWords+10)/all)
	counted(t, "the rarer half of the words", rare, words, harmonic(stopWords+vocabulary/2+1, stopWords+vocabulary)/all)
	if mean := lengths / texts; math.Abs(mean-(shortest+moreWords-0.5)) > 5*moreWords/math.Sqrt(texts) {
		t.Errorf("mean length %v", mean)
	}
	share := 0.0
	for range texts {
		text := w.write(0, 1)
		n := 0
		for _, x := range text {
			n += bit(slices.Contains(w.words[0], x) || slices.Contains(w.words[1], x))
		}
		share += float64(n) / float64(len(text))
	}
	if want := (leastTopic + mostTopic) / 2; math.Abs(share/texts-want) > 0.02 {
		t.Errorf("a share of %v of the words is of the topics, want %v, and a few by chance", share/texts, want)
	}
}
