package sequence

import "sweep/experiment"

// List is a sequence of given values.
type List struct {
	values []experiment.Value
	where  map[experiment.Value][]int64 // ascending indices of each value
}

// NewList returns the sequence of the given values, at least one. It keeps
// the slice.
func NewList(values []experiment.Value) *List {
	l := &List{values: values, where: make(map[experiment.Value][]int64, len(values))}
	for i, v := range values {
		l.where[v] = append(l.where[v], int64(i))
	}
	return l
}

// Len implements Sequence.
func (l *List) Len() int64 { return int64(len(l.values)) }

// At implements Sequence.
func (l *List) At(i int64) experiment.Value { return l.values[i] }

// Next implements Sequence.
func (l *List) Next(v experiment.Value, from int64) (int64, bool) {
	for _, i := range l.where[v] {
		if i >= from {
			return i, true
		}
	}
	return 0, false
}

// Distinct implements Sequence.
func (l *List) Distinct() bool { return len(l.where) == len(l.values) }
