package archtest

import (
	"go/ast"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Templates of the standard library look up methods by their names. If a
// program executes one, the linker keeps all exported methods of all types, as
// it cannot know which the template names: sweep's program was 4.5 MB larger.
//
// The packages of ownTemplates are the standard library's, renewed with each
// version of Go, without that look-up: their templates read fields and call
// functions, but no methods.
const ownTemplates = "github.com/DataDog/datadog-agent/pkg/template"

// withMethods are the packages whose templates call methods, and what to import
// instead.
var withMethods = map[string]string{
	"html/template": ownTemplates + "/html",
	"text/template": ownTemplates + "/text",
}

// ofCobra are the methods of commands that take a template of the standard
// library. SetUsageFunc and SetHelpFunc take functions.
var ofCobra = []string{"SetHelpTemplate", "SetUsageTemplate", "SetVersionTemplate"}

func TestTemplatesCallNoMethods(t *testing.T) {
	for _, file := range sources() {
		for _, fault := range templateFaults(file) {
			t.Error(fault)
		}
	}
}

// templateFaults returns what makes a template of the standard library.
func templateFaults(file *sourceFile) (faults []string) {
	for _, spec := range file.tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		instead, found := withMethods[imported]
		if err == nil && found {
			faults = append(faults, file.path+": import "+instead+" for "+imported)
		}
	}
	ast.Inspect(file.tree, func(n ast.Node) bool {
		x, is := n.(*ast.SelectorExpr)
		if is && slices.Contains(ofCobra, x.Sel.Name) {
			faults = append(faults, file.path+": "+x.Sel.Name+" takes a template")
		}
		return true
	})
	return faults
}

// The test of templates must fail where there is one, and only there.
func TestTemplatesCanFail(t *testing.T) {
	tests := []struct{ text, want string }{
		{`import "html/template"`, "x/x.go: import " + ownTemplates + "/html for html/template"},
		{`import texts "text/template"`, "x/x.go: import " + ownTemplates + "/text for text/template"},
		{`import "` + ownTemplates + `/text"`, ""},
		{"func _() { root.SetUsageTemplate(text) }", "x/x.go: SetUsageTemplate takes a template"},
		{"func _() { root.SetUsageFunc(f) }", ""},
	}
	for _, test := range tests {
		file, err := parseSource("x/x.go", "package x\n"+test.text+"\n")
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(templateFaults(file), "\n"); got != test.want {
			t.Errorf("%s: %q, want %q", test.text, got, test.want)
		}
	}
}
