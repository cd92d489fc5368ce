// Package results keeps what the runs of a sweep yield: an append-only log
// while the sweep runs, and Parquet files that are exported from it.
//
// The way through the package, in the order the data takes:
//
//   - record.go writes and reads the line of a run, log.go the file of lines:
//     scanned from the beginning, read by place, appended to.
//   - index.go knows where the records of a plan's runs are, in one or several
//     logs; stop.go which runs a stopping rule asks for.
//   - store.go holds Store, the directory of one sweep or shard, open for
//     writing; merge.go takes runs from other directories.
//   - export.go writes runs.parquet, series.parquet and summary.parquet, with
//     columns.go, parquet.go and summary.go.
//   - reader.go reads a directory back run by run, archive.go also one of
//     another model version; digest.go sums its runs up in one number, and
//     difference.go compares two outcomes of a run.
//   - manifest.go holds what is not a function of the spec, lock.go who is
//     writing.
//   - layout.go knows the names in a directory, and disk.go is all that the
//     package does to the file system.
//
// # Layout of a directory
//
//	spec.toml        the spec as given
//	manifest.json    when, where and by which build it was run
//	runs.jsonl       the log: a header, then a record for every run
//	runs.parquet     one row per run, in the order of the plan
//	series.parquet   the runs' rows over time, in the same order
//	summary.parquet  one row per metric and cell
//	corrupt.txt      what was found corrupt in the log, for you to look at
//	shards/0-of-3/   spec.toml, manifest.json and runs.jsonl of one shard
//	.lock            who writes here, while somebody does
//
// The log is the truth: a run is finished when its record is there, and
// nowhere else. Records are found by the identity of their cell and their
// seed, so a plan may grow, shrink or be reordered. Everything else but the
// spec follows from it; the bytes of the exported files depend on the spec
// and the model alone, not on the order in which runs ended.
//
// Every line of the log, the manifest and the exported files bear checksums;
// the spec's is in the log. What is named .*.tmp is unfinished, and removed
// when the directory is next opened.
//
// # Errors
//
// A *DataError tells of a directory or file whose content is not acceptable
// (corrupt, or of another sweep), a *LockedError of one that another process
// writes to. Every other error is a fault of input or output and wraps the
// operating system's, with its path. Misuse of the package, such as a row of
// the wrong length, panics.
package results
