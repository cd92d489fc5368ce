package slurm

import (
	"fmt"
	"strings"
)

// plain are the characters, beside letters and digits, that mean nothing
// but themselves to a shell and to sbatch.
const plain = "-_./=:,+@%"

// quote returns a word, which must not have a line break, as a shell reads
// it back, and sbatch from an #SBATCH line: both take a backslash for the
// sign that the next character is only a character.
func quote(word string) string {
	if word == "" {
		return "''"
	}
	var b strings.Builder
	for i := range len(word) { // bytes: a path need not be UTF-8
		c := word[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80, strings.IndexByte(plain, c) >= 0:
		default:
			b.WriteByte('\\')
		}
		b.WriteByte(c)
	}
	return b.String()
}

// pattern returns a directory as --output reads it back, where the percent
// sign begins what Slurm fills in.
func pattern(dir string) string { return strings.ReplaceAll(dir, "%", "%%") }

// CheckPath refuses the path of a directory that the scripts cannot name:
// an #SBATCH line has an end, and a backslash in --output tells Slurm not
// to fill in the names of logs.
func CheckPath(dir string) error {
	if i := strings.IndexAny(dir, "\n\\"); i >= 0 {
		return fmt.Errorf("Slurm cannot write logs into %q: there is a %q in its path", dir, dir[i])
	}
	return nil
}
