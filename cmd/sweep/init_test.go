package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sweep/grid"
	"sweep/internal/command"
	"sweep/internal/testutil"
	"sweep/sweeps"
)

// printed returns what a command of the program prints.
func printed(args ...string) string {
	var out bytes.Buffer
	cmd := program().Command()
	cmd.SetArgs(args)
	cmd.SetOut(&out)
	testutil.NoError(cmd.Execute())
	return out.String()
}

// schemasOf compiles a schema once for each of some experiments, without the
// conditions on specs of the others: they hold of its specs, and the time of a
// compilation grows with the square of their number.
func schemasOf(text string, experiments map[string]bool) map[string]*jsonschema.Schema {
	whole := testutil.Must(jsonschema.UnmarshalJSON(strings.NewReader(text))).(map[string]any)
	schemas := map[string]*jsonschema.Schema{}
	for _, condition := range whole["allOf"].([]any) {
		if !experiments[experimentOf(condition)] {
			continue
		}
		own := maps.Clone(whole)
		own["allOf"] = []any{condition}
		c := jsonschema.NewCompiler()
		testutil.NoError(c.AddResource("sweep.json", own))
		schemas[experimentOf(condition)] = c.MustCompile("sweep.json")
	}
	return schemas
}

// experimentOf returns the experiment on whose specs a schema has a condition.
func experimentOf(condition any) string {
	for _, key := range []string{"if", "properties", "experiment"} {
		condition = condition.(map[string]any)[key]
	}
	return condition.(map[string]any)["const"].(string)
}

// Every spec that comes with the program, and every one that init prints, is
// accepted, and passes the schema; without -thorough, some of them.
func TestInitAndSchema(t *testing.T) {
	experiments := append(program().Experiments, command.Experiment())
	names := []string{"command", "monitoring", "regret"}
	judged := map[string]bool{"command": true, "monitoring": true}
	if testutil.Thorough() {
		names = nil
		for _, e := range experiments {
			names = append(names, e.Name)
			judged[e.Name] = true
		}
		for _, file := range testutil.Must(fs.Glob(sweeps.FS, "*.toml")) {
			names = append(names, strings.TrimSuffix(file, ".toml"))
		}
		if len(names) < 20 {
			t.Errorf("%d specs", len(names))
		}
	}
	schemas := schemasOf(printed("schema"), judged)
	for _, name := range names {
		text := printed("init", name)
		if !strings.HasPrefix(text, "#:schema sweep.schema.json\n") {
			t.Errorf("%s: no schema is named", name)
		}
		// All that is commented in the spec of an experiment may be said.
		filled := text
		if name != "command" {
			filled = regexp.MustCompile(`(?m)^#(\w+ = )`).ReplaceAllString(text, "$1")
		}
		for _, text := range []string{text, filled} {
			_, err := grid.Parse("mine.toml", []byte(text), experiments)
			var values map[string]any
			err = errors.Join(err, toml.Unmarshal([]byte(text), &values))
			schema := schemas[values["experiment"].(string)]
			document := testutil.Must(jsonschema.UnmarshalJSON(bytes.NewReader(testutil.Must(json.Marshal(values)))))
			if schema == nil {
				t.Errorf("%s: the schema has no condition on its experiment", name)
				continue
			}
			if err = errors.Join(err, schema.Validate(document)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
