package experiment

import "testing"

// The texts of these values are alike.
func TestKeyTellsValuesApart(t *testing.T) {
	alike := [][]Value{
		{StringValue("a b"), StringValue("c")},
		{StringValue("a"), StringValue("b c")},
		{StringValue("null"), StringValue("")},
		{{}, StringValue("")},
		{StringValue(`a" "b`)},
		{StringValue("a"), StringValue("b")},
		{IntValue(1)},
		{StringValue("1")},
	}
	known := map[string]bool{}
	for _, values := range alike {
		known[Key(values)] = true
	}
	if len(known) != len(alike) {
		t.Errorf("%d keys of %d lists of values", len(known), len(alike))
	}
}
