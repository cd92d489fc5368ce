package table

import (
	"math"
	"testing"
	"time"
)

func TestDuration(t *testing.T) {
	tests := map[time.Duration]string{
		0:                          "0.0 s",
		640 * time.Microsecond:     "0.6 ms",
		49 * time.Millisecond:      "49.0 ms",
		420 * time.Millisecond:     "0.4 s",
		9949 * time.Millisecond:    "9.9 s",
		9951 * time.Millisecond:    "10 s",
		59499 * time.Millisecond:   "59 s",
		59500 * time.Millisecond:   "1 min 00 s",
		200 * time.Second:          "3 min 20 s",
		3599600 * time.Millisecond: "1 h 00 min",
		7500 * time.Second:         "2 h 05 min",
		76 * time.Hour:             "3 d 4 h",
	}
	for d, want := range tests {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestFixed(t *testing.T) {
	tests := []struct {
		x        float64
		decimals int
		want     string
	}{
		{-1.25, 1, "−1.2"},
		{-0.04, 1, "0.0"},
		{-0.04, 2, "−0.04"},
		{-0.4, 0, "0"},
		{math.Copysign(0, -1), -1, "0"},
		{-1e-7, -1, "−1e-07"},
		{1785000000123456, 0, "1785000000123456"}, // microseconds since 1970
		{-1785000000123456768, 0, "−1785000000123456768"},
		{2e19, 0, "2e+19"},
		{2e-19, 20, "2e−19"},
		{math.NaN(), 2, missing},
	}
	for _, c := range tests {
		if got := Fixed(c.x, c.decimals); got != c.want {
			t.Errorf("Fixed(%v, %d) = %q, want %q", c.x, c.decimals, got, c.want)
		}
	}
}

func TestEscapeMarkdown(t *testing.T) {
	const text = "[here](x) R&amp;D ~~5~~ a[b]"
	const want = `[here\](x) R\&amp;D \~\~5\~\~ a[b]`
	if got := EscapeMarkdown(text); got != want {
		t.Errorf("EscapeMarkdown(%q) = %q, want %q", text, got, want)
	}
}
