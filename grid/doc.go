// Package grid turns a sweep's specification into an ordered, lazily
// indexed sequence of points.
//
// A spec is a TOML file. Parse reads it (spec.go) in these steps:
//
//   - package document turns the text into a tree whose keys and elements
//     know their positions, so that every fault can name its own;
//   - values and axes are checked against the experiment's declaration
//     (values.go), the one source of names, kinds and ranges; files that
//     a parameter names become what stands for their content (inputs.go);
//   - each [grid] block (block.go) becomes a product of axes, some of them
//     walked together (group.go), with patterns that exclude and points
//     that are included (patterns.go);
//   - the blocks become one set without repetition (union.go, overlap.go,
//     preimage.go), in package tuples, which counts and indexes products
//     without listing them;
//   - what parameters must satisfy together is checked on the values that
//     meet (rules.go).
//
// A spec may also have a rule by which cells get seeds until a mean is known
// well enough (stop.go).
//
// It may state claims about its results (claim.go). They are read
// last (claim_read.go), and resolved to cells of the plan (claim_cells.go,
// claim_cases.go).
//
// The result is a Plan (plan.go): run i's point is computed, never stored.
// A run is known by its ID (identity.go), which depends on what is run and
// on nothing else. Shards (shard.go) divide the runs among machines.
// Blocks describe for people what came of each [grid] (describe.go).
//
// # Canonical points
//
// A parameter that a point's algorithm does not use is null in that point,
// as is one that a file takes the place of; one that the spec does not name
// has its default. Combinations that thereby become equal are one point, at
// the place of the first of them.
//
// # Order
//
// Blocks follow one another as in the document, and within a block the
// axes count like the digits of a number: in document order, the last
// fastest. Axes that are zipped stand where the first of them stands. The
// points that a block includes follow its product. A point that an earlier
// place holds already is dropped. The whole list of cells is repeated for
// each seed, so that any prefix of the runs is balanced over the cells.
//
// The package does not know what an axis means: of all parameters only the
// selector, experiment.Algorithm, and the one with Replaces have a role of their
// own.
package grid
