package text

import (
	"math"
	"slices"

	"sweep/internal/rng"
)

// Cluster divides texts into clusters by principal direction divisive
// partitioning (PDDP: Boley 1998, Principal direction divisive partitioning, Data
// Mining and Knowledge Discovery 2) and returns the cluster of each. A text is the
// vector of its numbers of words, of length 1 (Boley's norm scaling). Until there
// are as many clusters as asked for, the one with the largest scatter, the sum of
// squared distances from the mean, is divided: texts with a positive component
// along its principal direction, the leading left singular vector of its texts
// less their mean, become the next cluster. There are fewer clusters only if
// within each all texts are proportional.
func Cluster(texts [][]int32, clusters int) []int32 {
	d := &division{make([][]entry, len(texts)), make([]float64, len(texts)), make([]float64, vocabulary(texts))}
	all := make([]int32, len(texts))
	for i, words := range texts {
		all[i], d.texts[i] = int32(i), bag(words)
		squares := 0
		for _, e := range d.texts[i] {
			squares += int(e.count) * int(e.count)
		}
		d.scale[i] = 1 / math.Sqrt(float64(max(squares, 1)))
	}
	parts, scatter := [][]int32{all}, []float64{d.scatter(all)}
	for len(parts) < clusters {
		widest := slices.Index(scatter, slices.Max(scatter))
		if len(all) == 0 || scatter[widest] == 0 {
			break
		}
		component := d.principal(parts[widest])
		var left, right []int32
		for i, t := range parts[widest] {
			if component[i] > 0 {
				right = append(right, t)
			} else {
				left = append(left, t)
			}
		}
		parts[widest], scatter[widest] = left, d.scatter(left)
		parts, scatter = append(parts, right), append(scatter, d.scatter(right))
	}
	cluster := make([]int32, len(texts))
	for i, part := range parts {
		for _, t := range part {
			cluster[t] = int32(i)
		}
	}
	return cluster
}

// division divides clusters of texts.
type division struct {
	texts [][]entry // their words, ascending
	scale []float64 // by which numbers of words become a vector of length 1
	along []float64 // of each word, a sum over texts: memory of project
}

// scatter returns the sum of squared distances of texts from their mean, 0 if it
// is but rounding: Σ|text|² less |Σ text|²/number of texts.
func (d *division) scatter(texts []int32) float64 {
	ones := slices.Repeat([]float64{1}, len(texts))
	squares, sum := 0.0, 0.0
	for i, x := range d.project(texts, ones) {
		sum += x
		if len(d.texts[texts[i]]) > 0 {
			squares++
		}
	}
	if s := squares - sum/float64(len(texts)); s > 1e-9*squares {
		return s
	}
	return 0
}

// project returns MᵀMv for the matrix M whose columns are the texts' vectors.
func (d *division) project(texts []int32, v []float64) []float64 {
	clear(d.along)
	for i, t := range texts {
		x := float64(d.scale[t] * v[i])
		for _, e := range d.texts[t] {
			d.along[e.word] += float64(float64(e.count) * x)
		}
	}
	product := make([]float64, len(texts))
	for i, t := range texts {
		sum := 0.0
		for _, e := range d.texts[t] {
			sum += float64(float64(e.count) * d.along[e.word])
		}
		product[i] = d.scale[t] * sum
	}
	return product
}

// How exactly a principal direction is found: Lanczos steps between restarts, the
// largest number of these, and the error |Bv − θv|/θ that ends the search.
const (
	lanczosSteps = 16
	restarts     = 40
	tolerance    = 1e-6
)

// principal returns the components of texts, less their mean, along their
// principal direction, up to a common factor: the leading eigenvector of
// B = CᵀC for the matrix C whose columns are the texts less their mean, by
// restarted Lanczos iterations (Golub and Van Loan, Matrix Computations, chapter
// 10). As the elements of any Bv sum to 0, Bv is MᵀMv less its mean.
func (d *division) principal(texts []int32) []float64 {
	v := make([]float64, len(texts))
	start := rng.New("principal direction")
	for i := range v {
		v[i] = start.Float64()
	}
	center(v)
	for range restarts {
		var basis [][]float64
		var t [lanczosSteps][lanczosSteps]float64 // B in terms of the basis: tridiagonal
		rest := math.Sqrt(dot(v, v))
		for n := range lanczosSteps {
			for i := range v {
				v[i] /= rest
			}
			basis = append(basis, v)
			v = d.project(texts, v)
			center(v)
			t[n][n] = dot(v, basis[n])
			for _, b := range slices.Backward(basis) {
				add(v, -dot(v, b), b)
			}
			if rest = math.Sqrt(dot(v, v)); n == lanczosSteps-1 || rest <= tolerance*t[0][0] {
				break
			}
			t[n][n+1], t[n+1][n] = rest, rest
		}
		lead := leading(t)
		clear(v)
		for n, b := range basis {
			add(v, lead[n], b)
		}
		if rest*math.Abs(lead[len(basis)-1]) <= tolerance*t[0][0] {
			break
		}
	}
	return v
}

// leading returns the eigenvector of the largest eigenvalue of a symmetric
// matrix without negative ones, of length 1: a power iteration by squaring.
func leading(t [lanczosSteps][lanczosSteps]float64) []float64 {
	const squarings = 50
	largest := func() (best int) { // on the diagonal, where the largest element stands
		for i := range t {
			if t[i][i] > t[best][best] {
				best = i
			}
		}
		return best
	}
	for range squarings {
		best := largest()
		scale := 1 / t[best][best]
		var square [lanczosSteps][lanczosSteps]float64
		for i := range t {
			for j := range t {
				square[i][j] = float64(float64(dot(t[i][:], t[j][:])*scale) * scale)
			}
		}
		t = square
	}
	lead := t[largest()][:]
	length := math.Sqrt(dot(lead, lead))
	for i := range lead {
		lead[i] /= length
	}
	return lead
}

// center subtracts the mean of v.
func center(v []float64) {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	for i := range v {
		v[i] -= sum / float64(len(v))
	}
}

func dot(a, b []float64) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// add adds x·b to a.
func add(a []float64, x float64, b []float64) {
	for i := range a {
		a[i] += float64(x * b[i])
	}
}
