package report

import "time"

// LastPage replaces how long Close waits for browsers, and returns what puts
// the old value back.
func LastPage(wait time.Duration) (restore func()) {
	old := lastPage
	lastPage = wait
	return func() { lastPage = old }
}
