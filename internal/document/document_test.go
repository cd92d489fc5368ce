package document

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"sweep/internal/must"
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
	root := must.Get(Parse([]byte(source)))
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
.b@10:3[1].c@13:4.k@14:1 DateTime 14:5 1979-05-27 07:32:00Z
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"syntax", "a = 1\nb = = 2\n", "2:5: "},
		{"end", "a = [1,\n", "1:8: array is incomplete"},
		{"twice", "a = 1\na = 2\n", "2:1: key a is already defined"},
		{"not UTF-8", "a = 1\nb = \"é\xff\"\n", "2:7: byte 0xff at offset 13 is not UTF-8"},
		{"too large", strings.Repeat("[", 100<<20), "1:1: the file has more than 1048576 bytes"},
		{"deep arrays", "a = " + strings.Repeat("[", 1<<20-8), "1:10005: arrays and inline tables are nested more than"},
		{"deep tables", "a = " + strings.Repeat("{a=", 1<<18), "1:30005: arrays and inline tables are nested more than"},
		{"deep key", strings.Repeat("a.", 10000) + "a = 1", "1:17: a dotted key has more than 8 parts"},
		{"deep header", "[" + strings.Repeat("a.", 10000) + "a]", "1:18: a dotted key has more than 8 parts"},
		{"half a table", "a = {b = 1", "1:10: "}, {"tiny", "a = [1, 1_0e-400]", "1:9: 1_0e-400 is too near to 0"},
	} {
		start := time.Now()
		_, err := Parse([]byte(c.source))
		fault, is := err.(*Fault)
		if !is || !strings.HasPrefix(place(c.source, fault.At.Pos)+": "+fault.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, fault, c.want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", c.name, d)
		}
	}
}

// same reports whether a tree holds what the toml package decodes, but for
// which date or time it is.
func same(n *Node, v any) bool {
	ok := true
	switch v := v.(type) {
	case map[string]any:
		for _, e := range n.Entries {
			ok = ok && same(e, v[e.Key])
		}
		return ok && n.Kind == Table && len(n.Entries) == len(v)
	case []any:
		for i, e := range n.Elements {
			ok = ok && i < len(v) && same(e, v[i])
		}
		return ok && n.Kind == Array && len(n.Elements) == len(v)
	case bool, int64, float64, string:
		return fmt.Sprintf("%T %[1]v", n.Value) == fmt.Sprintf("%T %[1]v", v) // NaN differs from itself
	}
	_, ok = n.Value.(unstable.Kind)
	return ok && v != nil
}

// FuzzParse: no text panics, every fault has a position in the text and a
// message, and the tree holds what the toml package decodes, but for dates.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a=1", "[a]\nb=[1,2,]\n[[c]]\n[[c.d]]\ne={f=1,g=[{h=2}]}\n", "a.b.c = 'x'\na.d=\"\"\"\\\"\n\"\"\"\"\"\n",
		"\ufeffa=1", "a = [ # c\n 1\n, 2 # ]\n ]", "a = 1979-05-27 07:32:00", "\"a b\".'c' = true\r\n", "[a.b]\n[a]\nc=inf",
		"a = {\n b = 1,\n}\n", "'''a''' = 1", "a=''''''\nb=''", "[ a . b ]\n [ [ c ] ]", "a = \"\\\\\"", "[a]]", "a=1]", "a=[+nan, [[1]]]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		root, err := Parse(source)
		if err != nil {
			fault := err.(*Fault)
			if fault.Message == "" || fault.At.Pos < 0 || fault.At.Pos > len(source) {
				t.Fatalf("Parse: %#v", fault)
			}
			return
		}
		var values map[string]any
		if err := toml.Unmarshal(source, &values); err != nil {
			t.Fatalf("Parse accepts what toml rejects: %v", err)
		}
		if !same(root, values) {
			t.Fatalf("Parse = %+v, toml = %v", root, values)
		}
	})
}

// TestCost feeds texts of the largest permitted size; the limits must keep
// each of them cheap.
func TestCost(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
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
		start := time.Now()
		_, err := Parse([]byte(b.String()))
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%s: took %v to return %v", name, d, err)
		}
	}
}
