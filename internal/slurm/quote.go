package slurm

import (
	"fmt"
	"strings"
)

// plain are the characters, beside letters and digits, that mean nothing
// but themselves to a shell and to sbatch.
const plain = "-_./=:,+@%"

// quote returns a word as a shell reads it back.
func quote(word string) string {
	quoted := word == ""
	for i := range len(word) { // bytes: a path need not be UTF-8
		c := word[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c >= 0x80, strings.IndexByte(plain, c) >= 0:
		default:
			quoted = true
		}
	}
	if !quoted {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// directive returns a word, which must not have a line break, as sbatch
// reads it back from an #SBATCH line. Quotes are to it what they are to a
// shell, but a backslash counts between single quotes too.
func directive(word string) string {
	return quote(strings.ReplaceAll(word, `\`, `\\`))
}

// logs returns the path of a log as --output takes it: in the name percent
// signs begin what Slurm fills in, in the directory they are only that.
func logs(dir, name string) string {
	return strings.ReplaceAll(dir, "%", "%%") + "/" + name
}

// CheckPath refuses the path of a directory that the scripts cannot name:
// an #SBATCH line has an end, and a backslash in --output tells Slurm not
// to fill in the names of logs.
func CheckPath(dir string) error {
	if i := strings.IndexAny(dir, "\n\\"); i >= 0 {
		return fmt.Errorf("sbatch cannot be told to write logs into %q: there is a %q in its path", dir, dir[i])
	}
	return nil
}
