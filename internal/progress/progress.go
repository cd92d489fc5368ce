// Package progress tells people how a sweep is getting on: by a bar that
// redraws itself on a terminal, or by a plain line now and then in a log.
//
// It has no goroutine: the caller says when something has happened.
package progress

import (
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A State is how far the work has come.
type State struct {
	Runs    int64 // that the sweep is to hold
	Todo    int64 // of these, for this process to execute
	Done    int64 // of these, executed
	Failed  int64 // of these, failed
	Elapsed time.Duration
}

// PerSecond returns how many runs this process executes in a second, as a
// mean since the start; 0 if unknown.
func (s State) PerSecond() float64 {
	if s.Done == 0 || s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Done) / s.Elapsed.Seconds()
}

// Left estimates the time until the last run ends from the mean rate so
// far, false if it is not known. Runs are interleaved over the cells, so those
// done are a fair sample.
func (s State) Left() (time.Duration, bool) {
	seconds := float64(s.Todo-s.Done) / s.PerSecond()
	if !(seconds <= math.MaxInt64/float64(time.Second)/2) {
		return 0, false
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// String describes the state in a line, for example
// "12 of 60 runs, 1 failed, 5.2 runs/s, 9.2 s left".
func (s State) String() string {
	text := s.describe("")
	if left, ok := s.Left(); ok {
		text += ", " + Human(left) + " left"
	}
	return text
}

// Summary describes the end in a line, for example
// "616 + 384 of 1000 runs in 20 s, 0 failed, 19.2 runs/s".
func (s State) Summary() string { return s.describe(" in " + Human(s.Elapsed)) }

// describe tells what an earlier process has done apart from what this one
// has.
func (s State) describe(when string) string {
	text := fmt.Sprintf("%d of %d runs%s, %d failed", s.Done, s.Runs, when, s.Failed)
	if before := s.Runs - s.Todo; before > 0 {
		text = fmt.Sprintf("%d + ", before) + text
	}
	if rate := s.PerSecond(); rate > 0 {
		text += ", " + PerTime(rate)
	}
	return text
}

// Pace returns a function that reports whether a log gets a line now: after 1, 2,
// 4 … 32 s, then every 30 s, or every hundredth of the elapsed time if that is
// longer, so that a week leaves some hundred lines and not 20,000.
func Pace() (due func(State) bool) {
	next := time.Second
	return func(s State) bool {
		if s.Elapsed < next || s.Done >= s.Todo {
			return false
		}
		next = s.Elapsed + max(min(s.Elapsed, 30*time.Second), s.Elapsed/100)
		return true
	}
}

// A Meter shows a person how far the work has come: by a bar on a terminal,
// else by lines now and then, or not at all. What cannot be written is dropped:
// progress is no result. Its methods may be called from any goroutine.
type Meter struct {
	mu     sync.Mutex
	w      io.Writer
	silent bool
	due    func(State) bool // whether to write a line

	bar     *progressbar.ProgressBar // nil: lines
	columns func() int               // of the terminal
}

// NewMeter returns a meter that writes to w; a silent one has only notes.
func NewMeter(w io.Writer, silent bool) *Meter {
	m := &Meter{w: w, silent: silent, due: Pace()}
	if file, ok := w.(*os.File); ok && !silent && term.IsTerminal(int(file.Fd())) {
		m.showBar(func() int {
			columns, _, err := term.GetSize(int(file.Fd()))
			if err != nil || columns <= 0 {
				return 80
			}
			return columns
		})
	}
	return m
}

func (m *Meter) showBar(columns func() int) {
	m.columns = columns
	m.bar = progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(m.w),
		progressbar.OptionSetWidth(30), // or what fits
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionThrottle(200*time.Millisecond),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionClearOnFinish())
}

// frame is what the bar takes of a line when it is as short as can be.
const frame = len(" 100% ||   ") + 1

// Show draws the bar with what fits of the state's text, or writes a line if
// one is due. The last run does not end the bar: a note does.
func (m *Meter) Show(s State) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.silent || s.Todo == 0:
	case m.bar != nil:
		if int64(m.bar.GetMax()) != s.Runs {
			m.bar.ChangeMax64(s.Runs)
		}
		m.bar.Describe(fit(s.String(), m.columns()-frame))
		_ = m.bar.Set64(s.Runs - s.Todo + s.Done)
	case m.due(s):
		fmt.Fprintln(m.w, s)
	}
}

// Note writes a line, and removes the bar until the next Show.
func (m *Meter) Note(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	fmt.Fprintln(m.w, line)
}

// End shows what was done in all, if there was anything to do.
func (m *Meter) End(s State) {
	if !m.silent && s.Todo > 0 {
		m.Note(s.Summary())
	}
}

// fit leaves out what is at the end of a text until it fits into so many
// columns.
func fit(text string, columns int) string {
	for len(text) > max(columns, 0) {
		cut := strings.LastIndex(text, ", ")
		if cut < 0 {
			cut = max(strings.LastIndex(text, " "), 0)
		}
		text = text[:cut]
	}
	return text
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
