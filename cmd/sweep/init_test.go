package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
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

// Every spec that comes with the program, and every one that init prints, is
// accepted, and passes the schema.
func TestInitAndSchema(t *testing.T) {
	read := testutil.Must(jsonschema.UnmarshalJSON(strings.NewReader(printed("schema"))))
	c := jsonschema.NewCompiler()
	testutil.NoError(c.AddResource("sweep.json", read))
	schema := c.MustCompile("sweep.json")
	experiments := append(program().Experiments, command.Experiment())
	var names []string
	for _, e := range experiments {
		names = append(names, e.Name)
	}
	for _, file := range testutil.Must(fs.Glob(sweeps.FS, "*.toml")) {
		names = append(names, strings.TrimSuffix(file, ".toml"))
	}
	if len(names) < 20 {
		t.Errorf("%d specs", len(names))
	}
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
			document := testutil.Must(jsonschema.UnmarshalJSON(bytes.NewReader(testutil.Must(json.Marshal(values)))))
			if err = errors.Join(err, schema.Validate(document)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
