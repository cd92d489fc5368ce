package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sweep/experiment"
	"sweep/internal/design"
)

// schemaOf returns the schema of experiments as it is written, and read again.
func schemaOf(t *testing.T, experiments []*experiment.Experiment) (written []byte, read *jsonschema.Schema) {
	t.Helper()
	written = must(json.Marshal(Schema(experiments)))
	if bytes.Contains(written, []byte("$ref")) {
		t.Error("the schema has references")
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("sweep.json", must(jsonschema.UnmarshalJSON(bytes.NewReader(written)))); err != nil {
		t.Fatal(err)
	}
	return written, must(c.Compile("sweep.json"))
}

// validate judges a spec, as JSON, by a schema.
func validate(schema *jsonschema.Schema, text string) error {
	var values any
	if err := toml.Unmarshal([]byte(text), &values); err != nil {
		return err
	}
	written, err := json.Marshal(values) // an error if a number is not finite
	if err != nil {
		return err
	}
	return schema.Validate(must(jsonschema.UnmarshalJSON(bytes.NewReader(written))))
}

// beyond are parts of what is said of wrong specs that no schema refuses:
// they are about how values stand to each other, or about what TOML tells apart
// and JSON does not.
var beyond = []string{
	"want a range such as", "go beyond 2^63-1", "more than 2^63-1", "the integer 2, want an integer of at least 3", "seeds is \nhint",
	"but there are 30 seeds", "but there are 9", "the rule has no max", "max is the integer 9", "the number 1000, want", "the number 1e+06", "'3..1'",
	"cannot hold exactly", "the number 8, want", "steps of", "count is the number 2", "two positive numbers", "too many",
	"the string \"3..1\"", "N is 0, want", "but not used by", "does not use it", "cells up to here", "equal lengths", "is no axis", "names \"y\" twice",
	"the zip with", "matches nothing", "combinations of values", "no points are left", "has none of step",
}

// The schema accepts what is right, and refuses what is wrong as far as it
// can.
func TestSchema(t *testing.T) {
	written, schema := schemaOf(t, experiments())
	for _, text := range []string{
		head, head + "name = 'a.b-c'\nseeds = '1..3'\n[[grid]]\nalpha = [0, 0.5]\nx = { from = 1, to = 9, count = 3, scale = 'log' }\n[[grid]]\nN = '1..3'\nalgorithm = 'CGLA'\nzip = [['N', 'x']]\nx = [1, 2, 3]",
		head + stop + "half_width = '1%'\nmax = 100", head + "seeds = { from = 1, count = 3 }\n[paper]\ntable = 'table2'",
	} {
		if err := validate(schema, text); err != nil {
			t.Errorf("%s:\n%v", text, err)
		}
	}
	for _, name := range design.Names() {
		if err := validate(schema, head+"[sample]\ndesign = '"+name+"'\npoints = 8\n[grid]\nx = { from = 0, to = 1 }"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	caught := 0
	dir := os.Getenv("SWEEP_WRONG_SPECS") // where .ci/taplo wants those that a schema refuses
	for _, c := range faults {
		if validate(schema, c.text) != nil {
			if dir != "" && toml.Unmarshal([]byte(c.text), new(map[string]any)) == nil {
				writeFile(t, dir, fmt.Sprintf("%03d.toml", caught), c.text)
			}
			caught++
			continue
		}
		known := false
		for _, part := range beyond {
			known = known || strings.Contains(c.want, part)
		}
		if !known {
			t.Errorf("the schema accepts %.200s\nwhich is wrong: %s", c.text, c.want)
		}
	}
	if dir != "" {
		writeFile(t, dir, "schema.json", string(written))
	}
	t.Logf("the schema refuses %d of %d wrong specs", caught, len(faults))
	if caught < 80 {
		t.Errorf("the schema refuses %d of %d wrong specs", caught, len(faults))
	}
}

func writeFile(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
