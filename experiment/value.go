package experiment

import (
	"encoding/json"
	"math"
	"strconv"
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
func (k Kind) String() string {
	return [...]string{"null", "bool", "int", "float", "string"}[k]
}

func (k Kind) noun() string {
	return [...]string{"nothing", "a boolean", "an integer", "a number", "a string"}[k]
}

// A Value is one parameter value, or null. Values are comparable with ==
// and usable as map keys; equal numbers of one kind are equal Values.
type Value struct {
	kind Kind
	bits uint64
	text string
}

// BoolValue returns b as a Value.
func BoolValue(b bool) Value {
	if b {
		return Value{kind: Bool, bits: 1}
	}
	return Value{kind: Bool}
}

// IntValue returns i as a Value.
func IntValue(i int64) Value { return Value{kind: Int, bits: uint64(i)} }

// FloatValue returns f as a Value. Negative zero becomes zero, so that
// equal numbers are equal Values; NaN and infinities panic, because no
// parameter may hold them.
func FloatValue(f float64) Value {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		panic("experiment: FloatValue of NaN or infinity")
	}
	return Value{kind: Float, bits: math.Float64bits(f + 0)}
}

// StringValue returns s as a Value.
func StringValue(s string) Value { return Value{kind: String, text: s} }

// ValueOf returns a bool, int64, finite float64 or string as a Value; null for
// all else.
func ValueOf(x any) Value {
	switch x := x.(type) {
	case bool:
		return BoolValue(x)
	case int64:
		return IntValue(x)
	case float64:
		if x-x == 0 { // finite
			return FloatValue(x)
		}
	case string:
		return StringValue(x)
	}
	return Value{}
}

// Kind returns the value's kind; Null for the zero Value.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is the zero Value.
func (v Value) IsNull() bool { return v.kind == Null }

// Bool returns the boolean; false for other kinds.
func (v Value) Bool() bool { return v.kind == Bool && v.bits == 1 }

// Int returns the integer; zero for other kinds.
func (v Value) Int() int64 {
	if v.kind == Int {
		return int64(v.bits)
	}
	return 0
}

// Float returns the number of a Float or Int value; zero for other kinds.
func (v Value) Float() float64 {
	switch v.kind {
	case Float:
		return math.Float64frombits(v.bits)
	case Int:
		return float64(int64(v.bits))
	}
	return 0
}

// Text returns the string of a String value; empty for other kinds.
func (v Value) Text() string { return v.text }

// String returns the canonical text: the shortest decimal that reads back
// as the same number, the bare string, true or false, or null.
func (v Value) String() string { return string(v.Append(nil)) }

// Append appends the canonical text to b.
func (v Value) Append(b []byte) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(b, v.bits == 1)
	case Int:
		return strconv.AppendInt(b, int64(v.bits), 10)
	case Float:
		return strconv.AppendFloat(b, v.Float(), 'g', -1, 64)
	case String:
		return append(b, v.text...)
	}
	return append(b, "null"...)
}

// MarshalJSON returns the value as JSON: a number, a string, true, false or
// null.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.kind == String {
		return json.Marshal(v.text)
	}
	return v.Append(nil), nil
}

func formatFloat(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) <= 1<<53 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}
