package grid

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweep/internal/document"
)

// A Change is what a command line wants of a spec: values of a parameter in
// place of those in every [grid] that names it, or in all if none does.
type Change struct {
	Name   string
	Values []string // as written on the command line
}

// Changed returns a spec's text with other seeds, unless they are empty, and
// other values of parameters, all else as it was. A value that begins with a
// brace or a bracket is TOML, for example { from = 0, to = 1, step = 0.1 }.
// Faults in the text are an *Error.
func Changed(file string, source []byte, seeds string, changes []Change) (_ []byte, err error) {
	defer document.Catch[*Error](&err)
	r := &reader{Spec: &Spec{File: file}}
	root := r.document(source)
	text := string(source)
	if n := root.Entry("seeds"); n != nil && seeds != "" {
		text = text[:n.Pos] + tomlValue(seeds) + text[n.End:]
	} else if seeds != "" {
		text = "seeds = " + tomlValue(seeds) + "\n" + text
	}
	for _, c := range changes {
		text = r.change(text, c)
	}
	return []byte(text), nil
}

// change returns a text with other values of a parameter.
func (r *reader) change(text string, c Change) string {
	var list []string
	for _, v := range c.Values {
		list = append(list, tomlValue(v))
	}
	key, value := c.Name, strings.Join(list, ", ")
	if len(list) > 1 {
		value = "[" + value + "]"
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r > 127 }) {
		key = strconv.Quote(key)
	}
	blocks := blocksOf(r.document([]byte(text)).Entry("grid"))
	if len(blocks) == 0 {
		return fmt.Sprintf("%s\n[grid]\n%s = %s\n", text, key, value)
	}
	named := slices.ContainsFunc(blocks, func(b *document.Node) bool { return b.Entry(c.Name) != nil })
	for _, b := range slices.Backward(blocks) { // the places before are still right
		n := b.Entry(c.Name)
		switch {
		case n != nil && n.End > 0:
			text = text[:n.Pos] + value + text[n.End:]
		case n == nil && named:
		case text[b.Pos] == '{':
			text = text[:b.Pos+1] + " " + key + " = " + value + "," + text[b.Pos+1:]
		case n == nil && b.End > 0:
			text = text[:b.End] + "\n" + key + " = " + value + text[b.End:]
		default:
			panic(r.at(b.Pos, "%s cannot be changed where the [grid] is written with dots", c.Name))
		}
	}
	return text
}

// tomlValue returns a word of a command line as TOML.
func tomlValue(word string) string {
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && f-f == 0 {
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	}
	if word == "true" || word == "false" || strings.HasPrefix(word, "{") || strings.HasPrefix(word, "[") {
		return word
	}
	return strconv.Quote(word)
}
