package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExport(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	for _, c := range []struct {
		set  string
		want string // part of the error; empty: none
	}{
		{"site_days=1", ""},
		{"rewired", "want NAME=VALUE"},
		{"alpha=0.5", `"alpha" is no parameter of the world`},
		{"site_days=0", "want an integer in [1, 365]"},
	} {
		cmd := newExport()
		cmd.SetArgs([]string{dir, "--set", "archive_pages=500", "--set", c.set})
		cmd.SetErr(io.Discard)
		err := cmd.Execute()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("--set %s: %v, want %q", c.set, err, c.want)
		}
	}
	for _, name := range []string{"README.md", "urls.parquet", "pages.parquet", "states.parquet", "links.parquet"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
