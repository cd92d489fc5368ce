package results

import "slices"

// An Effort is what runs took together, each in its last attempt. Its JSON is
// part of the manifest.
type Effort struct {
	Runs    int64   `json:"runs"`
	Seconds float64 `json:"seconds"`
	Longest float64 `json:"longest_seconds"` // of a run

	CPUSeconds float64 `json:"cpu_seconds"`           // of those of which it is known
	CPURuns    int64   `json:"cpu_runs"`              // their number
	PeakMemory int64   `json:"peak_memory,omitempty"` // the largest, in bytes; 0: not known

	Hosts []string `json:"hosts,omitempty"` // sorted
}

// Add adds a run.
func (e *Effort) Add(run *Row) {
	e.Runs++
	e.Seconds += run.Seconds
	e.Longest = max(e.Longest, run.Seconds)
	used := run.Result.Usage
	if !used.Started.IsZero() && used.CPUSeconds >= 0 { // else it is NaN
		e.CPUSeconds += used.CPUSeconds
		e.CPURuns++
	}
	e.PeakMemory = max(e.PeakMemory, used.PeakMemory)
	at, known := slices.BinarySearch(e.Hosts, run.Host)
	if !known && run.Host != "" {
		e.Hosts = slices.Insert(e.Hosts, at, run.Host)
	}
}
