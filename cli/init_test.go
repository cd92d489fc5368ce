package cli

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sweep/experiments"
	"sweep/experiments/command"
	"sweep/grid"
	"sweep/internal/must"
	"sweep/sweeps"
)

// Every spec that comes with the program, and every one that init prints, is
// accepted, and passes the schema.
func TestInitAndSchema(t *testing.T) {
	papers := program(append(experiments.Experiments(sweeps.File), command.Experiment()))
	read := must.Get(jsonschema.UnmarshalJSON(strings.NewReader(printed(t, papers, "schema"))))
	c := jsonschema.NewCompiler()
	must.OK(c.AddResource("sweep.json", read))
	schema := c.MustCompile("sweep.json")
	names := append(papers.sweeps(), papers.experimentNames()...)
	if len(names) < 20 {
		t.Errorf("%d specs", len(names))
	}
	for _, name := range names {
		text := printed(t, papers, "init", name)
		if !strings.HasPrefix(text, schemaLine) {
			t.Errorf("%s: no schema is named", name)
		}
		// All that is commented in the spec of an experiment may be said.
		filled := text
		if name != "command" {
			filled = regexp.MustCompile(`(?m)^#(\w+ = )`).ReplaceAllString(text, "$1")
		}
		for _, text := range []string{text, filled} {
			_, err := grid.Parse("mine.toml", []byte(text), papers.Experiments)
			var document map[string]any
			err = errors.Join(err, toml.Unmarshal([]byte(text), &document))
			if err = errors.Join(err, schema.Validate(document)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
