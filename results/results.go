// Package results keeps what the runs of a sweep yield: segments on disk
// while the sweep runs, Parquet files and summaries when it is done, and
// tables for people.
package results

import (
	"sweep/grid"
	"sweep/internal/schema"
)

// Status of a run.
const (
	OK     = "ok"
	Failed = "failed"
)

// Row is the outcome of one run.
type Row struct {
	Index  int64 // position in the plan
	ID     grid.ID
	Point  schema.Point
	Status string
	Error  string        // empty unless failed
	Result schema.Result // Metrics and Series; ignored if failed
}

// Store is the output directory of one sweep.
type Store struct{}

// Open opens or creates the directory for a plan and learns which runs it
// already holds.
func Open(dir string, spec *grid.Spec, plan *grid.Plan) (*Store, error) { panic("not built yet") }

// Done reports whether run i is finished with status OK on disk.
func (s *Store) Done(i int64) bool { panic("not built yet") }

// Finished returns how many of the plan's runs are on disk with status OK.
func (s *Store) Finished() int64 { panic("not built yet") }

// Append adds a finished run. It is called from one goroutine. Rows reach
// the disk in closed segments, at least every second or 1,000 runs.
func (s *Store) Append(r *Row) error { panic("not built yet") }

// Commit closes the current segment.
func (s *Store) Commit() error { panic("not built yet") }

// Finish merges the segments into runs.parquet, series.parquet and
// summary.parquet.
func (s *Store) Finish() error { panic("not built yet") }

// Close releases the directory; without Finish, segments stay for the next Open.
func (s *Store) Close() error { panic("not built yet") }
