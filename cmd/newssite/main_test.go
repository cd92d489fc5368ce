package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

// The experiment's site, a log and a repository become tables, and tables the
// same ones; faults have the codes of sysexits.h, and leave nothing.
func TestNewssite(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"good.jsonl": `{"url":"a","time":0,"text":"x","links":["b"]}` + "\n" + `{"url":"b","time":1,"text":"y"}`,
		"bad.jsonl":  `{"url":"a","time":-1,"text":"x"}`,
	} {
		testutil.NoError(os.WriteFile(name, []byte(text), 0o666))
	}
	for _, c := range []struct {
		code       int
		args, want string // a part of the error
	}{
		{0, "world --set archive_pages=500 --set site_days=1", ""},
		{64, "none --set rewired", "want NAME=VALUE"},
		{64, "none --set alpha=0.5", `"alpha" is no parameter of the world`},
		{64, "none --set site_days=0", "want an integer in [1, 365]"},
		{0, "import good.jsonl site", ""},
		{0, "import site site-again", ""},
		{0, "import world world-again", ""},
		{64, "import good.jsonl", ""},
		{64, "import good.jsonl none --days 0", ""},
		{64, "import good.jsonl none --downloads NaN", ""},
		{64, "import good.jsonl none --dayz 3", ""},
		{64, "import . none --exclude a[", "the pattern is \"a[\", want"},
		{64, "import good.jsonl none --exclude a", "are for repositories"},
		{65, "import bad.jsonl none", ""},
		{65, "import good.jsonl none --from 2", ""},
		{65, "import . none", ""}, // no repository
		{74, "import missing.jsonl none", ""},
		{74, "import good.jsonl good.jsonl", ""},
	} {
		cmd := newExport()
		cmd.SetArgs(strings.Fields(c.args))
		cmd.SetErr(io.Discard)
		cmd.SetOut(io.Discard)
		if err := cmd.Execute(); exitCode(err) != c.code || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: code %d, %v; want %d, %q", c.args, exitCode(err), err, c.code, c.want)
		}
	}
	if _, err := os.Stat("none"); err == nil {
		t.Error("a fault left something")
	}
	for _, name := range []string{"README.md", "urls.parquet", "pages.parquet", "states.parquet", "links.parquet"} {
		for _, dir := range []string{"site", "world"} {
			a, err := os.ReadFile(filepath.Join(dir, name))
			b, again := os.ReadFile(filepath.Join(dir+"-again", name))
			if err != nil || again != nil || len(a) == 0 || !bytes.Equal(a, b) && name != "README.md" {
				t.Errorf("%s/%s differs: %v, %v", dir, name, err, again)
			}
		}
	}
}
