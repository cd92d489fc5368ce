package text

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// themed returns texts of the given number of themes: half of a text's words are
// of its theme, the others any of the vocabulary, rarer ones less often.
func themed(r *rand.Rand, texts, themes, vocabulary, length int) [][]int32 {
	all := make([][]int32, texts)
	for i := range all {
		theme := r.IntN(themes)
		for range length/2 + r.IntN(length) {
			x := r.Float64()
			w := int(x * x * x * float64(vocabulary))
			if r.IntN(2) == 0 {
				w = (theme*97 + int(x*x*40)) % vocabulary
			}
			all[i] = append(all[i], int32(w))
		}
	}
	return all
}

func TestClassifierIsThatOfTheFormulas(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	const classes, vocabulary = 4, 60
	texts := append(themed(r, 80, 3, vocabulary-1, 30), nil) // one is empty
	class := make([]int32, len(texts))
	for i := range class {
		class[i] = int32(r.IntN(classes))
	}
	given := func(w, text int) float64 { // Pr(w|d)
		n := 0.0
		for _, x := range texts[text] {
			if int(x) == w {
				n++
			}
		}
		return n / max(float64(len(texts[text])), 1)
	}
	joint := func(w, c int) float64 { // Pr(w|C)·Pr(C)
		sum, of := 0.0, 0.0
		for i := range texts {
			if class[i] == int32(c) {
				sum += given(w, i)
				of++
			}
		}
		return sum / of * (of / float64(len(texts)))
	}
	k := Train(texts, class, classes)
	for i := range 20 {
		doc := append(slices.Clone(texts[i]), 1000) // and a word never met
		state, q := k.State(doc, classes-1), k.Probabilities(doc)
		if len(state) != classes-1 || len(q) != classes {
			t.Fatalf("state of %d components, %d probabilities", len(state), len(q))
		}
		for c := range state {
			want := 0.0
			for w := range vocabulary {
				all := 0.0
				for other := range classes {
					all += joint(w, other)
				}
				if all > 0 {
					want += joint(w, c) / all * given(w, i)
				}
			}
			if math.Abs(q[c]-want) > 1e-12 || math.Abs(state[c]-math.Tanh(40*(q[c]-0.5))) > 1e-15 {
				t.Fatalf("text %d, class %d: probability %v, want %v; component %v", i, c, q[c], want, state[c])
			}
		}
	}
	if p := k.Probabilities([]int32{1000}); slices.Max(p) != 0 {
		t.Errorf("a text of no word that was met has probabilities %v", p)
	}
}

// dense returns the matrix whose columns are the texts of a part, of length 1,
// less their mean.
func dense(texts [][]int32, part []int, vocabulary int) *mat.Dense {
	m := mat.NewDense(vocabulary, len(part), nil)
	for j, i := range part {
		for _, w := range texts[i] {
			m.Set(int(w), j, m.At(int(w), j)+1)
		}
		column := m.ColView(j).(*mat.VecDense)
		if length := mat.Norm(column, 2); length > 0 {
			column.ScaleVec(1/length, column)
		}
	}
	for w := range vocabulary {
		floats.AddConst(-stat.Mean(m.RawRowView(w), nil), m.RawRowView(w))
	}
	return m
}

// The clusters must be those of Boley's algorithm with dense matrices and
// gonum's singular value decomposition.
func TestClustersAreThoseOfDecompositions(t *testing.T) {
	const vocabulary, clusters = 50, 9
	for seed := range uint64(10) {
		texts := append(themed(rand.New(rand.NewPCG(seed, 2)), 70, 6, vocabulary, 40), nil)
		parts := [][]int{nil}
		for i := range texts {
			parts[0] = append(parts[0], i)
		}
		for len(parts) < clusters {
			widest, most := 0, 0.0
			for i, p := range parts {
				if s := mat.Norm(dense(texts, p, vocabulary), 2); s > most {
					widest, most = i, s
				}
			}
			var svd mat.SVD
			var u mat.Dense
			m := dense(texts, parts[widest], vocabulary)
			if !svd.Factorize(m, mat.SVDThin) {
				t.Fatal("gonum finds no decomposition")
			}
			svd.UTo(&u)
			halves := map[bool][]int{}
			for j, i := range parts[widest] {
				right := mat.Dot(u.ColView(0), m.ColView(j)) > 0
				halves[right] = append(halves[right], i)
			}
			parts[widest] = halves[false]
			parts = append(parts, halves[true])
		}
		got := Cluster(texts, clusters)
		for _, p := range parts {
			for i, c := range got {
				if (c == got[p[0]]) != slices.Contains(p, i) {
					t.Fatalf("seed %d: text %d is in the cluster of text %d: %v", seed, i, p[0], c == got[p[0]])
				}
			}
		}
	}
}

func TestClustersOfEqualTexts(t *testing.T) {
	if got := Cluster(nil, 3); len(got) != 0 {
		t.Errorf("no texts are in clusters %v", got)
	}
	got := Cluster([][]int32{{1, 2}, {2, 1}, {1, 2, 2, 1}, {5}}, 4)
	if got[0] != got[1] || got[0] != got[2] || got[0] == got[3] || slices.Max(got) != 1 {
		t.Errorf("texts of one word's shares, and another, are in clusters %v", got)
	}
}

func TestWords(t *testing.T) {
	v := map[string]int32{}
	if got := Words("The fox, the Émile; 12 fox's", v); !slices.Equal(got, []int32{0, 1, 0, 2, 1, 3}) || len(v) != 4 {
		t.Errorf("words %v, vocabulary %v", got, v)
	}
}
