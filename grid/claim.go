package grid

// A Claim is a statement that a spec makes about the results of its sweep.
// It has no part in what is run, nor in the identity of runs.
type Claim struct {
	Line     int    // where it stands in the spec
	Says     string // the claim in words
	Source   string // who made it: paper, section
	Untested string // why nothing here tests it; empty if something does

	// Asks is what is tested, in the spec's own terms: "retrieved of
	// algorithm = CGLA above that of algorithm = uniform, in every N".
	Asks string

	// A claim that is tested holds if its rule holds in every case, or, if
	// Some, in at least one. There is at least one case.
	Measures  []Measure
	Statistic Statistic
	Rule      Rule
	Some      bool
	Cases     []Case
}

// A Measure is a number that is taken from each run.
type Measure struct {
	// Index is that of a metric in the experiment's declaration or, if Take
	// is not empty, that of a column of its series.
	Index int
	Take  Take
}

// A Take is what a measure takes from those rows of a series that lie in a
// window.
type Take string

// The takes. TakeStd is the standard deviation with n−1.
const (
	TakeMean Take = "mean"
	TakeMin  Take = "min"
	TakeMax  Take = "max"
	TakeStd  Take = "std"
)

// A Statistic is what becomes of the numbers of a cell's runs.
type Statistic string

// The statistics: the mean, and the coefficient of variation, which is the
// standard deviation over the mean.
const (
	StatisticMean      Statistic = "mean"
	StatisticVariation Statistic = "variation"
)

// A Relation is what a rule demands.
type Relation string

// The relations.
const (
	Above Relation = "above"
	Below Relation = "below"
	Near  Relation = "near"
)

// A Rule is what must be true of the left and the right side of a case:
//
//	Above: left > times·right + by
//	Below: left < times·right − by
//	Near:  |left − times·right| ≤ within, or, if Relative, ≤ within·|times·right|
type Rule struct {
	Relation Relation
	Times    float64 // positive; 1 unless the spec says otherwise
	By       float64 // at least 0
	Within   float64 // at least 0
	Relative bool
}

// A Case is one comparison of a claim.
type Case struct {
	Where   string // what sets the case apart, as "N = 32, f = 0.1"; empty if it is the only one
	Measure int    // index in the claim's Measures
	Left    Side
	Right   *Side   // nil: Number is the right side
	Number  float64 // what a paper printed, for example
	Std     float64 // the standard deviation printed beside Number, 0 if none
}

// A Side is a statistic of a cell, less that of another if Minus is not nil.
type Side struct {
	Of    Term
	Minus *Term
}

// A Term is a cell of the plan. Of a series the rows count whose axis is in
// (After, To].
type Term struct {
	Cell      int64
	After, To float64
}
