package tuples

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

const (
	levels = 3
	width  = 5 // indices per level
)

// A naive set lists its tuples.
type naive map[[levels]int64]bool

func every(visit func([levels]int64)) {
	for i := range int64(width) {
		for j := range int64(width) {
			for k := range int64(width) {
				visit([levels]int64{i, j, k})
			}
		}
	}
}

// randomBox returns a box in both forms.
func randomBox(r *rand.Rand, b *Builder) (*Set, naive) {
	var has [levels][width]bool
	lists := make([][]Run, levels)
	for l := range lists {
		for i := range int64(width) {
			if has[l][i] = r.IntN(3) > 0; has[l][i] {
				lists[l] = append(lists[l], Run{i, i})
			}
		}
		lists[l] = Normal(lists[l])
	}
	n := naive{}
	every(func(t [levels]int64) {
		if has[0][t[0]] && has[1][t[1]] && has[2][t[2]] {
			n[t] = true
		}
	})
	return b.Box(lists), n
}

// TestAgainstNaive combines random boxes at random and compares every
// answer with a listed set.
func TestAgainstNaive(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for trial := range 300 {
		b := NewBuilder(1 << 20)
		s, n := randomBox(r, b)
		for range r.IntN(8) {
			s2, n2 := randomBox(r, b)
			result := naive{}
			switch r.IntN(3) {
			case 0:
				s = b.Union(s, s2)
				every(func(t [levels]int64) { result[t] = n[t] || n2[t] })
			case 1:
				s = b.Both(s, b.Union(s2, s2))
				every(func(t [levels]int64) { result[t] = n[t] && n2[t] })
			default:
				s = b.Minus(s, s2)
				every(func(t [levels]int64) { result[t] = n[t] && !n2[t] })
			}
			n = result
		}
		var position int64
		var occurs [levels][]Run
		every(func(tuple [levels]int64) {
			rank, ok := s.Rank(tuple[:])
			if ok != n[tuple] || ok && rank != position {
				t.Fatalf("trial %d: Rank(%v) = %d, %v, want %d, %v", trial, tuple, rank, ok, position, n[tuple])
			}
			if !ok {
				return
			}
			var got [levels]int64
			if s.At(position, got[:]); got != tuple {
				t.Fatalf("trial %d: At(%d) = %v, want %v", trial, position, got, tuple)
			}
			for l, i := range tuple {
				occurs[l] = append(occurs[l], Run{i, i})
			}
			position++
		})
		if size, ok := s.Size(); !ok || size != position {
			t.Fatalf("trial %d: Size() = %d, %v, want %d", trial, size, ok, position)
		}
		for l := range levels {
			if got, want := s.Level(l), Normal(occurs[l]); !slices.Equal(got, want) {
				t.Fatalf("trial %d: Level(%d) = %v, want %v", trial, l, got, want)
			}
		}
	}
}

// TestOneForm: a set has one form, whatever way it was made.
func TestOneForm(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	b := NewBuilder(1 << 20)
	for range 100 {
		x, _ := randomBox(r, b)
		y, _ := randomBox(r, b)
		if b.Union(x, y) != b.Union(b.Minus(x, y), y) || b.Both(x, y) != b.Minus(x, b.Minus(x, y)) {
			t.Fatal("equal sets differ")
		}
	}
}

func TestLargeSizes(t *testing.T) {
	b := NewBuilder(1 << 10)
	big := []Run{{0, 1<<31 - 1}}
	two := b.Box([][]Run{big, big})
	if n, ok := two.Size(); !ok || n != 1<<62 {
		t.Errorf("Size() = %d, %v", n, ok)
	}
	tuple := make([]int64, 2)
	if two.At(1<<62-1, tuple); tuple[0] != 1<<31-1 || tuple[1] != 1<<31-1 {
		t.Errorf("last tuple is %v", tuple)
	}
	if _, ok := b.Box([][]Run{big, big, {{0, 1}}}).Size(); ok {
		t.Error("2⁶³ tuples do not overflow")
	}
	if _, ok := b.Box([][]Run{{{0, math.MaxInt64 - 1}}, {{0, 1}, {3, 3}}}).Size(); ok {
		t.Error("3×(2⁶³−1) tuples do not overflow")
	}
	if n, ok := b.Box([][]Run{{{0, math.MaxInt64 - 1}}}).Size(); !ok || n != math.MaxInt64 {
		t.Errorf("Size() = %d, %v, want 2⁶³−1", n, ok)
	}
	if n, ok := b.Box(nil).Size(); !ok || n != 1 {
		t.Errorf("no levels: Size() = %d, %v, want 1", n, ok)
	}
}

func TestLimit(t *testing.T) {
	b := NewBuilder(10)
	s := b.Box([][]Run{{{0, 99}}})
	for i := int64(0); i < 40 && b.Err() == nil; i += 2 {
		s = b.Minus(s, b.Box([][]Run{{{i, i}}}))
	}
	if b.Err() != ErrLarge || s != nil {
		t.Errorf("got %v, %v, want ErrLarge", s, b.Err())
	}
}
