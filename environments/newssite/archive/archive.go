// Package archive writes a recorded news site as Parquet tables, from
// which another program can run the same simulation. README.md, which is
// written beside them, describes the tables.
package archive

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
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
// which is created if need be. Each file appears whole or not at all.
// Their bytes are a function of the site alone.
func Write(dir string, site *newssite.Site) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeTable(dir, "urls", urlRows(site)); err != nil {
		return err
	}
	if err := writeTable(dir, "pages", pageRows(site)); err != nil {
		return err
	}
	if err := writeTable(dir, "states", stateRows(site)); err != nil {
		return err
	}
	if err := writeTable(dir, "links", linkRows(site)); err != nil {
		return err
	}
	return renameio.WriteFile(filepath.Join(dir, "README.md"), readme, 0o644)
}

// writeTable writes the rows that each passes on.
func writeTable[Row any](dir, name string, each func(yield func(Row) error) error) error {
	path := filepath.Join(dir, name+".parquet")
	file, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o644))
	if err != nil {
		return err
	}
	defer file.Cleanup()
	if err := writeRows(file, each); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return file.CloseAtomicallyReplace()
}

func writeRows[Row any](to io.Writer, each func(yield func(Row) error) error) error {
	const batch = 4096
	w := parquet.NewGenericWriter[Row](to,
		parquet.Compression(&parquet.Zstd),
		parquet.MaxRowsPerRowGroup(100_000),
		parquet.CreatedBy("sweep", "1", "world"))
	rows := make([]Row, 0, batch)
	flush := func() error {
		_, err := w.Write(rows)
		rows = rows[:0]
		return err
	}
	err := each(func(r Row) error {
		rows = append(rows, r)
		if len(rows) == batch {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return err
	}
	return w.Close()
}

func urlRows(site *newssite.Site) func(func(urlRow) error) error {
	return func(yield func(urlRow) error) error {
		start := map[int32]int32{}
		for place, u := range site.Start {
			start[u] = int32(place)
		}
		for u := range int32(site.URLs()) {
			row := urlRow{URL: u}
			if place, ok := start[u]; ok {
				row.Start = &place
			}
			if err := yield(row); err != nil {
				return err
			}
		}
		return nil
	}
}

func pageRows(site *newssite.Site) func(func(pageRow) error) error {
	return func(yield func(pageRow) error) error {
		for u := range int32(site.URLs()) {
			for page := site.First[u]; page < site.First[u+1]; page++ {
				v := site.Versions[page]
				row := pageRow{Page: page, URL: u, From: v.From, State: v.State, Download: v.Download}
				if v.Date != newssite.Undated {
					row.Date = &v.Date
				}
				if err := yield(row); err != nil {
					return err
				}
			}
		}
		return nil
	}
}

func stateRows(site *newssite.Site) func(func(stateRow) error) error {
	return func(yield func(stateRow) error) error {
		for s, vector := range site.States {
			if err := yield(stateRow{int32(s), vector}); err != nil {
				return err
			}
		}
		return nil
	}
}

func linkRows(site *newssite.Site) func(func(linkRow) error) error {
	return func(yield func(linkRow) error) error {
		for page := range site.Versions {
			for position, target := range site.LinksOf(&site.Versions[page]) {
				if err := yield(linkRow{int32(page), int32(position), target}); err != nil {
					return err
				}
			}
		}
		return nil
	}
}
