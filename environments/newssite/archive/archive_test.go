package archive

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sweep/environments/newssite"
)

func testSite() *newssite.Site {
	return must(newssite.Generate(newssite.Model{
		Seed: 1, Days: 2, ArchivePages: 300, NewPerDay: 100, Sections: 4, SubFronts: 2, Topics: 6, TopicShare: 0.6,
		DatedShare: 0.4, Revisions: 4, RevisionHours: 3, MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9,
		OutExponent: 1.3, OutMax: 50, ArchiveLeaves: 0.8, HubLinkShare: 0.05, RecentReach: 40, CopyShare: 0.637, DownloadTime: 2,
	}))
}

// A site comes back whole. That it is written again in the same bytes the test of
// cmd/newssite asks for.
func TestTheTablesHoldTheWholeSite(t *testing.T) {
	site, dir := testSite(), filepath.Join(t.TempDir(), "world")
	ok(Write(dir, site))
	read, name, err := Read(dir, nil)
	if err != nil || !strings.HasPrefix(name, "world@sha256:") || len(name) != len("world@sha256:")+16 {
		t.Fatalf("%s, %v", name, err)
	}
	if !reflect.DeepEqual(read.States, site.States) || !slices.Equal(read.Start, site.Start) || !slices.Equal(read.First, site.First) {
		t.Error("states, start list or index differ")
	}
	for i := range site.Versions {
		a, b := &site.Versions[i], &read.Versions[i]
		if a.From != b.From || a.Date != b.Date || a.State != b.State || a.Download != b.Download ||
			!slices.Equal(site.LinksOf(a), read.LinksOf(b)) {
			t.Fatalf("version %d is %+v, want %+v", i, b, a)
		}
	}
	_, shipped, err := Read("records/world", func(path string) ([]byte, bool) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.Base(path)))
		return data, err == nil && filepath.Base(filepath.Dir(path)) == "world"
	})
	if err != nil || shipped != name {
		t.Errorf("with the program come %s, %v; want %s", shipped, err, name)
	}
}

var tables = []string{"urls.parquet", "pages.parquet", "states.parquet", "links.parquet"}

// Damage ends in an error that names the file, or in a site that is valid,
// never in a panic; and so do rows that do not fit together.
func TestMalformedTables(t *testing.T) {
	dir := t.TempDir()
	refuses := func(want string) {
		t.Helper()
		if _, _, err := Read(dir, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	refuses("open " + filepath.Join(dir, "urls.parquet") + ": no such file")
	site := testSite()
	ok(Write(dir, site))
	for _, table := range tables {
		path := filepath.Join(dir, table)
		whole := must(os.ReadFile(path))
		for i := 0; i < len(whole); i += len(whole)/40 + 1 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 0x55
			ok(os.WriteFile(path, damaged, 0o666))
			if _, _, err := Read(dir, nil); err != nil && !strings.HasPrefix(err.Error(), dir) {
				t.Error(err)
			}
		}
		ok(os.WriteFile(path, whole[:len(whole)/2], 0o666))
		refuses(path + ": the file is damaged: ")
		ok(os.WriteFile(path, whole, 0o666))
	}
	site.Links[7] = int32(site.URLs())
	ok(Write(dir, site))
	refuses(dir + ": URL ")
	ok(writeTable(dir, "links", []linkRow{{Page: 0, Position: 1, Target: 0}}))
	refuses(dir + ": row 0 of links is at position 1")
	ok(writeTable(dir, "links", []linkRow{{Page: -1}}))
	refuses(dir + ": there are links that no page has")
	ok(writeTable(dir, "urls", []urlRow{{URL: 1}}))
	refuses(dir + ": row 0 of urls is of URL 1")
}

// A site that was written in part over another is not read.
func TestHalfWrittenTablesAreNotRead(t *testing.T) {
	dir := t.TempDir()
	ok(Write(dir, testSite()))
	ok(os.Remove(filepath.Join(dir, "links.parquet")))
	ok(os.MkdirAll(filepath.Join(dir, "links.parquet", "in the way"), 0o755))
	if err := Write(dir, testSite()); err == nil {
		t.Fatal("no error for a table that cannot be written")
	}
	ok(os.RemoveAll(filepath.Join(dir, "links.parquet")))
	if _, _, err := Read(dir, nil); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "urls.parquet") {
		t.Errorf("error %v, want one that misses urls.parquet", err)
	}
}

// must returns what was made without an error.
func must[T any](v T, err error) T {
	ok(err)
	return v
}

func ok(err error) {
	if err != nil {
		panic(err)
	}
}
