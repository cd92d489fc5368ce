// Package expr parses the small language in which a spec says what it
// expects of its results. It knows what an expression looks like, not what its
// names mean: that is for the packages that use it.
//
//	or:      and { "or" and }
//	and:     not { "and" not }
//	not:     [ "not" ] compare
//	compare: sum { ( "<" | "<=" | ">" | ">=" | "=" | "!=" ) sum }
//	       | sum "within" number [ "%" ] "of" sum
//	       | name "within" number "%"
//	       | sum ( "rises" | "falls" ) "along" name
//	sum:     product { ( "+" | "-" ) product }
//	product: factor { ( "*" | "/" ) factor }
//	factor:  "-" factor | number | string | "(" or ")"
//	       | name [ "(" or { "," or } ")" ] [ "[" or { "," or } "]" ]
//
// Comparisons may be chained: 0 < x <= 1 is 0 < x and x <= 1. A string is in single or
// double quotes. What is in brackets selects.
package expr

// Op tells what a Node is.
type Op string

// The kinds of nodes, beside those whose Op is the operator itself: + - * /
// with two Args, and, or with two, not with one.
const (
	Number  Op = "number"  // Value, Text as written
	String  Op = "string"  // Text
	Name    Op = "name"    // Text
	Call    Op = "call"    // Text is the function's name
	Select  Op = "select"  // Args[0] is selected from, the others are what stands in brackets
	Negate  Op = "negate"  // one of Args
	Compare Op = "compare" // two of Args, Text is the sign between them
	Within  Op = "within"  // Args: what, the reference if any; Value is the tolerance
	Trend   Op = "trend"   // Args: what, the name along which; Text is rises or falls
)

// A Node is an expression.
type Node struct {
	Op       Op
	Text     string
	Value    float64
	Relative bool // of Within: Value is a share of the reference, 0.1 for 10 %
	Args     []*Node

	// Start and End delimit the expression in its source, in bytes from 0.
	Start, End int
}

// Walk visits the node and all below it, from left to right.
func (n *Node) Walk(visit func(*Node)) {
	visit(n)
	for _, a := range n.Args {
		a.Walk(visit)
	}
}

// Arithmetic computes a number. It adds, subtracts, multiplies, divides and
// negates; leaf has the value of all other nodes but Number.
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

// An Error is why a text is no expression.
type Error struct {
	At      int // in bytes from 0
	Message string
}

func (e *Error) Error() string { return e.Message }
