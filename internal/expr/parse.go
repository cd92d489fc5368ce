package expr

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/scanner"
)

// deepest bounds how deep expressions nest.
const deepest = 100

// Parse reads an expression. Every error is an *Error.
func Parse(text string) (n *Node, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			var ok bool
			if err, ok = fault.(*Error); !ok {
				panic(fault)
			}
			n = nil
		}
	}()
	p := &parser{tokens: scan(text)}
	n = p.or()
	if p.peek().op != end {
		p.fail("an operator or the end")
	}
	return n, nil
}

// Tokens have the Op of their nodes, or one of these.
const (
	sign Op = "sign"
	end  Op = "end"
)

// A token is a word of an expression.
type token struct {
	op       Op
	text     string
	value    float64 // of a number
	from, to int     // in bytes
}

// scan splits a text into tokens, the last of which is its end.
func scan(text string) []token {
	var s scanner.Scanner
	s.Init(strings.NewReader(text))
	s.Mode = scanner.ScanIdents | scanner.ScanInts | scanner.ScanFloats
	s.Error = func(s *scanner.Scanner, message string) {
		panic(&Error{At: s.Position.Offset, Message: message})
	}
	var list []token
	for {
		r := s.Scan()
		t := token{op: sign, text: s.TokenText(), from: s.Position.Offset}
		switch r {
		case scanner.EOF:
			return append(list, token{op: end, text: "the end", from: len(text), to: len(text)})
		case scanner.Ident:
			t.op = Name
		case scanner.Int, scanner.Float:
			var err error
			if t.value, err = strconv.ParseFloat(t.text, 64); err != nil {
				panic(&Error{At: t.from, Message: fmt.Sprintf("found %q, want a number", t.text)})
			}
			t.op = Number
		case '"', '\'':
			t.op, t.text = String, quoted(&s, t.from, r)
		case '<', '>', '=', '!':
			if s.Peek() == '=' {
				t.text += string(s.Next())
			}
		}
		t.to = s.Pos().Offset
		list = append(list, t)
	}
}

// quoted reads a string up to its closing quotation mark.
func quoted(s *scanner.Scanner, at int, mark rune) string {
	var b strings.Builder
	for r := s.Next(); r != mark; r = s.Next() {
		if r == scanner.EOF {
			panic(&Error{At: at, Message: fmt.Sprintf("the string is not closed, want %c at its end", mark)})
		}
		b.WriteRune(r)
	}
	return b.String()
}

// A parser descends through the grammar. It panics with an *Error.
type parser struct {
	tokens []token
	next   int
	depth  int
}

func (p *parser) peek() token { return p.tokens[p.next] }

// take consumes the next token if it is one of the given words or signs.
func (p *parser) take(texts ...string) (string, bool) {
	t := p.peek()
	if (t.op != sign && t.op != Name) || !slices.Contains(texts, t.text) {
		return "", false
	}
	p.next++
	return t.text, true
}

func (p *parser) want(text string) {
	if _, ok := p.take(text); !ok {
		p.fail(fmt.Sprintf("%q", text))
	}
}

func (p *parser) fail(wanted string) {
	t := p.peek()
	found := t.text
	if t.op != end {
		found = fmt.Sprintf("%q", found)
	}
	panic(&Error{At: t.from, Message: fmt.Sprintf("found %s, want %s", found, wanted)})
}

// node makes a node of what was read since its first argument began.
func (p *parser) node(op Op, args ...*Node) *Node {
	return &Node{Op: op, Args: args, Start: args[0].Start, End: p.tokens[p.next-1].to}
}

// binary reads operands with operators between them, from left to right.
func (p *parser) binary(operand func() *Node, operators ...string) *Node {
	n := operand()
	for {
		op, ok := p.take(operators...)
		if !ok {
			return n
		}
		n = p.node(Op(op), n, operand())
	}
}

func (p *parser) or() *Node      { return p.binary(p.and, "or") }
func (p *parser) and() *Node     { return p.binary(p.not, "and") }
func (p *parser) sum() *Node     { return p.binary(p.product, "+", "-") }
func (p *parser) product() *Node { return p.binary(p.factor, "*", "/") }

func (p *parser) not() *Node {
	at := p.peek().from
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
		return n
	}
	var chain *Node
	for {
		sign, ok := p.take("<", "<=", ">", ">=", "=", "==", "!=")
		switch {
		case !ok && chain == nil:
			return left
		case !ok:
			return chain
		}
		n := p.node(Compare, left, p.sum())
		n.Text = strings.Replace(sign, "==", "=", 1)
		if left = n.Args[1]; chain != nil {
			n = p.node("and", chain, n)
		}
		chain = n
	}
}

func (p *parser) within(left *Node) *Node {
	t := p.peek()
	if t.op != Number {
		p.fail("how far, a number or a percentage such as 10%")
	}
	p.next++
	_, percent := p.take("%")
	args := []*Node{left}
	if _, of := p.take("of"); of {
		args = append(args, p.sum())
	} else if left.Op != Name || !percent {
		p.fail(`"of" and what it is compared with`)
	}
	n := p.node(Within, args...)
	if n.Value, n.Relative = t.value, percent; percent {
		n.Value /= 100
	}
	return n
}

func (p *parser) factor() *Node {
	if p.depth++; p.depth > deepest {
		p.fail("fewer brackets and signs")
	}
	defer func() { p.depth-- }()
	t := p.peek()
	if _, ok := p.take("-"); ok {
		n := p.node(Negate, p.factor())
		if a := n.Args[0]; a.Op == Number {
			n.Op, n.Args, n.Value, n.Text = Number, nil, -a.Value, "-"+a.Text
		}
		n.Start = t.from
		return n
	}
	if _, ok := p.take("("); ok {
		n := p.or()
		p.want(")")
		n.Start, n.End = t.from, p.tokens[p.next-1].to
		return n
	}
	if t.op == Number || t.op == String {
		p.next++
		return &Node{Op: t.op, Text: t.text, Value: t.value, Start: t.from, End: t.to}
	}
	n := p.name()
	if _, ok := p.take("("); ok {
		args := p.list(")")
		n.Op, n.Args, n.End = Call, args, p.tokens[p.next-1].to
	}
	if _, ok := p.take("["); ok {
		n = p.node(Select, append([]*Node{n}, p.list("]")...)...)
	}
	return n
}

// reserved words are no names.
var reserved = []string{"and", "or", "not", "within", "of", "rises", "falls", "along"}

func (p *parser) name() *Node {
	t := p.peek()
	if t.op != Name || slices.Contains(reserved, t.text) {
		p.fail("a name or a number")
	}
	p.next++
	return &Node{Op: Name, Text: t.text, Start: t.from, End: t.to}
}

// list reads what stands between commas up to a bracket.
func (p *parser) list(closing string) []*Node {
	for list := []*Node{p.or()}; ; list = append(list, p.or()) {
		if _, ok := p.take(","); ok {
			continue
		}
		if _, ok := p.take(closing); !ok {
			p.fail(fmt.Sprintf("%q or \",\"", closing))
		}
		return list
	}
}
