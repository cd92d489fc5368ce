package history

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"sweep/environments/sources"
	"sweep/internal/bitset"
)

// A Log is a plain log of changes: which page changed when.
type Log struct {
	nodes map[string]int // pages by their ids, in the order in which they appear
	urls  []string
	node  []int32
	times []int64 // Unix seconds, or whatever integers the log has
}

// Pages is a table of pages.
type Pages struct {
	// Name stands for the content, as that of a Record.
	Name string

	urls             []string
	importance, cost []float64
	hosts            int
}

// A Window says how a log becomes slots.
type Window struct {
	SlotLength string // a duration like 6h or 1d, or an integer where times are plain integers
	From, To   string // times; empty: the slot of the first change, and the end of that of the last
}

// PagesAccepts says what ReadPages accepts.
const PagesAccepts = "the path of a .csv, .tsv, .jsonl or .parquet file with the column url_id and, if known, importance, host, cost (.gz or .zst after it)"

// Files are files beside those that are on disk: their content by the path,
// if there is one. nil has none.
type Files func(path string) (data []byte, ok bool)

// read returns what is in a file, on disk if it is there.
func (f Files) read(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && f != nil {
		if shipped, ok := f(path); ok {
			return shipped, nil
		}
	}
	return data, err
}

// table reads the rows of a table as texts: the wanted columns, then those
// that may be missing, which are empty then. The ending of the path says
// what it is: .csv, .tsv, .jsonl, .ndjson or .parquet, and .gz or .zst after it.
func (f Files) table(path string, digest hash.Hash, wanted, optional []string, do func(fields []string) error) error {
	data, err := f.read(path)
	if err != nil {
		return err
	}
	digest.Write(data)
	if data, err = unpacked(path, data); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	switch kind(path) {
	case ".csv":
		err = textRows(',', string(data), wanted, optional, do)
	case ".tsv":
		err = textRows('\t', string(data), wanted, optional, do)
	case ".jsonl", ".ndjson":
		err = jsonRows(string(data), wanted, optional, do)
	case ".parquet":
		err = parquetRows(string(data), wanted, optional, do)
	default:
		return fmt.Errorf("%s: want %s", path, Accepts)
	}
	if err != nil {
		return fmt.Errorf("%s:%w", path, err)
	}
	return nil
}

// kind returns the ending of a path that says what a table is.
func kind(path string) string {
	path = strings.ToLower(path)
	return filepath.Ext(strings.TrimSuffix(strings.TrimSuffix(path, ".gz"), ".zst"))
}

func unpacked(path string, data []byte) ([]byte, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".gz":
		r, err := gzip.NewReader(strings.NewReader(string(data)))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(r)
	case ".zst":
		return (&zstd.Codec{}).Decode(nil, data)
	}
	return data, nil
}

// places returns where columns are in a header; -1: nowhere.
func places(header, wanted, optional []string) ([]int, error) {
	var at []int
	for i, name := range slices.Concat(wanted, optional) {
		place := slices.Index(header, name)
		if place < 0 && i < len(wanted) {
			return nil, fmt.Errorf("the columns are %s, want among others %s", strings.Join(header, ", "), name)
		}
		at = append(at, place)
	}
	return at, nil
}

func textRows(comma rune, text string, wanted, optional []string, do func([]string) error) error {
	reader := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	reader.Comma, reader.ReuseRecord = comma, true
	var at []int
	var fields []string
	for {
		row, err := reader.Read()
		if err == io.EOF && at != nil {
			return nil
		}
		if err == io.EOF {
			return errors.New("1: the file is empty, want a header")
		}
		if parse, ok := errors.AsType[*csv.ParseError](err); ok {
			return fmt.Errorf("%d: %w", parse.Line, parse.Err)
		}
		switch {
		case err != nil:
		case at == nil:
			at, err = places(row, wanted, optional)
		default:
			fields = fields[:0]
			for _, place := range at {
				field := ""
				if place >= 0 {
					field = row[place]
				}
				fields = append(fields, field)
			}
			err = do(fields)
		}
		if err != nil {
			line, _ := reader.FieldPos(0)
			return fmt.Errorf("%d: %w", line, err)
		}
	}
}

func jsonRows(text string, wanted, optional []string, do func([]string) error) error {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if strings.TrimSpace(line) == "" {
			continue
		}
		d := json.NewDecoder(strings.NewReader(line))
		d.UseNumber()
		row := map[string]any{}
		if err := d.Decode(&row); err != nil {
			return fmt.Errorf("%d: not a JSON object: %w", number, err)
		}
		var fields []string
		for i, name := range slices.Concat(wanted, optional) {
			field := ""
			switch x := row[name].(type) {
			case nil:
				if i < len(wanted) {
					return fmt.Errorf("%d: there is no %s", number, name)
				}
			case string:
				field = x
			case json.Number:
				field = x.String()
			default:
				return fmt.Errorf("%d: %s is %v, want a text or a number", number, name, x)
			}
			fields = append(fields, field)
		}
		if err := do(fields); err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	return nil
}

func parquetRows(data string, wanted, optional []string, do func([]string) error) (err error) {
	defer func() {
		if p := recover(); p != nil { // parquet-go panics on some damaged files
			err = fmt.Errorf(" the file is damaged: %v", p)
		}
	}()
	f, err := parquet.OpenFile(strings.NewReader(data), int64(len(data)))
	if err != nil {
		return fmt.Errorf(" not a Parquet file, or damaged: %w", err)
	}
	var header []string
	for _, path := range f.Schema().Columns() {
		header = append(header, strings.Join(path, "."))
	}
	at, err := places(header, wanted, optional)
	if err != nil {
		return fmt.Errorf(" %w", err)
	}
	second := make([]int64, len(header)) // of a column of times, the units in a second
	for i, c := range f.Root().Columns() {
		if logical := c.Type().LogicalType(); logical != nil && i < len(second) {
			if t, ok := logical.Value.(*format.TimestampType); ok {
				second[i] = int64(time.Second / t.Unit.Value.Duration())
			}
		}
	}
	rows := parquet.NewReader(f)
	defer rows.Close() // nothing was written
	buffer := make([]parquet.Row, 256)
	for number := 0; ; {
		n, end := rows.ReadRows(buffer)
		for _, row := range buffer[:n] {
			number++
			var fields []string
			for i, place := range at {
				field := ""
				k := slices.IndexFunc(row, func(v parquet.Value) bool { return v.Column() == place })
				switch {
				case k < 0 || row[k].IsNull():
					if i < len(wanted) {
						return fmt.Errorf(" row %d: %s is null", number, wanted[i])
					}
				case second[place] > 1:
					field = strconv.FormatInt(row[k].Int64()/second[place], 10)
				default:
					field = row[k].String()
				}
				fields = append(fields, field)
			}
			if err := do(fields); err != nil {
				return fmt.Errorf(" row %d: %w", number, err)
			}
		}
		if end == io.EOF {
			return nil
		}
		if end != nil {
			return fmt.Errorf(" the file is damaged: %w", end)
		}
	}
}

// parseTime reads a time: RFC 3339, a date, Unix seconds or any integer.
func parseTime(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Unix(), nil
		}
	}
	if x, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(x) < 1<<53 {
		return int64(math.Floor(x)), nil
	}
	return 0, fmt.Errorf("time is %q, want RFC 3339 (2026-11-01T06:00:00Z), a date, Unix seconds or an integer", text)
}

// parseLength reads the length of a slot, in seconds or the units of times.
func parseLength(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if days, ok := strings.CutSuffix(text, "d"); ok && err != nil {
		n, err = strconv.ParseInt(days, 10, 64)
		n *= 24 * 3600
	} else if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		n = int64(d / time.Second)
	}
	if err != nil || n < 1 {
		return 0, fmt.Errorf("slot_length is %q, want a time like 6h, 30m or 1d of a second or more, or an integer", text)
	}
	return n, nil
}

// isLog reports whether a file is a log: all that Read accepts beside slot
// tables as CSV or Parquet.
func isLog(path string) bool {
	switch ending := strings.ToLower(filepath.Ext(path)); ending {
	case ".csv":
		f, err := os.Open(path)
		if err != nil {
			return false
		}
		defer f.Close() // nothing was written
		header, err := csv.NewReader(f).Read()
		return err == nil && slices.Contains(header, "time") && !slices.Contains(header, "slot")
	case ".parquet":
		return hasColumn(path, "time") && !hasColumn(path, "slot")
	case ".gz", ".zst", ".tsv", ".jsonl", ".ndjson":
		return true
	}
	return false
}

func hasColumn(path, column string) (has bool) {
	defer func() { _ = recover() }() // of a damaged file, which will be refused
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return false
	}
	p, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return false
	}
	_, has = p.Schema().Lookup(column)
	return has
}

func (f Files) readLog(path string, digest hash.Hash) (*Log, error) {
	l := &Log{nodes: map[string]int{}}
	err := f.table(path, digest, []string{"url_id", "time"}, nil, func(fields []string) error {
		if fields[0] == "" {
			return errors.New("the URL's id is empty")
		}
		t, err := parseTime(fields[1])
		if err != nil {
			return err
		}
		l.node = append(l.node, int32(l.number(fields[0])))
		l.times = append(l.times, t)
		return nil
	})
	if err == nil && len(l.times) == 0 {
		err = fmt.Errorf("%s: there are no rows", path)
	}
	return l, err
}

// number returns the number of a page, which may be new.
func (l *Log) number(url string) int {
	i, known := l.nodes[url]
	if !known {
		i = len(l.urls)
		url = strings.Clone(url) // not a part of a longer text
		l.nodes[url] = i
		l.urls = append(l.urls, url)
	}
	return i
}

// ReadPages reads a table of pages: url_id, and if they are there
// importance, 1 if it is missing or empty, host, and cost, likewise.
func (f Files) ReadPages(path string) (*Pages, error) {
	p := &Pages{}
	hosts, known := map[string]bool{}, map[string]bool{}
	number := func(name, text string) (float64, error) {
		if text == "" {
			return 1, nil
		}
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= 0) || math.IsInf(x, 0) || name == "cost" && x == 0 {
			return 0, fmt.Errorf("%s is %q, want a number of at least 0, a cost above", name, text)
		}
		return x, nil
	}
	digest := newDigest()
	err := f.table(path, digest, []string{"url_id"}, []string{"importance", "cost", "host"}, func(fields []string) error {
		url := strings.Clone(fields[0])
		if url == "" || known[url] {
			return fmt.Errorf("URL %q is empty or there already", url)
		}
		known[url] = true
		importance, err := number("importance", fields[1])
		if err != nil {
			return err
		}
		cost, err := number("cost", fields[2])
		if err != nil {
			return err
		}
		if fields[3] != "" {
			hosts[strings.Clone(fields[3])] = true
		}
		p.urls, p.importance, p.cost = append(p.urls, url), append(p.importance, importance), append(p.cost, cost)
		return nil
	})
	p.hosts = len(hosts)
	p.Name = name(path, digest)
	return p, err
}

// String describes the table, for example "300 pages, 20 hosts".
func (p *Pages) String() string {
	text := fmt.Sprintf("%d pages", len(p.urls))
	if p.hosts > 0 {
		text += fmt.Sprintf(", %d hosts", p.hosts)
	}
	return text
}

// History cuts a log into the slots of a window. The nodes are those of
// pages, if not nil, in their order, then others that the log has, of
// importance and cost 1; several changes of a page in a slot are one. What is
// said about it is for people.
func (l *Log) History(w Window, pages *Pages) (h *sources.History, said string, err error) {
	length, err := parseLength(w.SlotLength)
	if err != nil {
		return nil, "", err
	}
	from := slices.Min(l.times)
	from -= ((from % length) + length) % length
	to := slices.Max(l.times) + 1
	if w.From != "" {
		if from, err = parseTime(w.From); err != nil {
			return nil, "", fmt.Errorf("from: %w", err)
		}
	}
	if w.To != "" {
		if to, err = parseTime(w.To); err != nil {
			return nil, "", fmt.Errorf("to: %w", err)
		}
	}
	if to <= from || (to-from-1)/length >= mostSlots {
		return nil, "", fmt.Errorf("from %d to %d there are not between 1 and %d slots of %d", from, to, mostSlots, length)
	}
	if pages == nil {
		pages = &Pages{}
	}
	importance, cost := slices.Clone(pages.importance), slices.Clone(pages.cost)
	place := map[string]int{}
	for i, url := range pages.urls {
		place[url] = i
	}
	nodes := make([]int, len(l.urls)) // of the log's pages
	for k, url := range l.urls {
		i, ok := place[url]
		if !ok {
			i = len(importance)
			importance, cost = append(importance, 1), append(cost, 1)
		}
		nodes[k] = i
	}
	slots := make([]bitset.Set, (to-from-1)/length+1)
	if len(slots)*bitset.Groups(len(importance)) > mostWords {
		return nil, "", fmt.Errorf("more than %d GiB would be needed for these URLs and slots", mostWords>>27)
	}
	for t := range slots {
		slots[t] = bitset.NewSet(len(importance))
	}
	inside, twice := 0, 0
	for k, t := range l.times {
		if t < from || t >= to {
			continue
		}
		inside++
		slot, i := slots[(t-from)/length], nodes[l.node[k]]
		if slot.Has(i) {
			twice++
		}
		slot.Add(i)
	}
	said = describe(slots, len(importance), inside, twice)
	if unknown := len(importance) - len(pages.urls); unknown > 0 && len(pages.urls) > 0 {
		said += fmt.Sprintf("; %d pages of the log are not in the table of pages: their importance is 1", unknown)
	}
	if h, err = sources.NewHistory(importance, slots); err != nil {
		return nil, "", err
	}
	if slices.Max(cost) != 1 || slices.Min(cost) != 1 {
		for i, c := range cost {
			cost[i] = math.Round(c*(1<<bitset.Depth)) / (1 << bitset.Depth)
		}
		h.Cost = cost
	}
	return h, said, nil
}

// describe says what slots hold, and what looks wrong.
func describe(slots []bitset.Set, nodes, rows, twice int) string {
	changed := bitset.NewSet(nodes)
	var sum, square float64
	last := 0
	for t, nodes := range slots {
		n := float64(nodes.Len())
		sum += n
		square += float64(n * n)
		for g, w := range nodes {
			changed[g] |= w
		}
		if n > 0 {
			last = t + 1
		}
	}
	mean := sum / float64(len(slots))
	text := fmt.Sprintf("%d pages, %d slots, %d rows, %.0f changes: %.3g a slot, variance/mean %.3g; %d pages never change",
		nodes, len(slots), rows, sum, mean, (square/float64(len(slots))-float64(mean*mean))/mean, nodes-changed.Len())
	if twice > 0 {
		text += fmt.Sprintf("; %d rows repeat a change of their slot", twice)
	}
	if last < len(slots)*9/10 {
		text += fmt.Sprintf("; looks wrong: nothing changes after slot %d", last)
	}
	if mean > float64(nodes)/2 {
		text += "; looks wrong: more than half of all pages change in a slot"
	}
	return text
}
