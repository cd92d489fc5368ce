package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the outputs in the pages")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"sweep": main}) }

var consoles = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// The commands in the pages print what stands below them. Those of a page are
// executed in one directory, which holds the files of examples/sir and those
// that the page tells to write (cat > FILE <<END). A line "..." stands for any
// lines.
func TestPages(t *testing.T) {
	if _, err := exec.LookPath("python3"); err != nil || testing.Short() {
		t.Skip("this needs python3, and some seconds")
	}
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	executed := 0
	for _, path := range append(pages, "../../README.md") {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("../../examples/sir")); err != nil {
			t.Fatal(err)
		}
		printed := consoles.ReplaceAllStringFunc(string(page), func(block string) string {
			text, now := consoles.FindStringSubmatch(block)[1], ""
			for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
				cmd := exec.Command("sh", "-c", command)
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if executed++; err != nil {
					t.Errorf("%s: %s: %v\n%s", path, command, err, out)
				}
				got := strings.TrimSuffix(string(out), "\n")
				if like(strings.Split(got, "\n"), strings.Split(want, "\n")) {
					got = want
				} else if !*update {
					t.Errorf("%s: %s prints\n%s\nwant\n%s", path, command, got, want)
				}
				now += "$ " + strings.TrimSuffix(command+"\n"+got, "\n") + "\n"
			}
			return "```console\n" + now + "```"
		})
		if *update && printed != string(page) {
			if err := os.WriteFile(path, []byte(printed), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if executed < 13 {
		t.Errorf("%d commands", executed)
	}
}

// like reports whether lines are those wanted.
func like(lines, want []string) bool {
	if len(want) > 0 && want[0] == "..." {
		for n := range len(lines) + 1 {
			if like(lines[n:], want[1:]) {
				return true
			}
		}
		return false
	}
	if len(lines) == 0 || len(want) == 0 {
		return len(lines) == len(want)
	}
	return strings.TrimRight(lines[0], " ") == strings.TrimRight(want[0], " ") && like(lines[1:], want[1:])
}
