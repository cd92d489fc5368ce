package cli

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"sweep/internal/testutil"
)

// damagedSpec is a sweep whose results are damaged, with a claim that holds.
const damagedSpec = `
name = "damaged"
experiment = "toy"
seeds = 6
[grid]
algorithm = ["sum", "product"]
x = [1, 2]
[[claim]]
text = "the total of sums is above 1"
source = "arithmetic"
each = "x"
expect = "total[algorithm=sum] > 1"
`

// readers are the commands that read results, with the directory as DIR and a
// file for what they write as OUT.
var readers = [][]string{
	{"status", "DIR"},
	{"status", "DIR", "--check"},
	{"table", "DIR"},
	{"check", "DIR"},
	{"compare", "DIR", "--by", "algorithm", "--baseline", "sum"},
	{"diff", "intact", "DIR"},
	{"plan", "damaged.toml", "--in", "DIR"},
	{"collect", "DIR", "-o", "OUT.parquet"},
	{"plot", "DIR", "-o", "OUT"},
	{"report", "DIR", "-o", "OUT.html"},
	{"merge", "DIR", "-o", "OUT"},
}

// costly are the readers that get every 50th damage only.
var costly = []string{"plot", "report"}

// damage changes a file in one of the ways in which storage does: a flipped
// bit, a changed byte, an end that is missing, a block of zeros, a line that is
// lost, repeated or in another place. It says what it did.
func damage(content []byte, rng *rand.Rand) (damaged []byte, what string) {
	at := rng.IntN(len(content))
	lines := slices.Collect(bytes.Lines(content))
	line := rng.IntN(len(lines))
	other := rng.IntN(len(lines))
	switch rng.IntN(7) {
	case 0:
		damaged = slices.Clone(content)
		bit := rng.IntN(8)
		damaged[at] ^= 1 << bit
		what = fmt.Sprintf("bit %d of byte %d is flipped", bit, at)
	case 1:
		damaged = slices.Clone(content)
		damaged[at] = byte(rng.IntN(256))
		what = fmt.Sprintf("byte %d is %d", at, damaged[at])
	case 2:
		damaged = content[:at]
		what = fmt.Sprintf("cut off after %d bytes", at)
	case 3:
		damaged = slices.Clone(content)
		end := min(len(content), at+512)
		clear(damaged[at:end])
		what = fmt.Sprintf("zeros in place of bytes %d to %d", at, end)
	case 4:
		damaged = bytes.Join(slices.Delete(lines, line, line+1), nil)
		what = fmt.Sprintf("line %d is lost", line)
	case 5:
		damaged = bytes.Join(slices.Insert(lines, other, lines[line]), nil)
		what = fmt.Sprintf("line %d again before line %d", line, other)
	case 6:
		lines[line], lines[other] = lines[other], lines[line]
		damaged = bytes.Join(lines, nil)
		what = fmt.Sprintf("lines %d and %d are exchanged", line, other)
	}
	return damaged, what
}

// A reader's answer: what it printed, and how it ended.
type answer struct {
	code           int
	stdout, stderr string
}

// readDir runs a reader on a directory in this process.
func readDir(p *Program, reader []string, dir, out string) answer {
	for _, written := range []string{out, out + ".parquet", out + ".html"} {
		testutil.NoError(os.RemoveAll(written))
	}
	var args []string
	for _, arg := range reader {
		arg = strings.Replace(arg, "DIR", dir, 1)
		args = append(args, strings.Replace(arg, "OUT", out, 1))
	}
	var stdout, stderr bytes.Buffer
	code := p.execute(args, &stdout, &stderr)
	return answer{code, stdout.String(), stderr.String()}
}

// Whatever befalls a file of a results directory, no reader crashes, and none
// prints other results without a word: it tells of the damage or prints what
// the intact directory gives. The manifest is a record of who computed the
// results, and no result: status may print it as it is. With -thorough there
// are 10,000 damages.
func TestDamagedResults(t *testing.T) {
	// Each command makes little garbage; with -thorough there are some 100,000.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	t.Chdir(t.TempDir())
	p := program(toys())
	write("damaged.toml", damagedSpec)
	printed(t, p, "run", "damaged.toml", "-o", "intact", "--quiet")
	printed(t, p, "run", "damaged.toml", "-o", "shards", "--quiet", "--shard", "0/2")
	printed(t, p, "run", "damaged.toml", "-o", "shards", "--quiet", "--shard", "1/2")
	rng := rand.New(rand.NewPCG(32, 1))
	for _, whole := range []string{"intact", "shards"} {
		expected := map[int]answer{}
		for i, reader := range readers {
			expected[i] = readDir(p, reader, whole, "out")
			if expected[i].code != 0 && whole == "intact" {
				t.Fatalf("%s of what is intact: %+v", reader, expected[i])
			}
		}
		testutil.NoError(os.RemoveAll("copy"))
		testutil.NoError(os.CopyFS("copy", os.DirFS(whole)))
		for _, file := range damageable(whole) {
			content := read(filepath.Join(whole, file))
			for round := range testutil.IfThorough(1500, 2) {
				damaged, what := damage(content, rng)
				if bytes.Equal(damaged, content) {
					continue
				}
				write(filepath.Join("copy", file), string(damaged))
				for i, reader := range readers {
					if round%50 > 0 && slices.Contains(costly, reader[0]) {
						continue
					}
					checkAnswer(t, file+", "+what, reader, readDir(p, reader, "copy", "out"), expected[i])
				}
			}
			write(filepath.Join("copy", file), string(content))
		}
	}
}

// damageable returns the files of a directory whose contents sweep reads.
func damageable(dir string) (files []string) {
	for _, pattern := range []string{"spec.toml", "manifest.json", "runs.jsonl", "shards/*/manifest.json", "shards/*/runs.jsonl"} {
		matches := testutil.Must(filepath.Glob(filepath.Join(dir, pattern)))
		for _, path := range matches {
			files = append(files, testutil.Must(filepath.Rel(dir, path)))
		}
	}
	return files
}

// checkAnswer compares what a reader says of damaged results with what it says
// of intact ones.
func checkAnswer(t *testing.T, what string, reader []string, got, want answer) {
	t.Helper()
	if got.code == exitInternal {
		t.Errorf("%s: %s crashes:\n%s", what, reader, got.stderr)
		return
	}
	if got.code != want.code || got.stderr != want.stderr {
		return // it tells
	}
	ofManifest := strings.Contains(what, "manifest.json") && reader[0] == "status"
	name := strings.NewReplacer("copy", "DIR", "intact", "DIR", "shards", "DIR")
	if name.Replace(got.stdout) != name.Replace(want.stdout) && !ofManifest {
		t.Errorf("%s: %s prints without a word\n%s\nwant\n%s", what, reader, got.stdout, want.stdout)
	}
}
