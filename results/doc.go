// Package results keeps what the runs of a sweep yield: segments on disk
// while the sweep runs, Parquet files and summaries when it is done, and
// tables for people.
//
// The way through the package, in the order the data takes:
//
//   - columns.go and layout.go derive the columns of the three files from
//     an experiment's declaration, and their Parquet schemas.
//   - store.go holds Store, the output directory of one sweep. Open takes
//     its lock (lock.go), learns what it already has (inventory.go,
//     scan.go) and sets aside what is damaged (checksum.go, damage.go);
//     Append hands a run to the open segment (segment.go), which is closed
//     every second or every 1,000 runs; many small ones become one
//     (compact.go).
//   - finish.go merges the segments (merge.go) into runs.parquet and
//     series.parquet, and computes summary.parquet from them (summary.go,
//     stats.go).
//   - shards.go divides a sweep among directories, and gather.go brings what
//     several hold together again.
//   - manifest.go holds what is not a function of the spec.
//   - view.go reads a directory back run by run, archive.go also one of
//     another model version; digest.go sums its runs up in one number, and
//     difference.go compares two outcomes of a run.
//   - tally.go knows which runs are there and which are needed; judge.go
//     applies a stopping rule, superfluous.go leaves out what it does not
//     ask for.
//   - load.go reads a directory's summary, and table*.go print it.
//   - disk.go is all that the package does to the file system, and
//     atomic.go how a file comes to be there whole or not at all.
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
//	damaged/000002.runs.parquet   what was found damaged, for you to look at
//	shards/0-of-3/                the same, with the runs of one shard only
//	.lock                         who writes here, while somebody does
//
// A segment counts from the moment its .runs file bears its name; its
// series is in place before. The same holds of runs.parquet, which is the
// last of the final files to be put in place. What is named .*.tmp is
// unfinished or merged, and removed when the directory is next opened.
//
// Each of these steps is durable before the next is taken, so they hold
// after a power cut too, whatever order a file system keeps. Every Parquet
// file bears a checksum of itself.
//
// # Errors
//
// A *DataError tells of a directory or file whose content is not acceptable
// (damaged, or of another sweep), a *LockedError of one that another
// process writes to. Every other error is a fault of input or
// output and wraps the operating system's, with its path. Misuse of the
// package, such as a row of the wrong length, panics.
package results
