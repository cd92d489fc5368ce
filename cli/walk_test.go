package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"sweep/internal/testutil"
)

// A program of a module of its own compiles, with the modules of this one alone:
// no other is fetched. It has every command at once.
func TestExampleProgram(t *testing.T) {
	testutil.NeedsThorough(t, "a module of its own is compiled and linked")
	bin := t.TempDir()
	compile := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "walk"), ".")
	compile.Dir = "../examples/walk"
	compile.Env = append(os.Environ(), "GOPROXY=off") // of the network, nothing
	if text, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\nif a dependency has changed, run \"go mod tidy\" in examples/walk", err, text)
	}
	spec := read("../examples/walk/walk.toml")
	testscript.Run(t, testscript.Params{
		Files: []string{"testdata/walk/walk.txt"},
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			return os.WriteFile(filepath.Join(env.WorkDir, "walk.toml"), spec, 0o666)
		},
	})
}
