package runner

import "time"

// RefreshAfter sets after which time exported files are refreshed. What
// compresses them cannot do so in several bubbles of synctest.
func RefreshAfter(d time.Duration) { refreshAfter = d }

// FirstRefresh is firstRefresh.
var FirstRefresh = firstRefresh
