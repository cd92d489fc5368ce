package cli

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/table"
	"sweep/results"
	"sweep/runner"
)

// A purchase buys seeds for the claims of a sweep until they are decided.
type purchase struct {
	*claimsRun
	untilDecided bool
	budget       time.Duration // of the clock; 0: none
	maxSeeds     int           // of a cell; 0: no bound but the looks

	began time.Time
}

// newPurchase defines the flags of a purchase.
func newPurchase(c *claimsRun) *purchase {
	b := &purchase{claimsRun: c, began: time.Now()}
	f := c.cmd.Flags()
	f.BoolVar(&b.untilDecided, "until-decided", false,
		"run more seeds until each claim holds, fails or is tied")
	f.Func("budget", "with --until-decided: end after `D` of the clock, such as 2h",
		duration(&b.budget))
	f.Func("max-seeds", "with --until-decided: at most `N` seeds of a cell",
		atLeast(2, &b.maxSeeds))
	return b
}

// check refuses flags that do not go together.
func (b *purchase) check(onlyPrices bool) error {
	hint := helpHint(b.cmd)
	isBounded := b.budget > 0 || b.maxSeeds > 0
	switch {
	case b.untilDecided && onlyPrices:
		return usage(hint, "--plan runs nothing, want it or --until-decided")
	case b.untilDecided && b.all:
		return usage(hint, "--until-decided is for one DIR or SPEC, not for --all")
	case b.untilDecided && !isBounded:
		return usage(hint, "--until-decided wants an end too: --budget, --max-seeds or both")
	case isBounded && !b.untilDecided:
		return usage(hint, "--budget and --max-seeds are for --until-decided")
	}
	return nil
}

// buy runs what is missing of a SPEC, or of the spec in a DIR, and then more
// seeds for the cells that undecided claims read: to the next look of each
// claim, until no claim is undecided or nothing more can be bought. The plan of
// the directory records how many seeds each cell is to have.
func (p *Program) buy(b *purchase, name, output string) (dir string, err error) {
	dir, spec, err := p.directoryOf(b.cmd, name, output)
	if err != nil {
		return "", err
	}
	if spec == nil {
		spec, err = p.specIn(dir)
		if err != nil {
			return "", err
		}
	}
	plan := spec.Plan()
	if plan.Search != nil {
		return "", mustClaim(spec)
	}
	if plan.Stop() != nil {
		return "", &results.DataError{
			Path:    spec.File,
			Message: "the spec has [stop], whose rule gives cells their seeds",
			Hint:    "without [stop], --until-decided gives them what the claims need",
		}
	}
	bought := slices.Clone(plan.Bought())
	if bought == nil {
		bought = slices.Repeat([]int64{plan.Own()}, int(plan.Cells()))
	}
	for round := 0; ; round++ {
		spec, err = p.parseSpec(spec.File, spec.File, spec.WithBought(bought))
		if err != nil {
			return "", err
		}
		if b.budget > 0 {
			b.timeLimit = max(1, b.budget-time.Since(b.began))
		}
		err = b.run(spec, dir)
		if round > 0 && errors.Is(err, runner.ErrOutOfTime) {
			say(b.cmd.ErrOrStderr(), "the budget is used up; the same command goes on")
			return dir, nil
		}
		if err != nil {
			return "", err
		}
		b.keepFailed = true // of this command
		_, prices, err := p.judge(b.cmd, []string{dir})
		if err != nil {
			return "", err
		}
		o := b.choose(prices, bought)
		if o.runs == 0 && o.tooDear > 0 {
			say(b.cmd.ErrOrStderr(), "the budget is too small for the next look at %s; "+
				"the same command goes on", table.Count(o.tooDear, "undecided claim"))
		}
		if o.runs == 0 {
			return dir, nil
		}
		if !b.quiet {
			const text = "undecided: %s; %s more for %d of them, about %s on one processor"
			say(b.cmd.ErrOrStderr(), text, table.Count(int64(len(prices)), "claim"),
				runs(o.runs), o.claims, table.Seconds(o.seconds))
		}
	}
}

// specIn reads the spec in a directory, under the name that its runs have.
func (p *Program) specIn(dir string) (*grid.Spec, error) {
	reader, err := results.OpenReader(dir, p.Experiments)
	if err != nil {
		return nil, err
	}
	spec := *reader.Spec
	spec.File = filepath.Join(dir, reader.Name+suffix)
	return &spec, nil
}

// An order is what is bought at once.
type order struct {
	runs    int64   // of all cells together
	claims  int     // for which they are bought
	seconds float64 // that they take on one processor, about
	tooDear int64   // claims whose next look costs more than is left of the budget
}

// choose raises the numbers of seeds of cells to the next look of undecided
// claims, of the cheapest first, as far as the budget goes.
func (b *purchase) choose(prices []*analysis.Price, bought []int64) (o order) {
	left := (b.budget - time.Since(b.began)).Seconds() * float64(b.workers)
	before := slices.Clone(bought)
	for _, p := range analysis.ByPrice(prices) {
		_, seconds := p.Cost(p.Next)
		switch {
		case p.Next == 0:
			continue
		case b.maxSeeds > 0 && p.Next > int64(b.maxSeeds):
			continue
		case b.budget > 0 && o.seconds+seconds > left:
			o.tooDear++
			continue
		}
		for _, cell := range p.Cells {
			bought[cell] = max(bought[cell], p.Next)
		}
		o.claims++
		o.seconds += seconds
	}
	for cell := range bought {
		o.runs += bought[cell] - before[cell]
	}
	return o
}

// printPrices prints what the undecided claims about results that are there are
// likely to need.
func (p *Program) printPrices(c *claimsRun, args []string, output, format string) error {
	var dirs []string
	if c.all {
		if output == "" {
			output = defaultOutput
		}
		for _, name := range p.sweeps() {
			spec, err := p.loadSpec(name, "")
			if err != nil {
				return err
			}
			dir := filepath.Join(output, name)
			if len(spec.Claims) > 0 && isDirectory(dir) {
				dirs = append(dirs, dir)
			}
		}
	} else {
		dir, _, err := p.directoryOf(c.cmd, args[0], output)
		if err != nil {
			return err
		}
		if err := areThere(args[0], dir, output); err != nil {
			return err
		}
		dirs = append(dirs, dir)
	}
	_, prices, err := p.judge(c.cmd, dirs)
	if err != nil {
		return err
	}
	if prices == nil && slices.Contains(table.People, format) {
		_, err := fmt.Fprintln(c.cmd.OutOrStdout(), "no claim is undecided")
		return err
	}
	return table.Write(c.cmd.OutOrStdout(), format, analysis.PriceTable(prices))
}
