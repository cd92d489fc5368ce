// Package progress tells a person how a sweep is getting on: a bar that
// redraws itself on a terminal, or a plain line now and then in a log.
//
// Rate and remaining time are computed here from the runs this process
// has finished (estimate.go); the bar package's own figures are wrong for
// a sweep that is taken up again.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
)

// Style is how progress is shown.
type Style int

// The styles.
const (
	Silent  Style = iota // not at all
	Lines                // a line at intervals, for logs
	Records              // a call of Record where Lines writes a line
	Bar                  // one line that redraws itself, for terminals
)

const (
	redraw   = 200 * time.Millisecond // of the bar
	minPause = time.Second            // between two lines
	maxPause = 30 * time.Second       // between two lines, at first
)

// Options describe what is to be shown.
type Options struct {
	Style Style
	Total int64 // runs this process has to do, at least 0
	Color bool  // whether the bar may use colour

	// Record takes the state in the style Records. It is called from one
	// goroutine at a time.
	Record func(State)
}

// A State is how far the work has come. Only runs of this process count.
type State struct {
	Done, Failed, Total int64 // Failed are among those Done

	PerSecond float64       // runs finished in a second, mean since the start; 0 if unknown
	Left      time.Duration // until the last run ends; negative if unknown
}

// A Meter counts finished runs and shows the count. Its methods may be
// called from any goroutine. What cannot be written is dropped: progress
// is no result.
type Meter struct {
	w    io.Writer
	opts Options
	bar  *progressbar.ProgressBar // nil unless the style is Bar

	stop, stopped chan struct{}

	mu     sync.Mutex
	count  count
	shown  time.Time // when the last line was written
	tenths int64     // tenths of the work done when it was written
}

// Start begins to show progress on w. The caller must call Stop.
func Start(w io.Writer, options Options) *Meter {
	m := &Meter{
		w: w, opts: options,
		stop: make(chan struct{}), stopped: make(chan struct{}),
		count: count{total: options.Total, start: time.Now()},
		shown: time.Now(),
	}
	period := time.Second
	if options.Style == Bar && options.Total > 0 {
		period = redraw
		m.bar = progressbar.NewOptions64(options.Total,
			progressbar.OptionSetWriter(w),
			progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionThrottle(redraw/2), // one of the two calls in tick draws
			progressbar.OptionEnableColorCodes(options.Color),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionShowDescriptionAtLineEnd(),
			progressbar.OptionClearOnFinish())
	}
	if options.Style == Silent {
		close(m.stopped)
		return m
	}
	m.tick()
	go func() {
		defer close(m.stopped)
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				m.tick()
			case <-m.stop:
				return
			}
		}
	}()
	return m
}

// Add counts one finished run.
func (m *Meter) Add(failed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count.done++
	if failed {
		m.count.failed++
	}
	if m.opts.Style == Lines || m.opts.Style == Records {
		m.line(time.Now())
	}
}

// Extend changes how many runs this process has to do.
func (m *Meter) Extend(total int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.count.total = total
	m.tenths = 0
	if total > 0 {
		m.tenths = m.count.done * 10 / total
	}
	if m.bar != nil {
		m.bar.ChangeMax64(total)
	}
}

// Note writes a line of the caller's, whatever the style.
func (m *Meter) Note(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		_ = m.bar.Clear() // the next redraw puts it below
	}
	fmt.Fprintln(m.w, text)
}

// Stop ends the display, for people with one line that sums up. It must be
// called once.
func (m *Meter) Stop() {
	close(m.stop)
	<-m.stopped
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	if m.opts.Style == Lines || m.opts.Style == Bar {
		fmt.Fprintln(m.w, m.count.summary(time.Now()))
	}
}

// tick shows the present count if it is time to.
func (m *Meter) tick() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if m.bar == nil {
		m.line(now)
		return
	}
	m.bar.Describe(m.count.text(now, m.opts.Color))
	_ = m.bar.Set64(m.count.done)
}

// line writes a log line, or has the state recorded, if it is due.
func (m *Meter) line(now time.Time) {
	if !m.due(now) {
		return
	}
	m.shown = now
	if m.opts.Style == Records {
		m.opts.Record(m.count.state(now))
		return
	}
	fmt.Fprintln(m.w, m.count.text(now, false))
}

// due reports whether a log should get a line: at every tenth of the work,
// and in between every 30 s, or every hundredth of the elapsed time if that
// is longer, so that a week leaves some hundred lines and not 20,000.
func (m *Meter) due(now time.Time) bool {
	pause := now.Sub(m.shown)
	if pause < minPause || m.count.done == m.count.total {
		return false
	}
	if tenths := m.count.done * 10 / m.count.total; tenths > m.tenths {
		m.tenths = tenths
		return true
	}
	return pause >= max(maxPause, now.Sub(m.count.start)/100)
}
