package parquetfile

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/internal/testutil"
)

// Values come back in the order of the columns, NaN as null, negative zero as
// zero, and numbers as the kind of their column; the same values are the same
// bytes.
func TestValues(t *testing.T) {
	columns := []Column{
		{Name: "z", Kind: "string", Meaning: "a name"},
		{Name: "n", Kind: "int", Unit: "pages", Optional: true},
		{Name: "x", Kind: "float", Optional: true},
		{Name: "at", Kind: "time", Optional: true},
	}
	write := func() []byte {
		var b bytes.Buffer
		w := New(&b, "table", columns, map[string]string{"about": "it"}, &parquet.Zstd, BatchRows)
		for i := range 2*BatchRows + 1 { // more than a batch, and than a group
			w.Add(Text(fmt.Sprint(i)), parquet.DoubleValue(float64(i)), parquet.Int64Value(int64(i)), parquet.Int64Value(int64(i)))
		}
		w.Add(Text("end"), parquet.DoubleValue(math.NaN()), parquet.DoubleValue(math.Copysign(0, -1)), parquet.NullValue())
		testutil.NoError(w.Close())
		return b.Bytes()
	}
	b := write()
	if !bytes.Equal(b, write()) {
		t.Error("the bytes differ")
	}
	f := testutil.Must(parquet.OpenFile(bytes.NewReader(b), int64(len(b))))
	rows, read := make([]parquet.Row, 2*BatchRows+2), 0
	for _, g := range f.RowGroups() {
		r := g.Rows()
		n, _ := r.ReadRows(rows[read:])
		read += n
		testutil.NoError(r.Close())
	}
	for i, want := range map[int]string{0: "[0 0 0 0]", 1500: "[1500 1500 1500 1500]", len(rows) - 1: "[end <null> 0 <null>]"} {
		if got := fmt.Sprint(rows[i]); read != len(rows) || got != want || math.Signbit(rows[i][2].Double()) {
			t.Errorf("%d rows; row %d is %s, want %s", read, i, got, want)
		}
	}
	for key, want := range map[string]string{"about": "it", keyColumns: `"unit":"pages"`, keyArrow: "/////"} {
		if text, _ := f.Lookup(key); !strings.Contains(text, want) {
			t.Errorf("the footer has %s %q, want %q", key, text, want)
		}
	}
}
