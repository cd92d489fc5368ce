package report

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

// keys name the columns for programs.
func (t *Table) keys() []string {
	keys := make([]string, len(t.Columns))
	for k, c := range t.Columns {
		if keys[k] = c.Key; c.Key == "" {
			keys[k] = c.Name
		}
	}
	return keys
}

// writeCSV writes the tables. An empty line and a header begin each that
// has other columns than the one before.
func writeCSV(b *bufio.Writer, tables []*Table) {
	c := csv.NewWriter(b) // b keeps the first error
	var header []string
	for i, t := range tables {
		if keys := t.keys(); i == 0 || !slices.Equal(keys, header) {
			if i > 0 {
				c.Flush()
				b.WriteByte('\n')
			}
			header = keys
			c.Write(inert(slices.Clone(keys)))
		}
		line := make([]string, len(t.Columns))
		for row := range t.Each {
			for k, cell := range row {
				switch v := cell.(type) {
				case nil:
					line[k] = ""
				case float64:
					line[k] = Exact(v)
				default:
					line[k] = fmt.Sprint(cell)
				}
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
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('[')
	for _, t := range r {
		keys := t.keys()
		for row := range t.Each {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			for k, cell := range row {
				b.WriteByte("{,"[min(k, 1)])
				encoder.Encode(keys[k]) // into memory
				b.WriteByte(':')
				if x, ok := cell.(float64); ok && (math.IsNaN(x) || math.IsInf(x, 0)) {
					cell = nil
				}
				if err := encoder.Encode(cell); err != nil {
					return nil, err
				}
			}
			b.WriteByte('}')
		}
	}
	b.WriteByte(']')
	return b.Bytes(), nil
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
