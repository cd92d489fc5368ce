// Package expr parses the small language of a spec's claims (expect) and of
// the condition on the points of a grid (where). It knows the form of
// expressions; the packages that use it know what the names mean.
//
//	or:      and { "or" and }
//	and:     not { "and" not }
//	not:     [ "not" ] compare
//	compare: sum { ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) sum } [ margin ]
//	       | sum "within" number [ "%" ] "of" sum
//	       | name "within" number "%"
//	       | sum ( "rises" | "falls" ) "along" name [ margin ]
//	margin:  "margin" number [ "%" ]
//	sum:     product { ( "+" | "-" ) product }
//	product: factor { ( "*" | "/" ) factor }
//	factor:  "-" factor | number | string | "(" or ")"
//	       | name [ "(" or { "," or } ")" ] [ "[" or { "," or } "]" ]
//
// Comparisons may be chained: 0 < x <= 1 is 0 < x and x <= 1; a margin after
// them is that of each, and none of them is = or !=. A string is in single or
// double quotes, a name with a dot or a dash in backquotes: `model.lr`. What is
// in brackets selects.
package expr

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweep/internal/document"
)

// The kinds of nodes, beside those whose Op is the operator itself: + - * /
// with two Args, and, or with two, not with one.
const (
	Number  = "number"  // Value, Text as written
	String  = "string"  // Text
	Name    = "name"    // Text
	Call    = "call"    // Text is the function's name
	Select  = "select"  // Args[0] is selected from, the others are what stands in brackets
	Negate  = "negate"  // one of Args
	Compare = "compare" // two of Args, Text is the sign between them; Value is the margin, or 0
	Within  = "within"  // Args: what, the reference if any; Value is the tolerance
	Trend   = "trend"   // Args: what, the name along which; Text is rises or falls; Value as above
)

// HintQuotes says how a known name is written that begins as the given one does
// and goes on after a dot or a dash; it is empty if there is none.
func HintQuotes(name string, known []string) string {
	for _, k := range known {
		rest, begins := strings.CutPrefix(k, name)
		if begins && rest != "" && strings.ContainsAny(rest[:1], ".-") {
			return "a name with a dot or a dash stands in backquotes: `" + k + "`"
		}
	}
	return ""
}

// A Node is an expression.
type Node struct {
	Op       string // what it is
	Text     string
	Value    float64
	Relative bool // of what has a tolerance: Value is a share, 0.1 for 10 %
	Args     []*Node

	// Start and End delimit the expression in its source, in bytes from 0.
	Start, End int
}

// Walk visits the node and then all nodes below it, from left to right.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, a := range n.Args {
		a.Walk(visit)
	}
}

// Arithmetic computes a number. It adds, subtracts, multiplies, divides and
// negates; leaf returns the values of all other nodes except Number.
func (n *Node) Arithmetic(leaf func(*Node) float64) float64 {
	arg := func(i int) float64 { return n.Args[i].Arithmetic(leaf) }
	switch n.Op {
	case Number:
		return n.Value
	case Negate:
		return -arg(0)
	case "+":
		return float64(arg(0) + arg(1))
	case "-":
		return float64(arg(0) - arg(1))
	case "*":
		return float64(arg(0) * arg(1))
	case "/":
		return float64(arg(0) / arg(1))
	}
	return leaf(n)
}

// Holds reports whether a comparison is true: sign is the Text of a Compare,
// and order what cmp.Compare returns for its sides.
func Holds(sign string, order int) bool {
	switch {
	case order < 0:
		return sign == "<" || sign == "<=" || sign == "!="
	case order > 0:
		return sign == ">" || sign == ">=" || sign == "!="
	}
	return sign == "=" || sign == "<=" || sign == ">="
}

// maxDepth bounds the nesting of expressions.
const maxDepth = 100

// Parse reads an expression. The error is a *document.Fault with an offset in
// the text.
func Parse(text string) (n *Node, err error) {
	defer document.Catch[*document.Fault](&err)
	p := &parser{tokens: scan(text)}
	n = p.or()
	if p.peek().Op != end {
		p.fail("an operator or the end")
	}
	return n, nil
}

// A token is a node: a name, a number, a string, or one of these.
const (
	sign = "sign"
	end  = "end"
)

// words are names, numbers, strings, quoted names, signs of two characters and
// of one.
var words = regexp.MustCompile(`([\pL_][\pL\p{Nd}_]*)` +
	`|((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)` +
	`|("[^"]*"|'[^']*')` +
	"|(`[^`]+`)" +
	`|[<>=!]=|[^ \t\r\n]`)

// scan splits a text into tokens, the last of which is its end.
func scan(text string) (list []*Node) {
	for _, at := range words.FindAllStringSubmatchIndex(text, -1) {
		t := &Node{
			Op:    sign,
			Text:  text[at[0]:at[1]],
			Start: at[0],
			End:   at[1],
		}
		switch {
		case at[2] >= 0:
			t.Op = Name
		case at[4] >= 0:
			value, err := strconv.ParseFloat(t.Text, 64)
			if err != nil {
				panic(document.FaultAt(t.Start, "found %q, want a number", t.Text))
			}
			t.Op = Number
			t.Value = value
		case at[6] >= 0:
			t.Op = String
			t.Text = t.Text[1 : len(t.Text)-1]
		case at[8] >= 0:
			t.Op = Name
			t.Text = t.Text[1 : len(t.Text)-1]
		case t.Text == `"`, t.Text == "'":
			panic(document.FaultAt(t.Start,
				"the string is not closed, want %s at its end", t.Text))
		case t.Text == "`":
			panic(document.FaultAt(t.Start, "the name is not closed, want ` at its end"))
		}
		list = append(list, t)
	}
	return append(list, &Node{Op: end, Start: len(text), End: len(text)})
}

// A parser descends through the grammar. It panics with a *document.Fault.
type parser struct {
	tokens []*Node
	next   int
	depth  int
}

func (p *parser) peek() *Node { return p.tokens[p.next] }

// take reads the next token if it is one of the given words or signs.
func (p *parser) take(texts ...string) (string, bool) {
	t := p.peek()
	if t.Op != sign && t.Op != Name {
		return "", false
	}
	if !slices.Contains(texts, t.Text) {
		return "", false
	}
	p.next++
	return t.Text, true
}

func (p *parser) want(text string) {
	if _, ok := p.take(text); !ok {
		p.fail(fmt.Sprintf("%q", text))
	}
}

func (p *parser) fail(wanted string) {
	t := p.peek()
	found := "the end"
	if t.Op != end {
		found = fmt.Sprintf("%q", t.Text)
	}
	if strings.HasPrefix(t.Text, ".") {
		wanted += " (a name with a dot stands in backquotes, such as `model.lr`)"
	}
	panic(document.FaultAt(t.Start, "found %s, want %s", found, wanted))
}

// node returns a node that begins where its first argument begins, and ends at
// the last token that was read.
func (p *parser) node(op string, args ...*Node) *Node {
	return &Node{
		Op:    op,
		Args:  args,
		Start: args[0].Start,
		End:   p.tokens[p.next-1].End,
	}
}

// binary reads operands with operators between them, which group from the
// left.
func (p *parser) binary(operand func() *Node, operators ...string) *Node {
	n := operand()
	for {
		op, ok := p.take(operators...)
		if !ok {
			return n
		}
		n = p.node(op, n, operand())
	}
}

func (p *parser) or() *Node      { return p.binary(p.and, "or") }
func (p *parser) and() *Node     { return p.binary(p.not, "and") }
func (p *parser) sum() *Node     { return p.binary(p.product, "+", "-") }
func (p *parser) product() *Node { return p.binary(p.factor, "*", "/") }

func (p *parser) not() *Node {
	at := p.peek().Start
	if _, ok := p.take("not"); !ok {
		return p.compare()
	}
	n := p.node("not", p.compare())
	n.Start = at
	return n
}

func (p *parser) compare() *Node {
	left := p.sum()
	if _, ok := p.take("within"); ok {
		return p.within(left)
	}
	if word, ok := p.take("rises", "falls"); ok {
		p.want("along")
		n := p.node(Trend, left, p.name())
		n.Text = word
		p.margin(n)
		return n
	}
	return p.chain(left)
}

// margin reads the margin of comparisons, if there is one.
func (p *parser) margin(comparisons ...*Node) {
	at := p.peek().Start
	if _, ok := p.take("margin"); !ok {
		return
	}
	value, isRelative := p.tolerance()
	if !(value > 0) {
		panic(document.FaultAt(at, "the margin is 0, want a number above 0, such as 2%%"))
	}
	for _, n := range comparisons {
		if n.Text == "=" || n.Text == "!=" {
			panic(document.FaultAt(at, "a margin is for <, <=, > and >=, not for %s: "+
				"to be equal but for 2%% is: within 2%% of", n.Text))
		}
		n.Value = value
		n.Relative = isRelative
	}
	comparisons[len(comparisons)-1].End = p.tokens[p.next-1].End
}

// tolerance reads a number, or a percentage as a share.
func (p *parser) tolerance() (value float64, isRelative bool) {
	t := p.peek()
	if t.Op != Number {
		p.fail("how far, a number or a percentage such as 10%")
	}
	p.next++
	if _, percent := p.take("%"); percent {
		return t.Value / 100, true
	}
	return t.Value, false
}

var comparisons = []string{"<", "<=", ">", ">=", "=", "==", "!="}

// chain reads the comparisons that follow an operand. There may be none.
func (p *parser) chain(left *Node) *Node {
	all := left
	var list []*Node
	for {
		sign, ok := p.take(comparisons...)
		if !ok {
			if list != nil {
				p.margin(list...)
				all.End = p.tokens[p.next-1].End
			}
			return all
		}
		n := p.node(Compare, left, p.sum())
		n.Text = strings.Replace(sign, "==", "=", 1)
		left = n.Args[1]
		list = append(list, n)
		if len(list) > 1 {
			n = p.node("and", all, n)
		}
		all = n
	}
}

func (p *parser) within(left *Node) *Node {
	value, isRelative := p.tolerance()
	args := []*Node{left}
	if _, of := p.take("of"); of {
		args = append(args, p.sum())
	} else if left.Op != Name || !isRelative {
		p.fail(`"of" and what it is compared with`)
	}
	n := p.node(Within, args...)
	n.Value = value
	n.Relative = isRelative
	return n
}

func (p *parser) factor() *Node {
	p.depth++
	if p.depth > maxDepth {
		p.fail("fewer brackets and signs")
	}
	defer func() { p.depth-- }()
	t := p.peek()
	if t.Op == Number || t.Op == String {
		p.next++
		return t
	}
	if _, ok := p.take("-"); ok {
		n := p.negate(p.factor())
		n.Start = t.Start
		return n
	}
	if _, ok := p.take("("); ok {
		n := p.or()
		p.want(")")
		n.Start = t.Start
		n.End = p.tokens[p.next-1].End
		return n
	}
	n := p.name()
	if _, ok := p.take("("); ok {
		n.Op = Call
		n.Args = p.list(")")
		n.End = p.tokens[p.next-1].End
	}
	if _, ok := p.take("["); ok {
		args := append([]*Node{n}, p.list("]")...)
		n = p.node(Select, args...)
	}
	return n
}

// negate returns the negative of an expression; that of a number is a number.
func (p *parser) negate(n *Node) *Node {
	if n.Op != Number {
		return p.node(Negate, n)
	}
	return &Node{
		Op:    Number,
		Text:  "-" + n.Text,
		Value: -n.Value,
		End:   n.End,
	}
}

// reserved words cannot be names.
var reserved = []string{"and", "or", "not", "within", "of", "rises", "falls", "along"}

func (p *parser) name() *Node {
	t := p.peek()
	if t.Op != Name || slices.Contains(reserved, t.Text) {
		p.fail("a name or a number")
	}
	p.next++
	return t
}

// list reads expressions between commas up to a closing bracket.
func (p *parser) list(closing string) []*Node {
	list := []*Node{p.or()}
	for {
		if _, ok := p.take(","); ok {
			list = append(list, p.or())
			continue
		}
		if _, ok := p.take(closing); !ok {
			p.fail(fmt.Sprintf("%q or \",\"", closing))
		}
		return list
	}
}
