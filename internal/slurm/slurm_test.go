package slurm

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the expected scripts in testdata")

func parseOptions(t *testing.T, words ...string) []string {
	t.Helper()
	options, err := ParseOptions(words)
	if err != nil {
		t.Fatal(err)
	}
	return options
}

// The scripts in testdata are what a user finds beside the results.
func TestScripts(t *testing.T) {
	for dir, job := range map[string]Job{
		"bare": {
			Name: "beta", Shards: 1, Program: "/home/ada/out/beta/slurm/sweep", Spec: "/home/ada/out/beta/slurm/beta.toml",
			Output: "/home/ada/out/beta", Dir: "/home/ada/out/beta/slurm",
		},
		"full": {
			Name: "table2", Shards: 8, Program: "/a b/it's/#1/100%/slurm/sweep", Spec: "/a b/it's/#1/100%/slurm/table2.toml",
			Output: "/a b/it's/#1/100%", Dir: "/a b/it's/#1/100%/slurm", CPUs: 4, Time: "1-12:00:00",
			Options: parseOptions(t, "--partition=long", "-A", "physics", "--comment", "my # 1 job"),
		},
	} {
		for _, script := range job.Scripts() {
			golden := filepath.Join("testdata", dir, script.Name)
			if *update {
				if err := os.MkdirAll(filepath.Dir(golden), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(golden, []byte(script.Text), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if script.Text != string(want) {
				t.Errorf("%s is\n%s\nwant (go test -update rewrites it)\n%s", golden, script.Text, want)
			}
		}
	}
}

func TestParseOptions(t *testing.T) {
	for _, test := range []struct {
		words string // separated by |
		want  string // directives, separated by |
	}{
		{"--partition=long", "--partition=long"},
		{"--partition|long|--account=physics", "--partition long|--account=physics"},
		{"-p|long|-Aphysics|--exclusive", "-p long|-Aphysics|--exclusive"},
		{"--comment=it's # 1 of \"2\"", `'--comment=it'\''s # 1 of "2"'`},
		{`--comment=a\b`, `'--comment=a\\b'`},
		{"--time-min=10", "--time-min=10"},
		{"--mail-user=gödel@example.org", "--mail-user=gödel@example.org"},
	} {
		options, err := ParseOptions(strings.Split(test.words, "|"))
		if err != nil {
			t.Errorf("%s: %v", test.words, err)
			continue
		}
		if got := strings.Join(options, "|"); got != test.want {
			t.Errorf("%s: directives %s, want %s", test.words, got, test.want)
		}
	}
	for _, test := range []struct{ words, want string }{
		{"long", `"long" is no option`},
		{"--partition|long|short", `"short" is no option`},
		{"-", "is no option"},
		{"--", "is no option"},
		{"", "is no option"},
		{"--exclusive|--array=0-3", "--array themselves: its tasks are the shards"},
		{"--arr=0-3", "--array themselves"},
		{"-a0-3", "--array themselves"},
		{"-t|60", "--time themselves"},
		{"--wrap|true", "--wrap themselves"},
		{"--comment=two\nlines", "line break"},
		{"--comment|two\nlines", "line break"},
	} {
		_, err := ParseOptions(strings.Split(test.words, "|"))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: error %v, want %q", test.words, err, test.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	const day = 24 * time.Hour
	for _, test := range []struct {
		text    string
		want    time.Duration
		warning int // seconds
	}{
		{"90", 90 * time.Minute, 120},
		{"90:30", 90*time.Minute + 30*time.Second, 120},
		{"1:30:05", time.Hour + 30*time.Minute + 5*time.Second, 120},
		{"2-0", 2 * day, 120},
		{"2-12", 2*day + 12*time.Hour, 120},
		{"2-12:30", 2*day + 12*time.Hour + 30*time.Minute, 120},
		{"2-12:30:05", 2*day + 12*time.Hour + 30*time.Minute + 5*time.Second, 120},
		{"0", 0, 120},
		{"8", 8 * time.Minute, 120},
		{"4", 4 * time.Minute, 60},
		{"1", time.Minute, 15},
	} {
		got, ok := ParseTime(test.text)
		if !ok || got != test.want {
			t.Errorf("ParseTime(%q) = %v, %v, want %v", test.text, got, ok, test.want)
		}
		if job := (&Job{Time: test.text}); job.Warning() != test.warning {
			t.Errorf("with --time %s a task is told %d s before, want %d", test.text, job.Warning(), test.warning)
		}
	}
	for _, bad := range []string{"", "1h", "90m", "1:2:3:4", "-1", "1-", "1.5", "12345678", "60\n#SBATCH --wrap=x"} {
		if got, ok := ParseTime(bad); ok {
			t.Errorf("ParseTime(%q) = %v, want it refused", bad, got)
		}
	}
	if got := (&Job{}).Warning(); got != 120 {
		t.Errorf("with the cluster's limit a task is told %d s before, want 120", got)
	}
}

func TestCheckPath(t *testing.T) {
	for _, good := range []string{"/a/b", "/with space/it's/100%/$x/#1"} {
		if err := CheckPath(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"/a\nb", `/a\b`} {
		if CheckPath(bad) == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestPack(t *testing.T) {
	for _, test := range []struct {
		runs    int64
		runTime time.Duration
		cpus    int
		limit   int64
		want    int64
	}{
		{1, 0, 1, 1001, 1},
		{50, 0, 1, 1001, 1},
		{51, 0, 1, 1001, 2},
		{60, 0, 4, 1001, 1},
		{1000, 0, 4, 1001, 5},
		{1_000_000, 0, 1, 1001, 1001},
		{60, time.Minute, 1, 1001, 2},       // 30 each
		{60, 31 * time.Minute, 1, 1001, 60}, // one each, whatever it takes
		{60, 31 * time.Minute, 8, 1001, 8},
		{1_000_000, time.Millisecond, 2, 1001, 1},
		{1 << 62, time.Hour, 1, 4_000_001, 4_000_001},
		{60, time.Hour, 1, 10, 10},
	} {
		if got := Pack(test.runs, test.runTime, test.cpus, test.limit); got != test.want {
			t.Errorf("Pack(%d, %v, %d, %d) = %d, want %d", test.runs, test.runTime, test.cpus, test.limit, got, test.want)
		}
	}
}

func TestLimit(t *testing.T) {
	for _, test := range []struct {
		config string
		want   int64
	}{
		{"", 1001},
		{"scontrol: error", 1001},
		{"LogTimeFormat           = iso8601_ms\nMaxArraySize            = 4000001\nMaxBatchRequeue         = 5\n", 4000001},
		{"MaxArraySize = 1001\nSchedulerParameters     = bf_max_job_test=50,max_array_tasks=200\n", 200},
		{"MaxArraySize = 100\nSchedulerParameters = max_array_tasks=200,defer\n", 100},
		{"MaxArraySize = 0\n", 0},
		{"MaxArraySize = 99999999999999999999\n", 1001},
		{"# MaxArraySize = 5\n", 1001},
	} {
		if got := Limit(test.config); got != test.want {
			t.Errorf("Limit(%q) = %d, want %d", test.config, got, test.want)
		}
	}
}

func TestIndices(t *testing.T) {
	for _, test := range []struct {
		numbers []int64
		want    string
	}{
		{nil, ""},
		{[]int64{0}, "0"},
		{[]int64{3, 17}, "3,17"},
		{[]int64{0, 1, 2, 3, 7, 9, 10}, "0-3,7,9-10"},
		{[]int64{5, 6, 7}, "5-7"},
	} {
		if got := Indices(test.numbers); got != test.want {
			t.Errorf("Indices(%v) = %q, want %q", test.numbers, got, test.want)
		}
	}
}

// What a shell reads back must be the word.
func TestQuote(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("the shell of the scripts, bash, is not installed")
	}
	for _, word := range []string{
		"", "plain", "/a/b-c_d.e", "two words", "it's", `a "quoted" word`, "$HOME", "`id`", `back\slash`,
		"*", "~", "a;b", "a&b", "(a)", "!", "#", "tab\there", "größe", "line\nbreak", "\xff\xfe", "100%", "{a,b}", "a=b",
	} {
		got, err := exec.Command(bash, "-c", "printf %s "+quote(word)).Output()
		if err != nil || string(got) != word {
			t.Errorf("the shell reads %q back from %s, error %v; want %q", got, quote(word), err, word)
		}
	}
}
