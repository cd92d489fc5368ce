package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// A program of a module of its own has every command at once.
func TestExampleProgram(t *testing.T) {
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", filepath.Join(bin, "walk"), ".")
	build.Dir = "../examples/walk"
	build.Env = append(os.Environ(), "GOFLAGS=-trimpath -buildvcs=false", "GOPROXY=off") // of the network, nothing
	if text, err := build.CombinedOutput(); err != nil {
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
