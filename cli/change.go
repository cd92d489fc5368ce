package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"sweep/analysis"
	"sweep/grid"
)

// changes are what a command line wants of a spec. The changed text is what
// is run, and what spec.toml records.
type changes struct {
	seeds  string
	values []grid.Change
}

// changeFlags defines the flags --set and --seeds.
func changeFlags(cmd *cobra.Command) *changes {
	c := new(changes)
	cmd.Flags().StringVar(&c.seeds, "seeds", "", "run `N` seeds, or A..B, in place of the spec's")
	cmd.Flags().Func("set", "give a parameter values, `NAME=V,…`, in place of the spec's", func(text string) error {
		name, values, ok := strings.Cut(text, "=")
		if name = strings.TrimSpace(name); !ok || name == "" || values == "" {
			return errors.New("want a parameter with its values, such as beta=0.2,0.3")
		}
		list := []string{values}
		if !strings.ContainsAny(values[:1], "{[") {
			list = strings.Split(values, ",")
		}
		c.values = append(c.values, grid.Change{Name: name, Values: list})
		return nil
	})
	return c
}

// load reads, changes and checks the spec that a command line names, with its
// claims.
func (c *changes) load(name string, prog *Program) (*grid.Spec, error) {
	file, source, err := prog.findSpec(name)
	if err != nil {
		return nil, err
	}
	if c.seeds != "" || c.values != nil {
		if source, err = grid.Changed(file, source, c.seeds, c.values); err != nil {
			return nil, err
		}
	}
	spec, err := grid.Parse(file, source, prog.Experiments)
	if err != nil {
		return nil, err
	}
	return spec, analysis.CheckClaims(spec)
}
