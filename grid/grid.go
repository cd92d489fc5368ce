// Package grid turns a sweep's specification into an ordered, lazily
// indexed sequence of points.
package grid

import "sweep/internal/schema"

// Spec is a parsed and validated specification.
type Spec struct {
	Name       string             // the name key, default: the file's base name
	File       string             // as given to Parse, for messages
	Source     []byte             // the bytes given to Parse
	Experiment *schema.Experiment // the declaration the spec asks for
	PaperTable string             // [paper] table; empty if absent
}

// Parse reads a TOML spec. Every fault is an *Error.
func Parse(file string, source []byte, experiments []*schema.Experiment) (*Spec, error) {
	panic("not built yet")
}

// Error is one fault in a spec, with its position.
type Error struct {
	File         string
	Line, Column int // from 1; 0 if the fault has no position
	Message      string
	Hint         string // e.g. `did you mean "gamma"?`; printed on its own line
}

func (e *Error) Error() string { return e.Message }

// Plan returns the spec's points.
func (s *Spec) Plan() *Plan { panic("not built yet") }

// A Plan is the ordered set of a sweep's runs. Run i belongs to seed
// i / Cells() and cell i % Cells(). It is immutable and safe for
// concurrent use.
type Plan struct{}

func (p *Plan) Experiment() *schema.Experiment { panic("not built yet") }
func (p *Plan) Runs() int64                    { panic("not built yet") }
func (p *Plan) Cells() int64                   { panic("not built yet") }
func (p *Plan) Seeds() int64                   { panic("not built yet") }

// Seed returns the k-th seed, 0 ≤ k < Seeds().
func (p *Plan) Seed(k int64) int64 { panic("not built yet") }

// Cell fills values (len = parameters of the experiment) with the
// canonical values of cell c: defaults filled in, null where unused.
func (p *Plan) Cell(c int64, values []schema.Value) { panic("not built yet") }

// Point returns run i's point.
func (p *Plan) Point(i int64) schema.Point { panic("not built yet") }

// Find is the inverse of Point: the index of the run with these canonical
// values and seed.
func (p *Plan) Find(values []schema.Value, seed int64) (i int64, ok bool) { panic("not built yet") }

// Varying returns the indices of parameters that take more than one value
// (null counts as a value) in the plan, in document order.
func (p *Plan) Varying() []int { panic("not built yet") }

// ID is a run's identity.
type ID [16]byte

// String returns the identity as 32 hexadecimal digits.
func (id ID) String() string { panic("not built yet") }

// Identify returns the identity of a point.
func Identify(p schema.Point) ID { panic("not built yet") }
