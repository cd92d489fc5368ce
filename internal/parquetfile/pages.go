package parquetfile

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

// The limits of files that other programs wrote. A file of a few kilobytes can
// hold a text of gigabytes, or millions of rows.
const (
	MaxRows = 100_000_000
	MaxPage = 256 << 20 // bytes of a page when it is unpacked
)

// CheckSize returns an error if a file has more rows than maxRows, or a page
// that takes more than maxPage bytes. It reads the headers of pages only.
func CheckSize(f *parquet.File, content io.ReaderAt, maxRows, maxPage int64) error {
	if f.NumRows() > maxRows {
		return fmt.Errorf("there are %d rows, want at most %d", f.NumRows(), maxRows)
	}
	for _, group := range f.Metadata().RowGroups {
		for i := range group.Columns {
			err := checkPages(&group.Columns[i].MetaData, content, f.Size(), maxPage)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// checkPages checks the pages of a column in a group of rows, which follow one
// another in the file.
func checkPages(
	column *format.ColumnMetaData, content io.ReaderAt, size, maxPage int64,
) error {
	at := column.DataPageOffset
	if first := column.DictionaryPageOffset; first > 0 && first < at {
		at = first
	}
	end := at + column.TotalCompressedSize
	for at < end {
		section := io.NewSectionReader(content, at, size-at)
		buffered := bufio.NewReaderSize(section, 1<<10)
		var header format.PageHeader
		var protocol thrift.CompactProtocol
		err := thrift.NewDecoder(protocol.NewReader(buffered)).Decode(&header)
		if err != nil {
			return fmt.Errorf("the file is damaged: a page has no header: %w", err)
		}
		if unpacked := int64(header.UncompressedPageSize); unpacked > maxPage {
			name := strings.Join(column.PathInSchema, ".")
			return fmt.Errorf("a page of the column %s takes %d bytes, want at most %d\n"+
				"hint: write it with smaller pages", name, unpacked, maxPage)
		}
		read, err := section.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		at += read - int64(buffered.Buffered()) + max(0, int64(header.CompressedPageSize))
	}
	return nil
}
