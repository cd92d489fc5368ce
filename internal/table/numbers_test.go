package table

import (
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
