package cli

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/text"
	"github.com/spf13/cobra"

	"sweep/experiment"
	"sweep/internal/command"
)

// init defines "sweep init".
func (p *Program) init(cmd *cobra.Command) {
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		text, err := p.firstSpec(args[0])
		if err != nil {
			return err
		}
		_, err = fmt.Fprint(cmd.OutOrStdout(), schemaLine, text)
		return err
	}
}

// schemaLine lets editors find the schema.
const schemaLine = "#:schema sweep.schema.json\n"

// firstSpec returns the text of a spec to begin with: a sweep of that name, or
// one of the experiment of that name.
func (p *Program) firstSpec(name string) (string, error) {
	if slices.Contains(p.sweeps(), name) {
		_, source, err := p.shipped(name + suffix)
		return string(source), err
	}
	for _, e := range p.Experiments {
		if e.Name != name {
			continue
		}
		if name == command.Name {
			return command.Template, nil
		}
		return blankSpec(e)
	}
	return "", unknown("sweep or experiment", name, append(p.sweeps(), p.experimentNames()...))
}

// blankSpec returns a spec with all parameters of an experiment as comments, or
// with the tables from which it declares itself.
func blankSpec(e *experiment.Experiment) (string, error) {
	file := "blank.toml"
	if e.Declare != nil {
		file = "declaring.toml"
	}
	blank := template.New(file).Funcs(template.FuncMap{
		"accepts": (*experiment.Param).Accepts,
		"join":    strings.Join,
		"value":   defaultInTOML,
	})
	var text bytes.Buffer
	err := template.Must(blank.ParseFS(help, "help/"+file)).Execute(&text, e)
	return text.String(), err
}

// defaultInTOML writes a parameter's default as a spec has it.
func defaultInTOML(p experiment.Param) string {
	if p.Kind == experiment.String {
		return strconv.Quote(p.Default.Text())
	}
	return p.Default.String()
}
