package slurm

import (
	"fmt"
	"strings"
)

// Indices writes ascending numbers of tasks as --array takes them, such as
// 0-3,7,9-10. No numbers give the empty string.
func Indices(numbers []int64) string {
	var parts []string
	for i := 0; i < len(numbers); {
		first := i
		for i++; i < len(numbers) && numbers[i] == numbers[i-1]+1; i++ {
		}
		if first == i-1 {
			parts = append(parts, fmt.Sprint(numbers[first]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[first], numbers[i-1]))
		}
	}
	return strings.Join(parts, ",")
}
