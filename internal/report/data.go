package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// key names a column for programs.
func (c *Column) key() string {
	if c.Key != "" {
		return c.Key
	}
	return c.Name
}

func (t *Table) keys() []string {
	var keys []string
	for _, c := range t.Columns {
		keys = append(keys, c.key())
	}
	return keys
}

// writeCSV writes the tables. An empty line and a header begin each that
// has other columns than the one before.
func writeCSV(b *bufio.Writer, tables []*Table) {
	c := csv.NewWriter(b) // b keeps the first error
	for i, t := range tables {
		if i == 0 || !slices.Equal(t.keys(), tables[i-1].keys()) {
			if i > 0 {
				c.Flush()
				b.WriteByte('\n')
			}
			c.Write(inert(t.keys()))
		}
		line := make([]string, len(t.Columns))
		for row := range t.Each {
			for k := range row {
				line[k] = text(row[k])
			}
			c.Write(inert(line))
		}
	}
	c.Flush()
}

// inert keeps spreadsheets from taking texts for formulas: an apostrophe
// goes before what begins like one and is no number. It changes the line.
func inert(line []string) []string {
	for i, s := range line {
		if s == "" || !strings.ContainsRune("=+-@\t\r", rune(s[0])) {
			continue
		}
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			line[i] = "'" + s
		}
	}
	return line
}

// MarshalJSON returns the rows as an array of objects, with the columns'
// keys in their order; null stands for what is not defined.
func (t *Table) MarshalJSON() ([]byte, error) { return records{t.in(JSON)}.MarshalJSON() }

// records are tables whose rows are written as one JSON array.
type records []*Table

func (r records) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for _, t := range r {
		keys := t.keys()
		for row := range t.Each {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			if err := appendRecord(&b, keys, row); err != nil {
				return nil, err
			}
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

func appendRecord(b *bytes.Buffer, keys []string, row []any) error {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	for k, cell := range row {
		b.WriteByte("{,"[min(k, 1)])
		if err := encoder.Encode(keys[k]); err != nil {
			return err
		}
		b.WriteByte(':')
		if err := encoder.Encode(value(cell)); err != nil {
			return err
		}
	}
	b.WriteByte('}')
	return nil
}

// value returns a cell for JSON, which has no NaN and no infinities: null.
func value(cell any) any {
	switch v := cell.(type) {
	case Cell:
		return value(v.Value)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil
		}
	}
	return cell
}

// WriteJSON writes a document as indented JSON. A Table in it is the array
// of its records. Errors are w's, unless the document cannot be encoded, as
// a NaN outside of a Table cannot.
func WriteJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}
