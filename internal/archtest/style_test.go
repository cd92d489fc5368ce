package archtest

import (
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strings"
	"testing"
)

const (
	maxWidth   = 100 // columns of a line of code; a tab counts for tabWidth
	maxComment = 80  // columns of a line that is a comment
	tabWidth   = 4
	maxArgs    = 6 // arguments of a call

	// maxClosures is how many function literals on one line 1,000 lines of
	// code may hold: well-kept Go programs have 0.4 to 1.9.
	maxClosures = 6
)

// An offence is a breach of a rule.
type offence struct {
	rule string
	text string // file, line and what stands there
}

// TestStyle checks that statements are plain: one statement has one effect.
func TestStyle(t *testing.T) {
	for _, file := range sources() {
		for _, o := range offences(file) {
			t.Errorf("%s: %s", o.rule, o.text)
		}
	}
}

// TestClosures bounds the share of function literals on one line: what is more
// than a single call is easier to read on lines of its own, or as a function
// with a name.
func TestClosures(t *testing.T) {
	code := 0
	closures := map[string]int{}
	all := 0
	for _, file := range sources() {
		code += codeLines(file)
		n := oneLineClosures(file)
		closures[file.pkg] += n
		all += n
	}
	if all*1000 > maxClosures*code {
		t.Errorf("%d function literals on one line in %d lines of code, want at most %d in 1,000: %v",
			all, code, maxClosures, closures)
	}
}

// offences returns the places of a file that break a rule.
func offences(file *sourceFile) (list []offence) {
	add := func(rule string, line int) {
		text := fmt.Sprintf("%s:%d: %s", file.path, line, strings.TrimSpace(file.lines[line-1]))
		list = append(list, offence{rule, text})
	}
	ast.Inspect(file.tree, func(n ast.Node) bool {
		for _, rule := range rules {
			if n != nil && rule.broken(file, n) {
				add(rule.name, file.line(n.Pos()))
			}
		}
		return true
	})
	data := dataLines(file)
	for i, line := range file.lines {
		width := columns(line)
		comment := strings.HasPrefix(strings.TrimSpace(line), "//")
		directive := strings.HasPrefix(line, "//go:")
		if comment && !directive && width > maxComment {
			add("a comment wider than 80 columns", i+1)
		}
		if !comment && width > maxWidth && !data[i+1] {
			add("a line wider than 100 columns", i+1)
		}
	}
	return list
}

// rules are those on single nodes of the syntax tree.
var rules = []struct {
	name   string
	broken func(file *sourceFile, n ast.Node) bool
}{
	{"an effect before the condition", hasEffectInInit},
	{"several assignments in one", isTupleAssignment},
	{"cmp.Or of calls, all of which are made", isOrOfCalls},
	{"a call with more than 6 arguments", hasManyArguments},
}

// hasEffectInInit reports an if or a switch that does something before its
// condition but name a value: if x = f(); x > 0.
func hasEffectInInit(_ *sourceFile, n ast.Node) bool {
	var init ast.Stmt
	switch n := n.(type) {
	case *ast.IfStmt:
		init = n.Init
	case *ast.SwitchStmt:
		init = n.Init
	}
	if init == nil {
		return false
	}
	assign, is := init.(*ast.AssignStmt)
	return !is || assign.Tok != token.DEFINE
}

// isTupleAssignment reports assignments in one statement that could as well
// stand one below the other. What remains are the results of one call, swaps
// such as a, b = b, a and steps such as a, b = b, a+b, and the clauses of a for
// statement, which have room for one statement only.
func isTupleAssignment(file *sourceFile, n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ValueSpec:
		return len(n.Names) > 1 && len(n.Values) > 1
	case *ast.AssignStmt:
		return len(n.Lhs) > 1 && len(n.Rhs) > 1 && !isSimultaneous(n) && !file.clauses()[n]
	}
	return false
}

// isSimultaneous reports an assignment in which a right side names what stands
// on the left before it: one after the other would do something else.
func isSimultaneous(n *ast.AssignStmt) bool {
	if n.Tok != token.ASSIGN {
		return false
	}
	for i, right := range n.Rhs {
		names := map[string]bool{}
		ast.Inspect(right, func(part ast.Node) bool {
			if x, is := part.(ast.Expr); is {
				names[code(x)] = true
			}
			return true
		})
		for _, left := range n.Lhs[:i] {
			if names[code(left)] {
				return true
			}
		}
	}
	return false
}

// isOrOfCalls reports cmp.Or of anything but values and comparisons: it makes
// all calls among its arguments, whatever comes of the first.
func isOrOfCalls(_ *sourceFile, n ast.Node) bool {
	call, is := n.(*ast.CallExpr)
	if !is || code(call.Fun) != "cmp.Or" {
		return false
	}
	for _, argument := range call.Args {
		made := false
		ast.Inspect(argument, func(part ast.Node) bool {
			inner, is := part.(*ast.CallExpr)
			if is && !slices.Contains(harmless, code(inner.Fun)) {
				made = true
			}
			return true
		})
		if made {
			return true
		}
	}
	return false
}

// harmless are the calls that cmp.Or may make: orders of several keys are
// written with it, as its documentation has it.
var harmless = []string{
	"cmp.Compare", "strings.Compare", "bytes.Compare", "slices.Compare",
	"len", "min", "max", "int", "int64", "float64", "string",
}

// hasManyArguments reports a call whose arguments nobody can tell apart by
// their position. Pairs at the end, of a text and its value as package slog and
// strings.NewReplacer take them, do not count.
func hasManyArguments(_ *sourceFile, n ast.Node) bool {
	call, is := n.(*ast.CallExpr)
	if !is {
		return false
	}
	args := call.Args
	for len(args) > maxArgs {
		key, is := args[len(args)-2].(*ast.BasicLit)
		if !is || key.Kind != token.STRING {
			return true
		}
		args = args[:len(args)-2]
	}
	return false
}

// dataLines returns the lines that are rows of a table of data: they begin with
// an element of a composite literal, hold a text, and no function literal.
func dataLines(file *sourceFile) map[int]bool {
	rows := map[int]bool{}
	texts := map[int]bool{}
	functions := map[int]bool{}
	ast.Inspect(file.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			for _, element := range n.Elts {
				line := file.line(element.Pos())
				start := strings.TrimLeft(file.lines[line-1], "\t")
				indent := len(file.lines[line-1]) - len(start)
				if file.fset.Position(element.Pos()).Column == indent+1 {
					rows[line] = true
				}
			}
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				texts[file.line(n.Pos())] = true
			}
		case *ast.FuncLit:
			for line := file.line(n.Pos()); line <= file.line(n.End()); line++ {
				functions[line] = true
			}
		}
		return true
	})
	maps.DeleteFunc(rows, func(line int, _ bool) bool { return !texts[line] || functions[line] })
	return rows
}

// clauses returns the statements before and after the condition of each for.
func (f *sourceFile) clauses() map[ast.Stmt]bool {
	if f.forClauses == nil {
		f.forClauses = map[ast.Stmt]bool{}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			if loop, is := n.(*ast.ForStmt); is {
				f.forClauses[loop.Init] = true
				f.forClauses[loop.Post] = true
			}
			return true
		})
	}
	return f.forClauses
}

func (f *sourceFile) line(pos token.Pos) int { return f.fset.Position(pos).Line }

// oneLineClosures returns the number of function literals on one line.
func oneLineClosures(file *sourceFile) (n int) {
	ast.Inspect(file.tree, func(node ast.Node) bool {
		f, is := node.(*ast.FuncLit)
		if is && file.line(f.Pos()) == file.line(f.End()) {
			n++
		}
		return true
	})
	return n
}

// codeLines returns the number of lines that are neither empty nor a comment.
func codeLines(file *sourceFile) (n int) {
	for _, line := range file.lines {
		text := strings.TrimSpace(line)
		if text != "" && !strings.HasPrefix(text, "//") {
			n++
		}
	}
	return n
}

func columns(line string) int {
	return len([]rune(strings.ReplaceAll(line, "\t", strings.Repeat(" ", tabWidth))))
}

// code returns an expression as Go source.
func code(x ast.Expr) string {
	var b strings.Builder
	if err := printer.Fprint(&b, token.NewFileSet(), x); err != nil {
		panic(err)
	}
	return b.String()
}

// Each rule must fail where it is broken, and only there.
func TestStyleCanFail(t *testing.T) {
	long := strings.Repeat("x", maxWidth)
	tests := []struct{ body, want string }{
		{"if x = f(); x > 0 {\n}", "an effect before the condition"},
		{"if x++; x > 0 {\n}", "an effect before the condition"},
		{"switch f(); x {\n}", "an effect before the condition"},
		{"if x := f(); x > 0 {\n}", ""},
		{"a, b := 1, 2", "several assignments in one"},
		{"a, b = append(a, 1), append(b, 2)", "several assignments in one"},
		{"var a, b = 1, 2", "several assignments in one"},
		{"if a, b := f(), g(); a == b {\n}", "several assignments in one"},
		{"a, b := f()", ""},
		{"a, b = b, a", ""},
		{"a, b = b, a+b", ""},
		{"for i, j := 0, n; i < j; i, j = i+1, j-1 {\n}", ""},
		{"x := cmp.Or(a, f())", "cmp.Or of calls, all of which are made"},
		{"x := cmp.Or(a, g(f())+1)", "cmp.Or of calls, all of which are made"},
		{"x := cmp.Or(a, b.c, \"d\")", ""},
		{"x := cmp.Or(cmp.Compare(a, b), strings.Compare(c, d))", ""},
		{"f(1, 2, 3, 4, 5, 6, 7)", "a call with more than 6 arguments"},
		{"f(1, 2, 3, 4, 5, 6)", ""},
		{"f(\"a\", 2, \"b\", 4, \"c\", 6, \"d\", 8)", ""},
		{"f(1, 2, 3, 4, 5, 6, \"b\", 8)", ""},
		{"f(1, 2, 3, 4, 5, 6, 7, \"b\", 8)", "a call with more than 6 arguments"},
		{"f(" + long + ")", "a line wider than 100 columns"},
		{"x := []string{\n\"" + long + "\",\n}", ""},
		{"x := []any{\nfunc() { f(\"" + long + "\") },\n}", "a line wider than 100 columns"},
		{"// " + long, "a comment wider than 80 columns"},
		{"// " + long[:maxComment-tabWidth-len("// ")], ""},
	}
	for _, test := range tests {
		file, err := parseSource("x/x.go", "package x\n\nfunc _() {\n\t"+test.body+"\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, o := range offences(file) {
			got = append(got, o.rule)
		}
		if strings.Join(got, ", ") != test.want {
			t.Errorf("%s\nbreaks %q, want %q", test.body, got, test.want)
		}
	}
	file, err := parseSource("x/x.go", "package x\n\nvar f = func() { g() }\n")
	if err != nil {
		t.Fatal(err)
	}
	if oneLineClosures(file) != 1 || codeLines(file) != 2 {
		t.Errorf("%d closures in %d lines of code, want 1 in 2", oneLineClosures(file), codeLines(file))
	}
}
