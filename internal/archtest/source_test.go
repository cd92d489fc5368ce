// Package archtest holds the tests of the code base's own rules: which
// packages may import which (layers_test.go), what would make the program larger
// (size_test.go), how statements are written (style_test.go), and that the pages
// and the specs are right (pages_test.go).
package archtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"

	"sweep/internal/testutil"
)

const (
	module = "sweep"
	root   = "../.."
)

// A sourceFile is a Go file of the program, parsed.
type sourceFile struct {
	path  string // from the root of the module
	pkg   string // its folder
	fset  *token.FileSet
	tree  *ast.File
	lines []string

	forClauses map[ast.Stmt]bool // of clauses
}

// sources returns the Go files of this module and of its examples, for every
// system. Tests, testdata and generated files are left out.
var sources = sync.OnceValue(func() []*sourceFile {
	var list []*sourceFile
	tree := os.DirFS(root)
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			hidden := strings.HasPrefix(d.Name(), ".") && name != "."
			if hidden || d.Name() == "testdata" || d.Name() == "node_modules" {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		file, err := parseSource(name, string(text))
		if err == nil && !ast.IsGenerated(file.tree) {
			list = append(list, file)
		}
		return err
	})
	return testutil.Must(list, err)
})

func parseSource(name, text string) (*sourceFile, error) {
	file := &sourceFile{
		path:  name,
		pkg:   path.Dir(name),
		fset:  token.NewFileSet(),
		lines: strings.Split(text, "\n"),
	}
	var err error
	file.tree, err = parser.ParseFile(file.fset, name, text, parser.ParseComments)
	return file, err
}
