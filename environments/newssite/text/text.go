// Package text turns the texts of pages into the state vectors that foragers
// see, as the papers describe it (Selection in Scale-Free Small World, section
// 3.1.2; Computer study of the evolution of 'news foragers', footnote 2):
// a sample of texts is divided into clusters by principal directions (Cluster),
// a probabilistic TFIDF classifier is trained on the clusters (Train), and its
// probabilities pass a steep tanh (State).
//
// All results are the same bits on every machine: sums are taken in the order of
// the texts and of the words within a text.
package text

import (
	"slices"
	"strings"
	"unicode"

	"sweep/internal/detmath"
)

// A Corpus holds texts as bags of words, of which it keeps the numbers of
// different words. The zero value is empty.
type Corpus struct {
	end   []int // the words of text i are those before end[i], from end[i−1] on
	word  []int32
	count []int32 // how often the text has the word
	words int     // one above the largest number of a word
}

// Add appends a text, given by the numbers of its words, at least 0, in any
// order.
func (c *Corpus) Add(words []int32) {
	sorted := slices.Sorted(slices.Values(words))
	for i, w := range sorted {
		if i > 0 && w == sorted[i-1] {
			c.count[len(c.count)-1]++
			continue
		}
		c.word, c.count = append(c.word, w), append(c.count, 1)
	}
	if len(sorted) > 0 {
		c.words = max(c.words, int(sorted[len(sorted)-1])+1)
	}
	c.end = append(c.end, len(c.word))
}

// Texts returns the number of texts.
func (c *Corpus) Texts() int { return len(c.end) }

// text returns the words of a text, ascending, and how often it has each.
func (c *Corpus) text(i int) (word, count []int32) {
	from := 0
	if i > 0 {
		from = c.end[i-1]
	}
	return c.word[from:c.end[i]], c.count[from:c.end[i]]
}

// A Vocabulary numbers words in the order of their first appearance.
type Vocabulary map[string]int32

// Words returns the numbers of a text's words: its runs of letters, in lower
// case. New words get the next numbers.
func (v Vocabulary) Words(text string) []int32 {
	var words []int32
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		n, known := v[w]
		if !known {
			n = int32(len(v))
			v[w] = n
		}
		words = append(words, n)
	}
	return words
}

// A Classifier is a probabilistic TFIDF classifier (PrTFIDF: Joachims 1997, A
// probabilistic analysis of the Rocchio algorithm with TFIDF for text
// categorization).
type Classifier struct {
	classes int
	given   []float64 // Pr(C|w) of word w and class C at w·classes + C; all 0 of a word never met
}

// Train returns the classifier of texts whose classes, numbers below classes,
// are told. With n(w,d) occurrences of word w in text d of |d| words,
//
//	Pr(w|d) = n(w,d) / |d|
//	Pr(w|C) = mean of Pr(w|d) over the texts of C,  Pr(C) = share of the texts in C
//	Pr(C|w) = Pr(w|C)·Pr(C) / Σ over classes of the same
//
// so that Pr(C|w) is the sum of Pr(w|d) over the texts of C, in parts of that
// over all texts.
func Train(c *Corpus, class []int32, classes int) *Classifier {
	k := &Classifier{classes, make([]float64, c.words*classes)}
	for i := range c.Texts() {
		word, count := c.text(i)
		length := 0
		for _, n := range count {
			length += int(n)
		}
		for j, w := range word {
			k.given[int(w)*classes+int(class[i])] += float64(count[j]) / float64(length)
		}
	}
	for row := range slices.Chunk(k.given, classes) {
		sum := 0.0
		for _, x := range row {
			sum += x
		}
		for i := range row {
			if sum > 0 {
				row[i] /= sum
			}
		}
	}
	return k
}

// Probabilities returns the probability of each class for a text,
//
//	Pr(C|d) = Σ Pr(C|w)·Pr(w|d) over words w,
//
// in which words that the classifier never met do not count. They sum to 1, or
// are all 0 if it met none.
func (k *Classifier) Probabilities(words []int32) []float64 {
	p := make([]float64, k.classes)
	for _, w := range words {
		if at := int(w) * k.classes; at < len(k.given) {
			for i, x := range k.given[at : at+k.classes] {
				p[i] += x
			}
		}
	}
	met := 0.0 // words, as the probabilities of each sum to 1
	for _, x := range p {
		met += x
	}
	for i := range p {
		if met > 0 {
			p[i] /= met
		}
	}
	return p
}

// State returns the state vector of a text: component C is tanh(40·(q − ½)) of
// the probability q of class C ("for each class 0.5 was subtracted from the
// PrTFIDF value and it was then multiplied by 40", Computer study…, footnote 2).
// Only the first classes count, as many as the dimension: the papers dismiss the
// output of their last one, which stands for texts in general.
func (k *Classifier) State(words []int32, dimension int) []float64 {
	state := k.Probabilities(words)[:dimension]
	for i, q := range state {
		square := detmath.Exp(80 * (q - 0.5)) // of e^x, x the argument of tanh
		state[i] = (square - 1) / (square + 1)
	}
	return state
}
