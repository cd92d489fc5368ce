package history

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
)

func inUse() int64 {
	runtime.GC() // twice, for what pools hold
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// However long a table, only the history is kept, and the names of pages.
func TestLongTablesAreStreams(t *testing.T) {
	const pages, slots = 2000, 400
	// two bits a page and slot, doubled by growing; 200 bytes a page; buffers
	const most = 2*2*pages*slots/8 + 200*pages + 1<<19
	var written, peak int64
	before := inUse()
	out, in := io.Pipe()
	go func() {
		text := []byte("url_id,slot,changed,importance\n")
		for page := range pages {
			for slot := range slots {
				text = fmt.Appendf(text, "http://www.example.com/news/%d,%d,%v,0.5\n", page, slot, (page+slot)%3 == 0)
			}
			written += int64(must(in.Write(text)))
			text = text[:0]
			if page%(pages/8) == 0 {
				peak = max(peak, inUse())
			}
		}
		in.Close()
	}()
	r := newRecorder()
	ok(recordCSV(r, out))
	if took := peak - before; took > most || 10*took > written {
		t.Errorf("reading %d bytes took %d bytes of memory, want at most %d, and a tenth", written, took, most)
	}
	h := must(r.history())
	if h.Nodes() != pages || h.Slots() != slots {
		t.Errorf("%d nodes, %d slots", h.Nodes(), h.Slots())
	}
}

// watched is a file that watches the memory in use while it is read.
type watched struct {
	*os.File
	reads int
	peak  int64
}

func (w *watched) ReadAt(p []byte, at int64) (int, error) {
	if w.reads++; w.reads%16 == 0 {
		w.peak = max(w.peak, inUse())
	}
	return w.File.ReadAt(p, at)
}

func TestLongParquetFilesAreStreams(t *testing.T) {
	const pages, slots = 2000, 200
	type line struct {
		URL        string  `parquet:"url_id"`
		Slot       int64   `parquet:"slot"`
		Changed    bool    `parquet:"changed"`
		Importance float64 `parquet:"importance"`
	}
	path := filepath.Join(t.TempDir(), "long.parquet")
	lines := make([]line, 0, pages*slots)
	for page := range pages {
		url := "http://www.example.com/news/" + strconv.Itoa(page)
		for slot := range slots {
			lines = append(lines, line{url, int64(slot), (page+slot)%3 == 0, 0.5})
		}
	}
	writeParquet(path, lines, parquet.MaxRowsPerRowGroup(20_000), parquet.PageBufferSize(1<<16))
	lines = nil
	f := must(os.Open(path))
	defer f.Close()
	size := must(f.Stat()).Size()
	before := inUse()
	w := &watched{File: f}
	r := newRecorder()
	ok(recordParquet(r, w, size))
	if took := w.peak - before; 5*took > size || w.peak == 0 {
		t.Errorf("reading %d bytes took %d bytes of memory, want a fifth at most", size, took)
	}
}
