// Package analysis asks what the results of sweeps say: which of two cells
// is better and how surely, whether a claim holds, what differs between two
// sets of results.
//
//   - sample.go reads what the runs of a directory measured, cell by cell, and
//     pairs the runs of several cells that met the same random numbers;
//   - contrast.go estimates from them whatever is compared: a number computed
//     from the means of cells, with its limits;
//   - compare.go makes contrasts of cells with a baseline;
//   - claim.go finds out what the expressions of claims mean, cases.go about
//     which cells they are, verdict.go judges them;
//   - diff.go matches the runs of two directories, whatever their spec and
//     model version, and tells how they differ;
//   - table.go sets the means of a sweep beside those of a paper;
//   - print.go has what their tables share.
//
// The statistics are those of package inference, the language of claims is
// that of package expr. What casts doubt on a number stands beside it.
package analysis
