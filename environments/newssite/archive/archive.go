// Package archive writes a recorded news site as Parquet tables, and reads
// them. Another program can run the same simulation from the tables. README.md,
// which is written beside them, describes them.
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
	"sweep/internal/parquetfile"
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

// allRows are the rows of a site's tables.
type allRows struct {
	urls   []urlRow
	pages  []pageRow
	states []stateRow
	links  []linkRow
}

// Write writes the tables of a site, and the README, into a directory, which is
// created if need be. Each file appears whole or not at all, except on Windows,
// and urls appears last: Read misses it where Write was interrupted. The bytes
// of the files depend on the site alone.
func Write(dir string, site *newssite.Site) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	err := os.Remove(filepath.Join(dir, "urls.parquet"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	t := tablesOf(site)
	if err := writeTable(dir, "pages", t.pages); err != nil {
		return err
	}
	if err := writeTable(dir, "states", t.states); err != nil {
		return err
	}
	if err := writeTable(dir, "links", t.links); err != nil {
		return err
	}
	if err := maybe.WriteFile(filepath.Join(dir, "README.md"), readme, 0o644); err != nil {
		return err
	}
	return writeTable(dir, "urls", t.urls)
}

func writeTable[Row any](dir, name string, rows []Row) error {
	path := filepath.Join(dir, name+".parquet")
	var file bytes.Buffer
	w := parquet.NewGenericWriter[Row](
		&file,
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(100_000),
		parquet.CreatedBy("sweep", "1", "world"),
	)
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

func tablesOf(site *newssite.Site) allRows {
	var t allRows
	for i, vector := range site.States {
		t.states = append(t.states, stateRow{int32(i), vector})
	}
	for u := range int32(site.URLs()) {
		row := urlRow{URL: u}
		start := int32(slices.Index(site.Start, u))
		if start >= 0 {
			row.Start = &start
		}
		t.urls = append(t.urls, row)
		for page := site.First[u]; page < site.First[u+1]; page++ {
			v := &site.Versions[page]
			row := pageRow{
				Page:     page,
				URL:      u,
				From:     v.From,
				State:    v.State,
				Download: v.Download,
			}
			if v.Date != newssite.Undated {
				row.Date = &v.Date
			}
			t.pages = append(t.pages, row)
			for position, target := range site.LinksOf(v) {
				t.links = append(t.links, linkRow{page, int32(position), target})
			}
		}
	}
	return t
}

// Accepts says what Read accepts.
const Accepts = "the path of a directory with the tables urls, pages, states and links, " +
	"as newssite writes them"

// Read reads the tables that Write wrote. Written again, they have the same
// bytes. Files that are not on disk may come from shipped, if it is not nil.
// The name that is returned identifies the content: it is the last element of
// the path and the beginning of a SHA-256. The error names the file that is
// missing or malformed.
func Read(
	dir string, shipped func(path string) ([]byte, bool),
) (site *newssite.Site, name string, err error) {
	r := reader{dir: dir, shipped: shipped, digest: sha256.New()}
	t := allRows{
		urls:   readTable[urlRow](&r, "urls"),
		pages:  readTable[pageRow](&r, "pages"),
		states: readTable[stateRow](&r, "states"),
		links:  readTable[linkRow](&r, "links"),
	}
	if r.err != nil {
		return nil, "", r.err
	}
	site, err = siteOf(t)
	if err == nil {
		err = site.Validate()
	}
	if err != nil {
		return nil, "", fmt.Errorf("%s: %w", dir, err)
	}
	return site, fmt.Sprintf("%s@sha256:%.8x", filepath.Base(dir), r.digest.Sum(nil)), nil
}

// reader reads the tables of a directory, up to the first error.
type reader struct {
	dir     string
	shipped func(path string) ([]byte, bool)
	digest  hash.Hash // of what was read
	err     error
}

// readTable returns the rows of a table; none after an error.
func readTable[Row any](r *reader, name string) []Row {
	if r.err != nil {
		return nil
	}
	path := filepath.Join(r.dir, name+".parquet")
	data, err := r.file(path)
	if err != nil {
		r.err = err
		return nil
	}
	r.digest.Write(data)
	rows, err := decode[Row](data)
	if err != nil {
		r.err = fmt.Errorf("%s: the file is damaged, or no table of a site: %w", path, err)
	}
	return rows
}

// file returns the content of a file that is on disk or shipped.
func (r *reader) file(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() { // a pipe or a device may have no end
		return nil, fmt.Errorf("%s: not a regular file (mode %s)", path, info.Mode())
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && r.shipped != nil {
		if shipped, ok := r.shipped(path); ok {
			return shipped, nil
		}
	}
	return data, err
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
	if err != nil {
		return nil, err
	}
	err = parquetfile.CheckSize(f, file, parquetfile.MaxRows, parquetfile.MaxPage)
	if err != nil {
		return nil, err
	}
	var columns []string
	for _, column := range parquet.SchemaOf(new(Row)).Fields() {
		columns = append(columns, column.Name())
	}
	err = history.CheckColumns(f, columns)
	if err != nil || f.NumRows() == 0 { // without rows parquet.Read may fail
		return nil, err
	}
	return parquet.Read[Row](file, file.Size())
}

// siteOf makes a site from the rows of its tables.
func siteOf(t allRows) (*newssite.Site, error) {
	site := &newssite.Site{}
	for i, r := range t.states {
		if int(r.State) != i {
			return nil, fmt.Errorf("row %d of states is of state %d", i, r.State)
		}
		site.States = append(site.States, r.Vector)
		site.Dimension = len(r.Vector)
	}
	var starts []urlRow
	for i, r := range t.urls {
		if int(r.URL) != i {
			return nil, fmt.Errorf("row %d of urls is of URL %d", i, r.URL)
		}
		if r.Start != nil {
			starts = append(starts, r)
		}
	}
	slices.SortStableFunc(starts, func(a, b urlRow) int {
		return cmp.Compare(*a.Start, *b.Start)
	})
	for i, r := range starts {
		if int(*r.Start) != i {
			return nil, fmt.Errorf("place %d of the start list is that of URL %d, want %d",
				*r.Start, r.URL, i)
		}
		site.Start = append(site.Start, r.URL)
	}
	links := t.links // those that are left
	for i, r := range t.pages {
		url := int(r.URL)
		next := len(site.First) // the URL whose first page may come
		if int(r.Page) != i || url != next-1 && url != next {
			return nil, fmt.Errorf("row %d of pages is of page %d of URL %d", i, r.Page, r.URL)
		}
		if url == next {
			site.First = append(site.First, int32(i))
		}
		v := newssite.Version{
			From:     r.From,
			Date:     newssite.Undated,
			State:    r.State,
			Download: r.Download,
			LinkFrom: int32(len(site.Links)),
		}
		if r.Date != nil {
			v.Date = *r.Date
		}
		for position := int32(0); len(links) > 0 && int(links[0].Page) == i; position++ {
			if links[0].Position != position {
				return nil, fmt.Errorf("row %d of links is at position %d",
					len(site.Links), links[0].Position)
			}
			site.Links = append(site.Links, links[0].Target)
			links = links[1:]
		}
		v.LinkTo = int32(len(site.Links))
		site.Versions = append(site.Versions, v)
	}
	site.First = append(site.First, int32(len(t.pages)))
	if len(links) > 0 || len(t.urls) != site.URLs() {
		return nil, fmt.Errorf("there are links that no page has, or URLs without a page")
	}
	return site, nil
}
