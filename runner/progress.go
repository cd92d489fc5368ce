package runner

import (
	"fmt"
	"math"
	"time"

	"sweep/internal/table"
)

// Progress is how far the work of a process has come.
type Progress struct {
	Runs    int64 // that the sweep is to hold
	Todo    int64 // of Runs, those for this process to execute
	Done    int64 // of Todo, those executed
	Failed  int64 // of Done
	Elapsed time.Duration
}

// PerSecond returns the mean number of runs that this process has executed in a
// second; 0 if unknown.
func (p Progress) PerSecond() float64 {
	if p.Done == 0 || p.Elapsed <= 0 {
		return 0
	}
	return float64(p.Done) / p.Elapsed.Seconds()
}

// longest is the time in seconds above which Left tells nothing; a Duration
// holds twice as much.
const longest = math.MaxInt64 / float64(time.Second) / 2

// Left estimates the time until the last run ends by the mean rate so far;
// false if that is unknown. Runs are interleaved over the cells, so those done
// are a fair sample.
func (p Progress) Left() (time.Duration, bool) {
	seconds := float64(p.Todo-p.Done) / p.PerSecond()
	if !(seconds <= longest) { // or NaN
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// String describes the state in a line, for example
// "12 of 60 runs, 1 failed, 5.2 runs/s, 9.2 s left".
func (p Progress) String() string {
	text := p.describe("")
	if left, ok := p.Left(); ok {
		text += ", " + table.Duration(left) + " left"
	}
	return text
}

// Summary describes the end in a line, for example
// "616 + 384 of 1000 runs in 20 s, 0 failed, 19.2 runs/s".
func (p Progress) Summary() string {
	return p.describe(" in " + table.Duration(p.Elapsed))
}

// describe shows the runs that were there before apart from those that this
// process has executed.
func (p Progress) describe(when string) string {
	text := fmt.Sprintf("%d of %d runs%s, %d failed", p.Done, p.Runs, when, p.Failed)
	before := p.Runs - p.Todo
	if before > 0 {
		text = fmt.Sprintf("%d + %s", before, text)
	}
	rate := p.PerSecond()
	if rate > 0 {
		text += ", " + table.Rate(rate)
	}
	return text
}
