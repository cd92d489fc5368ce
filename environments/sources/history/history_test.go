package history

import (
	"compress/gzip"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/deprecated"
	"github.com/parquet-go/parquet-go/format"

	"sweep/internal/rng"
	"sweep/internal/testutil"
)

// small makes several row groups, and pages, of a few rows.
var small = []parquet.WriterOption{parquet.MaxRowsPerRowGroup(100), parquet.PageBufferSize(256)}

func write(path, text string) { testutil.NoError(os.WriteFile(path, []byte(text), 0o666)) }

// refuses reads a log that must fail with an error that begins so.
func refuses(t *testing.T, path, want string) {
	t.Helper()
	if _, _, err := Files(nil).Read(path, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestMalformedFiles(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name+".parquet") }
	type good struct {
		URL  string `parquet:"url_id"`
		Time *int64 `parquet:"time,optional"`
	}
	type listed struct {
		URL  string `parquet:"url_id"`
		Time []int  `parquet:"time"`
	}
	many := make([]good, 250)
	for i := range many {
		many[i] = good{"a", new(int64(i))}
	}
	testutil.NoError(parquet.WriteFile(path("short"), []struct{ URL string }{{"a"}}))
	refuses(t, path("short"), path("short")+": the columns are URL, want among others url_id")
	testutil.NoError(parquet.WriteFile(path("lz4"), many, parquet.Compression(&parquet.Lz4Raw)))
	refuses(t, path("lz4"), path("lz4")+": the column url_id is packed with LZ4, want")
	testutil.NoError(parquet.WriteFile(path("listed"), []listed{{"a", []int{1}}}))
	refuses(t, path("listed"), path("listed")+": row 1: time is a list, want")
	testutil.NoError(parquet.WriteFile(path("empty"), []good{}))
	refuses(t, path("empty"), path("empty")+": there are no rows")
	testutil.NoError(os.Symlink(os.DevNull, path("device")))
	refuses(t, path("device"), path("device")+": not a regular file")
	null := append([]good(nil), many...)
	null[230].Time = nil // in the third row group
	testutil.NoError(parquet.WriteFile(path("null"), null, small...))
	refuses(t, path("null"), path("null")+": row 231: there is no time")
	write(path("text"), "url_id,time\n")
	refuses(t, path("text"), path("text")+": not a Parquet file, or damaged: ")
	refuses(t, dir+"/t.txt", "open "+dir)
	write(dir+"/t.txt", "text")
	refuses(t, dir+"/t.txt", dir+"/t.txt: want the path of a .csv, ")
	for text, want := range map[string]string{
		`{"url_id":"a","time":1}{"url_id":"b","time":2}`: "not a JSON object: there is more behind it",
		`[{"url_id":"a","time":1}]`:                      "not a JSON object: found: array",
		strings.Repeat("a", 3<<20):                       "a line has more than 1048576 bytes",
		`{"URL_ID":"a","time":1}`:                        "the columns are URL_ID, time, want among others url_id\nhint: if this is meant, add a line to the spec, above all tables: columns = { url_id = \"URL_ID\" }",
	} {
		write(dir+"/t.jsonl", text)
		refuses(t, dir+"/t.jsonl", dir+"/t.jsonl:1: "+want)
	}

	// Damage ends in an error or in a log, never in a panic.
	testutil.NoError(parquet.WriteFile(path("whole"), many, small...))
	whole := testutil.Must(os.ReadFile(path("whole")))
	for i := 0; i < len(whole); i += 101 {
		damaged := append([]byte(nil), whole...)
		damaged[i] ^= 0x55
		write(path("damaged"), string(damaged))
		_, _, _ = Files(nil).Read(path("damaged"), nil)
	}
}

const logText = "url_id,time\na,2026-01-01T00:30:00Z\nb,2026-01-01T05:00:00Z\na,2026-01-01T05:59:59Z\na,2026-01-01T06:00:00Z\na,2026-01-02T01:00:00Z\n"

type change struct {
	URL  string    `parquet:"url_id"`
	Time time.Time `parquet:"time,timestamp(microsecond)"`
}

type numbered struct {
	URL  uint16           `parquet:"url_id"`
	Time deprecated.Int96 `parquet:"time"`
}

// A log says the same in every format, packed or not, and with times as RFC
// 3339 and as Unix seconds.
func TestLogsAgree(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{"t.csv": logText, "t.tsv": strings.ReplaceAll(logText, ",", "\t"), "unix.csv": "time,url_id\n", "pandas.tsv": "url_id\ttime\n"}
	var changes []change
	var numbers []numbered
	for _, line := range strings.Split(strings.TrimSpace(logText), "\n")[1:] {
		url, text, _ := strings.Cut(line, ",")
		at := testutil.Must(time.Parse(time.RFC3339, text))
		changes = append(changes, change{url, at})
		nanos := uint64(at.Unix()) % 86400 * 1e9
		numbers = append(numbers, numbered{uint16(url[0]), deprecated.Int96{uint32(nanos), uint32(nanos >> 32), uint32(at.Unix()/86400 + 2440588)}})
		layouts := [5]string{"2006-01-02 15:04:05-07:00", "2006-01-02 15:04", "Mon, 02 Jan 2006 15:04:05 GMT", "2006-01-02 15:04:05 UTC", "20060102150405"}
		files["pandas.tsv"] += url + at.Format("\t"+layouts[len(changes)%5]+"\n")
		files["unix.csv"] += strconv.FormatInt(at.Unix(), 10) + "," + url + "\n"
		files["t.jsonl"] += `{"time":"` + text + `","url_id":"` + url + "\"}\n"
	}
	var packed strings.Builder
	w := gzip.NewWriter(&packed)
	testutil.Must(w.Write([]byte(logText)))
	testutil.NoError(w.Close())
	files["t.csv.gz"] = packed.String()
	files["t.csv.zst"] = string(testutil.Must((&zstd.Codec{}).Encode(nil, []byte(logText))))
	for name, text := range files {
		write(filepath.Join(dir, name), text)
	}
	testutil.NoError(parquet.WriteFile(filepath.Join(dir, "t.parquet"), changes))
	testutil.NoError(parquet.WriteFile(filepath.Join(dir, "numbers.parquet"), numbers))
	files["t.parquet"], files["numbers.parquet"] = "", ""
	for name := range files {
		r, _, err := Files(nil).Read(filepath.Join(dir, name), nil)
		testutil.NoError(err)
		w := testutil.Must(r.World(Window{SlotLength: "6h"}, nil, nil))
		const want = "slots of 6h from 2026-01-01T00:00:00Z to 2026-01-02T01:00:01Z: 2 pages, 5 slots, 5 rows, 4 changes: 0.8 a slot, variance/mean 0.7; 0 pages never change; 1 rows repeat a change of their slot"
		if w.Record != want || math.Abs(w.P[0]-0.6) > 1e-9 {
			t.Errorf("%s: %s; p is %v", name, w.Record, w.P)
		}
	}
}

// Times of Parquet files are seconds, or RFC 3339 with parts of a second, before
// 1970 too.
func TestTypesOfColumns(t *testing.T) {
	milliseconds := &format.TimestampType{Unit: format.TimeUnit{Value: &format.MilliSeconds{}}}
	for _, c := range []struct{ value, logical, want any }{
		{int32(-1), &format.DateType{}, int64(-86400)},
		{int64(-2000), milliseconds, int64(-2)},
		{int64(-1), milliseconds, "1969-12-31T23:59:59.999Z"},
		{int64(1999), milliseconds, "1970-01-01T00:00:01.999Z"},
		{int64(math.MaxInt64), milliseconds, int64(math.MaxInt64 / 1000)},
		{deprecated.Int96{1e8, 0, 2_440_588}, nil, "1970-01-01T00:00:00.1Z"},
		{int64(-1), &format.IntType{}, uint64(math.MaxUint64)},
		{int64(5), &format.TimeType{}, "a time of day"},
	} {
		if got := plain(c.value, c.logical); got != c.want {
			t.Errorf("%v of type %v is %v, want %v", c.value, c.logical, got, c.want)
		}
	}
}

// Pages give their order, importance and cost; those without changes are
// nodes, and those that are not there have importance 1.
func TestPagesOfALog(t *testing.T) {
	dir := t.TempDir()
	write(filepath.Join(dir, "pages.jsonl"), "{\"url_id\":\"quiet\",\"importance\":1e-12,\"host\":\"x\",\"cost\":2}\n{\"url_id\":\"a\",\"importance\":0.25,\"host\":[\"x\"],\"cost\":\"\"}\n")
	write(filepath.Join(dir, "log.csv"), logText)
	p, _, err := Files(nil).ReadPages(filepath.Join(dir, "pages.jsonl"), nil)
	if err != nil || p.String() != "2 pages, 2 with an importance, 1 with a cost, 2 with a host" {
		t.Fatal(p, err)
	}
	r, _, err := Files(nil).Read(filepath.Join(dir, "log.csv"), nil)
	testutil.NoError(err)
	write(filepath.Join(dir, "links.csv"), "from,to\na,quiet\nquiet,a\nb,b\nz,a\nb,quiet\nz,y\nz,x\ny,a\nx,b\nx,y\n")
	l, _, err := Files(nil).ReadLinks(filepath.Join(dir, "links.csv"), nil)
	if err != nil || l.String() != "10 links" {
		t.Fatal(l, err)
	}
	write(filepath.Join(dir, "pages.csv"), "url_id, importance\na,2\n")
	if _, _, err := Files(nil).ReadPages(filepath.Join(dir, "pages.csv"), nil); err == nil || !strings.HasSuffix(err.Error(), ": the column \" importance\" is not read, want \"importance\"") {
		t.Error(err)
	}
	h := testutil.Must(r.World(Window{SlotLength: "1d", From: "2026-01-01", To: "2026-01-01T12:00:00Z"}, p, l))
	if want := [][2]int32{{0, 1}, {0, 2}}; !slices.Equal(h.Links, want) || !strings.Contains(h.Record, "; looks wrong: 6 links are of pages") {
		t.Errorf("links %v of %v, %s", h.Links, want, h.Record)
	}
	if h.Law.Nodes != 3 || h.Slots() != 1 || h.Importance[1] != 0.25 || h.Importance[2] < 0.999 || h.Cost[0] != 2 || h.Cost[1] != 1 || h.P[0] > 1e-6 || h.Host[1] != 0 || !strings.Contains(h.Record, "; 1 pages are of importance 0, or") ||
		!strings.Contains(h.Record, "; 1 pages of the log are not in the table of pages") {
		t.Errorf("%+v", h)
	}
}

// What cannot be is refused with its place.
func TestMalformedLogs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	for want, text := range map[string]string{
		":2: time is \"soon\", want RFC 3339":                "url_id,time\na,soon\n",
		":3: time is \"20260231000000\", want a date and a ": "url_id,time\na,20260228000000\na,20260231000000\n",
		":2: the URL's id is empty":                          "url_id,time\n,1\n",
		": there are no rows":                                "url_id,time\n",
		":2: a line has more than 1048576 bytes":             "url_id,time\n" + strings.Repeat("a", 3<<20),
		":1: a line has more than 1048576 bytes":             strings.Repeat("a", 3<<20),
		":1: a line has more than 1048576":                   "\"" + strings.Repeat("a", 3<<20),
		":3: a line has more than 1048576 bytes":             "url_id,time\na,1\n\"" + strings.Repeat("a\n", 3<<20),
		":1: bare":                                           "a\"b,c\n",
		":3: wrong number of fields":                         "url_id,time\na,1\nb\n",
		":1: the file is empty":                              "",
		":1: the columns are url_id, want among others time": "url_id\na\n",
		":1: the columns are \"\\x1f\\x8b\", want among":     "\x1f\x8b\n", // compressed
		":1: the columns are url_id, Time, want among others time\nhint: if this is meant, add a line to the spec, above all tables: columns = { time = \"Time\" }": "url_id,Time\n",
	} {
		write(path, text)
		refuses(t, path, path+want)
	}
	write(path, logText)
	r, name, err := Files(nil).Read(path, nil)
	if err != nil || name != "t.csv@sha256:46a4437c046f24df" { // what sha256sum says, wherever it is
		t.Fatal(name, err)
	}
	for want, w := range map[string]Window{
		"slot_length is \"\"":     {},
		"slot_length is \"1.9s\"": {SlotLength: "1.9s"},
		"from: time is \"x\"":     {SlotLength: "1h", From: "x"},
		"slots of 1h from 2026-01-02T00:00:00Z to 2026-01-01T00:00:00Z: there are none":         {SlotLength: "1h", From: "2026-01-02", To: "2026-01-01"},
		"slots of 9 from 1767227400 to 1999999999: there are more than 10000000":                {SlotLength: "9", From: "1767227400", To: "1999999999"},
		"slots of 24h from 2027-01-01T00:00:00Z to 2027-01-02T00:00:00Z: no node of importance": {SlotLength: "24h", From: "2027-01-01", To: "2027-01-02"},
		"slot_length is \"0h\"": {SlotLength: "0h"},
	} {
		if _, err := r.World(w, nil, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%+v: error %v, want %q", w, err, want)
		}
	}
}

// Fields that are separated otherwise are not taken for a column with a long name.
func TestOtherSeparators(t *testing.T) {
	for _, c := range []struct{ name, separator string }{{"t.csv", ";"}, {"t.csv", "|"}, {"t.csv", "\t"}, {"t.tsv", ","}, {"t.tsv", ";"}} {
		_, _, err := readLog(t, c.name, strings.ReplaceAll(logText, ",", c.separator))
		if err == nil || !strings.HasSuffix(err.Error(), ", want among others url_id\nhint: fields are separated by commas in a .csv file, by tabs in a .tsv file") {
			t.Errorf("%q in %s: %v", c.separator, c.name, err)
		}
	}
}

// readLog reads a log of a text in a file of that name.
func readLog(t *testing.T, name, text string) (*Log, string, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	write(path, text)
	return Files(nil).Read(path, nil)
}

// Visits become changes where the version differs from that at the visit before, in
// whatever order they stand; pages that never change are there, and what is not read
// is said.
func TestVisitsBecomeChanges(t *testing.T) {
	const text = "url_id,time,hash,status\nb,10,x,200\na,30,2,200\na,10,1,200\na,20,1,200\na,40,,500\na,50,2,200\na,60,1,200\nb,60,x,200\nc,70,y,200\n"
	l, name, err := readLog(t, "visits.csv", text)
	testutil.NoError(err)
	if want := "3 pages, 2 changes, found in 9 visits by the column hash; half of the visits to a page come within 10 of the one before, and a change counts when it was found; 1 visits without a hash are left out; not read: status"; l.String() != want {
		t.Errorf("%s\nwant %s", l, want)
	}
	if !strings.HasSuffix(name, " by hash") {
		t.Errorf("name %s", name)
	}
	w := testutil.Must(l.World(Window{SlotLength: "10"}, nil, nil))
	if want := "slots of 10 from 10 to 71: 3 pages, 7 slots, 2 rows, 2 changes: 0.286 a slot, variance/mean 0.714; 2 pages never change; looks wrong: nothing changes in the first 2 slots"; w.Record != want {
		t.Errorf("%s\nwant %s", w.Record, want)
	}
	changed := strings.NewReplacer("hash", "changed", ",x,", ",false,", ",y,", ",false,", "30,2", "30,true", "10,1", "10,0", "20,1", "20,false", "50,2", "50,0", "60,1", "60,1").Replace(text)
	c, _, err := readLog(t, "visits.csv", changed)
	testutil.NoError(err)
	if !slices.Equal(c.times, l.times) || !slices.Equal(c.node, l.node) {
		t.Errorf("by changed: times %v of %v, want %v of %v", c.times, c.node, l.times, l.node)
	}
	for text, want := range map[string]string{
		"url_id,time,etag\na,1,x\na,2,x\n":            ": no page has changed between two of 2 visits (column etag)",
		"url_id,time,changed\na,1,true\n":             ": no page was visited twice",
		"url_id,time,hash\na,1,x\nb,2,y\n":            ": no page was visited twice",
		"url_id,time,changed\na,1,true\na,2,\na,3,\n": ": no page was visited twice with a value in the column changed: 2 of 3 visits have none",
		"url_id,time,changed\na,1,maybe\n":            ":2: changed is \"maybe\", want true or false",
		"url,timestamp\na,1\n":                        ":1: the columns are url, timestamp, want among others url_id\nhint: if this is meant, add a line to the spec, above all tables: columns = { url_id = \"url\", time = \"timestamp\" }",
		"url_id,timestamp,checksum\na,1,z\na,2,y\n":   ":1: the columns are url_id, timestamp, checksum, want among others time\nhint: if this is meant, add a line to the spec, above all tables: columns = { time = \"timestamp\" }",
	} {
		if _, _, err := readLog(t, "visits.csv", text); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// Visits within a second are in the order of their full times.
func TestVisitsWithinASecond(t *testing.T) {
	for name, text := range map[string]string{
		"t.csv":     "a,1970-01-01T00:00:10.9Z,2\na,1970-01-01T00:00:10.1Z,1\na,1970-01-01T00:00:20Z,2\na,1970-01-01T00:00:30Z,3\n",
		"unix.csv":  "a,30,3\na,20.0,2\na,10.9,2\na,10.1,1\n",
		"t.parquet": "",
	} {
		path := filepath.Join(t.TempDir(), name)
		write(path, "url_id,time,hash\n"+text)
		if text == "" {
			type seen struct {
				URL  string    `parquet:"url_id"`
				Time time.Time `parquet:"time,timestamp(microsecond)"`
				Hash int64     `parquet:"hash"`
			}
			rows := []seen{{"a", time.UnixMicro(10_900_000), 2}, {"a", time.UnixMicro(10_100_000), 1}, {"a", time.Unix(20, 0), 2}, {"a", time.Unix(30, 0), 3}}
			testutil.NoError(parquet.WriteFile(path, rows))
		}
		l, _, err := Files(nil).Read(path, nil)
		testutil.NoError(err)
		if !slices.Equal(l.times, []int64{10, 30}) {
			t.Errorf("%s: changes at %v, want [10 30]", name, l.times)
		}
	}
}

// Of several columns of evidence the first with a value in any row counts, in
// whatever order the rows stand, and the others are said not to be read.
func TestEvidenceDoesNotDependOnTheOrderOfRows(t *testing.T) {
	for _, c := range []struct{ header, rows, says, at string }{
		{"hash,etag", "a,1,,e1 a,2,1, a,3,2, a,4,3,e1 a,5,4,e2", "5 visits by the column hash; half of the visits to a page come within 1 of the one before, and a change counts when it was found; 1 visits without a hash are left out; not read: etag", "[3 4 5]"},
		{"etag,changed,digest", "a,1,,0, a,2,e1,0, a,3,e2,1, a,4,e3,1,d a,5,,,x", "5 visits by the column digest; half of the visits to a page come within 1 of the one before, and a change counts when it was found; looks wrong: 3 visits without a digest are left out; not read: etag, changed", "[5]"},
		{"hash,changed,etag", "a,1,,1, a,2,,0, a,3,,1, a,4,,,", "4 visits by the column changed; half of the visits to a page come within 1 of the one before, and a change counts when it was found; 1 visits without a changed are left out; not read: etag, hash", "[1 3]"},
	} {
		rows := strings.Fields(c.rows)
		for range rows {
			rows = append(rows[1:], rows[0])
			for range 2 {
				slices.Reverse(rows)
				l, name, err := readLog(t, "v.csv", "url_id,time,"+c.header+"\n"+strings.Join(rows, "\n")+"\n")
				testutil.NoError(err)
				if _, says, _ := strings.Cut(l.String(), "found in "); says != c.says || fmt.Sprint(l.times) != c.at {
					t.Errorf("%q: %s: changes at %v, %s\nwant %s, %s", rows, name, l.times, says, c.at, c.says)
				}
			}
		}
	}
	for _, rows := range []string{"a,1,x,maybe\na,2,,maybe\n", "a,2,,maybe\na,1,x,maybe\n"} {
		_, _, err := readLog(t, "v.csv", "url_id,time,hash,changed\n"+rows)
		if err == nil || !strings.Contains(err.Error(), ": changed is \"maybe\", want true or false") {
			t.Errorf("%q: %v", rows, err)
		}
	}
}

// A log without evidence is doubtful if a column that is not read looks like it.
func TestLikelyEvidence(t *testing.T) {
	for _, c := range []struct{ column, meant string }{
		{"content_hash", "hash"}, {"sha1", "hash"}, {"SHA-256", "hash"}, {"git_sha", "hash"}, {"md5sum", "hash"}, {"checksum", "hash"}, {"ETag_header", "hash"}, {"Digest2", "hash"}, {"is_changed", "changed"},
		{"share", ""}, {"status", ""},
	} {
		l, _, err := readLog(t, "t.csv", "url_id,title,time,"+c.column+"\na,,1,x\n")
		testutil.NoError(err)
		want := "<nil>"
		if c.meant != "" {
			want = fmt.Sprintf("the column %s is not read, and each row counts as a change: if rows are visits, add to the spec, above all tables: columns = { %s = %q }", c.column, c.meant, c.column)
		}
		if got := fmt.Sprint(l.Doubt()); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	l, _, err := readLog(t, "t.csv", "url_id,time,sha1,hash\na,1,x,1\na,2,x,2\n")
	if err != nil || l.Doubt() != nil {
		t.Error(err, l.Doubt())
	}
}

// The index of a web archive is a log of visits (testdata/README.md).
func TestCaptures(t *testing.T) {
	l, name, err := Files(nil).Read("testdata/captures.cdx.gz", nil)
	testutil.NoError(err)
	if want := "3 pages, 364 changes, found in 654 visits by the column digest; half of the visits to a page come within 82896 of the one before, and a change counts when it was found; 25 visits without a digest are left out"; l.String() != want {
		t.Errorf("%s: %s\nwant %s", name, l, want)
	}
	var ends []string
	for _, seconds := range []int64{l.first, l.last} {
		ends = append(ends, time.Unix(seconds, 0).UTC().Format(time.DateOnly))
	}
	if !slices.Equal(ends, []string{"1999-01-16", "2004-12-31"}) {
		t.Errorf("visits from %s", ends)
	}
}

// A spec may tell what columns are called. The table is then read as if they had
// their own names; the name of its content tells the columns, too.
func TestRenamedColumns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "crawl.csv")
	const text = "page,timestamp,sha1,url_id\na,1,x,7\na,2,y,7\nb,1,z,8\nb,3,z,8\n"
	write(path, text)
	l, name, err := Files(nil).Read(path, Renaming{"url_id": "page", "time": "timestamp", "hash": "sha1", "host": "site"})
	testutil.NoError(err)
	if !strings.HasSuffix(name, ` with url_id="page" with time="timestamp" with hash="sha1" by hash`) {
		t.Errorf("name %s", name)
	}
	if !slices.Equal(l.urls, []string{"a", "b"}) || !slices.Equal(l.times, []int64{2}) || !strings.HasSuffix(l.String(), "; not read: url_id") {
		t.Errorf("%s: pages %q, changes %v", l, l.urls, l.times)
	}
	_, same, err := Files(nil).Read(path, Renaming{"time": "timestamp", "hash": "sha1"})
	testutil.NoError(err)
	if same == name {
		t.Errorf("the name is %s with another column", same)
	}
	write(path, "url_id,time,etag\na,1,x\na,2,y\n") // no other column is left unread
	l, name, err = Files(nil).Read(path, Renaming{"hash": "etag"})
	if err != nil || !strings.HasSuffix(name, ` with hash="etag" by hash`) || strings.Contains(l.String(), "not read") {
		t.Error(l, name, err)
	}
	write(path, text)
	for want, columns := range map[string]Renaming{
		":1: the columns are page, timestamp, sha1, url_id, want among others \"when\", which columns gives for time\n" +
			"hint: if this is meant, add a line to the spec, above all tables: columns = { url_id = \"page\", time = \"timestamp\" }": {"url_id": "page", "time": "when"},
		": the columns are page, sha1, timestamp, url_id, and none is \"sha256\", which columns gives for hash": {"time": "timestamp", "hash": "sha256"},
	} {
		_, _, err := Files(nil).Read(path, columns)
		if err == nil || err.Error() != path+want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	write(path, "url_id,importance\na,2\n") // a table may have a column by its own name
	p, name, err := Files(nil).ReadPages(path, Renaming{"url_id": "page"})
	testutil.NoError(err)
	if !slices.Equal(p.importance, []float64{2}) || strings.Contains(name, " with ") {
		t.Errorf("importance %v of %s", p.importance, name)
	}
}

// Visits against a loop over all pairs of visits.
func TestVisitsAgreeWithTheirNaiveTwin(t *testing.T) {
	s := rng.New("visits")
	for range 50 {
		text := "hash,url_id,time\n"
		type seen struct{ url, time, hash int }
		var all []seen
		for time := range 40 {
			all = append(all, seen{s.IntN(4), time, s.IntN(3)})
		}
		shuffled := slices.Clone(all)
		for i := range shuffled {
			j := s.IntN(i + 1)
			shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
		}
		for _, v := range shuffled {
			text += fmt.Sprintf("h%d,u%d,%d\n", v.hash, v.url, v.time)
		}
		var want []int64
		for k, v := range all {
			for b := k - 1; b >= 0; b-- {
				if all[b].url == v.url {
					if all[b].hash != v.hash {
						want = append(want, int64(v.time))
					}
					break
				}
			}
		}
		l, _, err := readLog(t, "v.csv", text)
		testutil.NoError(err)
		if !slices.Equal(l.times, want) {
			t.Fatalf("changes at %v, want %v", l.times, want)
		}
	}
}

// The indexes of web archives are logs of visits as they are: with a header, without
// one, and as CDXJ. Redirections and errors tell nothing.
func TestCDX(t *testing.T) {
	for name, text := range map[string]string{
		"header.cdx": " CDX N b a m s k r M S V g\norg,example)/ 20200101000000 http://example.org/ text/html 200 AAA - - 1 2 f\norg,example)/ 20200102000000 http://example.org/ text/html 301 BBB - - 1 2 f\norg,example)/ 20200103000000 http://example.org/ text/html 200 AAA - - 1 2 f\norg,example)/ 20200104000000 http://example.org/ warc/revisit - CCC - - 1 2 f\n",
		"server.cdx": "org,example)/ 20200101000000 http://example.org/ text/html 200 AAA 1\norg,example)/ 20200102000000 http://example.org/ text/html 503 BBB 1\norg,example)/ 20200103000000 http://example.org/ text/html 200 AAA 1\norg,example)/ 20200104000000 http://example.org/ text/html 200 CCC 1\n",
		"json.cdxj":  "!meta {\"format\": \"cdxj\"}\norg,example)/ 20200101000000 {\"url\": \"http://example.org/\", \"digest\": \"AAA\", \"status\": \"200\"}\norg,example)/ 20200102000000 {\"digest\": \"-\"}\norg,example)/ 20200103000000 {\"digest\": \"AAA\", \"status\": 200}\norg,example)/ 20200104000000 {\"digest\": \"CCC\", \"status\": null}\n",
	} {
		l, _, err := readLog(t, name, text)
		testutil.NoError(err)
		if want := "1 pages, 1 changes, found in 4 visits by the column digest; half of the visits to a page come within 172800 of the one before, and a change counts when it was found; 1 visits without a digest are left out"; l.String() != want || l.times[0] != 1578096000 {
			t.Errorf("%s: %s, at %v", name, l, l.times)
		}
	}
	for text, want := range map[string]string{
		"a b c\n":                          ":1: there are 3 fields, want those of the line CDX, or without one 7, 9 or 11",
		" CDX b k\n1 2\n":                  ":2: there is no URL or no time",
		"a 1 {\n":                          ":1: not a line of CDXJ: ",
		"org,example)/ soon a b 200 d 1\n": ":1: time is \"soon\", want 14 digits: YYYYMMDDhhmmss",
		"org,example)/ 20260101 {}\n":      ":1: time is \"20260101\", want 14 digits: ",
		"a 20260231000000 a b 200 d 1\n":   ":1: time is \"20260231000000\", want a date and a time that exist: 14 digits are ",
		strings.Repeat("a", 2<<20):         ":1: a line has more than",
	} {
		_, _, err := readLog(t, "t.cdx", text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// A log with columns of evidence that are empty throughout tells of visits, and
// not what they found.
func TestEmptyEvidence(t *testing.T) {
	for _, c := range []struct{ name, text, column string }{
		{"t.cdx", "org,example)/ 20200101000000 a b - - 1\n", "digest"},
		{"t.csv", "url_id,time,hash\na,1,\n", "hash"},
		{"t.csv", "url_id,time,changed\na,1,\n", "changed"},
		{"t.csv", "etag,url_id,time,digest\n,a,1,\n", "digest or etag"},
		{"t.jsonl", "{\"url_id\":\"a\",\"time\":1,\"hash\":null}\n", "hash"},
	} {
		want := c.name + ": none of 1 visits has a value in the column " + c.column +
			"\nhint: if the rows are changes rather than visits, remove the column"
		_, _, err := readLog(t, c.name, c.text)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", c.text, err, want)
		}
	}
}

// A page's weight is its importance, and a few dates far from all others are doubtful.
func TestWeightsAndStrayDates(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages.csv")
	write(path, "url_id,weight,title\na,2,x\nb,0.5,y\n")
	p, name, err := Files(nil).ReadPages(path, nil)
	testutil.NoError(err)
	if p.String() != "2 pages, 2 with an importance, 0 with a cost, 0 with a host; not read: title" || p.importance[1] != 0.5 || !strings.HasSuffix(name, " by weight") {
		t.Errorf("%s: %s, importance %v", name, p, p.importance)
	}
	write(path, "url_id,weight,importance\na,2,1\n")
	if _, _, err := Files(nil).ReadPages(path, nil); err == nil || !strings.HasSuffix(err.Error(), ":2: there are an importance and a weight, want one of them") {
		t.Error(err)
	}
	text := "url_id,time\n"
	for day := range 30 {
		text += fmt.Sprintf("a,2024-01-%02d\n", day%28+1)
	}
	for date, want := range map[string]string{"2093-01-01": "the last 1 of 31 changes come long after", "1994-01-01": "the first 1 of 31 changes come long before"} {
		l, _, err := readLog(t, "log.csv", text+"a,"+date+"\n")
		testutil.NoError(err)
		if w := testutil.Must(l.World(Window{SlotLength: "30d"}, nil, nil)); !strings.Contains(w.Record, "; looks wrong: "+want) {
			t.Errorf("%s: %s", date, w.Record)
		}
	}
}
