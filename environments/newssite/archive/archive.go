// Package archive writes a recorded news site as Parquet tables, and reads
// it. Another program can run the same simulation from them. README.md, which is
// written beside them, describes the tables.
package archive

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2/maybe"
	"github.com/parquet-go/parquet-go"

	"sweep/environments/newssite"
	"sweep/environments/sources/history"
)

//go:embed README.md
var readme []byte

type urlRow struct {
	URL   int32  `parquet:"url,delta"`
	Start *int32 `parquet:"start"`
}

type pageRow struct {
	Page     int32  `parquet:"page,delta"`
	URL      int32  `parquet:"url,delta"`
	From     int64  `parquet:"from_ms,delta"`
	Date     *int64 `parquet:"date_ms"`
	State    int32  `parquet:"state"`
	Download int32  `parquet:"download_ms"`
}

type stateRow struct {
	State  int32     `parquet:"state,delta"`
	Vector []float64 `parquet:"vector,list"`
}

type linkRow struct {
	Page     int32 `parquet:"page,delta"`
	Position int32 `parquet:"position"`
	Target   int32 `parquet:"target"`
}

// Write writes the tables of a site, and the README, into a directory,
// which is created if need be. Each file appears whole or not at all, but on
// Windows, and urls last: where Write was interrupted Read misses it.
// Their bytes are a function of the site alone.
func Write(dir string, site *newssite.Site) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(dir, "urls.parquet")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	urls, pages, states, links := tablesOf(site)
	err := cmp.Or(
		writeTable(dir, "pages", pages),
		writeTable(dir, "states", states),
		writeTable(dir, "links", links),
		maybe.WriteFile(filepath.Join(dir, "README.md"), readme, 0o644))
	if err == nil {
		err = writeTable(dir, "urls", urls)
	}
	return err
}

func writeTable[Row any](dir, name string, rows []Row) error {
	path := filepath.Join(dir, name+".parquet")
	var file bytes.Buffer
	w := parquet.NewGenericWriter[Row](&file, parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(100_000), parquet.CreatedBy("sweep", "1", "world"))
	for batch := range slices.Chunk(rows, 4096) { // on which the bytes depend
		if _, err := w.Write(batch); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	if err := w.Close(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return maybe.WriteFile(path, file.Bytes(), 0o644)
}

func tablesOf(site *newssite.Site) (urls []urlRow, pages []pageRow, states []stateRow, links []linkRow) {
	for i, vector := range site.States {
		states = append(states, stateRow{int32(i), vector})
	}
	for u := range int32(site.URLs()) {
		row := urlRow{URL: u}
		if place := int32(slices.Index(site.Start, u)); place >= 0 {
			row.Start = &place
		}
		urls = append(urls, row)
		for page := site.First[u]; page < site.First[u+1]; page++ {
			v := &site.Versions[page]
			row := pageRow{Page: page, URL: u, From: v.From, State: v.State, Download: v.Download}
			if v.Date != newssite.Undated {
				row.Date = &v.Date
			}
			pages = append(pages, row)
			for position, target := range site.LinksOf(v) {
				links = append(links, linkRow{page, int32(position), target})
			}
		}
	}
	return urls, pages, states, links
}

// Accepts says what Read accepts.
const Accepts = "the path of a directory with the tables urls, pages, states and links, as newssite writes them"

// mostRows bounds a table.
const mostRows = 100_000_000

// Read reads the tables that Write wrote: written again, they have the same
// bytes. Of a directory that is not on disk shipped, if not nil, may have the
// files. The name stands for the content: the last element of the path and the
// beginning of a SHA-256. The error names the file that is missing or malformed.
func Read(dir string, shipped func(string) ([]byte, bool)) (site *newssite.Site, name string, err error) {
	digest := sha256.New()
	var urls []urlRow
	var pages []pageRow
	var states []stateRow
	var links []linkRow
	if err := cmp.Or(
		readTable(dir, "urls", shipped, digest, &urls),
		readTable(dir, "pages", shipped, digest, &pages),
		readTable(dir, "states", shipped, digest, &states),
		readTable(dir, "links", shipped, digest, &links)); err != nil {
		return nil, "", err
	}
	if site, err = siteOf(urls, pages, states, links); err == nil {
		err = site.Validate()
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", dir, err)
	}
	return site, fmt.Sprintf("%s@sha256:%.8x", filepath.Base(dir), digest.Sum(nil)), nil
}

// readTable reads the rows of a table, and writes its bytes to a digest.
func readTable[Row any](dir, name string, shipped func(string) ([]byte, bool), digest hash.Hash, to *[]Row) error {
	path := filepath.Join(dir, name+".parquet")
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && shipped != nil {
		if known, ok := shipped(path); ok {
			data, err = known, nil
		}
	}
	if err != nil {
		return err
	}
	digest.Write(data)
	if *to, err = decode[Row](data); err != nil {
		return fmt.Errorf("%s: the file is damaged, or no table of a site: %w", path, err)
	}
	return nil
}

// decode reads the rows of a Parquet file.
func decode[Row any](data []byte) (rows []Row, err error) {
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf("%v", p)
		}
	}()
	file := bytes.NewReader(data)
	f, err := parquet.OpenFile(file, file.Size())
	if err == nil && f.NumRows() > mostRows {
		err = fmt.Errorf("there are %d rows, want up to %d", f.NumRows(), mostRows)
	}
	var columns []string
	for _, column := range parquet.SchemaOf(new(Row)).Fields() {
		columns = append(columns, column.Name())
	}
	if err == nil {
		err = history.CheckColumns(f, columns)
	}
	if err != nil || f.NumRows() == 0 { // without rows parquet.Read may fail
		return nil, err
	}
	return parquet.Read[Row](file, file.Size())
}

// siteOf makes a site of the rows of its tables.
func siteOf(urls []urlRow, pages []pageRow, states []stateRow, links []linkRow) (*newssite.Site, error) {
	site := &newssite.Site{}
	for i, r := range states {
		if int(r.State) != i {
			return nil, fmt.Errorf("row %d of states is of state %d", i, r.State)
		}
		site.States, site.Dimension = append(site.States, r.Vector), len(r.Vector)
	}
	var starts []urlRow
	for i, r := range urls {
		if int(r.URL) != i {
			return nil, fmt.Errorf("row %d of urls is of URL %d", i, r.URL)
		}
		if r.Start != nil {
			starts = append(starts, r)
		}
	}
	slices.SortStableFunc(starts, func(a, b urlRow) int { return cmp.Compare(*a.Start, *b.Start) })
	for place, r := range starts {
		if int(*r.Start) != place {
			return nil, fmt.Errorf("place %d of the start list is that of URL %d, want %d", *r.Start, r.URL, place)
		}
		site.Start = append(site.Start, r.URL)
	}
	next := 0
	for i, r := range pages {
		if int(r.Page) != i || int(r.URL) != len(site.First)-1 && int(r.URL) != len(site.First) {
			return nil, fmt.Errorf("row %d of pages is of page %d of URL %d", i, r.Page, r.URL)
		}
		if int(r.URL) == len(site.First) {
			site.First = append(site.First, int32(i))
		}
		v := newssite.Version{From: r.From, Date: newssite.Undated, State: r.State, Download: r.Download, LinkFrom: int32(next)}
		if r.Date != nil {
			v.Date = *r.Date
		}
		for ; next < len(links) && int(links[next].Page) == i; next++ {
			if int(links[next].Position) != next-int(v.LinkFrom) {
				return nil, fmt.Errorf("row %d of links is at position %d", next, links[next].Position)
			}
			site.Links = append(site.Links, links[next].Target)
		}
		v.LinkTo = int32(next)
		site.Versions = append(site.Versions, v)
	}
	if site.First = append(site.First, int32(len(pages))); next < len(links) || len(urls) != site.URLs() {
		return nil, fmt.Errorf("there are links that no page has, or URLs without a page")
	}
	return site, nil
}
