package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// writeCSV writes the tables. A table that has other columns than the one
// before begins with an empty line and a header.
func writeCSV(b *bufio.Writer, tables []*view) {
	c := csv.NewWriter(b) // b keeps the first error
	var header []string
	for _, t := range tables {
		if len(t.columns) == 0 {
			continue
		}
		line := make([]string, len(t.columns))
		for k, column := range t.columns {
			line[k] = inert(column.Key)
		}
		if !slices.Equal(line, header) {
			if header != nil {
				c.Flush()
				b.WriteByte('\n')
			}
			c.Write(line)
			header = slices.Clone(line)
		}
		for row := range t.rows {
			for k, value := range row {
				line[k] = field(value)
			}
			c.Write(line)
		}
	}
	c.Flush()
}

// field returns a value as CSV has it.
func field(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case float64:
		return Exact(v)
	}
	return inert(fmt.Sprint(value))
}

// inert keeps spreadsheets from taking a text for a formula: it puts an
// apostrophe before a text that begins like a formula and is not a number.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}

// MarshalJSON returns the rows as an array of objects, with the columns' keys
// in their order. A value that is not defined is null.
func (t *Table) MarshalJSON() ([]byte, error) { return records([]*view{t.in(JSON)}) }

// records returns the rows of tables as one JSON array.
func records(tables []*view) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('[')
	for _, t := range tables {
		for row := range t.rows {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			separator := byte('{')
			for k, value := range row {
				b.WriteByte(separator)
				separator = ','
				encoder.Encode(t.columns[k].Key) // cannot fail: a string, into memory
				b.WriteByte(':')
				x, ok := value.(float64)
				if ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
					value = nil
				}
				if err := encoder.Encode(value); err != nil {
					return nil, err
				}
			}
			b.WriteByte('}')
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// WriteJSON writes a document as indented JSON. A Table in it is the array of
// its rows. Errors are w's, unless the document cannot be encoded, for example
// because it has a NaN outside of a Table.
func WriteJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}
