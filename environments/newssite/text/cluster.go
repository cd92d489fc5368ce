package text

import (
	"math"
	"slices"

	"sweep/internal/rng"
)

// Cluster divides texts into clusters by principal direction divisive
// partitioning (PDDP: Boley 1998, Principal direction divisive partitioning,
// Data Mining and Knowledge Discovery 2) and returns the cluster of each. A
// text is the vector of its word counts, scaled to length 1 (Boley's norm
// scaling). Until there are as many clusters as wanted, the one with the
// largest scatter, the sum of squared distances from the mean, is divided:
// texts with a positive component along its principal direction, the leading
// left singular vector of its texts less their mean, become the next cluster.
// There are fewer clusters only if the texts of each cluster are proportional.
func Cluster(texts [][]int32, clusters int) []int32 {
	d := &division{
		texts: make([][]entry, len(texts)),
		scale: make([]float64, len(texts)),
		along: make([]float64, vocabulary(texts)),
	}
	all := make([]int32, len(texts))
	for i, words := range texts {
		all[i] = int32(i)
		d.texts[i] = bag(words)
		squares := 0
		for _, e := range d.texts[i] {
			squares += int(e.count) * int(e.count)
		}
		d.scale[i] = 1 / math.Sqrt(float64(max(squares, 1)))
	}
	parts := [][]int32{all}
	scatter := []float64{d.scatter(all)} // of each part
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
		parts[widest] = left
		scatter[widest] = d.scatter(left)
		parts = append(parts, right)
		scatter = append(scatter, d.scatter(right))
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
	texts [][]entry // the words of each text, ascending
	scale []float64 // the factor that makes the word counts of a text a vector of length 1
	along []float64 // for each word, a sum over texts: memory of project
}

// scatter returns the sum of squared distances of texts from their mean, which
// is Σ|text|² less |Σ text|²/number of texts; 0 if it is no larger than
// rounding errors.
func (d *division) scatter(texts []int32) float64 {
	ones := slices.Repeat([]float64{1}, len(texts))
	squares := 0.0
	sum := 0.0
	for i, x := range d.project(texts, ones) {
		sum += x
		if len(d.texts[texts[i]]) > 0 {
			squares++
		}
	}
	s := squares - sum/float64(len(texts))
	if s > 1e-9*squares {
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

// How exactly a principal direction is found.
const (
	lanczosSteps = 16   // steps from one restart to the next
	restarts     = 40   // the largest number of restarts
	tolerance    = 1e-6 // the error |Bv − θv|/θ that ends the search
)

// principal returns the components of texts, less their mean, along their
// principal direction, up to a common factor: the leading eigenvector of B =
// CᵀC for the matrix C whose columns are the texts less their mean, by
// restarted Lanczos iterations (Golub and Van Loan, Matrix Computations,
// chapter 10). As the elements of any Bv sum to 0, Bv is MᵀMv less its mean.
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
			rest = math.Sqrt(dot(v, v))
			if n == lanczosSteps-1 || rest <= tolerance*t[0][0] {
				break
			}
			t[n][n+1] = rest
			t[n+1][n] = rest
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

// leading returns the eigenvector, of length 1, of the largest eigenvalue of a
// symmetric matrix without negative eigenvalues: a power iteration by squaring.
func leading(t [lanczosSteps][lanczosSteps]float64) []float64 {
	const squarings = 50
	for range squarings {
		best := largestDiagonal(&t)
		scale := 1 / t[best][best]
		var square [lanczosSteps][lanczosSteps]float64
		for i := range t {
			for j := range t {
				square[i][j] = float64(float64(dot(t[i][:], t[j][:])*scale) * scale)
			}
		}
		t = square
	}
	lead := t[largestDiagonal(&t)][:]
	length := math.Sqrt(dot(lead, lead))
	for i := range lead {
		lead[i] /= length
	}
	return lead
}

// largestDiagonal returns the row in which the diagonal has its largest
// element, which is the largest one of the matrix.
func largestDiagonal(t *[lanczosSteps][lanczosSteps]float64) int {
	best := 0
	for i := range t {
		if t[i][i] > t[best][best] {
			best = i
		}
	}
	return best
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
