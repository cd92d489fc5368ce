// Package lists makes lists.
package lists

// Wrap joins words by spaces into as few lines as fit. A word that does not fit has
// a line of its own.
func Wrap(words []string, fits func(line string) bool) (lines []string) {
	for _, word := range words {
		if last := len(lines) - 1; last >= 0 && fits(lines[last]+" "+word) {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// Map returns what f makes of each element of a list; never nil.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// Count returns how many elements of a list f accepts.
func Count[T any](list []T, f func(T) bool) (n int) {
	for _, x := range list {
		if f(x) {
			n++
		}
	}
	return n
}

// Indices returns 0, 1, … n-1.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
