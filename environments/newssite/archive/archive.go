// Package archive writes a recorded news site as Parquet tables, from
// which another program can run the same simulation. README.md, which is
// written beside them, describes the tables.
package archive

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/renameio/v2/maybe"
	"github.com/parquet-go/parquet-go"

	"sweep/environments/newssite"
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
// Windows.
// Their bytes are a function of the site alone.
func Write(dir string, site *newssite.Site) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return cmp.Or(
		writeTable(dir, "urls", urlRows(site)),
		writeTable(dir, "pages", pageRows(site)),
		writeTable(dir, "states", stateRows(site)),
		writeTable(dir, "links", linkRows(site)),
		maybe.WriteFile(filepath.Join(dir, "README.md"), readme, 0o644))
}

func writeTable[Row any](dir, name string, rows iter.Seq[Row]) error {
	path := filepath.Join(dir, name+".parquet")
	var file bytes.Buffer
	if err := writeRows(&file, rows); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return maybe.WriteFile(path, file.Bytes(), 0o644)
}

func writeRows[Row any](to io.Writer, rows iter.Seq[Row]) error {
	const size = 4096
	w := parquet.NewGenericWriter[Row](to,
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(100_000),
		parquet.CreatedBy("sweep", "1", "world"))
	batch := make([]Row, 0, size)
	for row := range rows {
		if batch = append(batch, row); len(batch) == size {
			if _, err := w.Write(batch); err != nil {
				return err
			}
			batch = batch[:0]
		}
	}
	if _, err := w.Write(batch); err != nil {
		return err
	}
	return w.Close()
}

func urlRows(site *newssite.Site) iter.Seq[urlRow] {
	return func(yield func(urlRow) bool) {
		for u := range int32(site.URLs()) {
			row := urlRow{URL: u}
			if place := int32(slices.Index(site.Start, u)); place >= 0 {
				row.Start = &place
			}
			if !yield(row) {
				return
			}
		}
	}
}

func pageRows(site *newssite.Site) iter.Seq[pageRow] {
	return func(yield func(pageRow) bool) {
		for u := range int32(site.URLs()) {
			for page := site.First[u]; page < site.First[u+1]; page++ {
				v := site.Versions[page]
				row := pageRow{Page: page, URL: u, From: v.From, State: v.State, Download: v.Download}
				if v.Date != newssite.Undated {
					row.Date = &v.Date
				}
				if !yield(row) {
					return
				}
			}
		}
	}
}

func stateRows(site *newssite.Site) iter.Seq[stateRow] {
	return func(yield func(stateRow) bool) {
		for s, vector := range site.States {
			if !yield(stateRow{int32(s), vector}) {
				return
			}
		}
	}
}

func linkRows(site *newssite.Site) iter.Seq[linkRow] {
	return func(yield func(linkRow) bool) {
		for page := range site.Versions {
			for position, target := range site.LinksOf(&site.Versions[page]) {
				if !yield(linkRow{int32(page), int32(position), target}) {
					return
				}
			}
		}
	}
}
