package slurm

import (
	"os/exec"
	"testing"
)

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
