// Package text turns the texts of pages into the state vectors that foragers
// see, as the papers describe it (Selection in Scale-Free Small World, section
// 3.1.2; Computer study of the evolution of 'news foragers', footnote 2):
// a sample of texts is divided into clusters by principal directions (Cluster),
// a probabilistic TFIDF classifier is trained on the clusters (Train), and its
// probabilities pass a steep tanh (State).
//
// A text is a list of words, each as often as it occurs; a word is a number of
// at least 0. All results are the same bits on every machine: sums are taken in
// the order of the texts and of the words within a text.
package text

import (
	"slices"
	"strings"
	"unicode"

	"sweep/internal/detmath"
)

// Words returns the numbers of the words of a text, which are its runs of
// letters in lower case. A word without a number gets the next one, from 0 on.
func Words(text string, numbers map[string]int32) (words []int32) {
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), separates) {
		n, known := numbers[w]
		if !known {
			n = int32(len(numbers))
			numbers[w] = n
		}
		words = append(words, n)
	}
	return words
}

// separates reports whether a rune stands between words.
func separates(r rune) bool { return !unicode.IsLetter(r) }

// A Classifier is a probabilistic TFIDF classifier (PrTFIDF: Joachims 1997, A
// probabilistic analysis of the Rocchio algorithm with TFIDF for text
// categorization).
type Classifier struct {
	classes int
	given   []float64 // Pr(C|w) of word w and class C at w·classes + C; 0 for unknown words
}

// Train returns a classifier that has learned from texts whose classes are
// known; a class is a number below classes. With n(w,d) occurrences of word w
// in text d of |d| words,
//
//	Pr(w|d) = n(w,d) / |d|
//	Pr(w|C) = mean of Pr(w|d) over the texts of C
//	Pr(C)   = share of the texts in C
//	Pr(C|w) = Pr(w|C)·Pr(C) / Σ over classes of the same
//
// so that Pr(C|w) is the sum of Pr(w|d) over the texts of C, divided by the sum
// over all texts.
func Train(texts [][]int32, class []int32, classes int) *Classifier {
	k := &Classifier{classes, make([]float64, vocabulary(texts)*classes)}
	for i, words := range texts {
		for _, e := range bag(words) {
			k.given[int(e.word)*classes+int(class[i])] += float64(e.count) / float64(len(words))
		}
	}
	for row := range slices.Chunk(k.given, classes) {
		divideBySum(row)
	}
	return k
}

// entry tells how often a text has a word.
type entry struct{ word, count int32 }

// bag returns the words of a text, ascending.
func bag(words []int32) []entry {
	all := make([]entry, 0, len(words))
	for _, w := range slices.Sorted(slices.Values(words)) {
		if n := len(all); n == 0 || all[n-1].word != w {
			all = append(all, entry{word: w})
		}
		all[len(all)-1].count++
	}
	return slices.Clone(all)
}

// vocabulary returns a number above those of all words.
func vocabulary(texts [][]int32) (above int) {
	for _, words := range texts {
		for _, w := range words {
			above = max(above, 1+int(w))
		}
	}
	return above
}

// divideBySum divides numbers by their sum, unless all are 0.
func divideBySum(x []float64) {
	sum := 0.0
	for _, x := range x {
		sum += x
	}
	for i := range x {
		if sum > 0 {
			x[i] /= sum
		}
	}
}

// Probabilities returns the probability of each class for a text,
//
//	Pr(C|d) = Σ Pr(C|w)·Pr(w|d) over words w,
//
// without the words that the classifier has not learned from. They sum to 1, or
// are all 0 if it knows no word of the text.
func (k *Classifier) Probabilities(words []int32) []float64 {
	p := make([]float64, k.classes)
	for _, w := range words {
		if at := int(w) * k.classes; at < len(k.given) {
			for i, x := range k.given[at : at+k.classes] {
				p[i] += x
			}
		}
	}
	divideBySum(p) // by the number of known words, as the probabilities of each sum to 1
	return p
}

// State returns the state vector of a text: component C is tanh(40·(q − ½)) of
// the probability q of class C ("for each class 0.5 was subtracted from the
// PrTFIDF value and it was then multiplied by 40", Computer study…, footnote
// 2). Only the first classes count, as many as the dimension: the papers ignore
// the output of their last class, which stands for texts in general.
func (k *Classifier) State(words []int32, dimension int) []float64 {
	state := k.Probabilities(words)[:dimension]
	for i, q := range state {
		square := detmath.Exp(80 * (q - 0.5)) // of e^x, x the argument of tanh
		state[i] = (square - 1) / (square + 1)
	}
	return state
}
