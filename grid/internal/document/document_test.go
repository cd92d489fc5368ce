package document

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"
)

// outline writes a tree as path, positions and values, one per line.
func outline(n *Node, path string, b *strings.Builder) {
	switch n.Kind {
	case Table:
		fmt.Fprintf(b, "%s table %d:%d\n", path, n.Pos.Line, n.Pos.Column)
		for _, e := range n.Entries {
			outline(e, fmt.Sprintf("%s.%s@%d:%d", path, e.Key, e.KeyPos.Line, e.KeyPos.Column), b)
		}
	case Array:
		fmt.Fprintf(b, "%s array %d:%d\n", path, n.Pos.Line, n.Pos.Column)
		for i, e := range n.Elements {
			outline(e, fmt.Sprintf("%s[%d]", path, i), b)
		}
	default:
		fmt.Fprintf(b, "%s %v %d:%d\n", path, n.Value, n.Pos.Line, n.Pos.Column)
	}
}

func TestPositions(t *testing.T) {
	source := "# σ\nname = \"t # [\" # c\n\n[grid]\nalpha = [0.1, # a\n  0.2]\nx.y = 'é', \n"
	source = strings.Replace(source, ", \n", "\n", 1)
	source += "\"q\" = { from = 1,\tto = '''\n]''' }\n[[b]]\nk=1\n[[b]]\n[b.c]\nk = 1979-05-27 07:32:00Z\n"
	root, err := Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	outline(root, "", &b)
	want := ` table 1:1
.name@2:1 t # [ 2:8
.grid@4:2 table 4:2
.grid@4:2.alpha@5:1 array 5:9
.grid@4:2.alpha@5:1[0] 0.1 5:10
.grid@4:2.alpha@5:1[1] 0.2 6:3
.grid@4:2.x@7:1 table 7:1
.grid@4:2.x@7:1.y@7:3 é 7:7
.grid@4:2.q@8:1 table 8:7
.grid@4:2.q@8:1.from@8:9 1 8:16
.grid@4:2.q@8:1.to@8:19 ] 8:24
.b@10:3 array 10:3
.b@10:3[0] table 10:3
.b@10:3[0].k@11:1 1 11:3
.b@10:3[1] table 12:3
.b@10:3[1].c@13:4 table 13:4
.b@10:3[1].c@13:4.k@14:1 1979-05-27 07:32:00 +0000 UTC 14:5
`
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct{ name, source, want string }{
		{"syntax", "a = 1\nb = = 2\n", "2:5: "},
		{"end", "a = [1,\n", "1:8: unexpected EOF"},
		{"twice", "a = 1\na = 2\n", "2:1: key 'a' has already been defined"},
		{"not UTF-8", "a = 1\nb = \"é\xff\"\n", "2:7: byte 0xff at offset 13 is not UTF-8"},
		{"too large", strings.Repeat("[", 100<<20), "1:1: the file has more than 1048576 bytes"},
		{"deep arrays", "a = " + strings.Repeat("[", MaxDepth+1), "1:37: brackets are nested more than 32 deep"},
		{"deep tables", "a = " + strings.Repeat("{a=", MaxDepth+1), "1:101: brackets are nested more than 32 deep"},
		{"deep key", strings.Repeat("a.", 10000) + "a = 1", "1:17: a dotted key has more than 8 parts"},
		{"deep header", "[" + strings.Repeat("a.", 10000) + "a]", "1:18: a dotted key has more than 8 parts"},
		{"escape in a key", `"\u0061" = 1`, "1:1: a key contains an escape"},
		{"half a table", "a = {b = 1", "1:10: "},
	} {
		start := time.Now()
		_, fault := Parse([]byte(c.source))
		if fault == nil || !strings.HasPrefix(fmt.Sprintf("%d:%d: %s", fault.Pos.Line, fault.Pos.Column, fault.Message), c.want) {
			t.Errorf("%s: got %v, want %s", c.name, fault, c.want)
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", c.name, d)
		}
	}
}

// plain turns a tree back into what the toml package decodes into.
func plain(n *Node) any {
	switch n.Kind {
	case Table:
		m := map[string]any{}
		for _, e := range n.Entries {
			m[e.Key] = plain(e)
		}
		return m
	case Array:
		a := []any{}
		for _, e := range n.Elements {
			a = append(a, plain(e))
		}
		return a
	}
	return n.Value
}

// FuzzParse: no text panics, every fault has a position in the text and a
// message, the scanner understands all TOML within the limits, and the tree
// holds what the toml package decodes.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "a=1", "[a]\nb=[1,2,]\n[[c]]\n[[c.d]]\ne={f=1,g=[{h=2}]}\n", "a.b.c = 'x'\na.d=\"\"\"\\\"\n\"\"\"\"\"\n",
		"\ufeffa=1", "a = [ # c\n 1\n, 2 # ]\n ]", "a = 1979-05-27 07:32:00", "\"a b\".'c' = true\r\n", "[a.b]\n[a]\nc=inf",
		"a = {\n b = 1,\n}\n", "'''a''' = 1", "a=''''''\nb=''", "[ a . b ]\n [ [ c ] ]", "a = \"\\\\\"", "[a]]", "a=1]",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, source []byte) {
		root, fault := Parse(source)
		if fault != nil {
			if fault.Message == "" || fault.Pos.Line < 1 || fault.Pos.Column < 1 {
				t.Fatalf("Parse: %#v", fault)
			}
			if fault.Pos.Line > 1+strings.Count(string(source), "\n") {
				t.Fatalf("line %d is beyond the text", fault.Pos.Line)
			}
			if strings.Contains(fault.Message, "written in a way") {
				t.Fatalf("the scanner misreads TOML: %v", fault)
			}
			return
		}
		var values map[string]any
		if _, err := toml.Decode(string(source), &values); err != nil {
			t.Fatalf("Parse accepts what toml rejects: %v", err)
		}
		// Printed, because NaN differs from itself.
		if got, want := fmt.Sprint(plain(root)), fmt.Sprint(values); got != want {
			t.Fatalf("Parse = %v, toml = %v", got, want)
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
		"inline":  func(i int) string { return [2]string{"a=[", "{x=1},"}[min(i, 1)] },
	} {
		var b strings.Builder
		for i := 0; b.Len() < MaxSize-64; i++ {
			b.WriteString(piece(i))
		}
		start := time.Now()
		_, err := Parse([]byte(b.String()))
		d := time.Since(start)
		t.Logf("%s: %v %v", name, d, err)
		if d > 10*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
