package grid

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/lists"
)

// Changed returns a spec's text with other seeds, unless they are empty, and
// other values of parameters, all else as it was. The sets are as the command
// line has them, "NAME=V,…", with the value or values of a parameter in place of
// those in every [grid] that names it, or in all if none does. A value that
// begins with a brace or a bracket is TOML, for example
// { from = 0, to = 1, step = 0.1 }. Faults in the text are an *Error.
func Changed(file string, source []byte, seeds string, sets []string, experiments []*experiment.Experiment) (_ []byte, err error) {
	defer document.Catch[*Error](&err)
	s := &Spec{File: file, plan: &Plan{}}
	root := s.document(source)
	s.Experiment = s.asked(root, experiments)
	text := string(source)
	if n := root.Entry("seeds"); n != nil && seeds != "" {
		text = s.replace(text, n, tomlValue(seeds))
	} else if seeds != "" {
		text = "seeds = " + tomlValue(seeds) + "\n" + text
	}
	for _, set := range sets {
		name, values, _ := strings.Cut(set, "=")
		text = s.change(text, strings.TrimSpace(name), values)
	}
	return []byte(text), nil
}

// replace returns a text with another value of an entry.
func (s *Spec) replace(text string, n *document.Node, value string) string {
	s.must(n.End > 0 && (n.Kind != document.Table || text[n.Pos] == '{'), n.KeyPos,
		"%s cannot be changed where it has a header of its own, or is written with dots\n"+
			"hint: write one line, such as %[1]s = { from = 1, to = 9 }", n.Key)
	return text[:n.Pos] + value + text[n.End:]
}

// change returns a text with other values of a parameter, however it is spelt
// there.
func (s *Spec) change(text, key, value string) string {
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
	given := slices.DeleteFunc(lists.Map(blocks, entry), func(n *document.Node) bool { return n == nil })
	named := len(given) > 0
	if described != nil && entry(described) != nil {
		given = append(given, cmp.Or(entry(described).Entry("default"), entry(described)))
	}
	if s.Experiment.Declare != nil && len(given) == 0 {
		panic(s.at(cmp.Or(root.Entry("grid"), root).Pos, "the spec names no parameter %q\nhint: it names %s", key,
			strings.Join(slices.Compact(slices.Sorted(slices.Values(known))), ", ")).Suggest(key, known))
	}
	if !strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "[") {
		value = s.words(key, value, given)
	}
	spelt := name(key)
	if strings.ContainsFunc(spelt, func(r rune) bool { return r > 127 }) {
		spelt = strconv.Quote(spelt)
	}
	if len(blocks) == 0 {
		return fmt.Sprintf("%s\n[grid]\n%s = %s\n", text, spelt, value)
	}
	for _, b := range slices.Backward(blocks) { // the places before are still right
		switch n := entry(b); {
		case n != nil:
			text = s.replace(text, n, value)
		case named:
		case text[b.Pos] == '{':
			text = text[:b.Pos+1] + " " + spelt + " = " + value + "," + text[b.Pos+1:]
		case b.End > 0:
			text = text[:b.End] + "\n" + spelt + " = " + value + text[b.End:]
		default:
			panic(s.at(b.Pos, "%s cannot be changed where the [grid] is written with dots", key))
		}
	}
	return text
}

// words returns values of a parameter as TOML. Those of a program are of the kind
// that the spec gives it.
func (s *Spec) words(key, value string, given []*document.Node) string {
	kind, list, span := experiment.Null, strings.Split(value, ","), false
	for _, n := range given {
		for _, v := range s.samples(n, true) {
			kind = v.Kind()
		}
	}
	p, _ := find(s.Experiment, key)
	for i, word := range list {
		list[i] = tomlValue(word)
		if _, _, span = interval(word); kind == experiment.String || p != nil && p.Kind == experiment.String {
			list[i] = strconv.Quote(word)
		} else if p == nil && kind != experiment.Null && !span && list[i][0] == '"' {
			list[i] = word // which TOML may refuse
		}
	}
	if value = strings.Join(list, ", "); len(list) > 1 || span && kind == experiment.String { // a text, no range
		value = "[" + value + "]"
	}
	return value
}

// tomlValue returns a word of a command line as TOML.
func tomlValue(word string) string {
	if i, err := strconv.ParseInt(word, 10, 64); err == nil {
		return strconv.FormatInt(i, 10)
	} else if errors.Is(err, strconv.ErrRange) {
		return word // which is refused as too large
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
