package progress

import (
	"fmt"
	"math"
	"time"
)

// A count is the state of the work. Only runs of this process count: what
// an earlier process has left done took it no time.
type count struct {
	total, done, failed int64
	start               time.Time
}

// rate returns finished runs per second since the start; 0 if unknown.
func (c count) rate(now time.Time) float64 {
	elapsed := now.Sub(c.start).Seconds()
	if c.done == 0 || elapsed <= 0 {
		return 0
	}
	return float64(c.done) / elapsed
}

// left estimates the time until the last run ends from the mean rate so
// far. Runs are interleaved over the cells, so the mean over those done is
// a fair guess for those to come.
func (c count) left(now time.Time) (time.Duration, bool) {
	rate := c.rate(now)
	if rate == 0 {
		return 0, false
	}
	seconds := float64(c.total-c.done) / rate
	if seconds > math.MaxInt64/float64(time.Second)/2 {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// state returns the state for a program.
func (c count) state(now time.Time) State {
	s := State{Done: c.done, Failed: c.failed, Total: c.total, PerSecond: c.rate(now), Left: -1}
	if left, ok := c.left(now); ok {
		s.Left = left
	}
	return s
}

// text describes the state in a line, for example
// "12/60 runs, 1 failed, 5.2 runs/s, 9 s left".
func (c count) text(now time.Time, color bool) string {
	s := fmt.Sprintf("%d/%d runs", c.done, c.total) + c.failures(color)
	if c.done > 0 {
		s += ", " + PerTime(c.rate(now))
	}
	if left, ok := c.left(now); ok {
		s += ", " + Human(left) + " left"
	}
	return s
}

// summary describes the end state in a line.
func (c count) summary(now time.Time) string {
	s := fmt.Sprintf("%d/%d runs in %s", c.done, c.total, Human(now.Sub(c.start))) + c.failures(false)
	if rate := c.rate(now); rate > 0 {
		s += ", " + PerTime(rate)
	}
	return s
}

func (c count) failures(color bool) string {
	s := fmt.Sprintf("%d failed", c.failed)
	if color && c.failed > 0 {
		s = "[red]" + s + "[reset]" // the bar package's notation
	}
	return ", " + s
}

// PerTime writes a positive rate in the unit that leaves a number above 1.
func PerTime(perSecond float64) string {
	switch {
	case perSecond >= 100:
		return fmt.Sprintf("%.0f runs/s", perSecond)
	case perSecond >= 1:
		return fmt.Sprintf("%.1f runs/s", perSecond)
	case perSecond*60 >= 1:
		return fmt.Sprintf("%.1f runs/min", perSecond*60)
	}
	return fmt.Sprintf("%.1f runs/h", perSecond*3600)
}

// Human writes a duration with the precision a person wants: "0.4 s",
// "9 s", "3 min 20 s", "2 h 05 min", "3 d 4 h".
func Human(d time.Duration) string {
	s := int64(d.Round(time.Second) / time.Second)
	switch {
	case d < 9950*time.Millisecond:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case s < 60:
		return fmt.Sprintf("%d s", s)
	case s < 3600:
		return fmt.Sprintf("%d min %02d s", s/60, s%60)
	case s < 24*3600:
		return fmt.Sprintf("%d h %02d min", s/3600, s/60%60)
	}
	return fmt.Sprintf("%d d %d h", s/86400, s/3600%24)
}
