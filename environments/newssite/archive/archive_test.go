package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/environments/newssite"
)

func testSite(t *testing.T) *newssite.Site {
	site, err := newssite.Generate(newssite.Model{
		Seed: 1, Days: 2, ArchivePages: 300, NewPerDay: 100, DayAmplitude: 0.8, PeakHour: 20,
		Sections: 4, SubFronts: 2, SectionZipf: 0.4, Topics: 6, TopicShare: 0.6, StrayShare: 0.3,
		DatedShare: 0.4, Revisions: 4, RevisionHours: 3, RevisionSigma: 1.5,
		MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9, UndatedShare: 0.5,
		OutExponent: 1.3, OutMax: 50, ArchiveLeaves: 0.8, NewLeaves: 0.15, HubLinkShare: 0.05, MainLinkShare: 0.2, FrontLinkShare: 0.4, LeadDays: 2,
		SectionShare: 0.5, RecentShare: 0.6, RecentReach: 40, CopyShare: 0.637,
		DownloadTime: 2, DownloadZipf: 0.3, LookaheadHours: 6,
	})
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func readTable[Row any](t *testing.T, dir, name string) []Row {
	rows, err := parquet.ReadFile[Row](filepath.Join(dir, name+".parquet"))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// What another program would do: build the site from the tables alone.
func TestTheTablesHoldTheWholeSite(t *testing.T) {
	site := testSite(t)
	dir := filepath.Join(t.TempDir(), "world")
	if err := Write(dir, site); err != nil {
		t.Fatal(err)
	}

	read := &newssite.Site{Dimension: site.Dimension}
	for _, r := range readTable[stateRow](t, dir, "states") {
		read.States = append(read.States, r.Vector)
	}
	starts := map[int32]int32{}
	for _, r := range readTable[urlRow](t, dir, "urls") {
		if r.Start != nil {
			starts[*r.Start] = r.URL
		}
	}
	for place := range int32(len(starts)) {
		read.Start = append(read.Start, starts[place])
	}
	links := map[int32][]int32{}
	for _, r := range readTable[linkRow](t, dir, "links") {
		if int(r.Position) != len(links[r.Page]) {
			t.Fatalf("page %d has a link at position %d after %d links", r.Page, r.Position, len(links[r.Page]))
		}
		links[r.Page] = append(links[r.Page], r.Target)
	}
	last := int32(-1)
	for _, r := range readTable[pageRow](t, dir, "pages") {
		if r.URL != last {
			read.First = append(read.First, r.Page)
			last = r.URL
		}
		v := newssite.Version{From: r.From, Date: newssite.Undated, State: r.State, Download: r.Download, LinkFrom: int32(len(read.Links))}
		if r.Date != nil {
			v.Date = *r.Date
		}
		read.Links = append(read.Links, links[r.Page]...)
		v.LinkTo = int32(len(read.Links))
		read.Versions = append(read.Versions, v)
	}
	read.First = append(read.First, int32(len(read.Versions)))

	if err := read.Validate(); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(read.States, site.States) || !reflect.DeepEqual(read.Start, site.Start) || !reflect.DeepEqual(read.First, site.First) {
		t.Error("states, start list or index differ")
	}
	for i := range site.Versions {
		a, b := &site.Versions[i], &read.Versions[i]
		if a.From != b.From || a.Date != b.Date || a.State != b.State || a.Download != b.Download ||
			!bytes.Equal(asBytes(site.LinksOf(a)), asBytes(read.LinksOf(b))) {
			t.Fatalf("version %d is %+v, want %+v", i, b, a)
		}
	}
}

func asBytes(links []int32) []byte {
	var b []byte
	for _, l := range links {
		b = append(b, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return b
}

func TestFilesAreAFunctionOfTheSite(t *testing.T) {
	site := testSite(t)
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		if err := Write(dir, site); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"urls.parquet", "pages.parquet", "states.parquet", "links.parquet", "README.md"} {
		x, err := os.ReadFile(filepath.Join(a, name))
		if err != nil {
			t.Fatal(err)
		}
		y, _ := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(x, y) {
			t.Errorf("%s has different bytes each time", name)
		}
	}
}

func TestNothingIsLeftWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := Write(filepath.Join(file, "world"), testSite(t)); err == nil {
		t.Error("no error for a directory below a file")
	}
}
