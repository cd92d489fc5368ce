package archive

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/environments/newssite"
)

func testSite() *newssite.Site {
	return must(newssite.Generate(newssite.Model{
		Seed: 1, Days: 2, ArchivePages: 300, NewPerDay: 100, DayAmplitude: 0.8, PeakHour: 20,
		Sections: 4, SubFronts: 2, SectionZipf: 0.4, Topics: 6, TopicShare: 0.6, StrayShare: 0.3,
		DatedShare: 0.4, Revisions: 4, RevisionHours: 3, RevisionSigma: 1.5,
		MainList: 5, HubList: 8, MainShare: 0.5, FrontShare: 0.9, UndatedShare: 0.5,
		OutExponent: 1.3, OutMax: 50, ArchiveLeaves: 0.8, NewLeaves: 0.15, HubLinkShare: 0.05, MainLinkShare: 0.2, FrontLinkShare: 0.4, LeadDays: 2,
		SectionShare: 0.5, RecentShare: 0.6, RecentReach: 40, CopyShare: 0.637,
		DownloadTime: 2, DownloadZipf: 0.3, LookaheadHours: 6,
	}))
}

func readTable[Row any](dir, name string) []Row {
	return must(parquet.ReadFile[Row](filepath.Join(dir, name+".parquet")))
}

// What another program would do: build the site from the tables alone.
func TestTheTablesHoldTheWholeSite(t *testing.T) {
	site := testSite()
	dir := filepath.Join(t.TempDir(), "world")
	ok(Write(dir, site))

	read := &newssite.Site{Dimension: site.Dimension}
	for _, r := range readTable[stateRow](dir, "states") {
		read.States = append(read.States, r.Vector)
	}
	starts := map[int32]int32{}
	for _, r := range readTable[urlRow](dir, "urls") {
		if r.Start != nil {
			starts[*r.Start] = r.URL
		}
	}
	for place := range int32(len(starts)) {
		read.Start = append(read.Start, starts[place])
	}
	links := map[int32][]int32{}
	for _, r := range readTable[linkRow](dir, "links") {
		if int(r.Position) != len(links[r.Page]) {
			t.Fatalf("page %d has a link at position %d after %d links", r.Page, r.Position, len(links[r.Page]))
		}
		links[r.Page] = append(links[r.Page], r.Target)
	}
	last := int32(-1)
	for _, r := range readTable[pageRow](dir, "pages") {
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

	ok(read.Validate())
	if !reflect.DeepEqual(read.States, site.States) || !reflect.DeepEqual(read.Start, site.Start) || !reflect.DeepEqual(read.First, site.First) {
		t.Error("states, start list or index differ")
	}
	for i := range site.Versions {
		a, b := &site.Versions[i], &read.Versions[i]
		if a.From != b.From || a.Date != b.Date || a.State != b.State || a.Download != b.Download ||
			!slices.Equal(site.LinksOf(a), read.LinksOf(b)) {
			t.Fatalf("version %d is %+v, want %+v", i, b, a)
		}
	}
}

func TestFilesAreAFunctionOfTheSite(t *testing.T) {
	site := testSite()
	a, b := t.TempDir(), t.TempDir()
	for _, dir := range []string{a, b} {
		ok(Write(dir, site))
	}
	for _, name := range []string{"urls.parquet", "pages.parquet", "states.parquet", "links.parquet", "README.md"} {
		x := must(os.ReadFile(filepath.Join(a, name)))
		y, _ := os.ReadFile(filepath.Join(b, name))
		if !bytes.Equal(x, y) {
			t.Errorf("%s has different bytes each time", name)
		}
	}
}

func TestNothingIsLeftWhereNothingCanBeWritten(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	ok(os.WriteFile(file, nil, 0o644))
	if err := Write(filepath.Join(file, "world"), testSite()); err == nil {
		t.Error("no error for a directory below a file")
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
