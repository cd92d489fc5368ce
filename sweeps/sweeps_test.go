package sweeps_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"sweep/sweeps"
)

func TestEveryFileIsListedAndRead(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok {
			want = append(want, name)
		}
	}
	got := sweeps.List()
	if !slices.Equal(got, want) || !slices.Contains(got, "table2") {
		t.Fatalf("List() = %q, want %q with table2", got, want)
	}
	for _, name := range got {
		file, source, ok := sweeps.Read(name)
		if !ok || file != "sweeps/"+name+".toml" || !strings.HasPrefix(string(source), "# ") {
			t.Errorf("Read(%q) = %q, %d bytes, %v; want the spec, which begins with a comment", name, file, len(source), ok)
		}
	}
	for _, name := range []string{"", "table3000", "../sweeps/table2", "sweeps.go"} {
		if _, _, ok := sweeps.Read(name); ok {
			t.Errorf("Read(%q) found something", name)
		}
	}
}
