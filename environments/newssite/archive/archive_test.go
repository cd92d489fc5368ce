package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"sweep/environments/newssite"
	"sweep/internal/testutil"
)

func testSite() *newssite.Site {
	return testutil.Must(newssite.Generate(newssite.Model{
		Seed: 1, Days: 2, ArchivePages: 300, NewPerDay: 100, Sections: 4, SubFronts: 2, Topics: 6, TopicShare: 0.6,
		DatedShare: 0.4, Revisions: 4, RevisionHours: 3, MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9,
		OutExponent: 1.3, OutMax: 50, ArchiveLeaves: 0.8, HubLinkShare: 0.05, RecentReach: 40, CopyShare: 0.637, DownloadTime: 2,
	}))
}

// A site comes back whole. That it is written again in the same bytes the test of
// cmd/newssite asks for.
func TestTheTablesHoldTheWholeSite(t *testing.T) {
	site, dir := testSite(), filepath.Join(t.TempDir(), "world")
	testutil.NoError(Write(dir, site))
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
	links := filepath.Join(dir, "links.parquet")
	missing := "open " + filepath.Join(dir, "urls.parquet") + ": no such file"
	refuses(missing)
	site := testSite()
	testutil.NoError(Write(dir, site))
	for _, table := range tables {
		path := filepath.Join(dir, table)
		whole := testutil.Must(os.ReadFile(path))
		for i := 0; i < len(whole); i += len(whole)/testutil.IfThorough(40, 10) + 1 {
			damaged := bytes.Clone(whole)
			damaged[i] ^= 0x55
			testutil.NoError(os.WriteFile(path, damaged, 0o666))
			if _, _, err := Read(dir, nil); err != nil && !strings.HasPrefix(err.Error(), dir) {
				t.Error(err)
			}
		}
		testutil.NoError(os.WriteFile(path, whole[:len(whole)/2], 0o666))
		refuses(path + ": the file is damaged, or no table of a site: ")
		testutil.NoError(os.WriteFile(path, whole, 0o666))
	}
	site.Links[7] = int32(site.URLs())
	testutil.NoError(Write(dir, site))
	refuses(dir + ": URL ")
	testutil.NoError(writeTable(dir, "links", []linkRow{{Page: 0, Position: 1, Target: 0}}))
	refuses(dir + ": row 0 of links is at position 1")
	testutil.NoError(writeTable(dir, "links", []linkRow{{Page: -1}}))
	refuses(dir + ": there are links that no page has")
	testutil.NoError(writeTable(dir, "urls", []urlRow{{URL: 1}}))
	refuses(dir + ": row 0 of urls is of URL 1")
	testutil.NoError(writeTable(dir, "urls", []urlRow{{0, new(int32)}, {1, new(int32)}}))
	refuses(dir + ": place 0 of the start list is that of URL 1, want 1")
	testutil.NoError(writeTable(dir, "links", []stateRow{{}}))
	refuses(links + ": the file is damaged, or no table of a site: the columns are state, vector, want")

	// A site that was written in part over another is not read.
	testutil.NoError(os.Remove(links))
	testutil.NoError(os.MkdirAll(filepath.Join(links, "in the way"), 0o755))
	if err := Write(dir, site); err == nil {
		t.Fatal("no error for a table that cannot be written")
	}
	testutil.NoError(os.RemoveAll(links))
	refuses(missing)
}
