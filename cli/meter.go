package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"sweep/runner"
)

// newPace returns a function that reports whether a log gets a line now: after
// 1, 2, 4 … 32 s, then every 30 s or, if that is longer, whenever another
// hundredth of the elapsed time has passed. So a week leaves some hundred lines
// and not 20,000.
func newPace() (due func(runner.Progress) bool) {
	next := time.Second
	return func(s runner.Progress) bool {
		if s.Elapsed < next || s.Done >= s.Todo {
			return false
		}
		next = s.Elapsed + max(min(s.Elapsed, 30*time.Second), s.Elapsed/100)
		return true
	}
}

// A meter shows a person how far the work has come: by a bar on a terminal that
// can draw one, else by lines now and then, or not at all. What cannot be
// written is dropped: progress is no result. Its methods may be called from any
// goroutine.
type meter struct {
	mu     sync.Mutex
	w      io.Writer
	silent bool
	due    func(runner.Progress) bool // whether to write a line

	bar     *progressbar.ProgressBar // nil: lines
	columns func() int               // of the terminal
}

// newMeter returns a meter that writes to w; a silent one has only notes.
func newMeter(w io.Writer, silent bool) *meter {
	m := &meter{w: w, silent: silent, due: newPace()}
	file, ok := w.(*os.File)
	draws := os.Getenv("TERM") != "dumb" // such as that of an editor
	if ok && draws && !silent && term.IsTerminal(int(file.Fd())) {
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

// showBar makes the meter a bar on a terminal of some columns.
func (m *meter) showBar(columns func() int) {
	m.columns = columns
	options := []progressbar.Option{
		progressbar.OptionSetWriter(m.w),
		progressbar.OptionSetWidth(30), // or what fits
		progressbar.OptionSetPredictTime(false),
		progressbar.OptionUseANSICodes(true),
		progressbar.OptionThrottle(200 * time.Millisecond),
		progressbar.OptionShowDescriptionAtLineEnd(),
		progressbar.OptionClearOnFinish(),
	}
	m.bar = progressbar.NewOptions64(1, options...)
}

// frame is how many columns the shortest bar takes beside the text.
const frame = len(" 100% ||   ") + 1

// show draws the bar with as much of the state's text as fits, or writes a line
// if one is due. The last run does not end the bar: a note does.
func (m *meter) show(s runner.Progress) {
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

// note writes a line, and removes the bar until show is called again.
func (m *meter) note(line string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.bar != nil {
		_ = m.bar.Clear()
	}
	fmt.Fprintln(m.w, line)
}

// end says what was done in all, if there was anything to do.
func (m *meter) end(s runner.Progress) {
	if !m.silent && s.Todo > 0 {
		m.note(s.Summary())
	}
}

// fit drops parts or words from the end of a text until it fits into columns.
func fit(text string, columns int) string {
	for len(text) > max(columns, 0) {
		end := strings.LastIndex(text, ", ")
		if end < 0 {
			end = strings.LastIndex(text, " ")
		}
		text = text[:max(end, 0)]
	}
	return text
}
