package cli

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"sweep/environments/newssite"
	"sweep/environments/newssite/archive"
	"sweep/experiment"
	"sweep/experiments"
	"sweep/internal/report"
)

// newWorld returns "sweep world".
func newWorld() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "world",
		Short: "Look at the recorded news site of the foraging experiment",
		Example: `  sweep world stats
  sweep world export out/world`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return &usageError{message: "a command is missing", hint: helpHint(cmd)}
		},
		Args: cobra.ArbitraryArgs, // judged by RunE
	}
	cmd.AddCommand(newWorldStats(), newWorldExport())
	return cmd
}

func newWorldStats() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Print the numbers of the site's link structure beside the paper's",
		Long: `Print the numbers of the site's link structure, as it is and rewired, beside
those of section 4.1 of Selection in Scale-Free Small World.`,
		Example: `  sweep world stats
  sweep world stats --set world_seed=2 --set sections=60
  sweep world stats --sources 0               paths from every URL, exact`,
		Args: arguments(0, 0),
	}
	set := worldFlag(cmd)
	sources := cmd.Flags().Int("sources", 1000, "URLs from which shortest paths are measured, chosen at random; 0: all")
	format := choiceFlag(cmd, "format", "how to print", "text", "json")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *sources < 0 {
			return &usageError{message: fmt.Sprintf("--sources is %d, want 0 or more", *sources), hint: helpHint(cmd)}
		}
		if _, ok := set.values["rewired"]; ok {
			return &usageError{message: "the site is shown as it is and rewired; --set rewired is for \"sweep world export\""}
		}
		var measured [2]newssite.Structure
		for i, rewired := range []bool{false, true} {
			site, err := set.build(rewired)
			if err != nil {
				return err
			}
			measured[i] = newssite.Measure(site, *sources)
		}
		if format.value == "json" {
			return writeStructureJSON(cmd.OutOrStdout(), measured)
		}
		return writeStructure(cmd.OutOrStdout(), measured)
	}
	return cmd
}

func newWorldExport() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export DIR",
		Short: "Write the site as Parquet tables for another program",
		Long: `Write the site into DIR as the tables urls, pages, states and links, with a
README that describes them and the rules by which a run meets them.`,
		Example: `  sweep world export out/world
  sweep world export out/rewired --set rewired=true`,
		Args: arguments(1, 1),
	}
	set := worldFlag(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		site, err := set.build(set.values["rewired"].Bool())
		if err != nil {
			return err
		}
		if err := archive.Write(args[0], site); err != nil {
			return err
		}
		_, err = fmt.Fprintln(cmd.OutOrStdout(), args[0]+string(filepath.Separator))
		return err
	}
	return cmd
}

// worldParams is the value of the flag --set: parameters of the world that
// are not at their defaults.
type worldParams struct {
	experiment *experiment.Experiment
	values     map[string]experiment.Value
}

func worldFlag(cmd *cobra.Command) *worldParams {
	set := &worldParams{
		experiment: experiments.Foraging(experiments.Options{}),
		values:     map[string]experiment.Value{},
	}
	cmd.Flags().Var(set, "set", "a parameter of the world, as \"sweep params foraging\" lists them; may be repeated")
	return set
}

// String, Set and Type implement pflag.Value.
func (w *worldParams) String() string { return "" }

func (w *worldParams) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("want NAME=VALUE")
	}
	p, _ := w.experiment.Param(name)
	if p == nil || p.Group != experiments.WorldGroup {
		return fmt.Errorf("%q is no parameter of the world; %s", name, didYouMean(name, w.names(), paramsHint(w.experiment)))
	}
	v, err := p.Parse(value)
	w.values[name] = v
	return err
}

func (w *worldParams) Type() string { return "NAME=VALUE" }

func (w *worldParams) names() []string {
	var names []string
	for i := range w.experiment.Params {
		if p := &w.experiment.Params[i]; p.Group == experiments.WorldGroup {
			names = append(names, p.Name)
		}
	}
	return names
}

// build builds the world.
func (w *worldParams) build(rewired bool) (*newssite.Site, error) {
	point := experiment.Point{Experiment: w.experiment}
	for i := range w.experiment.Params {
		p := &w.experiment.Params[i]
		v, ok := w.values[p.Name]
		if !ok {
			v = p.Default
		}
		if p.Name == "rewired" {
			v = experiment.BoolValue(rewired)
		}
		point.Values = append(point.Values, v)
	}
	site, err := experiments.NewsSite(point)
	if err != nil {
		return nil, &usageError{message: err.Error()}
	}
	return site, nil
}

// structureRows are the numbers in the order in which they are printed.
func structureRows(measured [2]newssite.Structure) []structureRow {
	original, rewired := measured[0], measured[1]
	row := func(name string, of func(*newssite.Structure) float64) structureRow {
		return structureRow{Name: name, Original: defined(of(&original)), Rewired: defined(of(&rewired))}
	}
	rows := []structureRow{
		row("urls", func(s *newssite.Structure) float64 { return float64(s.URLs) }),
		row("links", func(s *newssite.Structure) float64 { return float64(s.Links) }),
		row("out_exponent", func(s *newssite.Structure) float64 { return s.OutDegree.Exponent }),
		row("in_exponent", func(s *newssite.Structure) float64 { return s.InDegree.Exponent }),
		row("out_exponent_likelihood", func(s *newssite.Structure) float64 { return s.OutDegree.Likelihood }),
		row("in_exponent_likelihood", func(s *newssite.Structure) float64 { return s.InDegree.Likelihood }),
		row("clustering", func(s *newssite.Structure) float64 { return s.Clustering }),
		row("mean_path", func(s *newssite.Structure) float64 { return s.MeanPath }),
		row("longest_path", func(s *newssite.Structure) float64 { return float64(s.Longest) }),
		row("reached_share", func(s *newssite.Structure) float64 { return s.Reached }),
	}
	paper := map[string][2]float64{
		"out_exponent": {newssite.PaperOutExponent, newssite.PaperOutExponent},
		"in_exponent":  {newssite.PaperInExponent, newssite.PaperInExponent},
		"clustering":   {newssite.PaperClustering, newssite.PaperRewiredClustering},
		"mean_path":    {newssite.PaperMeanPath, newssite.PaperRewiredMeanPath},
	}
	for i := range rows {
		if p, ok := paper[rows[i].Name]; ok {
			rows[i].Paper, rows[i].PaperRewired = &p[0], &p[1]
		}
	}
	return rows
}

// structureRow is one number; nil where it is not defined or not given.
type structureRow struct {
	Name         string   `json:"name"`
	Original     *float64 `json:"original"`
	Paper        *float64 `json:"paper,omitempty"`
	Rewired      *float64 `json:"rewired"`
	PaperRewired *float64 `json:"paper_rewired,omitempty"`
}

// defined returns nil for NaN, as the slope through a single point is.
func defined(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func writeStructureJSON(w io.Writer, measured [2]newssite.Structure) error {
	return report.WriteJSON(w, structureRows(measured))
}

func writeStructure(w io.Writer, measured [2]newssite.Structure) error {
	var text strings.Builder
	tab := tabwriter.NewWriter(&text, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "number\toriginal\tpaper\trewired\tpaper\t")
	printed := func(x *float64) string {
		switch {
		case x == nil:
			return ""
		case *x == math.Trunc(*x):
			return fmt.Sprintf("%.0f", *x)
		}
		return fmt.Sprintf("%.4g", *x)
	}
	for _, r := range structureRows(measured) {
		fmt.Fprintf(tab, "%s\t%s\t%s\t%s\t%s\t\n", r.Name, printed(r.Original), printed(r.Paper), printed(r.Rewired), printed(r.PaperRewired))
	}
	flush(tab)
	fmt.Fprintf(&text, `
The graph has a link where the last recorded version of a URL has one; the
paper's exponents are not given apart for the rewired site, whose degrees are
the same. Exponents: slope of the least-squares line through log frequency and
log degree, in bins that double; "likelihood": the maximum-likelihood exponent
over all degrees (Clauset, Shalizi, Newman 2009). Clustering: Watts and
Strogatz, links without direction. Paths: shortest directed ones from %d URLs
to all that they reach; the longest is a lower bound of the diameter.
`, measured[0].Sources)
	_, err := io.WriteString(w, text.String())
	return err
}
