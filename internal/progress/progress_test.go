package progress

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// show runs f against a meter in a bubble of fake time and returns all
// that was written.
func show(t *testing.T, options Options, f func(*Meter)) string {
	t.Helper()
	var out bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		m := Start(&out, options)
		f(m)
		m.Stop()
	})
	return out.String()
}

func TestLines(t *testing.T) {
	tests := []struct {
		name  string
		total int64
		pause time.Duration // a run ends after each
		runs  int
		want  string
	}{
		{"an instant sweep is one line", 1000, 0, 1000,
			"1000/1000 runs in 0.0 s, 0 failed\n"},
		{"nothing to do", 0, 0, 0,
			"0/0 runs in 0.0 s, 0 failed\n"},
		{"a line for each tenth", 20, 2500 * time.Millisecond, 20, `
2/20 runs, 0 failed, 24.0 runs/min, 45 s left
4/20 runs, 0 failed, 24.0 runs/min, 40 s left
6/20 runs, 0 failed, 24.0 runs/min, 35 s left
8/20 runs, 0 failed, 24.0 runs/min, 30 s left
10/20 runs, 0 failed, 24.0 runs/min, 25 s left
12/20 runs, 0 failed, 24.0 runs/min, 20 s left
14/20 runs, 0 failed, 24.0 runs/min, 15 s left
16/20 runs, 0 failed, 24.0 runs/min, 10 s left
18/20 runs, 0 failed, 24.0 runs/min, 5.0 s left
20/20 runs in 50 s, 0 failed, 24.0 runs/min
`},
		{"signs of life between long runs, and an early end", 2, 70500 * time.Millisecond, 1, `
0/2 runs, 0 failed
0/2 runs, 0 failed
1/2 runs, 0 failed, 51.1 runs/h, 1 min 11 s left
1/2 runs in 1 min 11 s, 0 failed, 51.1 runs/h
`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := show(t, Options{Style: Lines, Total: test.total}, func(m *Meter) {
				for range test.runs {
					time.Sleep(test.pause)
					m.Add(false)
				}
			})
			if want := strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestDaysLeaveAShortLog(t *testing.T) {
	const total = 2 * 24 * 6
	got := show(t, Options{Style: Lines, Total: total}, func(m *Meter) {
		for range total {
			time.Sleep(10 * time.Minute)
			m.Add(false)
		}
	})
	if lines := strings.Count(got, "\n"); lines < 100 || lines > 600 { // 5,760 at 30 s each
		t.Errorf("%d lines, want some hundred", lines)
	}
	if strings.Contains(got, "\r") || strings.Contains(got, "\x1b") {
		t.Error("a log must hold no control characters")
	}
}

func TestSilent(t *testing.T) {
	got := show(t, Options{Style: Silent, Total: 2}, func(m *Meter) {
		m.Add(true)
		time.Sleep(time.Hour)
	})
	if got != "" {
		t.Errorf("got %q, want nothing", got)
	}
}

func TestBar(t *testing.T) {
	run := func(color bool) string {
		return show(t, Options{Style: Bar, Total: 100, Color: color}, func(m *Meter) {
			for i := range 50 {
				time.Sleep(time.Second)
				m.Add(i == 7)
			}
			time.Sleep(time.Second / 2)
		})
	}
	plain := run(false)
	// 50 runs in 50.5 s: the other 50 take as long again.
	if want := "50/100 runs, 1 failed, 59.5 runs/min, 50 s left"; !strings.Contains(plain, want) {
		t.Errorf("the bar never said %q; it ended with %q", want, plain[max(0, len(plain)-200):])
	}
	if !strings.HasSuffix(plain, "50/100 runs in 51 s, 1 failed, 59.4 runs/min\n") || strings.Count(plain, "\n") != 1 {
		t.Errorf("want one line at the very end, got %q", plain[max(0, len(plain)-200):])
	}
	if strings.Contains(plain, "\x1b[31m") {
		t.Error("the plain bar is coloured")
	}
	if !strings.Contains(run(true), "\x1b[31m1 failed") {
		t.Error("the coloured bar does not show failures in red")
	}
}

func TestNote(t *testing.T) {
	for _, style := range []Style{Silent, Lines, Bar} {
		got := show(t, Options{Style: style, Total: 2}, func(m *Meter) {
			time.Sleep(time.Second)
			m.Note("interrupted")
		})
		before, after, found := strings.Cut(got, "interrupted\n")
		if !found || style == Bar && !strings.HasSuffix(before, "\x1b[2K\r") {
			t.Errorf("style %d: %q does not have the note on a line of its own", style, got)
		}
		if strings.Contains(after, "interrupted") {
			t.Errorf("style %d: the note is there twice: %q", style, got)
		}
	}
}

func TestBarIsThrottled(t *testing.T) {
	got := show(t, Options{Style: Bar, Total: 1_000_000}, func(m *Meter) {
		for range 1_000_000 {
			m.Add(false)
		}
		time.Sleep(10 * time.Second)
	})
	if len(got) > 20_000 {
		t.Errorf("a million runs wrote %d bytes", len(got))
	}
}

func TestTakenUpAgain(t *testing.T) {
	// 900 of 1,000 runs were done by an earlier process: only the rest
	// counts, so a run a second leaves 90 s after ten.
	start := time.Now()
	c := count{total: 100, done: 10, start: start}
	if left, ok := c.left(start.Add(10 * time.Second)); !ok || left != 90*time.Second {
		t.Errorf("left %v, %v; want 90 s", left, ok)
	}
	if _, ok := (count{total: 100, start: start}).left(start.Add(time.Hour)); ok {
		t.Error("an estimate without a single finished run")
	}
	if left, ok := (count{total: 1 << 62, done: 1, start: start}).left(start.Add(time.Hour)); ok {
		t.Errorf("left %v, want no claim beyond what a duration holds", left)
	}
}

func TestHuman(t *testing.T) {
	tests := map[time.Duration]string{
		0:                          "0.0 s",
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
		if got := Human(d); got != want {
			t.Errorf("Human(%v) = %q, want %q", d, got, want)
		}
	}
}
