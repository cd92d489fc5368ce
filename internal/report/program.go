package report

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
)

// Exact returns the shortest text that reads back as x, for a program; empty
// for NaN.
func Exact(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// WriteJSON writes a document as indented JSON. Errors are w's, unless the
// document cannot be encoded, as a NaN cannot.
func WriteJSON(w io.Writer, document any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(document)
}
