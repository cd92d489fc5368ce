package document

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Parse reads a TOML text and returns it as a table. The error is a *Fault.
func Parse(source []byte) (root *Node, err error) {
	defer Catch[*Fault](&err)
	if len(source) > MaxSize {
		return nil, FaultAt(0, "the file has more than %d bytes", MaxSize)
	}
	text := string(source)
	checkUTF8(text)
	s := &scanner{text: text}
	places := s.document() // first, since the toml package has no limits
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		return nil, explain(err, text)
	}
	if s.again != nil { // the toml package would drop one of the values
		return nil, FaultAt(s.again.Pos, "key '%s' has already been defined", s.again.Key)
	}
	return join(text, places, values), nil
}

// checkUTF8 rejects a text with a byte that is not part of a character.
func checkUTF8(text string) {
	for at, r := range text {
		_, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			panic(FaultAt(at, "byte 0x%02x at offset %d is not UTF-8, want a text file",
				text[at], at))
		}
	}
}

// join returns the tree of what was decoded, with the places that were
// scanned. A value that the scanner did not find gets the place of the table
// or list that it belongs to.
func join(text string, place *Node, decoded any) *Node {
	n := &Node{Key: place.Key, KeyPos: place.KeyPos, Pos: place.Pos, End: place.End}
	switch decoded := decoded.(type) {
	case map[string]any:
		n.Kind = Table
		n.index = map[string]*Node{}
		for _, e := range place.Entries {
			if value, exists := decoded[e.Key]; exists {
				n.add(join(text, e, value))
			}
		}
		for _, key := range slices.Sorted(maps.Keys(decoded)) {
			if n.index[key] == nil {
				n.add(join(text, &Node{Key: key, KeyPos: n.Pos, Pos: n.Pos}, decoded[key]))
			}
		}
	case []map[string]any:
		n.Kind = Array
		for i, table := range decoded {
			n.Elements = append(n.Elements, join(text, place.element(i), table))
		}
	case []any:
		n.Kind = Array
		for i, value := range decoded {
			n.Elements = append(n.Elements, join(text, place.element(i), value))
		}
	default:
		n.Value = decoded
		if decoded == 0.0 {
			checkZero(n, scalar.FindString(text[n.Pos:]))
		}
	}
	return n
}

// element returns the i-th element of an array or, if there is none, a node at
// the place of the array.
func (n *Node) element(i int) *Node {
	if i < len(n.Elements) {
		return n.Elements[i]
	}
	return &Node{Key: n.Key, KeyPos: -1, Pos: n.Pos}
}

// checkZero rejects a number that was decoded as 0 but is not 0.
func checkZero(n *Node, number string) {
	digits, _, _ := strings.Cut(strings.ToLower(number), "e")
	if strings.ContainsAny(digits, "123456789") {
		panic(FaultAt(n.Pos, "%.40s is too near to 0 for a number", number))
	}
}

// explain returns an error of the toml package as a fault, at its place and
// with advice.
func explain(err error, text string) *Fault {
	at := 0
	message := err.Error()
	if wrong, is := errors.AsType[toml.ParseError](err); is {
		at = wrong.Position.Start
		message = wrong.Message
	}
	if strings.Contains(message, "control characters") {
		at++ // the toml package names the byte before
	}
	if strings.HasPrefix(text, byteOrderMark) {
		at += len(byteOrderMark) // the toml package does not count it
	}
	at = min(max(at, 0), len(text))
	at = len(text) - len(strings.TrimLeft(text[at:], " \t"))
	fault := FaultAt(at, "%s", plain(message))
	line := strings.LastIndexByte(text[:at], '\n') + 1
	fault.Hint = advice(message, text[line:at], text[at:])
	return fault
}

// plain returns a message of the toml package in the form of ours: on one
// line, beginning with a small letter, and without a period.
func plain(message string) string {
	message = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, message)
	message = strings.TrimSuffix(message, ".")
	if strings.HasPrefix(message, "TOML") {
		return message
	}
	first, size := utf8.DecodeRuneInString(message)
	return string(unicode.ToLower(first)) + message[size:]
}

// advice returns a hint for an error of the toml package. It goes by the
// message, the text before the error in its line, and the text from there on.
func advice(message, before, there string) string {
	found, _ := utf8.DecodeRuneInString(there)
	isInHeader := strings.HasPrefix(strings.TrimSpace(before), "[")
	isVisible := found > ' ' && found < unicode.MaxASCII
	says := func(parts ...string) bool {
		return slices.ContainsFunc(parts, func(part string) bool {
			return strings.Contains(message, part)
		})
	}
	switch {
	case isInHeader && says("already"):
		return "each of several blocks is [[grid]], or [[claim]]; other tables are there once"
	case strings.ContainsRune("“”„‘’", found):
		return "quotation marks are \" or '"
	case found > unicode.MaxASCII:
		return `letters such as "β" need quotation marks, and spaces must be plain ones`
	case says("floats must start with a digit"):
		return "a number begins with a digit, such as 0.5"
	case says("expected value") && unicode.IsLetter(found):
		return "a text needs quotation marks; true and false are in small letters"
	case isVisible && says("top-level", "'.' or '='", "key name", "table name"):
		return "a line is key = value, a comment begins with #"
	}
	return ""
}
