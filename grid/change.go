package grid

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
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
	if seeds != "" {
		edits = append(edits, seedsEdit(root, seeds))
	}
	for _, c := range changes {
		edits = append(edits, r.edits(root, c, len(source))...)
	}
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(b.from, a.from) }) // the last first
	text := string(source)
	for _, e := range edits {
		text = text[:e.from] + e.text + text[e.to:]
	}
	return []byte(text), nil
}

func seedsEdit(root *document.Node, seeds string) edit {
	if n := root.Entry("seeds"); n != nil {
		return edit{n.From, n.To, tomlValue(seeds)}
	}
	return edit{0, 0, "seeds = " + tomlValue(seeds) + "\n"}
}

// edits returns those for a parameter.
func (r *reader) edits(root *document.Node, c Change, end int) []edit {
	value := tomlValue(c.Values[0])
	if len(c.Values) > 1 {
		list := make([]string, len(c.Values))
		for i, v := range c.Values {
			list[i] = tomlValue(v)
		}
		value = "[" + strings.Join(list, ", ") + "]"
	}
	key := c.Name
	if strings.ContainsFunc(key, func(r rune) bool { return r > 127 }) {
		key = strconv.Quote(key)
	}
	blocks := blocksOf(root.Entry("grid"))
	if len(blocks) == 0 {
		return []edit{{end, end, fmt.Sprintf("\n[grid]\n%s = %s\n", key, value)}}
	}
	var found, missing []edit
	for _, b := range blocks {
		if n := b.Entry(c.Name); n != nil && n.To > 0 {
			found = append(found, edit{n.From, n.To, value})
		} else if n != nil || b.To == 0 {
			panic(r.at(b.Pos, "%s cannot be changed where the [grid] is written with dots", c.Name))
		} else {
			missing = append(missing, r.insertion(b, key+" = "+value))
		}
	}
	if found != nil {
		return found
	}
	return missing
}

// insertion adds an entry to a table made by a header, or in braces.
func (r *reader) insertion(table *document.Node, entry string) edit {
	if table.Pos.Column > 1 && len(table.Entries) > 0 && table.Entries[0].From < table.To { // in braces
		return edit{table.From + 1, table.From + 1, " " + entry + ","}
	}
	return edit{table.To, table.To, "\n" + entry}
}

// blocksOf returns the tables of a grid.
func blocksOf(n *document.Node) []*document.Node {
	switch {
	case n == nil:
		return nil
	case n.Kind == document.Array:
		return n.Elements
	}
	return []*document.Node{n}
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

// spell gives the keys of blocks that are symbols of parameters the
// parameters' names.
func (r *reader) spell(grid *document.Node, names map[string]string) {
	rename := func(table *document.Node) {
		for _, e := range table.Entries {
			if name, ok := names[e.Key]; ok && !table.Rename(e, name) {
				panic(r.at(e.KeyPos, "%s is %s, which is there already", e.Key, name))
			}
		}
	}
	for _, b := range blocksOf(grid) {
		rename(b)
		for _, key := range []string{excludeKey, includeKey} {
			if n := b.Entry(key); n != nil {
				for _, e := range n.Elements {
					rename(e)
				}
			}
		}
		if n := b.Entry(zipKey); n != nil {
			for _, list := range n.Elements {
				for _, e := range list.Elements {
					if name, ok := names[fmt.Sprint(e.Value)]; ok {
						e.Value = name
					}
				}
			}
		}
	}
}
