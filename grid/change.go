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

// Changed returns a spec's text with other seeds, unless they are empty, and
// other values of parameters, all else as it was. The sets are as the command
// line has them, "NAME=V,…", with the value or values of a parameter in place of
// those in every [grid] that names it, or in all if none does. A value that
// begins with a brace or a bracket is TOML, for example
// { from = 0, to = 1, step = 0.1 }. Faults in the text are an *Error.
func Changed(file string, source []byte, seeds string, sets []string, experiments []*experiment.Experiment) (_ []byte, err error) {
	defer document.Catch[*Error](&err)
	s := &Spec{File: file}
	root := s.document(source)
	s.Experiment = s.asked(root, experiments)
	text := string(source)
	if n := root.Entry("seeds"); n != nil && seeds != "" {
		text = text[:n.Pos] + tomlValue(seeds) + text[n.End:]
	} else if seeds != "" {
		text = "seeds = " + tomlValue(seeds) + "\n" + text
	}
	for _, set := range sets {
		name, values, _ := strings.Cut(set, "=")
		text = s.change(text, strings.TrimSpace(name), values)
	}
	return []byte(text), nil
}

// change returns a text with other values of a parameter, however it is spelt
// there.
func (s *Spec) change(text, key, value string) string {
	p, _ := find(s.Experiment, key)
	if !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[") {
		list := strings.Split(value, ",")
		for i, word := range list {
			if list[i] = tomlValue(word); p != nil && p.Kind == experiment.String {
				list[i] = strconv.Quote(word)
			}
		}
		if value = strings.Join(list, ", "); len(list) > 1 {
			value = "[" + value + "]"
		}
	}
	root := s.document([]byte(text))
	described, blocks := root.Entry(parametersKey), blocksOf(root.Entry("grid"))
	name := func(key string) string { return cmp.Or(symbols(described)[key], key) }
	known := []string{}
	entry := func(b *document.Node) *document.Node {
		if _, i := find(s.Experiment, key); i >= 0 {
			return s.entry(b, i)
		}
		for _, e := range b.Entries {
			if known = append(known, name(e.Key)); name(e.Key) == name(key) {
				return e
			}
		}
		return nil
	}
	named := slices.ContainsFunc(blocks, func(b *document.Node) bool { return entry(b) != nil })
	if s.Experiment.Declare != nil && !named && (described == nil || entry(described) == nil) {
		panic(s.at(cmp.Or(root.Entry("grid"), root).Pos, "the spec names no parameter %q\nhint: it names %s", key,
			strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", ")).Suggest(key, known))
	}
	spelt := name(key)
	if strings.ContainsFunc(spelt, func(r rune) bool { return r > 127 }) {
		spelt = strconv.Quote(spelt)
	}
	if len(blocks) == 0 {
		return fmt.Sprintf("%s\n[grid]\n%s = %s\n", text, spelt, value)
	}
	for _, b := range slices.Backward(blocks) { // the places before are still right
		n := entry(b)
		switch {
		case n != nil && n.End > 0:
			text = text[:n.Pos] + value + text[n.End:]
		case n == nil && named:
		case text[b.Pos] == '{':
			text = text[:b.Pos+1] + " " + spelt + " = " + value + "," + text[b.Pos+1:]
		case n == nil && b.End > 0:
			text = text[:b.End] + "\n" + spelt + " = " + value + text[b.End:]
		default:
			panic(s.at(b.Pos, "%s cannot be changed where the [grid] is written with dots", key))
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
