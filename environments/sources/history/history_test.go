package history

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/environments/sources"
)

const sample = "testdata/crawl.csv"

// rowsOfSample are the rows of the sample.
func rowsOfSample(t *testing.T) []row {
	t.Helper()
	f, err := os.Open(sample)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []row
	for _, l := range lines[1:] {
		slot, slotErr := strconv.ParseInt(l[1], 10, 64)
		importance, err := strconv.ParseFloat(l[3], 64)
		if slotErr != nil || err != nil {
			t.Fatal(slotErr, err)
		}
		rows = append(rows, row{l[0], slot, l[2] == "1" || l[2] == "true", importance})
	}
	return rows
}

// A row is one row of a table.
type row struct {
	url        string
	slot       int64
	changed    bool
	importance float64
}

// small makes several row groups, and pages, of a few rows.
var small = []parquet.WriterOption{parquet.MaxRowsPerRowGroup(100), parquet.PageBufferSize(256)}

func writeParquet[Row any](t *testing.T, path string, rows []Row, options ...parquet.WriterOption) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[Row](f, options...)
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// writeCrawl writes rows in the layout of the data set, all crawled at noon.
func writeCrawl(t *testing.T, dir string, rows []row) {
	t.Helper()
	var order []string
	history := map[string][]row{}
	for _, r := range rows {
		if history[r.url] == nil {
			order = append(order, r.url)
		}
		history[r.url] = append(history[r.url], r)
	}
	var scores, histories string
	for _, url := range order {
		crawls := history[url]
		// The importance file has another order, and URLs that are not needed.
		scores = fmt.Sprintf("%s\t%v\n9%s\t3\n%s", url, crawls[0].importance, url, scores)
		text, day := "", crawls[0].slot
		first := strconv.Itoa(int(day)) + ".5"
		if crawls[0].changed { // found by a second crawl on the same day
			text = "[0.25, 1], [0.25, 0], "
			first = strconv.Itoa(int(day)) + ".0"
		}
		for _, c := range crawls[1:] {
			change := 0
			if c.changed {
				change = 1
			}
			text += fmt.Sprintf("[%d.0, %d], ", c.slot-day, change)
			day = c.slot
		}
		histories += url + "\t" + first + "\t[" + strings.TrimSuffix(text, ", ") + "]\n"
	}
	write(t, filepath.Join(dir, importanceFile), scores)
	write(t, filepath.Join(dir, historyFile), histories)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) *sources.History {
	t.Helper()
	r, err := Files(nil).Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return r.History
}

// All layouts of the same data are the same history.
func TestLayoutsAgree(t *testing.T) {
	dir := t.TempDir()
	rows := rowsOfSample(t)
	want := read(t, sample)

	type integers struct {
		Note       string  `parquet:"note"`
		Importance float64 `parquet:"importance"`
		URL        int64   `parquet:"url_id"`
		Slot       int32   `parquet:"slot"`
		Changed    bool    `parquet:"changed"`
	}
	type strings struct {
		URL        string `parquet:"url_id,dict,zstd"`
		Slot       *int64 `parquet:"slot,optional"`
		Changed    int32  `parquet:"changed"`
		Importance int16  `parquet:"importance"`
	}
	var a []integers
	var b []strings
	table := "\ufeffslot,changed,extra,url_id,importance\r\n"
	for i, r := range rows {
		url, err := strconv.Atoi(r.url)
		if err != nil {
			t.Fatal(err)
		}
		change := int32(0)
		if r.changed {
			change = 1
		}
		a = append(a, integers{fmt.Sprint("note ", i), r.importance, int64(url), int32(r.slot), r.changed})
		slot := r.slot + 17_000 // days of another calendar
		b = append(b, strings{r.url, &slot, change, int16(r.importance)})
		table += fmt.Sprintf("%d,%v,\"a,b\",%s,%g\r\n", r.slot, r.changed, r.url, r.importance)
	}
	writeParquet(t, filepath.Join(dir, "integers.parquet"), a, small...)
	writeParquet(t, filepath.Join(dir, "strings.parquet"), b, small...)
	write(t, filepath.Join(dir, "other.CSV"), table)
	if err := os.Mkdir(filepath.Join(dir, "crawl"), 0o777); err != nil {
		t.Fatal(err)
	}
	writeCrawl(t, filepath.Join(dir, "crawl"), rows)

	for _, name := range []string{"integers.parquet", "strings.parquet", "other.CSV", "crawl"} {
		if got := read(t, filepath.Join(dir, name)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %d nodes, %d slots, p %v…, not %d, %d, %v…", name,
				got.Nodes(), got.Slots(), got.P[:3], want.Nodes(), want.Slots(), want.P[:3])
		}
	}
}

// The name of a history is that of its content.
func TestNames(t *testing.T) {
	name := func(path string) string {
		r, err := Files(nil).Read(path)
		if err != nil {
			t.Fatal(err)
		}
		return r.Name
	}
	if got, want := name(sample), "crawl.csv@sha256:"+sampleSum; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	dir := t.TempDir()
	text, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(dir, "crawl.csv")
	write(t, moved, string(text))
	if name(moved) != name(sample) {
		t.Error("the place of a file is part of its name")
	}
	write(t, moved, string(text)+"\n") // an empty line, which says nothing
	if name(moved) == name(sample) {
		t.Error("another content has the same name")
	}

	// Of a directory: sha256sum urlid_imp.txt urlid_offset_history.txt | sha256sum
	crawl := filepath.Join(dir, "crawl")
	if err := os.Mkdir(crawl, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(crawl, importanceFile), "5\t30\n7\t10\n")
	write(t, filepath.Join(crawl, historyFile), "5\t0.5\t[[1.0, 1]]\n7\t0.25\t[]\n")
	if got, want := name(crawl), "crawl@sha256:"+crawlSum; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What sha256sum says of the sample, and of the directory in TestNames.
const (
	sampleSum = "347d8178a7811bfb"
	crawlSum  = "8b383556090c8317"
)

func TestMalformedTables(t *testing.T) {
	const head = "url_id,slot,changed,importance\n"
	for _, c := range []struct{ text, want string }{
		{"", "1: the file is empty, want a header"},
		{"url_id,slot,change,importance\n", "1: the columns are url_id, slot, change, importance, want among others changed"},
		{head, " there are no rows"},
		{head + "a,0,1\n", "2: wrong number of fields"},
		{head + "a,0,1,\"0\n", "2: extraneous or missing"},
		{head + "a,0,1,3\nb,x,1,3\n", `3: slot is "x", want an integer`},
		{head + "a,0,1,3\n\"b\nb\",0.5,1,3\n", `3: slot is "0.5", want an integer`},
		{head + "a,-1,1,3\n", "2: slot is -1, want 0 to 9999999"},
		{head + "a,1500000000,1,3\n", "2: slot is 1500000000, want 0 to 9999999"},
		{head + "a,0,2,3\n", `2: changed is "2", want 0 or 1, false or true`},
		{head + "a,0,1,high\n", `2: importance is "high", want a number of at least 0`},
		{head + "a,0,1,-3\n", `2: importance is "-3", want a number of at least 0`},
		{head + "a,0,1,NaN\n", `2: importance is "NaN", want a number of at least 0`},
		{head + "a,0,1,inf\n", `2: importance is "inf", want a number of at least 0`},
		{head + "a,0,1,3\na,1,1,4\n", "3: importance of URL a is 4, but was 3 before"},
		{head + "a,0,1,3\nb,0,1,4\na,0,0,3\n", "4: slot 0 of URL a is there already"},
		{head + ",0,1,3\n", "2: the URL's id is empty"},
		{head + "a,0,0,3\nb,0,1,0\n", " no node of importance ever changes"},
	} {
		path := filepath.Join(t.TempDir(), "t.csv")
		write(t, path, c.text)
		refuses(t, path, path+":"+c.want)
	}
}

// refuses reads a history that must fail with an error that begins so.
func refuses(t *testing.T, path, want string) {
	t.Helper()
	if _, err := Files(nil).Read(path); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestMalformedParquet(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".parquet") }
	type good struct {
		URL        string  `parquet:"url_id"`
		Slot       *int64  `parquet:"slot,optional"`
		Changed    int32   `parquet:"changed"`
		Importance float32 `parquet:"importance"`
	}
	slot := func(t int64) *int64 { return &t }
	type float struct {
		URL        string  `parquet:"url_id"`
		Slot       float64 `parquet:"slot"`
		Changed    bool    `parquet:"changed"`
		Importance float64 `parquet:"importance"`
	}
	type listed struct {
		URL        string `parquet:"url_id"`
		Slot       []int  `parquet:"slot"`
		Changed    bool   `parquet:"changed"`
		Importance int    `parquet:"importance"`
	}
	many := make([]good, 250)
	for i := range many {
		many[i] = good{"a", slot(int64(i)), 1, 2}
	}
	writeParquet(t, path("short"), []struct {
		URL string `parquet:"url_id"`
	}{{"a"}})
	refuses(t, path("short"), path("short")+": the columns are url_id, want among others slot")
	writeParquet(t, path("float"), []float{{"a", 1.5, true, 1}})
	refuses(t, path("float"), path("float")+`: row 1: slot is "1.5", want an integer`)
	writeParquet(t, path("listed"), []listed{{"a", []int{1}, true, 1}})
	refuses(t, path("listed"), path("listed")+": column slot is a list")
	writeParquet(t, path("empty"), []good{})
	refuses(t, path("empty"), path("empty")+": there are no rows")
	many[230].Slot = nil // in the third row group
	writeParquet(t, path("null"), many, small...)
	refuses(t, path("null"), path("null")+": row 231: slot is null")
	many[230] = good{"a", slot(7), 1, 2}
	writeParquet(t, path("twice"), many, small...)
	refuses(t, path("twice"), path("twice")+": row 231: slot 7 of URL a is there already")
	many[230] = good{"a", slot(230), 3, 2}
	writeParquet(t, path("third"), many, small...)
	refuses(t, path("third"), path("third")+`: row 231: changed is "3", want 0 or 1`)
	write(t, path("text"), "url_id,slot\n")
	refuses(t, path("text"), path("text")+": not a Parquet file, or damaged: ")

	// Damage ends in an error or in a history, never in a panic.
	many[230] = good{"a", slot(230), 1, 2}
	writeParquet(t, path("whole"), many, small...)
	whole, err := os.ReadFile(path("whole"))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(whole); i += 101 {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x55
		write(t, path("damaged"), string(damaged))
		_, _ = Files(nil).Read(path("damaged"))
	}
}

func TestMalformedCrawls(t *testing.T) {
	dir := t.TempDir()
	scores, histories := filepath.Join(dir, importanceFile), filepath.Join(dir, historyFile)
	refuses(t, dir, "open "+histories)
	const good = "5\t0.5\t[[1.0, 1]]\n"
	write(t, histories, good)
	refuses(t, dir, "open "+scores)
	write(t, scores, "5\t1\n")
	read(t, dir)
	for _, c := range []struct{ text, want string }{
		{good + "6 0.5 [[1.0, 1]]\n", ":2: 1 fields between tabs, want 3"},
		{good + "5\t0.5\t[]\n", ":2: URL 5 is there already"},
		{good + "\t0.5\t[]\n", ":2: the URL's id is empty"},
		{good + "6\tx\t[]\n", `:2: offset is "x", want a number of at least 0`},
		{good + "6\t-1\t[]\n", `:2: offset is "-1", want a number of at least 0`},
		{good + "6\t1e9\t[]\n", ":2: slot is 10000000, want 0 to 9999999"},
		{good + "6\t0.5\t[[1.0, 1]\n", ":2: the history is not a list of pairs of numbers: unexpected end"},
		{good + "6\t0.5\t[[1.0, true]]\n", ":2: the history is not a list of pairs of numbers: "},
		{good + "6\t0.5\t[[1.0, 1], [1.0]]\n", ":2: crawl 2 of the history is [1], want days of at least 0 and a change of 0 or 1"},
		{good + "6\t0.5\t[[1.0, 2]]\n", ":2: crawl 1 of the history is [1 2], want days"},
		{good + "6\t0.5\t[[-1.0, 1]]\n", ":2: crawl 1 of the history is [-1 1], want days"},
	} {
		write(t, histories, c.text)
		refuses(t, dir, histories+c.want)
	}
	write(t, histories, good+"6\t0.5\t[]\n")
	for _, c := range []struct{ text, want string }{
		{"5 1\n", ":1: 1 fields between tabs, want 2: URL id, importance score"},
		{"5\thigh\n", `:1: importance score is "high", want a number of at least 0`},
		{"5\t-1\n", `:1: importance score is "-1", want a number of at least 0`},
		{"5\t1\n5\t1\n", ":2: importance of URL 5 is there already"},
		{"5\t1\n", ": there is no importance of URL 6, which " + historyFile + " has"},
	} {
		write(t, scores, c.text)
		refuses(t, dir, scores+c.want)
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.txt")
	refuses(t, path, "open "+path)
	write(t, path, "text")
	refuses(t, path, path+": want the path of a .csv, ")
}

// Files that would take all memory end in an error.
func TestHistoriesAreBounded(t *testing.T) {
	r := newRecorder()
	r.room = 10
	for slot := range int64(10) {
		if _, err := r.see(0, slot, true); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.see(0, 10, false); err == nil || !strings.Contains(err.Error(), "8 GiB") {
		t.Errorf("error %v", err)
	}
}

func Example() {
	r, err := Files(nil).Read("testdata/crawl.csv")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Name)
	fmt.Println(r)
	fmt.Printf("the first changed on %.0f %% of them\n", 100*r.P[0])
	// Output:
	// crawl.csv@sha256:347d8178a7811bfb
	// 30 pages, 90 slots
	// the first changed on 18 % of them
}
