package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// small makes several row groups, and pages, of a few rows.
var small = []parquet.WriterOption{parquet.MaxRowsPerRowGroup(100), parquet.PageBufferSize(256)}

func writeParquet[Row any](t *testing.T, path string, rows []Row, options ...parquet.WriterOption) {
	t.Helper()
	f := must(os.Create(path))
	w := parquet.NewGenericWriter[Row](f, options...)
	must(w.Write(rows))
	ok(w.Close())
	ok(f.Close())
}

func write(t *testing.T, path, text string) {
	t.Helper()
	ok(os.WriteFile(path, []byte(text), 0o666))
}

// The name of a log is that of its content.
func TestNames(t *testing.T) {
	name := func(path string) string {
		_, name, err := Files(nil).Read(path)
		ok(err)
		return name
	}
	dir := t.TempDir()
	path, moved := filepath.Join(dir, "changes.csv"), filepath.Join(dir, "moved", "changes.csv")
	write(t, path, logText)
	const want = "changes.csv@sha256:46a4437c046f24df" // what sha256sum says
	if got := name(path); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	ok(os.Mkdir(filepath.Dir(moved), 0o777))
	write(t, moved, logText)
	if name(moved) != want {
		t.Error("the place of a file is part of its name")
	}
	write(t, moved, logText+"\n") // an empty line, which says nothing
	if name(moved) == want {
		t.Error("another content has the same name")
	}
}

// refuses reads a log that must fail with an error that begins so.
func refuses(t *testing.T, path, want string) {
	t.Helper()
	if _, _, err := Files(nil).Read(path); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestMalformedFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".parquet") }
	type good struct {
		URL  string `parquet:"url_id"`
		Time *int64 `parquet:"time,optional"`
	}
	type listed struct {
		URL  string `parquet:"url_id"`
		Time []int  `parquet:"time"`
	}
	many := make([]good, 250)
	for i := range many {
		at := int64(i)
		many[i] = good{"a", &at}
	}
	writeParquet(t, path("short"), []struct {
		URL string `parquet:"url_id"`
	}{{"a"}})
	refuses(t, path("short"), path("short")+": the columns are url_id, want among others time")
	writeParquet(t, path("listed"), []listed{{"a", []int{1}}})
	refuses(t, path("listed"), path("listed")+": row 1: time is a list, want")
	writeParquet(t, path("empty"), []good{})
	refuses(t, path("empty"), path("empty")+": there are no rows")
	null := append([]good(nil), many...)
	null[230].Time = nil // in the third row group
	writeParquet(t, path("null"), null, small...)
	refuses(t, path("null"), path("null")+": row 231: there is no time")
	write(t, path("text"), "url_id,time\n")
	refuses(t, path("text"), path("text")+": not a Parquet file, or damaged: ")
	refuses(t, dir+"/t.txt", "open "+dir)
	write(t, dir+"/t.txt", "text")
	refuses(t, dir+"/t.txt", dir+"/t.txt: want the path of a .csv, ")

	// Damage ends in an error or in a log, never in a panic.
	writeParquet(t, path("whole"), many, small...)
	whole := must(os.ReadFile(path("whole")))
	for i := 0; i < len(whole); i += 101 {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x55
		write(t, path("damaged"), string(damaged))
		_, _, _ = Files(nil).Read(path("damaged"))
	}
}
