package table

import (
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

func written(f string, tables ...*Table) string {
	var b strings.Builder
	testutil.NoError(Write(&b, f, tables...))
	return b.String()
}

type price float64

func (p price) String() string { return "-" + Exact(float64(p)) + " $" }

// sample has every kind of cell, a group, and what each format must escape.
func sample() *Table {
	t := &Table{
		Title:    "fees_of 5 %",
		Notes:    []string{"a $note"},
		Warnings: []string{"a doubt"},
		Lead:     1,
	}
	add := func(name string, mean float64, n, change, price, p any, value float64, open any) {
		t.Add([]Cell{
			Left("name", name),
			{Group: "paid", Name: "mean fee", Unit: "€", Decimals: 2, Key: "mean", Value: mean},
			{Group: "paid", Name: "n", Value: n},
			{Name: "change", Decimals: 1, Signed: true, Value: change},
			Right("price", price),
			Cell{Name: "p", In: People, Value: p},
			ForPrograms("p_value", value),
			{Name: "open", In: []string{JSON}, Value: open},
		})
	}
	add(`a|b_{#1} & <5% ~^\ ±`, 1234.5678, 3, 1.0/3, price(2), "<0.1", 1e-9, true)
	add("=x\x1b[1m\n", -0.125, int64(-4), math.NaN(), nil, nil, math.Inf(1), nil)
	return t
}

// rowsOf returns a table of one column.
func rowsOf(name string, values ...any) *Table {
	t := &Table{}
	for _, v := range values {
		t.Add([]Cell{Right(name, v)})
	}
	return t
}

func TestRowsMustHaveTheSameColumns(t *testing.T) {
	for _, cells := range [][]Cell{nil, {Right("y", 1)}, {Right("x", 1), Right("y", 1)}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Add takes %v below a column x", cells)
				}
			}()
			rowsOf("x", 1).Add(cells)
		}()
	}
}

func TestFormats(t *testing.T) {
	for format, want := range map[string]string{
		Text: `fees_of 5 %

                           paid
                           mean
                            fee
name                        [€]   n    change  price     p
a|b_{#1} & <5% ~^\ ±    1234.57   3      +0.3   −2 $  <0.1
=x�[1m                    −0.12  −4         –      –     –

a $note
warning: a doubt
`,
		Markdown: `**fees\_of 5 %**

| name | paid mean fee [€] | paid n | change | price | p |
|:---|---:|---:|---:|---:|---:|
| a\|b\_{#1} \& \<5% \~^\\ ± | 1234.57 | 3 | +0.3 | −2 \$ | \<0.1 |
| =x�[1m  | −0.12 | −4 | – | – | – |

a \$note

> warning: a doubt
`,
		LaTeX: `% fees_of 5 %
\begin{tabular}{lrrrrr}
\toprule
 & \multicolumn{2}{c}{paid} &  &  &  \\
\cmidrule(lr){2-3}
name & mean fee [€] & n & change & price & p \\
\midrule
a$|$b\_\{\#1\} \& $<$5\% \textasciitilde{}\textasciicircum{}\textbackslash{} $\pm$ & 1234.57 & 3 & +0.3 & $-$2 \$ & $<$0.1 \\
=x�[1m  & $-$0.12 & $-$4 & -- & -- & -- \\
\bottomrule
\end{tabular}
% a $note
% warning: a doubt
`,
		CSV: "name,mean,n,change,price,p_value\na|b_{#1} & <5% ~^\\ ±,1234.5678,3,0.3333333333333333,'-2 $,1e-09\n\"'=x\x1b[1m\n\",-0.125,-4,,,+Inf\n",
		JSON: `[
  {
    "name": "a|b_{#1} & <5% ~^\\ ±",
    "mean": 1234.5678,
    "n": 3,
    "change": 0.3333333333333333,
    "price": 2,
    "p_value": 1e-9,
    "open": true
  },
  {
    "name": "=x\u001b[1m\n",
    "mean": -0.125,
    "n": -4,
    "change": null,
    "price": null,
    "p_value": null,
    "open": null
  }
]
`,
	} {
		if got := written(format, sample()); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", format, got, want)
		}
	}
}

func TestLayout(t *testing.T) {
	quantity := func(group string) Cell { return Cell{Group: group, Name: "quantity", Value: 1} }
	wide := &Table{Lead: 1, Width: 24}
	wide.Add([]Cell{
		Right("i", 7), quantity(""), quantity("first"), quantity("first"), quantity("second"),
	})
	long := &Table{Width: 40}
	long.Add([]Cell{
		Left("name", "a"),
		Left("meaning", "what it is, in so many words that a line does not hold them"),
	})
	long.Add([]Cell{Left("name", "b"), Left("meaning", "short")})
	numbers := &Table{Limit: 2, Total: 5002, Records: func(yield func([]Cell) bool) {
		for i := 0; i < 5002 && yield([]Cell{Right("i", i)}); i++ {
		}
	}}
	blank := &Table{}
	blank.Add([]Cell{Right("x", 1), Left("m", "b ")})
	blank.Add([]Cell{Right("x", 2), Left("m", " ")})
	one := rowsOf("x", 1)
	one.Title = "one"
	one.Notes = []string{"note"}
	two := rowsOf("x", 2)
	two.Title = "two"
	several := []*Table{one, two, rowsOf("y", 3)}
	for _, test := range []struct {
		what   string
		format string
		tables []*Table
		want   string
	}{
		{"broken between groups, and each piece has the lead", Text, []*Table{wide}, `i  quantity
7         1

        first
i    quantity  quantity
7           1         1

       second
i    quantity
7           1
`},
		{"the last column is wrapped if it is of text", Text, []*Table{long}, `name  meaning
a     what it is, in so many words
      that a line does not hold them
b     short
`},
		{"blanks at ends", Text, []*Table{blank}, "x  m\n1  b\n2\n"},
		{"limited", Text, []*Table{numbers}, "i\n0\n1\n… 5,000 more rows; table --format csv shows all\n"},
		{"several", Text, several, "one\n\nx\n1\n\nnote\n\ntwo\n\nx\n2\n\ny\n3\n"},
		{"several", CSV, several, "x\n1\n2\n\ny\n3\n"},
		{"without rows", CSV, []*Table{{Columns: []Cell{Right("x", nil)}}}, "x\n"},
		{"several", JSON, several, "[\n  {\n    \"x\": 1\n  },\n  {\n    \"x\": 2\n  },\n  {\n    \"y\": 3\n  }\n]\n"},
		{"none", JSON, nil, "[]\n"},
	} {
		if got := written(test.format, test.tables...); got != test.want {
			t.Errorf("%s, %s: got\n%s\nwant\n%s", test.what, test.format, got, test.want)
		}
	}
	if lines := strings.Count(written(CSV, numbers), "\n"); lines != 5003 {
		t.Errorf("CSV has %d lines, want 5003", lines)
	}
}

func TestWriteTellsErrors(t *testing.T) {
	full := errors.New("full")
	r, w := io.Pipe()
	r.CloseWithError(full)
	for _, format := range Formats() {
		if err := Write(w, format, sample()); !errors.Is(err, full) {
			t.Errorf("%s: got %v, want the writer's error", format, err)
		}
	}
}

func TestTexts(t *testing.T) {
	for _, test := range []struct {
		of   func(string) string
		want map[string]string
	}{
		{Plain, map[string]string{
			"\x1b]0;owned\a": "\uFFFD]0;owned\uFFFD", "two\nlines\r\t": "two lines  ", "\u202ereversed": "\uFFFDreversed", "β ≥ 0.5\u00a0h": "β ≥ 0.5\u00a0h",
		}},
		{inert, map[string]string{
			"=1+1": "'=1+1", "+49": "+49", "-0.5": "-0.5", "-x": "'-x", "@a": "'@a", "a=b": "a=b", "\tx": "'\tx", "+Inf": "+Inf", "": "",
		}},
		{minus, map[string]string{
			"-0.5": "−0.5", "-1 -2": "−1 -2", "1e-05": "1e-05", "a-1": "a-1", "-x": "-x", "-": "-", "": "",
		}},
	} {
		for text, want := range test.want {
			if got := test.of(text); got != want {
				t.Errorf("%q becomes %q, want %q", text, got, want)
			}
		}
	}
}

// LaTeX takes a bracket or an asterisk behind \\ or a rule for an argument.
func TestLaTeXRowsBeginWithText(t *testing.T) {
	text := written(LaTeX, rowsOf("layers", "[64, 64]", "*", "a[1]"))
	for _, want := range []string{"\n{}[64, 64] \\\\", "\n{}* \\\\", "\na[1] \\\\"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
