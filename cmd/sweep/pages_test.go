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

	"sweep/internal/testutil"
)

var update = flag.Bool("update", false, "rewrite the outputs in the pages")

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"sweep": main}) }

// pages are the README and what is in docs.
func pages(t *testing.T) []string {
	usePython(t)
	return append(testutil.Must(filepath.Glob("../../docs/*.md")), "../../README.md")
}

// usePython puts the interpreter itself first in the PATH, since what pyenv has
// there takes longer to choose one than a run takes. Python finds sweep_engine.
func usePython(t *testing.T) {
	path, err := exec.Command("python3", "-c", "import sys; print(sys.executable)").Output()
	if err != nil {
		t.Skipf("this needs python3: %v", err)
	}
	directory := filepath.Dir(strings.TrimSpace(string(path)))
	t.Setenv("PATH", directory+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("PYTHONPATH", testutil.Must(filepath.Abs("../../python")))
}

func read(path string) string { return string(testutil.Must(os.ReadFile(path))) }

// copied returns a new directory with the content of another.
func copied(t *testing.T, dir string) string {
	to := t.TempDir()
	testutil.NoError(os.CopyFS(to, os.DirFS(dir)))
	return to
}

// shell executes a command of a page.
func shell(dir, command string) (output string, code int) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	out, _ := cmd.CombinedOutput() // an error is an exit code
	return string(out), cmd.ProcessState.ExitCode()
}

var consoles = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// The commands in the pages print what stands below them. Those of a page are
// executed in one directory, which holds the files of examples/sir and those
// that the page tells to write (cat > FILE <<END). A line "..." stands for any
// lines.
func TestPages(t *testing.T) {
	testutil.NeedsThorough(t, "models in Python take seconds")
	executed := 0
	for _, path := range pages(t) {
		page, dir := read(path), copied(t, "../../examples/sir")
		printed := consoles.ReplaceAllStringFunc(page, func(block string) string {
			text, now := consoles.FindStringSubmatch(block)[1], ""
			for _, part := range strings.Split("\n"+text, "\n$ ")[1:] {
				command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
				got, code := shell(dir, command)
				if executed++; code != 0 {
					t.Errorf("%s: %s: exit code %d\n%s", path, command, code, got)
				}
				got = strings.TrimSuffix(got, "\n")
				if like(got, want) {
					got = want
				} else if !*update {
					t.Errorf("%s: %s prints\n%s\nwant\n%s", path, command, got, want)
				}
				now += "$ " + strings.TrimSuffix(command+"\n"+got, "\n") + "\n"
			}
			return "```console\n" + now + "```"
		})
		if *update && printed != page {
			testutil.NoError(os.WriteFile(path, []byte(printed), 0o644))
		}
	}
	if executed < 12 {
		t.Errorf("%d commands", executed)
	}
}

// The files that the tutorial shows are those of the example.
func TestFilesOfTutorial(t *testing.T) {
	page := read("../../docs/tutorial.md")
	for _, name := range []string{"sir.py", "sir.toml", "matters.toml"} {
		if !strings.Contains(page, "\n"+read("../../examples/sir/"+name)+"```\n") {
			t.Errorf("the tutorial shows another %s", name)
		}
	}
}

// The recipe in the docs is the script that a test of the command line executes.
func TestRecipe(t *testing.T) {
	_, recipe, _ := strings.Cut(read("../../docs/analysis.md"), "```sh\n")
	recipe, _, _ = strings.Cut(recipe, "```")
	if recipe == "" || !strings.Contains(read("../../cli/testdata/thorough/versions.txt"), "-- compare.sh --\n"+recipe+"-- ") {
		t.Errorf("cli/testdata/thorough/versions.txt executes another script than\n%s", recipe)
	}
}

// like reports whether a text has the lines wanted, whatever spaces they end in.
func like(text, want string) bool {
	pattern := ""
	for line := range strings.SplitSeq(want, "\n") {
		if line == "..." {
			pattern += `(.*\n)*`
		} else {
			pattern += regexp.QuoteMeta(strings.TrimRight(line, " ")) + ` *\n`
		}
	}
	return regexp.MustCompile("^" + pattern + "$").MatchString(text + "\n")
}

// prepare makes the specs and results that the pages speak of, smaller than they
// are.
const prepare = `
set -e
sed -n '/^name       = "beta"/,/^` + "```" + `$/p' README.md | sed '/^` + "```" + `$/d; s/^seeds .*/seeds = 3/' >beta.toml && echo 'days = 1' >>beta.toml
sed -n '/^import random/,/^` + "```" + `$/p' README.md | sed '/^` + "```" + `$/d' >highest.py
sed -n '/^experiment = "command"/,/^` + "```" + `$/p' README.md | sed '/^` + "```" + `$/d' >highest.toml
cat >mine.toml <<END
experiment = "sources"
seeds      = "1..4"
[sample]
design = "saltelli"
points = 8
[grid]
change_ratio = { from = 1.1, to = 3.0 }
capacity     = { from = 50, to = 100 }
END
sweep run table2 --seeds 2 --set world_seed=1,2 --quiet
for spec in mine beta; do sweep run $spec --quiet; done
sweep run sir --quiet
sweep run mine -o cluster/mine --quiet
sweep run worlds -o out/worlds --seeds 1 --set days=1 --quiet
for figure in 7.5 7.6; do sweep run fig$figure -o out/fig$figure --seeds 2 --set slots=400 --set warmup=200 --quiet; done
`

var indented = regexp.MustCompile(`(?m)^    (?:.*/)?(sweep [^#\n]*[^#\s])`)

// harmless makes a command hand nothing over, and not take longer than need be.
var harmless = strings.NewReplacer(
	" submit ", " submit --dry-run ",
	"run table2 --seeds 100", "run table2 --seeds 4", "run table2", "run table2 --seeds 4",
	"run sites", "run sites --seeds 1", "world_seed=6001..6020", "world_seed=6001..6002")

// The indented commands of the pages can be executed; claims may not hold, and
// runs may be missing. What is submitted is only written. What .ci/papers/claims executes,
// and what is of another machine, exists.
func TestIndentedCommands(t *testing.T) {
	testutil.NeedsThorough(t, "hundreds of commands take seconds")
	paths, made := pages(t), copied(t, "../../examples/sir")
	testutil.NoError(os.WriteFile(filepath.Join(made, "README.md"), []byte(read("../../README.md")), 0o666))
	if out, code := shell(made, prepare); code > 1 {
		t.Fatalf("%d: %s", code, out)
	}
	executed := 0
	for _, path := range paths {
		if filepath.Base(path) == "reference.md" {
			continue // of usage, not of commands
		}
		dir := copied(t, made)
		for _, m := range indented.FindAllStringSubmatch(read(path), -1) {
			command, says := harmless.Replace(m[1]), ""
			if strings.Contains(command, "--all") || strings.Contains(command, "/mnt/") || strings.Contains(command, "/var/") {
				command, says = command+" --help", strings.Join(strings.Fields(command)[:2], " ")
			}
			if out, code := shell(dir, command); code > 1 || !strings.Contains(out, says) {
				t.Errorf("%s: %s ended with %d:\n%s", path, command, code, out)
			}
			executed++
		}
	}
	if executed < 30 {
		t.Errorf("%d commands", executed)
	}
}
