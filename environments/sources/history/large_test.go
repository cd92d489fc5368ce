package history

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// A generated table writes itself, page by page, and watches the memory
// that is in use meanwhile.
type generated struct {
	pages, slots int
	text         []byte // not yet read
	page         int
	written      int64
	peak         int64 // bytes
}

func (g *generated) Read(p []byte) (int, error) {
	for len(g.text) == 0 {
		if g.page == g.pages {
			return 0, io.EOF
		}
		if g.page == 0 {
			g.text = []byte("url_id,slot,changed,importance\n")
		}
		if g.page%(g.pages/8) == 0 {
			g.peak = max(g.peak, inUse())
		}
		for slot := range g.slots {
			g.text = strconv.AppendInt(append(g.text, "http://www.example.com/news/"...), int64(g.page), 10)
			g.text = strconv.AppendInt(append(g.text, ','), int64(slot), 10)
			g.text = append(g.text, ",0,0.5\n"...)
			if (g.page+slot)%3 == 0 {
				g.text[len(g.text)-6] = '1'
			}
		}
		g.page++
		g.written += int64(len(g.text))
	}
	n := copy(p, g.text)
	g.text = append(g.text[:0], g.text[n:]...)
	return n, nil
}

// slotsOf chooses the shape of a table of slots.
func slotsOf(r *recorder) func([]string) shape { return func([]string) shape { return r.shape() } }

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
	before := inUse()
	g := &generated{pages: pages, slots: slots}
	r := newRecorder()
	if err := textRows("t.csv", ',', g, slotsOf(r)); err != nil {
		t.Fatal(err)
	}
	if took := g.peak - before; took > most || 10*took > g.written {
		t.Errorf("reading %d bytes took %d bytes of memory, want at most %d, and a tenth", g.written, took, most)
	} else {
		t.Logf("reading %d bytes took %d bytes of memory", g.written, took)
	}
	h, err := r.history()
	if err != nil {
		t.Fatal(err)
	}
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
	writeParquet(t, path, lines, parquet.MaxRowsPerRowGroup(20_000), parquet.PageBufferSize(1<<16))
	lines = nil
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	before := inUse()
	w := &watched{File: f}
	r := newRecorder()
	if err := parquetRows(path, io.NewSectionReader(w, 0, info.Size()), slotsOf(r)); err != nil {
		t.Fatal(err)
	}
	if took := w.peak - before; 5*took > info.Size() || w.peak == 0 {
		t.Errorf("reading %d bytes took %d bytes of memory, want a fifth at most", info.Size(), took)
	} else {
		t.Logf("reading %d bytes in %d pieces took %d bytes of memory", info.Size(), w.reads, took)
	}
}

// How fast a table is read.
func BenchmarkCSV(b *testing.B) {
	const pages, slots = 1000, 1000
	for b.Loop() {
		g := &generated{pages: pages, slots: slots}
		if err := textRows("t.csv", ',', g, slotsOf(newRecorder())); err != nil {
			b.Fatal(err)
		}
		b.SetBytes(g.written)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(pages*slots), "ns/row")
}
