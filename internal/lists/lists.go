// Package lists makes lists.
package lists

// Map returns what f makes of each element of a list; never nil.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}

// Indices returns 0, 1, … n-1.
func Indices(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}
