package detmath

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"
)

// ulps returns |got−want| in units of want's last place.
func ulps(got, want float64) float64 {
	if got == want {
		return 0
	}
	return math.Abs(got-want) / (math.Nextafter(math.Abs(want), math.Inf(1)) - math.Abs(want))
}

func TestAgainstMath(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		x := math.Exp(r.Float64()*1400 - 700)
		if got, want := Log(x), math.Log(x); ulps(got, want) > 2 {
			t.Fatalf("Log(%g) = %g, want %g", x, got, want)
		}
		near := 1 + (r.Float64()-0.5)/8
		if got, want := Log(near), math.Log(near); ulps(got, want) > 2 {
			t.Fatalf("Log(%g) = %g, want %g", near, got, want)
		}
		y := r.Float64()*1400 - 700
		if got, want := Exp(y), math.Exp(y); ulps(got, want) > 2 {
			t.Fatalf("Exp(%g) = %g, want %g", y, got, want)
		}
		b, e := r.Float64()*100, r.Float64()*6-3
		if got, want := Pow(b, e), math.Pow(b, e); math.Abs(got-want) > 1e-13*want {
			t.Fatalf("Pow(%g, %g) = %g, want %g", b, e, got, want)
		}
		turn := (r.Float64() - 0.5) * 8
		if got, want := Cos2Pi(turn), math.Cos(2*math.Pi*turn); math.Abs(got-want) > 5e-15 {
			t.Fatalf("Cos2Pi(%g) = %g, want %g", turn, got, want)
		}
	}
}

func TestExactPoints(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"Log(1)", Log(1), 0},
		{"Exp(0)", Exp(0), 1},
		{"Exp(-1e9)", Exp(-1e9), 0},
		{"Exp(1e9)", Exp(1e9), math.Inf(1)},
		{"Pow(0, 2)", Pow(0, 2), 0},
		{"Pow(7, 0)", Pow(7, 0), 1},
		{"Cos2Pi(0)", Cos2Pi(0), 1},
		{"Cos2Pi(0.25)", Cos2Pi(0.25), 0},
		{"Cos2Pi(-0.5)", Cos2Pi(-0.5), -1},
		{"Cos2Pi(3)", Cos2Pi(3), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s = %v, want %v", c.name, c.got, c.want)
		}
	}
}

// The digest was computed on amd64 without fused instructions. It fails
// on any machine, or under any GOAMD64 or GOARM64 setting, where a bit
// differs.
func TestBitsAreTheSameEverywhere(t *testing.T) {
	h := fnv.New64a()
	add := func(x float64) { _ = binary.Write(h, binary.LittleEndian, x) }
	for i := 1; i < 100_000; i++ {
		x := float64(i) / 1024
		add(Log(x))
		add(Exp(x - 50))
		add(Pow(x, 0.3))
		add(Cos2Pi(x))
	}
	const want uint64 = 0xa6a44decae4ded2a
	if got := h.Sum64(); got != want {
		t.Errorf("digest of results = %#x, want %#x", got, want)
	}
}

// frexp and ldexp are those of package math, bit for bit.
func TestScaling(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for exponent := -1080; exponent <= 1030; exponent++ {
		for range 20 {
			y := 0.5 + 1.5*r.Float64()
			x := math.Ldexp(y, exponent)
			if got := ldexp(y, exponent); got != x {
				t.Errorf("ldexp(%v, %d) = %v, want %v", y, exponent, got, x)
			}
			if x == 0 || math.IsInf(x, 1) {
				continue
			}
			got, e := frexp(x)
			if want, wantE := math.Frexp(x); got != want || e != wantE {
				t.Errorf("frexp(%v) = %v, %d, want %v, %d", x, got, e, want, wantE)
			}
		}
	}
}

func BenchmarkExp(b *testing.B) { benchmark(b, func(x float64) float64 { return Exp(-x) }) }

func BenchmarkLog(b *testing.B) { benchmark(b, Log) }

// benchmark calls a function for numbers between 0 and 8.
func benchmark(b *testing.B, f func(float64) float64) {
	r := rand.New(rand.NewPCG(5, 6))
	x := make([]float64, 1024)
	for i := range x {
		x[i] = 8 * (1 - r.Float64())
	}
	sum := 0.0
	for i := range b.N {
		sum += f(x[i%len(x)])
	}
	if math.IsNaN(sum) {
		b.Error("the sum is not a number")
	}
}
