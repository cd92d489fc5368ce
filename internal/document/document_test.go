package document

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"sweep/internal/testutil"
)

// place returns the line and column, in characters, of a byte.
func place(text string, at int) string {
	lines := strings.Split(text[:at], "\n")
	return fmt.Sprintf("%d:%d", len(lines), utf8.RuneCountInString(lines[len(lines)-1])+1)
}

// outline writes a tree as path, places and values, one per line; what the
// entries hold in the text, too.
func outline(n *Node, path, text string, b *strings.Builder) {
	at := place(text, n.Pos)
	if n.End > 0 {
		at += " " + strings.ReplaceAll(text[n.Pos:n.End], "\n", "~")
	}
	fmt.Fprintf(b, "%s %v %s\n", path, []any{Scalar: n.Value, Array: "array", Table: "table"}[n.Kind], at)
	for _, e := range n.Entries {
		outline(e, fmt.Sprintf("%s.%s@%s", path, e.Key, place(text, e.KeyPos)), text, b)
	}
	for i, e := range n.Elements {
		outline(e, fmt.Sprintf("%s[%d]", path, i), text, b)
	}
}

func TestPositions(t *testing.T) {
	source := "# σ\nname = \"t # [\" # c\n\n[grid]\nalpha = [0.1, # a\n  0.2]\nx.y = 'é'\n"
	source += "\"q\" = { from = 1,\tto = '''\n]''' }\n[[b]]\nk=1\n[[b]]\n[b.c]\nk = 1979-05-27 07:32:00Z\n"
	root := testutil.Must(Parse([]byte(source)))
	var b strings.Builder
	outline(root, "", source, &b)
	want := ` table 1:1
.name@2:1 t # [ 2:8 "t # ["
.grid@4:2 table 4:2 grid]
.grid@4:2.alpha@5:1 array 5:9 [0.1, # a~  0.2]
.grid@4:2.alpha@5:1[0] 0.1 5:10
.grid@4:2.alpha@5:1[1] 0.2 6:3
.grid@4:2.x@7:1 table 7:1
.grid@4:2.x@7:1.y@7:3 é 7:7 'é'
.grid@4:2.q@8:1 table 8:7 { from = 1,	to = '''~]''' }
.grid@4:2.q@8:1.from@8:9 1 8:16 1
.grid@4:2.q@8:1.to@8:19 ] 8:24 '''~]'''
.b@10:3 array 10:3
.b@10:3[0] table 10:3 b]]
.b@10:3[0].k@11:1 1 11:3 1
.b@10:3[1] table 12:3 b]]
.b@10:3[1].c@13:4 table 13:4 c]
.b@10:3[1].c@13:4.k@14:1 1979-05-27 07:32:00 +0000 UTC 14:5 1979-05-27 07:32:00Z
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"syntax", "a = 1\nb = = 2\n", "2:5: "},
		{"end", "a = [1,\n", "1:8: unexpected EOF; expected value"},
		{"twice", "a = 1\na = 2\n", "2:1: key 'a' has already been defined"},
		{"not UTF-8", "a = 1\nb = \"é\xff\"\n", "2:7: byte 0xff at offset 13 is not UTF-8"},
		{"too large", strings.Repeat("[", testutil.IfThorough(100, 2)<<20), "1:1: the file has more than 1048576 bytes"},
		{"deep arrays", "a = " + strings.Repeat("[", 1<<20-8), "1:70: lists and inline tables are nested more than 64 deep"},
		{"deep tables", "a = " + strings.Repeat("{a=", 1<<18), "1:200: lists and inline tables are nested more than 64 deep"},
		{"deep key", strings.Repeat("a.", 10000) + "a = 1", "1:17: a dotted key has more than 8 parts"},
		{"deep header", "[" + strings.Repeat("a.", 10000) + "a]", "1:18: a dotted key has more than 8 parts"},
		{"half a table", "a = {b = 1", "1:10: "}, {"tiny", "a = [1, 1_0e-400]", "1:9: 1_0e-400 is too near to 0"},
	} {
		start := testutil.ProcessorTime()
		_, err := Parse([]byte(c.source))
		fault, is := err.(*Fault)
		if !is || !strings.HasPrefix(place(c.source, fault.Pos)+": "+fault.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, fault, c.want)
		}
		if d := testutil.ProcessorTime() - start; d > 5*time.Second {
			t.Errorf("%s: took %v of the processor", c.name, d)
		}
	}
}

// Each error of the toml package is told at its place, on one line, with advice.
func TestAdvice(t *testing.T) {
	const (
		line   = "\nhint: a line is key = value, a comment begins with #"
		quotes = "\nhint: quotation marks are \" or '"
		blocks = "\nhint: each of several blocks is [[grid]], or [[claim]]; other tables are there once"
		word   = "\nhint: a text needs quotation marks; true and false are in small letters"
		letter = "\nhint: letters such as \"β\" need quotation marks, and spaces must be plain ones"
		number = "\nhint: a number begins with a digit, such as 0.5"
		end    = "expected a top-level item to end with a newline, comment, or EOF, but got "
	)
	for source, want := range map[string]string{
		"\ufeffa = 1 2":        "1:8: " + end + "'2' instead" + line,
		"a = 1 // b":           "1:7: " + end + "'/' instead" + line,
		"a 5":                  "1:3: expected '.' or '=', but got '5' instead" + line,
		"===":                  "1:1: unexpected '=': key name appears blank" + line,
		"[]":                   "1:2: unexpected end of table name (table names cannot be empty)" + line,
		"β = 1":                "1:1: expected '.' or '=', but got 'β' instead" + letter,
		"a =\u00a01":           "1:4: expected value but found '\\u00a0' instead" + letter,
		"a = “x”":              "1:5: expected value but found '“' instead" + quotes,
		"a = foo":              "1:5: expected value but found \"foo\" instead" + word,
		"a = -.5":              "1:5: floats must start with a digit, not '.'" + number,
		"a = 0x\n":             "1:5: not a hexadecimal number: '0x '",
		"a = 1\n# \x01":        "2:3: TOML files cannot contain control characters: '0x01'",
		"\x01":                 "1:1: TOML files cannot contain control characters: '0x01'",
		"\x00":                 "1:1: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8",
		"a = 1__0":             "1:5: invalid integer \"1__0\": underscores must be surrounded by digits",
		"[a]\n [a]":            "2:3: key 'a' has already been defined" + blocks,
		"[a]\n[[a]]":           "2:3: key 'a' was already created and cannot be used as an array" + blocks,
		"a = { b = 1, b = 2 }": "1:14: key 'a.b' has already been defined",
		"a.b = 1\na = 2":       "2:1: key 'a' has already been defined", // which the package drops
		"[a.b.c]\n[a]\nb = 2":  "3:1: key 'b' has already been defined", // the same
	} {
		_, err := Parse([]byte(source))
		fault, is := err.(*Fault)
		if !is {
			t.Errorf("%q: %v, want %s", source, err, want)
			continue
		}
		got := place(source, fault.Pos) + ": " + fault.Message
		if fault.Hint != "" {
			got += "\nhint: " + fault.Hint
		}
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", source, got, want)
		}
	}
}

// The scanner knows what is new in TOML 1.1. Keys that differ in their case
// alone are two.
func TestNewForms(t *testing.T) {
	source := "t = {\n # a comment\n a = 07:32,\n \"\\x41\\e\" = \"\\x42\", # more\n}\nT = 1979-05-27 07:32\n"
	root := testutil.Must(Parse([]byte(source)))
	var b strings.Builder
	outline(root, "", source, &b)
	want := ` table 1:1
.t@1:1 table 1:5 {~ # a comment~ a = 07:32,~ "\x41\e" = "\x42", # more~}
.t@1:1.a@3:2 0000-01-01 07:32:00 +0000 time-local 3:6 07:32
.t@1:1.A` + "\x1b" + `@4:2 B 4:13 "\x42"
.T@6:1 1979-05-27 07:32:00 +0000 datetime-local 6:5 1979-05-27 07:32
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// A value that the scanner did not find is there all the same, at the nearest
// place that is known; one that was not decoded is not there.
func TestJoin(t *testing.T) {
	text := "t = { a = 1, x = 2 }"
	places := (&scanner{text: text}).document()
	n := join(text, places, map[string]any{
		"t": map[string]any{"a": int64(1), "c": true, "b": []any{int64(3)}},
	}).Entry("t")
	var b strings.Builder
	outline(n, "t", text, &b)
	want := `t table 1:5 { a = 1, x = 2 }
t.a@1:7 1 1:11 1
t.b@1:5 array 1:5
t.b@1:5[0] 3 1:5
t.c@1:5 true 1:5
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

// check compares a tree with what the toml package decodes.
func check(t *testing.T, n *Node, decoded any) {
	t.Helper()
	var list []any
	switch decoded := decoded.(type) {
	case map[string]any:
		if n.Kind != Table || len(n.Entries) != len(decoded) {
			t.Fatalf("kind %d with %d entries, want %v", n.Kind, len(n.Entries), decoded)
		}
		for _, e := range n.Entries {
			check(t, e, decoded[e.Key])
		}
		return
	case []map[string]any:
		for _, table := range decoded {
			list = append(list, table)
		}
	case []any:
		list = decoded
	default:
		same := fmt.Sprintf("%T %[1]v", n.Value) == fmt.Sprintf("%T %[1]v", decoded) // NaN differs from itself
		if n.Kind != Scalar || !same {
			t.Fatalf("kind %d, %v, want %v", n.Kind, n.Value, decoded)
		}
		return
	}
	if n.Kind != Array || len(n.Elements) != len(list) {
		t.Fatalf("kind %d with %d elements, want %v", n.Kind, len(n.Elements), list)
	}
	for i, e := range n.Elements {
		check(t, e, list[i])
	}
}

// checkPlaces decodes each key and each scalar once more, from its place.
func checkPlaces(t *testing.T, n *Node, text string) {
	t.Helper()
	for _, e := range n.Entries {
		if key := keyName(keys.FindString(text[e.KeyPos:])); key != e.Key {
			t.Fatalf("the key %q is said to be at %d, where %q is", e.Key, e.KeyPos, key)
		}
		if token := scalar.FindString(text[e.Pos:]); e.Kind == Scalar && e.End != e.Pos+len(token) {
			t.Fatalf("the value of %q is said to end at %d, want %d", e.Key, e.End, e.Pos+len(token))
		}
	}
	for _, e := range slices.Concat(n.Entries, n.Elements) {
		if e.Kind == Scalar {
			var decoded map[string]any
			testutil.Must(toml.Decode("value = "+scalar.FindString(text[e.Pos:]), &decoded))
			check(t, e, decoded["value"])
		}
		checkPlaces(t, e, text)
	}
}

// FuzzParse: no text panics, every fault has a position in the text and a
// message, and the tree holds exactly what the toml package decodes, at its
// places. What that accepts is accepted, but for limits, keys that it drops and
// numbers that it takes for 0.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a=1", "[a]\nb=[1,2,]\n[[c]]\n[[c.d]]\ne={f=1,g=[{h=2}]}\n", "a.b.c = 'x'\na.d=\"\"\"\\\"\n\"\"\"\"\"\n",
		"\ufeffa=1", "a = [ # c\n 1\n, 2 # ]\n ]", "a = 1979-05-27 07:32:00", "\"a b\".'c' = true\r\n", "[a.b]\n[a]\nc=inf",
		"a = {\n b = 1,\n}\n", "'''a''' = 1", "a=''''''\nb=''", "[ a . b ]\n [ [ c ] ]", "a = \"\\\\\"", "[a]]", "a=1]", "a=[+nan, [[1]]]",
		"a = '''\n''''' # c\nb = [1979-05-27 , 07:32]\n\"\\e\" = {c.d = -0.0, \"\" = \"\\x41\", # e\n}", "a.b=1\na=2", "a=1e-400",
	} {
		f.Add([]byte(s))
	}
	ours := regexp.MustCompile("not UTF-8|more than|too near to 0|has already been defined")
	f.Fuzz(func(t *testing.T, source []byte) {
		root, err := Parse(source)
		if err != nil {
			fault := err.(*Fault)
			if fault.Message == "" || fault.Pos < 0 || fault.Pos > len(source) {
				t.Fatalf("Parse: %#v", fault)
			}
			if ours.MatchString(fault.Message) {
				return
			}
		}
		var values map[string]any
		if _, wrong := toml.Decode(string(source), &values); (err != nil) != (wrong != nil) {
			t.Fatalf("Parse says %v, toml %v", err, wrong)
		}
		if err == nil {
			check(t, root, values)
			checkPlaces(t, root, string(source))
		}
	})
}

// TestCost feeds texts of the largest permitted size; the limits must keep
// each of them cheap.
func TestCost(t *testing.T) {
	testutil.NeedsThorough(t, "takes seconds")
	for name, piece := range map[string]func(i int) string{
		"keys":    func(i int) string { return fmt.Sprintf("k%d=1\n", i) },
		"headers": func(i int) string { return fmt.Sprintf("[k%d]\n", i) },
		"tables":  func(int) string { return "[[a]]\n" },
		"nested":  func(int) string { return "[[a.b.c.d.e.f.g]]\n" },
		"dotted":  func(i int) string { return fmt.Sprintf("a.b.c.d.e.f.g.k%d=1\n", i) },
		"quotes":  func(int) string { return "\"" },
		"list":    func(i int) string { return [2]string{"a=[", "1,"}[min(i, 1)] },
		"lists":   func(int) string { return "a=[" + strings.Repeat("[", 9990) + strings.Repeat("]", 9990) + "]\n" },
		"inline":  func(i int) string { return [2]string{"a=[", "{x=1},"}[min(i, 1)] },
	} {
		var b strings.Builder
		for i := 0; b.Len() < MaxSize-64; i++ {
			b.WriteString(piece(i))
		}
		start := testutil.ProcessorTime()
		_, err := Parse([]byte(b.String()))
		if d := testutil.ProcessorTime() - start; d > 10*time.Second {
			t.Errorf("%s: took %v of the processor to return %v", name, d, err)
		}
	}
}
