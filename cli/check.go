package cli

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
	"sweep/internal/table"
)

// check defines "sweep check".
func (p *Program) check(cmd *cobra.Command) {
	c := newClaimsRun(cmd, "check every sweep that comes with the program, in DIR/<name> each")
	var output string
	outputFlag(cmd, &output, "run a SPEC into `DIR` (default out/<name of the sweep>)")
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Formats()...)
	b := newPurchase(c)
	onlyPrices := cmd.Flags().Bool("plan", false,
		"run nothing, and print what undecided claims are likely to need")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		onlyOne := len(args) == 1
		if c.all == onlyOne {
			return usage(helpHint(cmd), "want either a DIR or SPEC, or --all")
		}
		if err := b.check(*onlyPrices); err != nil {
			return err
		}
		if *onlyPrices {
			return p.printPrices(c, args, output, *format)
		}
		var dirs []string
		var untested []grid.Claim
		var err error
		switch {
		case c.all:
			dirs, untested, err = p.runAllMissing(c, output)
		case b.untilDecided:
			dirs = make([]string, 1)
			dirs[0], err = p.buy(b, args[0], output)
		default:
			dirs = make([]string, 1)
			dirs[0], err = p.runMissing(c, args[0], output)
		}
		if err != nil {
			return err
		}
		claims, prices, err := p.judge(cmd, dirs)
		if err != nil {
			return err
		}
		claims = append(claims, analysis.ListClaims("not simulated", untested)...)
		tables := analysis.Tables(claims, *format)
		if b.untilDecided && prices != nil && slices.Contains(table.People, *format) {
			tables = append(tables, analysis.PriceTable(prices))
		}
		if err := table.Write(cmd.OutOrStdout(), *format, tables...); err != nil {
			return err
		}
		if err := notAllHold(claims); err != nil {
			return err
		}
		return c.left
	}
}

// notAllHold returns the failure that a check ends with if a claim does not
// hold; nil if all do.
func notAllHold(claims []*analysis.Claim) error {
	failing := analysis.Count(claims, analysis.Fails)
	undecided := analysis.Count(claims, analysis.Undecided)
	tied := analysis.Count(claims, analysis.Tied)
	if failing+undecided+tied == 0 {
		return nil
	}
	text := fmt.Sprintf("%d failing, %d undecided", failing, undecided)
	if tied > 0 {
		text += fmt.Sprintf(", %d tied", tied)
	}
	return failed(exitFailedRuns, "not every claim holds: %s", text)
}

// runMissing returns the directory that a DIR or SPEC names. What is missing of
// a SPEC is run.
func (p *Program) runMissing(c *claimsRun, name, output string) (dir string, err error) {
	dir, spec, err := p.directoryOf(c.cmd, name, output)
	if err != nil || spec == nil {
		return dir, err
	}
	return dir, c.run(spec, dir)
}

// directoryOf returns the directory that a DIR or SPEC names; the spec is nil
// if it is a DIR.
func (p *Program) directoryOf(
	cmd *cobra.Command, name, output string,
) (dir string, spec *grid.Spec, err error) {
	shipped := !isPath(name) && slices.Contains(p.sweeps(), name)
	if isDirectory(name) && !shipped {
		if output != "" {
			return "", nil, usage(helpHint(cmd), "-o is for what a SPEC runs; a DIR is only read")
		}
		return name, nil, nil
	}
	spec, err = p.loadSpec(name, "")
	if err != nil {
		return "", nil, err
	}
	return outputDir(output, spec), spec, nil
}

// judge judges the claims about the results in directories, and prices those
// that are undecided.
func (p *Program) judge(
	cmd *cobra.Command, dirs []string,
) (claims []*analysis.Claim, prices []*analysis.Price, err error) {
	readers, err := p.openAll(cmd, dirs)
	if err != nil {
		return nil, nil, err
	}
	for _, reader := range readers {
		if err := mustClaim(reader.Spec); err != nil {
			return nil, nil, err
		}
		judged, priced, err := analysis.Claims(reader)
		if err != nil {
			return nil, nil, err
		}
		claims = append(claims, judged...)
		prices = append(prices, priced...)
	}
	return claims, prices, nil
}
