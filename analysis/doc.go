// Package analysis asks what the results of sweeps say: which of two cells
// is better and how surely, whether a claim holds, what differs between two
// sets of results.
//
//   - sample.go reads from a view what its runs measured, cell by cell, and
//     pairs the runs of two cells that met the same random numbers;
//     series.go takes numbers from the series of a run;
//   - compare.go compares cells with a baseline;
//   - claims.go judges the claims that a spec makes;
//   - diff.go matches the runs of two directories, whatever their spec and
//     model version, and tells how they differ;
//   - format.go and the files named after it print what came out, as text
//     for people (package sheet) or as records for programs.
//
// The statistics are those of package inference. What casts doubt on a
// number stands beside it.
package analysis
