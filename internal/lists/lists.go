// Package lists makes a list of another one.
package lists

// Map returns what f makes of each element of a list; never nil.
func Map[T, R any](list []T, f func(T) R) []R {
	made := make([]R, len(list))
	for i, x := range list {
		made[i] = f(x)
	}
	return made
}
