package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/table"
	"sweep/results"
)

// A comparison is what "sweep compare" is asked for.
type comparison struct {
	*Program
	cmd          *cobra.Command
	by           string
	baseline     string
	over         []string
	metrics      []string
	format       string
	failOnChange bool
}

// compare defines "sweep compare".
func (p *Program) compare(cmd *cobra.Command) {
	const failUsage = "with OLD and NEW: end with 1 if an effect changed"
	c := &comparison{Program: p, cmd: cmd}
	f := cmd.Flags()
	f.StringVar(&c.by, "by", experiment.Algorithm, "the `PARAMETER` whose values are compared")
	f.StringVar(&c.baseline, "baseline", "", "the `VALUE` to compare with (required with one DIR)")
	f.StringSliceVar(&c.over, "over", nil, "average over the values of these `PARAMETERS`")
	f.BoolVar(&c.failOnChange, "fail-on-change", false, failUsage)
	metrics := metricsFlag(cmd)
	format := choiceFlag(cmd, "format", "print as `FORMAT`", table.Formats()...)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		c.metrics = *metrics
		c.format = *format
		if len(args) == 2 {
			return c.versions([2]string(args))
		}
		return c.cells(args[0])
	}
}

// cells compares the cells of a sweep with those of a baseline.
func (c *comparison) cells(name string) error {
	if c.failOnChange {
		return usage(helpHint(c.cmd), "--fail-on-change is about two directories, OLD and NEW")
	}
	reader, err := c.open(c.cmd, name)
	if err != nil {
		return err
	}
	e := reader.Plan.Experiment()
	metrics, err := choose("metric", c.metrics, e.MetricNames())
	if err != nil {
		return err
	}
	known := e.ParamNames()
	if !c.cmd.Flags().Changed("by") && !slices.Contains(known, c.by) {
		return c.noBy(axisNames(reader.Plan))
	}
	params, err := choose("parameter", append([]string{c.by}, c.over...), known)
	if err != nil {
		return err
	}
	param := &e.Params[params[0]]
	value, err := param.Parse(c.baseline)
	if err != nil {
		hint := document.DidYouMean(c.baseline, param.Choices)
		return usage(hint, "--baseline: %v", err)
	}
	question := analysis.Question{
		By:       params[0],
		Baseline: value,
		Metrics:  metrics,
		Over:     params[1:],
	}
	tables, err := analysis.Compare(reader, question, c.format)
	if err != nil {
		return err
	}
	return table.Write(c.cmd.OutOrStdout(), c.format, tables...)
}

// noBy says that --by is missing, which has no default without algorithms.
func (c *comparison) noBy(varying []string) error {
	if len(varying) == 0 {
		return usage(helpHint(c.cmd), "--by is missing, and no parameter varies")
	}
	return usage("for example --by "+varying[0],
		"--by is missing, want a parameter that varies: %s", strings.Join(varying, ", "))
}

// versions compares old and new results.
func (c *comparison) versions(names [2]string) error {
	f := c.cmd.Flags()
	if f.Changed("by") || f.Changed("baseline") {
		return usage(helpHint(c.cmd), "--by and --baseline are about the cells of one directory")
	}
	var dirs [2]string
	var readers [2]*results.Reader
	for i, name := range names {
		dir, err := c.resultsIn(name)
		if err != nil {
			return err
		}
		reader, err := results.OpenReaderAsRecorded(dir, c.Experiments)
		if err != nil {
			return err
		}
		dirs[i] = dir
		sayEach(c.cmd.ErrOrStderr(), "warning", reader.Damage)
		readers[i] = reader
	}
	now := readers[1].Plan.Experiment()
	if _, err := choose("metric", c.metrics, now.MetricNames()); err != nil {
		return err
	}
	if _, err := choose("parameter", c.over, now.ParamNames()); err != nil {
		return err
	}
	v := &analysis.Versions{Dirs: dirs, Metrics: c.metrics, Over: c.over}
	if err := v.Compare(readers); err != nil {
		return err
	}
	var err error
	w := c.cmd.OutOrStdout()
	if c.format == table.JSON {
		err = table.WriteJSON(w, v.JSON())
	} else {
		err = table.Write(w, c.format, v.Tables(c.format)...)
	}
	if err != nil {
		return err
	}
	if v.ChangedVerdicts() > 0 || c.failOnChange && v.Changed > 0 {
		return failed(exitFailedRuns, "%s and %s differ: %s", dirs[0], dirs[1], v.Outcome())
	}
	return nil
}
