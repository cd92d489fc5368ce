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

	"sweep/internal/lists"
)

// writeCSV writes the tables. An empty line and a header begin each that
// has other columns than the one before.
func writeCSV(b *bufio.Writer, tables []*Table) {
	c := csv.NewWriter(b) // b keeps the first error
	var header []string
	for _, t := range tables {
		if len(t.Columns) == 0 {
			continue
		}
		line := lists.Map(t.Columns, func(c Column) string { return inert(c.Key) })
		if !slices.Equal(line, header) {
			if header != nil {
				c.Flush()
				b.WriteByte('\n')
			}
			c.Write(line)
			header = slices.Clone(line)
		}
		for row := range t.Each {
			for k := range line {
				switch v := row[t.Columns[k].at].(type) {
				case nil:
					line[k] = ""
				case float64:
					line[k] = Exact(v)
				default:
					line[k] = inert(fmt.Sprint(v))
				}
			}
			c.Write(line)
		}
	}
	c.Flush()
}

// inert keeps spreadsheets from taking a text for a formula: an apostrophe
// goes before what begins like one and is no number.
func inert(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		if _, err := strconv.ParseFloat(s, 64); err != nil {
			return "'" + s
		}
	}
	return s
}

// MarshalJSON returns the rows as an array of objects, with the columns'
// keys in their order; null stands for what is not defined.
func (t *Table) MarshalJSON() ([]byte, error) { return records([]*Table{t.in(JSON)}) }

// records returns the rows of tables as one JSON array.
func records(tables []*Table) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	b.WriteByte('[')
	for _, t := range tables {
		for row := range t.Each {
			if b.Len() > 1 {
				b.WriteByte(',')
			}
			separator := byte('{')
			for _, c := range t.Columns {
				b.WriteByte(separator)
				separator = ','
				encoder.Encode(c.Key) // into memory
				b.WriteByte(':')
				cell := row[c.at]
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
