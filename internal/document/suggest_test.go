package document

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"alpha", "beta", "gamma", "N", "f", "START_SIZE", "max_forager", "min_forager"}
	for _, c := range []struct{ word, want string }{
		{"alpah", "alpha"}, // a swap is one mistake
		{"Alpha", "alpha"},
		{"start_sise", "START_SIZE"},
		{"n", "N"},
		{"g", "N"}, // one letter for another, first in the list
		{"omega", ""},
		{"", "N"},
		{"seeds", ""},
	} {
		if got := Nearest(c.word, known); got != c.want {
			t.Errorf("Nearest(%q) = %q, want %q", c.word, got, c.want)
		}
	}
	if got := Nearest("x", nil); got != "" {
		t.Errorf("Nearest among nothing = %q", got)
	}
	if got := Nearest(string(make([]byte, 1000)), []string{string(make([]byte, 999))}); got != "" {
		t.Error("a kilobyte has a suggestion")
	}
}

// naive is the recursive definition of the distance.
func naive(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	m, n := len(a), len(b)
	d := naive(a[:m-1], b[:n-1])
	if a[m-1] != b[n-1] {
		d++
	}
	d = min(d, naive(a[:m-1], b)+1, naive(a, b[:n-1])+1)
	if m > 1 && n > 1 && a[m-1] == b[n-2] && a[m-2] == b[n-1] {
		d = min(d, naive(a[:m-2], b[:n-2])+1)
	}
	return d
}

func TestDistanceAgainstDefinition(t *testing.T) {
	words := []string{"", "a", "ab", "ba", "abc", "acb", "cab", "abcd", "badc", "äb", "aabb"}
	for _, a := range words {
		for _, b := range words {
			if got, want := distance([]rune(a), []rune(b)), naive([]rune(a), []rune(b)); got != want {
				t.Errorf("distance(%q, %q) = %d, want %d", a, b, got, want)
			}
		}
	}
}
