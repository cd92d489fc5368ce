package history

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"sweep/environments/sources"
)

// columns are those of a table.
var columns = [4]string{"url_id", "slot", "changed", "importance"}

// readCSV reads a table as a CSV file with a header (RFC 4180): slots as
// integers, changes as 0 and 1 or false and true.
func readCSV(path string, digest hash.Hash) (*sources.History, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	r := newRecorder()
	if err := recordCSV(r, io.TeeReader(bufio.NewReaderSize(f, 1<<16), digest)); err != nil {
		return nil, fmt.Errorf("%s:%w", path, err)
	}
	h, err := r.history()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return h, nil
}

// recordCSV records the rows of a CSV text. An error begins with its line.
func recordCSV(r *recorder, text io.Reader) error {
	reader := csv.NewReader(text)
	reader.ReuseRecord = true
	fault := func(err error) error {
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("%d: %w", parse.Line, parse.Err)
		}
		line, _ := reader.FieldPos(0)
		return fmt.Errorf("%d: %w", line, err)
	}
	header, err := reader.Read()
	if err == io.EOF {
		return errors.New("1: the file is empty, want a header")
	}
	if err != nil {
		return fault(err)
	}
	header[0] = strings.TrimPrefix(header[0], "\ufeff") // a byte order mark
	var at [len(columns)]int
	for i, name := range columns {
		if at[i] = slices.Index(header, name); at[i] < 0 {
			return fault(fmt.Errorf("the header is %s, want among others %s", strings.Join(header, ","), name))
		}
	}
	for {
		fields, err := reader.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fault(err)
		}
		row, err := parseRow(fields[at[0]], fields[at[1]], fields[at[2]], fields[at[3]])
		if err == nil {
			err = r.add(row)
		}
		if err != nil {
			return fault(err)
		}
	}
}

func parseRow(url, slot, changed, importance string) (row, error) {
	r := row{url: url}
	var err error
	if r.slot, err = strconv.ParseInt(slot, 10, 64); err != nil {
		return r, fmt.Errorf("slot is %q, want an integer", slot)
	}
	if r.changed, err = strconv.ParseBool(changed); err != nil {
		return r, fmt.Errorf("changed is %q, want 0 or 1, false or true", changed)
	}
	if r.importance, err = strconv.ParseFloat(importance, 64); err != nil {
		return r, fmt.Errorf("importance is %q, want a number", importance)
	}
	return r, nil
}
