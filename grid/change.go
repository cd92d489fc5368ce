package grid

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
)

// A Change is what a command line wants of a spec: values of a parameter in
// place of those in every [grid] that names it, or in all if none does.
type Change struct {
	Name   string
	Values []string // as written on the command line
}

// An edit replaces bytes of a text.
type edit struct {
	from, to int
	text     string
}

// Changed returns a spec's text with other seeds, unless they are empty, and
// other values of parameters, all else as it was. A value that begins with a
// brace or a bracket is TOML, for example { from = 0, to = 1, step = 0.1 }.
// Faults in the text are an *Error.
func Changed(file string, source []byte, seeds string, changes []Change) (_ []byte, err error) {
	defer catch(&err)
	r := &reader{file: file}
	root := r.document(source)
	var edits []edit
	if n := root.Entry("seeds"); n != nil && seeds != "" {
		edits = append(edits, edit{n.Pos, n.End, tomlValue(seeds)})
	} else if seeds != "" {
		edits = append(edits, edit{0, 0, "seeds = " + tomlValue(seeds) + "\n"})
	}
	for _, c := range changes {
		edits = append(edits, r.edits(root, c)...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) }) // the last first
	text := string(source)
	for _, e := range edits {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return []byte(text), nil
}

// edits returns those for a parameter.
func (r *reader) edits(root *document.Node, c Change) []edit {
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
	blocks := blocksOf(root.Entry("grid"))
	if len(blocks) == 0 {
		return []edit{{len(r.source), len(r.source), fmt.Sprintf("\n[grid]\n%s = %s\n", key, value)}}
	}
	var found, missing []edit
	for _, b := range blocks {
		n := b.Entry(c.Name)
		switch {
		case n != nil && n.End > 0:
			found = append(found, edit{n.Pos, n.End, value})
		case r.source[b.Pos] == '{':
			missing = append(missing, edit{b.Pos + 1, b.Pos + 1, " " + key + " = " + value + ","})
		case n == nil && b.End > 0:
			missing = append(missing, edit{b.End, b.End, "\n" + key + " = " + value})
		default:
			panic(r.at(b.Pos, "%s cannot be changed where the [grid] is written with dots", c.Name))
		}
	}
	if found != nil {
		return found
	}
	return missing
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

// symbols returns the names of parameters by their symbols, as far as these
// are other than all names and tell parameters apart.
func symbols(e *experiment.Experiment) map[string]string {
	names := map[string]string{}
	for i := range e.Params {
		p := &e.Params[i]
		if other, _ := e.Param(p.Symbol); p.Symbol == "" || other != nil {
			continue
		}
		if names[p.Symbol] != "" {
			names[p.Symbol] = " " // of several: no key is that
		} else {
			names[p.Symbol] = p.Name
		}
	}
	return names
}

// spell gives the keys below a grid, and the axes that are zipped, the names
// of parameters where they are symbols of these.
func (r *reader) spell(n *document.Node, names map[string]string) {
	if n == nil {
		return
	}
	if name, ok := names[fmt.Sprint(n.Value)]; ok && n.Key == zipKey {
		n.Value = name
	}
	for _, e := range n.Elements {
		r.spell(e, names)
	}
	for _, e := range n.Entries {
		if name, ok := names[e.Key]; ok && !n.Rename(e, name) {
			panic(r.at(e.KeyPos, "%s is %s, which is there already", e.Key, name))
		}
		r.spell(e, names)
	}
}
