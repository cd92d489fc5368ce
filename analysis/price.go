package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"sweep/internal/inference"
	"sweep/internal/table"
)

// Seeds may be bought for claims until they are decided. A claim is then judged
// at looks only, numbers of seeds that all of its cells have, by limits that
// hold at all looks (inference.Sequential).

// look chooses the seeds by which a case is judged, if seeds were bought: those
// of the last look. A case that is averaged over sets of cells has the same
// sample size with any number of seeds. It is judged by the spec's own seeds,
// as if none had been bought.
func (j *Judge) look(k *Case) {
	own := j.reader.Plan.Own()
	if k.over {
		k.until = own
		return
	}
	k.sequential = true
	ended := int64(math.MaxInt64)
	for _, cell := range k.cells() {
		ended = min(ended, j.reader.Ended(cell))
	}
	k.until = noSeeds
	if own < inference.FewSequential && ended > 0 { // to show it: there are no limits yet
		k.until = min(ended, inference.FewSequential-1)
	}
	for _, size := range inference.LookSizes(own) {
		if size <= ended {
			k.until = size
		}
	}
}

// cells returns the cells of a case, each once.
func (k *Case) cells() []int64 {
	list := slices.Concat(k.sets...)
	slices.Sort(list)
	return slices.Compact(list)
}

// manyTimes is how many times the spec's own seeds are a price that is called
// high: a margin is cheaper.
const manyTimes = 40

// mostSeeds is the number of seeds beyond which nobody wants to know what they
// cost.
const mostSeeds = 1e9

// A Price is what an undecided claim is likely to need for a verdict: its
// limits shrink as the root of the number of seeds grows, and its estimate
// stays where it is.
type Price struct {
	*Claim
	Seeds   int64   // that all its open cells have
	Needed  float64 // seeds for even odds of a verdict; +Inf if none do, NaN if unknown
	Next    int64   // seeds at the next look; 0 if there is none, or no seeds would help
	Cells   []int64 // whose seeds it waits for
	Runs    int64   // missing until the first look with Needed seeds, or until Needed
	Seconds float64 // that these take on one processor; NaN if unknown
	Note    string  // what else there is to say

	// Of an average over sets, such as worlds: how many values it has, and how
	// many more it is likely to need; 0 otherwise. Then Needed is NaN, and Runs
	// are those of the values that are missing.
	Values, MoreValues int64

	// Margin is the smallest one with which today's limits make it tied, as a
	// share of the right sides; NaN if it is none of a comparison, or of 0.
	Margin float64

	judge *Judge
}

// Prices returns the prices of the claims that Claims found undecided.
func (j *Judge) Prices() (list []*Price) {
	for _, c := range j.claims {
		if c.Verdict == Undecided {
			list = append(list, j.price(c))
		}
	}
	return list
}

// price returns the price of an undecided claim. The number of seeds hardly
// matters to one that is averaged over sets of cells: that number of sets does.
func (j *Judge) price(c *Claim) *Price {
	p := &Price{
		Claim:   c,
		Seeds:   j.reader.Plan.Seeds(),
		Needed:  c.needed(),
		Seconds: math.NaN(),
		Margin:  c.tiedWithin(),
		judge:   j,
	}
	averaged := 0 // values of an average over sets
	for _, k := range c.open() {
		if k.over {
			averaged = max(averaged, k.N)
		}
		p.Cells = append(p.Cells, k.cells()...)
		if k.N > 1 && k.Estimate.SE == 0 {
			p.Note = "all values are equal: does the seed matter?"
		}
		if k.mayDivideByZero {
			p.Note = "what is divided by may be 0"
		}
	}
	slices.Sort(p.Cells)
	p.Cells = slices.Compact(p.Cells)
	for _, cell := range p.Cells {
		p.Seeds = min(p.Seeds, p.seedsOf(cell))
	}
	if averaged > 0 {
		p.priceValues(averaged)
	} else {
		p.priceSeeds()
	}
	return p
}

// priceValues says what the claim needs if it is an average over so many
// values: more values.
func (p *Price) priceValues(averaged int) {
	p.Note = "averaged: more seeds hardly help"
	if p.Needed < mostSeeds {
		more := math.Ceil(p.Needed) - float64(averaged)
		p.Values = int64(averaged)
		p.MoreValues = int64(more)
		runs, seconds := p.each()
		p.Runs = int64(more * float64(runs) / float64(averaged))
		p.Seconds = more * seconds / float64(averaged)
		p.Note += fmt.Sprintf(", but about %d values of %s in place of %d",
			p.Values+p.MoreValues, strings.Join(p.Over, ", "), p.Values)
	}
	p.Needed = math.NaN()
}

// priceSeeds says what the claim needs if it is decided by seeds.
func (p *Price) priceSeeds() {
	var likely int64 // seeds with which a verdict is likely; 0: unknown
	p.Next, likely = p.looks()
	if math.IsNaN(p.Needed) && p.Note == "" {
		p.Note = "too few runs to tell"
		likely = p.Next
	}
	isHigh := p.Needed > float64(manyTimes*p.judge.reader.Plan.Own())
	switch {
	case p.Note != "":
	case likely == 0:
		p.Note = fmt.Sprintf("not within %d looks: a margin can tell a tie", inference.Looks)
	case isHigh:
		p.Note = fmt.Sprintf("more than %d times its seeds: a margin can tell a tie", manyTimes)
	}
	if likely == 0 && p.Needed < mostSeeds {
		likely = int64(math.Ceil(p.Needed))
	}
	if likely > 0 {
		p.Runs, p.Seconds = p.Cost(likely)
	}
}

// looks returns the number of seeds at the next look and at the first look that
// has as many as are needed; 0 where there is none.
func (p *Price) looks() (next, enough int64) {
	for _, size := range inference.LookSizes(p.judge.reader.Plan.Own()) {
		if size <= p.Seeds {
			continue
		}
		if next == 0 {
			next = size
		}
		if enough == 0 && float64(size) >= p.Needed {
			enough = size
		}
	}
	return next, enough
}

// each returns what the spec's own seeds of all cells of the claim cost.
func (p *Price) each() (runs int64, seconds float64) {
	own := p.judge.reader.Plan.Own()
	for _, cell := range p.Cells {
		runs += own
		seconds += float64(own) * p.meanSeconds(cell)
	}
	return runs, seconds
}

// seedsOf returns how many seeds of a cell the plan has.
func (p *Price) seedsOf(cell int64) int64 {
	if bought := p.judge.reader.Plan.Bought(); bought != nil {
		return bought[cell]
	}
	return p.judge.reader.Plan.Own()
}

// Cost returns what it takes until the cells of a claim have a number of seeds.
// Of a cell in which no run succeeded it is not known what runs take.
func (p *Price) Cost(seeds int64) (runs int64, seconds float64) {
	for _, cell := range p.Cells {
		missing := max(0, seeds-p.seedsOf(cell))
		runs += missing
		seconds += float64(missing) * p.meanSeconds(cell)
	}
	return runs, seconds
}

// meanSeconds returns what a run of a cell took on average; 0 if none has
// succeeded.
func (p *Price) meanSeconds(cell int64) float64 {
	s := p.judge.Cells[cell]
	if s == nil || len(s.Seeds) == 0 {
		return 0
	}
	return mean(s.Values[p.judge.seconds])
}

// tiedWithin returns the Margin of a Price.
func (c *Claim) tiedWithin() (share float64) {
	for _, k := range c.open() {
		bound := k.Least
		side := k.Right
		if math.IsInf(bound, -1) {
			bound = k.Most
		} else if !math.IsInf(k.Most, 1) {
			return math.NaN()
		}
		switch k.Quantity {
		case Value:
			side = bound
		case Ratio:
			side = 1
		}
		far := max(math.Abs(k.Low-bound), math.Abs(k.High-bound))
		share = max(share, far/math.Abs(side))
	}
	if share == 0 || math.IsInf(share, 1) {
		return math.NaN()
	}
	return share
}

// needed returns how many seeds the claim is likely to need. A place is decided
// when all of its cases hold, or when one fails; the claim when all places are,
// or one place holds.
func (c *Claim) needed() float64 {
	places := c.Places()
	toHold := math.Inf(1)
	toFail := 0.0
	mayHold := false
	for _, cases := range places {
		all := 0.0           // until all cases hold
		first := math.Inf(1) // until one fails
		fails := false
		for _, k := range cases {
			distance, isOutside := k.distance()
			number := len(places)
			if isOutside {
				number = len(cases)
			}
			if !isOutside && k.at(number) != Undecided {
				continue
			}
			level := inference.Simultaneous(inference.Confidence, number)
			n := k.Estimate.Needed(distance, level)
			if !k.over {
				n = k.Estimate.NeededAtLooks(distance, level)
				n *= float64(k.sampled()) / float64(max(1, k.N))
			}
			if isOutside {
				fails = true
				first = min(first, n)
			} else {
				all = max(all, n)
			}
		}
		if fails {
			toFail = max(toFail, first)
		} else {
			mayHold = true
			toHold = min(toHold, all)
		}
	}
	if mayHold {
		return toHold
	}
	return toFail
}

// open returns the cases on which the verdict waits.
func (c *Claim) open() (list []*Case) {
	places := c.Places()
	for _, cases := range places {
		for _, k := range cases {
			v := k.at(len(places))
			if v != Holds && v != Tied && k.at(len(cases)) != Fails {
				list = append(list, k)
			}
		}
	}
	return list
}

// sampled returns how many runs each cell of the case would have given its
// sample, if none were left out.
func (k *Case) sampled() int {
	if k.Unpaired == 0 {
		return k.N
	}
	return k.N + k.Unpaired/len(k.cells())
}

// distance returns how far the estimate is from the bound that the case depends
// on, and whether it is outside of what is accepted, so that the case would
// fail. It is the largest distance at which limits would decide.
func (k *Case) distance() (distance float64, isOutside bool) {
	x := k.Estimate.Value
	distance = min(x-k.Least, k.Most-x)
	if distance < 0 {
		isOutside = true
		distance = -distance
	}
	if k.Margin > 0 {
		bound := k.Least
		if math.IsInf(bound, -1) {
			bound = k.Most
		}
		toTie := k.Margin - math.Abs(x-bound)
		if toTie > distance {
			return toTie, false
		}
	}
	return distance, isOutside
}

// ByPrice returns prices, the lowest first.
func ByPrice(prices []*Price) []*Price {
	list := slices.Clone(prices)
	slices.SortStableFunc(list, func(a, b *Price) int {
		return cmp.Compare(a.order(), b.order())
	})
	return list
}

// order is what prices are sorted by.
func (p *Price) order() float64 {
	if math.IsNaN(p.Seconds) {
		return math.Inf(1)
	}
	return p.Seconds
}

// PriceTable returns prices as a table, the lowest first.
func PriceTable(prices []*Price) *table.Table {
	t := &table.Table{Title: "what undecided claims are likely to need", Lead: 1}
	for _, p := range ByPrice(prices) {
		toBuy := ""
		if p.Runs > 0 {
			toBuy = fmt.Sprint(p.Runs)
		}
		needed := ""
		times := ""
		if !math.IsNaN(p.Needed) && !math.IsInf(p.Needed, 0) {
			needed = fmt.Sprintf("%.0f", math.Ceil(p.Needed))
			times = table.Fixed(p.Needed/float64(p.judge.reader.Plan.Own()), 1)
		}
		tied := ""
		if !math.IsNaN(p.Margin) {
			tied = marginText(p.Margin) + "%"
		}
		took := ""
		if p.Runs > 0 && !math.IsNaN(p.Seconds) {
			took = table.Seconds(p.Seconds)
		}
		t.Add([]table.Cell{
			{Name: "sweep", In: table.Programs, Left: true, Value: p.Sweep},
			table.Left("claim", p.Text),
			table.Right("seeds", p.Seeds),
			{Name: "needed", In: table.People, Value: needed},
			{Name: "times", In: table.People, Value: times},
			table.ForPrograms("needed", p.Needed),
			table.ForPrograms("next", p.Next),
			{Name: "runs", In: table.People, Value: toBuy},
			table.ForPrograms("runs", p.Runs),
			{Name: "time", In: table.People, Value: took},
			table.ForPrograms("seconds", p.Seconds),
			{Name: "margin", In: table.People, Value: tied},
			table.ForPrograms("margin", p.Margin),
			table.Left("note", p.Note),
		})
	}
	if prices != nil {
		t.Notes = []string{
			"needed: seeds for even odds of a verdict by limits that hold at every look, " +
				"if the estimate stays where it is; times: in parts of the spec's own seeds",
			"runs: to buy until the first look with that many, if one has; time: on one processor, " +
				"by the runs that are there",
			"margin: the smallest with which it would be tied now, as a share of the right side",
		}
	}
	return t
}

// marginText returns a margin in percent with two digits, or with all before
// the point. It is rounded up: a claim with a smaller one would not be tied.
func marginText(margin float64) string {
	percent := 100 * margin
	if !(percent > 0) || math.IsInf(percent, 0) {
		return fmt.Sprint(percent)
	}
	digits := max(0, 1-int(math.Floor(math.Log10(percent))))
	unit := math.Pow(10, float64(digits))
	const rounding = 1e-9
	up := math.Ceil(float64(percent*unit)*(1-rounding)) / unit
	return strconv.FormatFloat(up, 'f', -1, 64)
}

// TimelessPriceTable returns prices as a table whose content follows from the
// results alone: in the order of the claims, and without times.
func TimelessPriceTable(prices []*Price) *table.Table {
	t := &table.Table{Title: "what a verdict would cost", Lead: 2}
	for _, p := range prices {
		has := table.Count(p.Seeds, "seed")
		needs := "more than is worth counting"
		over := strings.Join(p.Over, ", ")
		switch {
		case p.Values > 0:
			has = fmt.Sprintf("%d values of %s", p.Values, over)
			needs = table.Count(p.Values+p.MoreValues, "value")
		case math.IsNaN(p.Needed):
			needs = "not known"
		case p.Needed < mostSeeds:
			needs = table.Count(int64(math.Ceil(p.Needed)), "seed")
		}
		runs := ""
		if p.Runs > 0 {
			runs = table.Count(p.Runs, "run")
		}
		tied := ""
		if !math.IsNaN(p.Margin) {
			tied = marginText(p.Margin) + " %"
		}
		t.Add([]table.Cell{
			table.Left("sweep", p.Sweep),
			table.Left("claim", p.Text),
			table.Left("has", has),
			table.Left("likely needs", needs),
			table.Right("to buy", runs),
			table.Right("tied within", tied),
		})
	}
	return t
}
