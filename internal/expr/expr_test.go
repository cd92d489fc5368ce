package expr

import (
	"cmp"
	"fmt"
	"strings"
	"testing"

	"sweep/internal/document"
	"sweep/internal/testutil"
)

// outline writes a tree with all brackets.
func outline(n *Node) string {
	head := cmp.Or(n.Text, n.Op)
	switch n.Op {
	case String:
		head = fmt.Sprintf("%q", n.Text)
	}
	if n.Value != 0 && n.Op != Number {
		head += fmt.Sprintf(" %v %v ", n.Value, n.Relative)
	}
	if len(n.Args) == 0 {
		return head
	}
	var args []string
	for _, arg := range n.Args {
		args = append(args, outline(arg))
	}
	return head + "(" + strings.Join(args, ", ") + ")"
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"`model.lr` > `b-c`[`d.e` = 1]":                 ">(model.lr, select(b-c, =(d.e, 1)))",
		"1 - 2 - 3*x":                                   "-(-(1, 2), *(3, x))",
		"-x * 2 + -.5e1":                                "+(*(negate(x), 2), -.5e1)",
		"a / (b + 1) < 2 and not c or d":                "or(and(<(/(a, +(b, 1)), 2), not(c)), d)",
		"0.1 < beta * gamma <= 1":                       "and(<(0.1, *(beta, gamma)), <=(*(beta, gamma), 1))",
		"x == 1 or x != 'it is'":                        `or(=(x, 1), !=(x, "it is"))`,
		"r[CGLA] > 1.2 * r[uniform, N = 16]":            ">(select(r, CGLA), *(1.2, select(r, uniform, =(N, 16))))",
		"max(r[5 < hours <= 9]) within 10% of m":        "within 0.1 true (max(select(r, and(<(5, hours), <=(hours, 9)))), m)",
		"a within 0.02 of b - c":                        "within 0.02 false (a, -(b, c))",
		"table2 within 10%":                             "within 0.1 true (table2)",
		"a > 2 * margin margin 2% and c < d":            "and(> 0.02 true (a, *(2, margin)), <(c, d))",
		"a rises along N margin .5":                     "rises 0.5 false (a, N)",
		"r[A] - r[B] falls along f and q rises along N": "and(falls(-(select(r, A), select(r, B)), f), rises(q, N))",
		"((a + b) * c) / 2 > 1":                         ">(/(*(+(a, b), c), 2), 1)",
		"f(a, \"b c\", 1)":                              `f(a, "b c", 1)`,
	} {
		n, err := Parse(text)
		if err != nil || outline(n) != want {
			t.Errorf("%s: %v, %v; want %s", text, n, err, want)
			continue
		}
		n.Walk(func(n *Node) { // what a node spans reads as the node itself
			again, err := Parse(text[n.Start:n.End])
			if err != nil || outline(again) != outline(n) {
				t.Errorf("%s: %s spans %q", text, outline(n), text[n.Start:n.End])
			}
		})
	}
}

func TestFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "0: found the end, want a name or a number",
		"a >":                      "3: found the end, want a name or a number",
		"a b":                      `2: found "b", want an operator or the end`,
		"ß > 3 $":                  `7: found "$", want an operator or the end`,
		"(a":                       `2: found the end, want ")"`,
		"a[b; c]":                  `3: found ";", want "]" or ","`,
		"a within b":               `9: found "b", want how far, a number or a percentage such as 10%`,
		"a within 3":               `10: found the end, want "of" and what it is compared with`,
		"a[x] within 10%":          `15: found the end, want "of" and what it is compared with`,
		"a rises with N":           `8: found "with", want "along"`,
		"a falls along 3":          `14: found "3", want a name or a number`,
		"x = 'it":                  "4: the string is not closed, want ' at its end",
		"x = `it":                  "4: the name is not closed, want ` at its end",
		"``":                       "0: the name is not closed, want ` at its end",
		"model.lr > 1":             "5: found \".\", want an operator or the end (a name with a dot stands in backquotes, such as `model.lr`)",
		"1e999 > x":                `0: found "1e999", want a number`,
		"and":                      `0: found "and", want a name or a number`,
		strings.Repeat("(", 200):   `100: found "(", want fewer brackets and signs`,
		strings.Repeat("-", 200):   `100: found "-", want fewer brackets and signs`,
		"a > b margin c":           `13: found "c", want how far, a number or a percentage such as 10%`,
		"a > b margin 0%":          "6: the margin is 0, want a number above 0, such as 2%",
		"1 < a = b margin 2%":      "10: a margin is for <, <=, > and >=, not for =: to be equal but for 2% is: within 2% of",
		"a within 3 of b margin 2": `16: found "margin", want an operator or the end`,
	} {
		_, err := Parse(text)
		fault, ok := err.(*document.Fault)
		if !ok || fmt.Sprintf("%d: %v", fault.Pos, fault) != want {
			t.Errorf("%s: %+v, want %s", text, err, want)
		}
	}
}

func TestArithmetic(t *testing.T) {
	n := testutil.Must(Parse("-(x - 2) * 3 / (1 + y)"))
	if got := n.Arithmetic(func(n *Node) float64 { return map[string]float64{"x": 10, "y": 3}[n.Text] }); got != -6 {
		t.Errorf("got %v, want -6", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("r[CGLA, 0 < hours <= 9] within 10% of 1.5 * m and not x rises along N")
	f.Fuzz(func(t *testing.T, text string) {
		n, err := Parse(text)
		if fault, ok := err.(*document.Fault); err != nil && (!ok || fault.Pos < 0 || fault.Pos > len(text)) {
			t.Errorf("%q: %v", text, err)
		}
		if err == nil {
			n.Walk(func(n *Node) {
				if n.Start < 0 || n.Start >= n.End || n.End > len(text) {
					t.Errorf("%q: %s spans %d to %d", text, n.Op, n.Start, n.End)
				}
			})
		}
	})
}
