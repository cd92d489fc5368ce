package bayes

// Every constant of the learner, with its unit and with what it was chosen on.
//
// As a whole they were chosen on nodes drawn with seeds 501 to 506 and on the
// record crates from 2018 to 2024 (READINGS 18). What is recorded of a single
// constant beyond that stands beside it; "not recorded" says that nothing is.

// The calendar.
const (
	// horizon is the number of slots that the calendar has lists for, a power
	// of two. It has to be above maxWait.
	horizon = 1024

	// maxWait is the number of slots after which a node is looked at in any
	// case. 2,000 was tried on histories in git (version 10), where it changes
	// the mean by .0015 or less.
	maxWait = 1000

	// maxLinkedWait is the same, in slots, where nodes are linked: others may
	// tell of nodes that wait. Not recorded.
	maxLinkedWait = 240

	// patience bounds waits and leases after a switch or an alarm: none is
	// longer than the slots since then, divided by patience. Chosen among
	// equals on seeds 0 to 5 of the tests.
	patience = 4

	// latenessPart bounds how soon a node that is late is looked at again:
	// after its wait until now, divided by latenessPart. A poll that comes late
	// by a part of the gap costs little. Without it .0003 were lost on drawn
	// nodes, and .002 gained on the record crates (version 14).
	latenessPart = 16

	// classes is the number of classes of indices among the candidates. Chosen
	// on drawn nodes for time (version 11).
	classes = 128

	// classScale makes an index of 0 belong to the last class, in classes.
	classScale = classes * 0.999

	// nearMargin is how far below the cutoff candidates begin, in squares of
	// the cutoff's noise (1/C), as a share of the cutoff. What a margin is
	// worth was measured, not its size.
	nearMargin = 0.3

	// cutoffGain is the part of the way to the smallest index polled in a slot
	// that the cutoff goes. Not recorded.
	cutoffGain = 0.1
)

// Leases.
const (
	// leasePart is the number of polls of a lease as a share of the changes
	// that are known, a. Not recorded.
	leasePart = 0.25

	// minLeasePolls is the smallest number of polls of a lease: one is none.
	minLeasePolls = 2

	// maxLeasePolls is the largest one, which fits the 5 bits of the counts of
	// hits. Chosen on drawn nodes: 63 lose .15 % of what redrawn nodes yield
	// (version 11).
	maxLeasePolls = 31

	// maxLeaseGap is the largest gap between the polls of a lease, in slots.
	maxLeaseGap = 16

	// leaseDelay is the smallest number of slots from when the index reaches
	// the cutoff, in continuous time, to the poll of a lease. Chosen on drawn
	// nodes (version 11).
	leaseDelay = 0.1

	// maxLeaseOdds is the odds that a node was replaced up to which it gets a
	// lease. Not recorded.
	maxLeaseOdds = 0.1

	// leaseMargin is the part of the capacity that leases leave to other polls,
	// in units of the cutoff's noise: leases of gaps above 1 come in unequal
	// numbers. Chosen on drawn nodes, seeds 501 to 503 (version 8).
	leaseMargin = 1.5

	// disappearLeaseMargin is the same in disappear. Not recorded.
	disappearLeaseMargin = 0.7
)

// leaseGaps are the gaps that leases may have, in slots; in disappear only the
// first. Chosen on drawn nodes, seeds 501 to 503 (version 8): with 1, 2, 3, 4,
// 6, 8, 12, 16 and 24 alone, nodes that stay yield 99.8 and not 99.9 %.
var leaseGaps = [...]int{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, maxLeaseGap}

// Forgetting.
const (
	// changeRate is the probability with which a node is taken to be replaced
	// by another in a slot. What the odds are worth was measured, not this
	// number.
	changeRate = 2e-5

	// replacedOdds is the odds above which a node is taken to have been
	// replaced. Not recorded.
	replacedOdds = 3

	// minMiss is added to the probabilities that are compared, so that none is
	// 0. Not recorded.
	minMiss = 1e-4

	// alarmCusum is the sum of logarithms at which everything is forgotten. In
	// accumulate other values were tried on the record crates (version 10); in
	// disappear, not recorded.
	alarmCusum = 30

	// overwriteAlarmCusum is the same in overwrite, where R/C is added: the
	// slots that it takes to poll all nodes anew. Chosen on the histories in
	// git of Scoop's Extras, PEPs, Redis and packages of OpenWrt (version 10).
	overwriteAlarmCusum = 20

	// settling is the number of slots after an alarm or a switch that do not
	// count for the next alarm: hits of what waited mislead. Chosen on 40 seeds
	// of drawn nodes, 3 of which had two alarms after a switch without it. With
	// a grid there are at least as many as it takes to poll all nodes
	// settlingTurns times: its first prior is a poor one.
	settling      = 10
	settlingTurns = 3

	// fadingRate is how many times as fast evidence fades as nodes are
	// replaced. Chosen on drawn nodes, seeds 501 to 512 (version 12), as are
	// the next four.
	fadingRate = 10

	// maxTries is the number of polls that are recent; older ones lose their
	// weight.
	maxTries = 2e6

	// firstTries and firstDisappearTries are polls, and firstReplaced the nodes
	// replaced among them, that are counted before all others. In disappear
	// fading has nodes explored again.
	firstTries          = 2e5
	firstDisappearTries = 4e5
	firstReplaced       = 20
)

// The prior.
const (
	// firstShape and firstSlots are a and b of the prior before anything was
	// seen, in changes and slots. A first guess in units of R/C was tried
	// (version 10).
	firstShape = 0.5
	firstSlots = 20

	// pseudoNodes is how many nodes of that kind count as seen before all
	// others. Chosen together with bonus, in disappear, on crates and releases
	// of Python packages: 1 loses .02 on crates, 3 lose more, and 1 gains .02
	// on packages of lognormal importance.
	pseudoNodes = 0.3

	// minShape bounds a of the prior: below, nodes are given up after a few
	// misses. Shapes down to .35 were tried on histories in git (version 10).
	minShape = 0.5

	// bonus is the number of changes that are added to those seen of a node in
	// disappear. Chosen on drawn nodes that switch, of which 1 loses .5 %, and
	// on crates and releases of Python packages.
	bonus = 1.5

	// maxSample is about the largest number of nodes that the prior is learned
	// from, which bounds the time of that. Not recorded.
	maxSample = 1 << 15

	// firstRenewal and maxRenewal bound the slots from one renewal of the prior
	// to the next, which are those of the run until then, divided by
	// renewalPart. Not recorded.
	firstRenewal = 8
	maxRenewal   = 256
	renewalPart  = 8
)

// The grid.
const (
	// redraw is the probability with which a node on the grid is taken to be
	// redrawn in a slot. Chosen on the record crates from 2020 to 2024 and on
	// drawn pages that are quiet for months and then change daily: 10⁻⁴ loses
	// .05 there and gains .0001 on nodes that stay.
	redraw = 3e-4

	// settledChanges is the number of changes from which on a node is settled.
	// 5 gains .011 ± .009 on the record spells and .0005 ± .0008 on crates, and
	// loses .0025 and .005 on drawn pages that are redrawn or die; it takes
	// longer.
	settledChanges = 3

	// evenNodes is how many nodes of which all rates are equally likely count
	// as seen before all others. 0.3 loses .04 on the record spells and .01 on
	// drawn pages that die, and nothing elsewhere.
	evenNodes = 3

	// fastestRate is the largest θ: a change in 95 % of the slots. The smallest
	// is one in some 10,000 slots.
	fastestRate = 3

	// betweenRates is d of shape for one rate, which stands for a factor of 2:
	// half of (ln 2)²/12, the variance of a uniform distribution.
	betweenRates = 0.02

	// perNat is the unit of likelihoods: bytes reach to e^−16.
	perNat = 16

	// optimism is the number of standard deviations of a node's index that are
	// added to its mean. Chosen on the records crates from 2018 to 2026 and
	// spells, and on pages of sweeps/records/drawn.py with seed 5. On crates 0,
	// .05, .1 and .2 gain .002, .003, .001 and 0 less.
	optimism = 0.15

	// Gaps have classes up to maxGap slots, gapsPerOctave in each octave.
	gapsPerOctave = 8
	gapOctaves    = 12
	gapClasses    = gapOctaves*gapsPerOctave + 1
	maxGap        = 1 << gapOctaves
)

// Links. Their use was chosen on the five windows of two years of the record
// crates from 2018-11 to 2024-11, with four shuffles of its importance-values;
// of these numbers, nothing is recorded.
var (
	// strengthValues are the strengths q that a link may have, probabilities.
	strengthValues = strengths{0, 0.2, 0.4, 0.6, 0.8, 0.95}

	// linkPrior is how many links of each strength count as seen before all
	// others: ten in sum.
	linkPrior = strengths{7, 0.3, 0.3, 0.4, 0.6, 1.4}
)

// Bounds that keep numbers defined, or errors small. Not recorded, and not
// chosen: results should not depend on them.
const (
	minWeight       = 1e-12  // importance-value per cost
	maxWeight       = 1e30   // the same
	minIndex        = 1e-300 // added, so that the class of an index is a number if all are 0
	minParameter    = 0.05   // of a and b, which evidence of surprising hits may make smaller
	minExponent     = 1e-3   // gθ in afterMany
	tangentSteps    = 2      // of afterMany, each from the mean of the one before
	minSurpriseMiss = 1e-6   // probability in surprise
	minHits         = 0.1    // polls in surprise, of hits and of misses
	maxSurprise     = 50     // logarithm; 20 was worse for redrawn nodes (version 11)
	minShrink       = 1e-6   // factor in indexNow
	minRest         = 1e-9   // 1 − cutoff/weight in gap
	minOwnHit       = 0.01   // probability in news
	minUnchanged    = 1e-100 // probability in unchanged
	minLikelihood   = 1e-6   // of the outcome of one poll, for a link
	minPosterior    = 1e-9   // of a strength
)

// The tables of curves. Their sizes make the errors that curves tells of.
const (
	curveSteps = 32 // entries of decays in a unit
	curveEnd   = 24 // from where e^(−x) counts as 0
	logSteps   = 64 // entries of logs in an octave

	// Shapes a and odds in the table of waits, two entries in an octave from 2
	// to the power of the exponent on.
	shapeRows        = 36
	minShapeExponent = -5
	oddsColumns      = 60
	minOddsExponent  = -15

	newtonSteps = 20 // of solveWait, to the last bit
	maxLogWait  = 50 // ln(1+y), so that float32 has room for it
)
