package command

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"

	"sweep/internal/testutil"
)

// keysOf returns the keys of an object that a schema describes.
func keysOf(schema map[string]any) []string {
	return slices.Sorted(maps.Keys(schema["properties"].(map[string]any)))
}

// The schema of the tables knows the keys that are read, and no others.
func TestSchema(t *testing.T) {
	var all map[string]map[string]any
	testutil.NoError(json.Unmarshal(schema, &all))
	described := func(key string) map[string]any {
		properties := all["command"]["properties"].(map[string]any)
		forms := properties[key].(map[string]any)["anyOf"].([]any)
		return forms[1].(map[string]any)["additionalProperties"].(map[string]any)
	}
	for name, c := range map[string]struct {
		schema map[string]any
		keys   []string
	}{
		"command":    {all["command"], commandKeys},
		"parameters": {all["parameters"]["additionalProperties"].(map[string]any), paramKeys},
		"metrics":    {described("metrics"), metricKeys},
		"series":     {described("series"), columnKeys},
	} {
		want := slices.Sorted(slices.Values(c.keys))
		if got := keysOf(c.schema); !slices.Equal(got, want) {
			t.Errorf("%s: the schema has %v, want %v", name, got, want)
		}
	}
}
