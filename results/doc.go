// Package results keeps what the runs of a sweep yield: segments on disk
// while the sweep runs, Parquet files and summaries when it is done, and
// tables for people.
//
// The way through the package, in the order the data takes:
//
//   - columns.go and layout.go derive the columns of the three files from
//     an experiment's declaration, and their Parquet schemas.
//   - store.go holds Store, the output directory of one sweep. Open learns
//     what the directory already has (inventory.go, scan.go); Append hands
//     a run to the open segment (segment.go), which is closed every second
//     or every 1,000 runs.
//   - finish.go merges the segments (merge.go) into runs.parquet and
//     series.parquet, and computes summary.parquet from them (summary.go,
//     stats.go).
//   - manifest.go holds what is not a function of the spec.
//   - view.go reads a directory back run by run; digest.go sums its runs up
//     in one number, and difference.go compares two outcomes of a run.
//   - load.go reads a directory's summary, and table*.go print it.
//
// What is on disk is the truth: a run is finished when a closed segment or
// a final file holds its row, and nowhere else. The final files are a merge
// of the segments in the order of the plan, so their bytes depend on the
// spec and the model alone, not on the order or grouping in which rows
// arrived.
//
// # Layout of a directory
//
//	spec.toml                     the spec as given
//	manifest.json                 when, where and by which build it was run
//	runs.parquet                  one row per run, in the order of the plan
//	series.parquet                the runs' rows over time, in the same order
//	summary.parquet               one row per metric and cell
//	segments/000001.runs.parquet  rows not yet merged, columns as in runs.parquet
//	segments/000001.series.parquet
//
// A segment counts from the moment its .runs file bears its name; its
// series is in place before. The same holds of runs.parquet, which is the
// last of the final files to be put in place. Files named .*.tmp are
// unfinished, and removed when the directory is next opened.
//
// # Errors
//
// A *DataError tells of a directory or file whose content is not acceptable
// (damaged, or of another sweep). Every other error is a fault of input or
// output and wraps the operating system's, with its path. Misuse of the
// package, such as a row of the wrong length, panics.
package results
