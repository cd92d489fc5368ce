package document

import (
	"fmt"
	"strings"
)

// DidYouMean asks whether the nearest known word was meant, as in: did you
// mean "gamma"? It is empty if none is near.
func DidYouMean(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return ""
}

// Nearest returns the known word closest to the given one, or the empty
// string if none is close enough to be worth a "did you mean". A word that
// differs only by case is always close enough; otherwise at most a third of
// the letters, and at least one, may be mistyped. Of equally close words the
// first in the list wins.
func Nearest(word string, known []string) string {
	if len(word) > longest {
		return ""
	}
	best := ""
	least := max(1, len([]rune(word))/3) + 1
	letters := []rune(strings.ToLower(word))
	for _, k := range known {
		if strings.EqualFold(k, word) {
			return k
		}
		d := distance(letters, []rune(strings.ToLower(k)))
		if d < least {
			best = k
			least = d
		}
	}
	return best
}

// longest bounds the work spent on a word: nobody means a name by a
// kilobyte of text.
const longest = 100

// distance returns the optimal string alignment distance: the number of
// letters inserted, deleted, replaced, or swapped with their neighbour that
// turn a into b.
func distance(a, b []rune) int {
	table := make([][]int, len(a)+1) // of the distances of what a and b begin with
	for i := range table {
		table[i] = make([]int, len(b)+1)
		for j := range table[i] {
			if i == 0 || j == 0 {
				table[i][j] = i + j
				continue
			}
			replaced := table[i-1][j-1]
			if a[i-1] != b[j-1] {
				replaced++
			}
			table[i][j] = min(table[i-1][j]+1, table[i][j-1]+1, replaced)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				table[i][j] = min(table[i][j], table[i-2][j-2]+1)
			}
		}
	}
	return table[len(a)][len(b)]
}
