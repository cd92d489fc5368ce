package experiment

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Kind is the type of a parameter or metric.
type Kind uint8

// The kinds. The zero Kind, Null, is the kind of the zero Value.
const (
	Null Kind = iota
	Bool
	Int
	Float
	String
)

// String returns the kind's name in documents: "float", "int", and so on.
func (k Kind) String() string { return [...]string{"null", "bool", "int", "float", "string"}[k] }

// IsNumber reports whether values of the kind are numbers.
func (k Kind) IsNumber() bool { return k == Int || k == Float }

func (k Kind) noun() string {
	return [...]string{"nothing", "a boolean", "an integer", "a number", "a string"}[k]
}

// A Value is one parameter value, or null. Values are comparable with ==
// and usable as map keys; equal numbers of one kind are equal Values.
type Value struct{ x any } // nil, bool, int64, float64 or string

// BoolValue returns b as a Value.
func BoolValue(b bool) Value { return Value{b} }

// IntValue returns i as a Value.
func IntValue(i int64) Value { return Value{i} }

// FloatValue returns f as a Value. Negative zero becomes zero, so that equal
// numbers are written alike; NaN and infinities panic, because no parameter may
// hold them.
func FloatValue(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		panic("experiment: FloatValue of NaN or infinity")
	}
	return Value{f + 0}
}

// StringValue returns s as a Value.
func StringValue(s string) Value { return Value{s} }

// ValueOf returns a bool, int64, finite float64 or string as a Value; null for
// all else.
func ValueOf(x any) Value {
	switch x := x.(type) {
	case bool, int64, string:
		return Value{x}
	case float64:
		if x-x == 0 { // finite
			return FloatValue(x)
		}
	}
	return Value{}
}

// Kind returns the value's kind; Null for the zero Value.
func (v Value) Kind() Kind {
	switch v.x.(type) {
	case bool:
		return Bool
	case int64:
		return Int
	case float64:
		return Float
	case string:
		return String
	}
	return Null
}

// IsNull reports whether v is the zero Value.
func (v Value) IsNull() bool { return v.x == nil }

// Bool returns the boolean; false for other kinds.
func (v Value) Bool() bool {
	b, _ := v.x.(bool)
	return b
}

// Int returns the integer; zero for other kinds.
func (v Value) Int() int64 {
	i, _ := v.x.(int64)
	return i
}

// Float returns the number of a Float or Int value; zero for other kinds.
func (v Value) Float() float64 {
	if f, ok := v.x.(float64); ok {
		return f
	}
	return float64(v.Int())
}

// Text returns the string of a String value; empty for other kinds.
func (v Value) Text() string {
	s, _ := v.x.(string)
	return s
}

// String returns the canonical text: the shortest decimal that reads back
// as the same number, the bare string, true or false, or null.
func (v Value) String() string { return string(v.Append(nil)) }

// Key returns a text that is the same for equal values only. Their canonical
// texts alone would not do: a string may hold a blank, or be "null".
func Key(values []Value) string {
	var key []byte
	for _, v := range values {
		key = fmt.Appendf(key, "%d%q", v.Kind(), v.String())
	}
	return string(key)
}

// Name returns the value as a document shows it: of an input file, such as
// "crawl.csv@sha256:9f86d081884c7d65", its name alone.
func (v Value) Name() string {
	name, _, _ := strings.Cut(v.String(), "@sha256:")
	return name
}

// Append appends the canonical text to b.
func (v Value) Append(b []byte) []byte {
	switch x := v.x.(type) {
	case bool:
		return strconv.AppendBool(b, x)
	case int64:
		return strconv.AppendInt(b, x, 10)
	case float64:
		return strconv.AppendFloat(b, x, 'g', -1, 64)
	case string:
		return append(b, x...)
	}
	return append(b, "null"...)
}

// MarshalJSON returns the value as JSON: a number, a string, true, false or
// null.
func (v Value) MarshalJSON() ([]byte, error) {
	if text, ok := v.x.(string); ok {
		return json.Marshal(text)
	}
	return v.Append(nil), nil
}

func formatFloat(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
