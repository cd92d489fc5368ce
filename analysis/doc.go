// Package analysis says what the results of sweeps mean: which of two cells
// is better and how surely, whether a claim holds, what differs between two
// sets of results.
//
// The way through the package:
//
//   - contrast.go estimates a number computed from the means of cells, with
//     its limits, from runs that met the same random numbers.
//   - compare.go makes contrasts of cells with a baseline; comparetable.go
//     corrects them as one family and prints them.
//   - claim.go reads the claims of a spec. comparison.go, term.go and
//     condition.go read the parts of their expressions; cases.go finds the
//     cells that they are about.
//   - verdict.go judges claims; claimtable.go prints them. price.go says what
//     undecided ones are likely to need, and which seeds count if more were
//     bought for them.
//   - diff.go matches the runs of two directories, whatever their specs.
//   - versions.go compares two versions of a sweep: it pairs their cells,
//     estimates what changed, and sets the verdicts side by side.
//     versiontable.go prints that.
//   - sampled.go takes blocks of runs from a sampled sweep; sensitivity.go
//     shares their variance out to parameters.
//   - search.go says where a search goes on, by a response surface that is
//     fitted to the results so far; searchtable.go prints what it has found,
//     and how that was judged.
//   - table.go prints the means of a sweep: as cellstable.go lays them out or,
//     beside those of a paper, papertable.go. notes.go says what they are made
//     of.
//   - print.go has what several tables share.
//
// The statistics are those of package inference, the language of claims is that
// of package expr. Warnings stand beside the numbers that they are about.
package analysis
