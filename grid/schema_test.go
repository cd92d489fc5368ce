package grid

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"sweep/grid/design"
	"sweep/internal/testutil"
)

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
	return schema.Validate(testutil.Must(jsonschema.UnmarshalJSON(bytes.NewReader(written))))
}

// beyond are parts of what is said of wrong specs that no schema refuses:
// they are about how values stand to each other, or about what TOML tells apart
// and JSON does not.
var beyond = []string{
	"want a range such as", "go beyond 2^63-1", "more than 2^63-1", "the integer 2, want an integer of at least 3", "seeds is \nhint",
	"and the sweep has 1", "integer of at least 5", "has [stop] too", "but there are 30 seeds", "but there are 9", "the rule has no max", "max is the integer 9", "the number 1000, want", "the number 1e+06", "'3..1'",
	"cannot hold exactly", "the number 8, want", "steps of", "count is the number 2", "two positive numbers", "too many",
	"want a larger \"to\"", "outside of its range", "has no scale", "is sealed, and", "want an integer of at least 3", "and cannot be sealed", "but nothing uses it", "have a weight of 0", "and has a value here",
	"is an axis, but", "does not go with [search]", "the spec has no [search]", "and [search.free] 1", "and rounds is 2",
	"N is 0, want", "but not used by", "does not use it", "cells up to here", "equal lengths", "is no axis", "names \"y\" twice",
	"the zip with", "larger and larger", "matches nothing", "combinations of values", "no points are left",
	"figure \"a\": ", "two figures", "nothing is called",
	"x has the value 1 twice", "x has the value 0 twice", // in a zip they may
}

// The schema accepts what is right, and refuses what is wrong as far as it
// can.
func TestSchema(t *testing.T) {
	written := testutil.Must(json.Marshal(Schema(experiments())))
	if bytes.Contains(written, []byte("$ref")) {
		t.Error("the schema has references")
	}
	c := jsonschema.NewCompiler()
	testutil.NoError(c.AddResource("sweep.json", testutil.Must(jsonschema.UnmarshalJSON(bytes.NewReader(written)))))
	schema := testutil.Must(c.Compile("sweep.json"))
	right := []string{
		head, head + "name = 'a.b-c'\nseeds = '1..3'\n[[grid]]\nalpha = [0, 0.5]\nx = { from = 1, to = 9, count = 3, scale = 'log' }\n[[grid]]\nN = '1..3'\nalgorithm = 'CGLA'\nzip = [['N', 'x']]\nx = [1, 2, 3]",
		"experiment = 'recorded'\ncolumns = { time = 't' }\n[grid]\nrecord = 'a.csv'",
		head + "[grid]\nx = [1, 2, 2]\nalpha = [0, 0, 0.5]\nzip = [['x', 'alpha']]",
		head + stop + "half_width = '1%'\nmax = 100", head + "[resources]\ncpus = 2\nmemory = ['4G', '1.5 TiB']\ngpus = 1\ntime = '1h30m'",
		head + "title = 'a'\ndescription = \"\"\"b\n\nc\"\"\"\n" + figure + "kind = 'scatter'\nx = ['x', 'sent']\ny = 'sent'\ncolour = 'algorithm'\npanels = []\nlog = 'y'\nlimits = { y = [1, 2] }\nshared = ['x', 'y']\nlabels = { sent = 'b' }\n" + figure + "source = 'p'\ntitle = 't'\nkind = 'heat'\nx = 'x'\ny = 'y'\ncolour = 'sent'\nover = 'beta'",
		head + "[resources]\nmemory = '500 MB'", head + "seeds = { from = 1, count = 3 }\n[paper]\ntable = 'table2'",
	}
	for _, name := range design.Names() {
		right = append(right, head+"[sample]\ndesign = '"+name+"'\npoints = 8\n[grid]\nx = { from = 0, to = 1 }")
	}
	for _, text := range right {
		if err := validate(schema, text); err != nil {
			t.Errorf("%s:\n%v", text, err)
		}
	}
	dir := os.Getenv("SWEEP_WRONG_SPECS") // where .ci/files/taplo wants those that a schema refuses
	save := func(name string, text []byte) {
		if dir != "" {
			testutil.NoError(os.WriteFile(filepath.Join(dir, name), text, 0o666))
		}
	}
	save("schema.json", written)
	for _, text := range []string{
		"experiment = 'recorded'\ncolumns = { tiem = 't' }", "experiment = 'recorded'\ncolumns = { time = '' }",
		head + "columns = { time = 't' }", // it has no tables
	} {
		if validate(schema, text) == nil {
			t.Errorf("the schema accepts %s", text)
		}
	}
	caught := 0
	for _, c := range faults {
		if validate(schema, c.text) == nil {
			if !slices.ContainsFunc(beyond, func(part string) bool { return strings.Contains(c.want, part) }) {
				t.Errorf("the schema accepts %.200s\nwhich is wrong: %s", c.text, c.want)
			}
			continue
		}
		if toml.Unmarshal([]byte(c.text), new(map[string]any)) == nil {
			save(fmt.Sprintf("%03d.toml", caught), []byte(c.text))
		}
		caught++
	}
	t.Logf("the schema refuses %d of %d wrong specs", caught, len(faults))
	if caught < 80 {
		t.Errorf("the schema refuses %d of %d wrong specs", caught, len(faults))
	}
}
