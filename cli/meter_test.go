package cli

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"sweep/runner"
)

// log returns the lines of a log in which a run ends after each pause; a
// second of nothing is a chance for a line, too.
func log(s runner.Progress, pause time.Duration, runs int) string {
	var text strings.Builder
	due := newPace()
	chance := func() {
		if due(s) {
			text.WriteString(s.String() + "\n")
		}
	}
	for range runs {
		for end := s.Elapsed + pause; s.Elapsed < end; chance() {
			s.Elapsed = min(end, s.Elapsed.Truncate(time.Second)+time.Second)
		}
		s.Done++
		chance()
	}
	return text.String() + s.Summary() + "\n"
}

func TestLines(t *testing.T) {
	for _, test := range []struct {
		name  string
		state runner.Progress
		pause time.Duration
		runs  int
		want  string
	}{
		{"an instant sweep is one line", runner.Progress{Runs: 1000, Todo: 1000}, 0, 1000,
			"1000 of 1000 runs in 0.0 s, 0 failed\n"},
		{"lines at growing pauses", runner.Progress{Runs: 20, Todo: 20}, 2500 * time.Millisecond, 20, `
0 of 20 runs, 0 failed
0 of 20 runs, 0 failed
1 of 20 runs, 0 failed, 15.0 runs/min, 1 min 16 s left
3 of 20 runs, 0 failed, 22.5 runs/min, 45 s left
6 of 20 runs, 0 failed, 22.5 runs/min, 37 s left
12 of 20 runs, 0 failed, 22.5 runs/min, 21 s left
20 of 20 runs in 50 s, 0 failed, 24.0 runs/min
`},
		{"lines between long runs, an early end, an earlier process", runner.Progress{Runs: 618, Todo: 2}, 70500 * time.Millisecond, 1,
			strings.Repeat("616 + 0 of 618 runs, 0 failed\n", 7) + "616 + 1 of 618 runs in 1 min 11 s, 0 failed, 51.1 runs/h\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, want := log(test.state, test.pause, test.runs), strings.TrimPrefix(test.want, "\n"); got != want {
				t.Errorf("got:\n%swant:\n%s", got, want)
			}
		})
	}
	if lines := strings.Count(log(runner.Progress{Runs: 288, Todo: 288}, 10*time.Minute, 288), "\n"); lines < 100 || lines > 600 { // 5,760 at 30 s each
		t.Errorf("%d lines in two days, want some hundred", lines)
	}
}

// drawn returns what a bar writes in a terminal of so many columns.
func drawn(s runner.Progress, columns int) string {
	var b strings.Builder
	m := newMeter(&b, false)
	m.showBar(func() int { return columns })
	m.show(s)
	return b.String()
}

func TestBar(t *testing.T) {
	s := runner.Progress{Runs: 1000, Todo: 384, Done: 50, Failed: 1, Elapsed: 50 * time.Second}
	if got := drawn(s, 80); !strings.Contains(got, "616 + 50 of 1000 runs, 1 failed, 1.0 runs/s, 5 min 34 s left") {
		t.Errorf("80 columns: %q", got)
	}
	for _, columns := range []int{45, 30, 20, 5} {
		// The bar package cannot know the width of a pipe, so its bar has 30.
		got := drawn(s, columns)
		got = strings.TrimSuffix(got[strings.LastIndex(got, "\r")+1:], "\x1b[0K")
		if n := utf8.RuneCountInString(got) - 30; n > max(columns, frame) {
			t.Errorf("%d columns: a line of %d: %q", columns, n, got)
		}
	}
	if got := fit(s.String(), 30-frame); got != "616 + 50 of 1000" {
		t.Errorf("in 30 columns %q", got)
	}
	if left, ok := (runner.Progress{Runs: 1 << 62, Todo: 1 << 62, Done: 1, Elapsed: time.Hour}).Left(); ok {
		t.Errorf("left %v, want no claim beyond what a duration holds", left)
	}
}
