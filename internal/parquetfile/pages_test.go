package parquetfile

import (
	"bytes"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/internal/testutil"
)

// A small file may hold many rows or a large text: it is refused before either
// is read.
func TestCheckSize(t *testing.T) {
	type row struct {
		Name string `parquet:"name,zstd"`
		Kind string `parquet:"kind,zstd,dict"`
		Time int64  `parquet:"time,zstd"`
	}
	rows := make([]row, 1000)
	for i := range rows {
		rows[i] = row{"name", "kind", int64(i)}
	}
	rows[900].Name = strings.Repeat("a", 1<<20)
	check := func(maxRows, maxPage int64) error {
		var b bytes.Buffer
		testutil.NoError(parquet.Write(&b, rows, parquet.MaxRowsPerRowGroup(300)))
		content := bytes.NewReader(b.Bytes())
		f := testutil.Must(parquet.OpenFile(content, content.Size()))
		return CheckSize(f, content, maxRows, maxPage)
	}
	testutil.NoError(check(1000, 1<<21))
	for _, c := range []struct {
		rows, page int64
		want       string
	}{
		{999, 1 << 21, "there are 1000 rows, want at most 999"},
		{1000, 1 << 19, "a page of the column name takes 10"},
	} {
		if err := check(c.rows, c.page); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%d rows, %d bytes: error %v, want %s", c.rows, c.page, err, c.want)
		}
	}
	rows[900].Name = ""
	rows[10].Kind = strings.Repeat("b", 1<<20) // in a dictionary
	if err := check(1000, 1<<19); err == nil || !strings.Contains(err.Error(), "column kind") {
		t.Errorf("error %v, want one of the column kind", err)
	}
}
