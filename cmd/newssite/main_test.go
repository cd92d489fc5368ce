package main

import (
	"bytes"
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

// A log and a repository become tables, and tables the same ones; faults have
// the codes of sysexits.h, and leave nothing.
func TestImport(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for name, text := range map[string]string{
		"good.jsonl": `{"url":"a","time":0,"text":"x","links":["b"]}` + "\n" + `{"url":"b","time":1,"text":"y"}`,
		"bad.jsonl":  `{"url":"a","time":-1,"text":"x"}`,
	} {
		if err := os.WriteFile(in(name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		code int
		args []string
	}{
		{0, []string{in("good.jsonl"), in("site")}},
		{0, []string{in("site"), in("again")}},
		{64, []string{in("good.jsonl")}},
		{64, []string{in("good.jsonl"), in("none"), "--days", "0"}},
		{64, []string{in("good.jsonl"), in("none"), "--downloads", "NaN"}},
		{64, []string{in("good.jsonl"), in("none"), "--dayz", "3"}},
		{65, []string{in("bad.jsonl"), in("none")}},
		{65, []string{in("good.jsonl"), in("none"), "--from", "2"}},
		{65, []string{dir, in("none")}}, // no repository
		{74, []string{in("missing.jsonl"), in("none")}},
		{74, []string{in("good.jsonl"), in("good.jsonl")}},
	} {
		cmd := newExport()
		cmd.SetArgs(append([]string{"import"}, c.args...))
		cmd.SetErr(io.Discard)
		cmd.SetOut(io.Discard)
		if err := cmd.Execute(); exitCode(err) != c.code {
			t.Errorf("%v: code %d, %v; want %d", c.args, exitCode(err), err, c.code)
		}
	}
	if _, err := os.Stat(in("none")); err == nil {
		t.Error("a fault left something")
	}
	for _, name := range []string{"urls.parquet", "pages.parquet", "states.parquet", "links.parquet"} {
		a, err := os.ReadFile(filepath.Join(in("site"), name))
		b, again := os.ReadFile(filepath.Join(in("again"), name))
		if err != nil || again != nil || !bytes.Equal(a, b) {
			t.Errorf("%s differs: %v, %v", name, err, again)
		}
	}
}
