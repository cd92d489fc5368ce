package grid

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"sweep/experiment"
	"sweep/internal/document"
)

// Changed returns the text of a spec with other seeds, unless seeds is empty,
// and other values of parameters. All else stays as it is. Each of sets has
// the form "NAME=V,…". Its values replace those of the parameter in every
// [grid] that names it, or are added to every [grid] if none does. A value
// that begins with a brace or a bracket is TOML, for example { from = 0, to =
// 1, step = 0.1 }, and so are texts in quotation marks. The error is an *Error.
func Changed(
	file string,
	source []byte,
	seeds string,
	sets []string,
	experiments []*experiment.Experiment,
) (_ []byte, err error) {
	defer document.Catch[*Error](&err)
	r := &reader{file: file, source: source}
	root := r.document()
	r.experiment = r.asked(root, root.Entry("experiment"), experiments)
	text := string(source)
	if seeds != "" {
		value := tomlValue(seeds)
		if n := root.Entry("seeds"); n != nil {
			text = r.replace(text, n, value)
		} else {
			text = "seeds = " + value + "\n" + text
		}
	}
	for _, set := range sets {
		name, values, _ := strings.Cut(set, "=")
		text = r.change(text, strings.TrimSpace(name), values)
	}
	return []byte(text), nil
}

// replace returns a text with another value of an entry.
func (r *reader) replace(text string, n *document.Node, value string) string {
	hasValue := n.End > 0 && (n.Kind != document.Table || text[n.Pos] == '{')
	r.must(hasValue, keyOf(n),
		"%s cannot be changed where it has a header of its own, or is written with dots\n"+
			"hint: write one line, such as %[1]s = { from = 1, to = 9 }", n.Key)
	return text[:n.Pos] + value + text[n.End:]
}

// change returns a text with other values of a parameter, which the text may
// name by its symbol.
func (r *reader) change(text, key, value string) string {
	r.source = []byte(text)
	root := r.document()
	described := root.Entry(parametersKey)
	blocks := blocksOf(root.Entry("grid"))
	c := &changed{reader: r, key: key, symbols: symbols(described)}
	var given []*document.Node // what gives the parameter its values
	for _, b := range blocks {
		if n := c.entry(b); n != nil {
			given = append(given, n)
		}
	}
	isInGrid := given != nil
	if n := c.entry(described); n != nil {
		if value := n.Entry("default"); value != nil {
			n = value
		}
		given = append(given, n)
	}
	if r.experiment.Declare != nil && given == nil {
		c.unknown(root)
	}
	switch {
	case isQuoted(value):
		value = "[" + value + "]"
	case !isTOML(value):
		value = r.words(key, value, given)
	}
	line := tomlKey(c.name(key)) + " = " + value
	if len(blocks) == 0 {
		return text + "\n[grid]\n" + line + "\n"
	}
	for _, b := range slices.Backward(blocks) { // so that earlier offsets stay valid
		switch n := c.entry(b); {
		case n != nil:
			text = r.replace(text, n, value)
		case isInGrid:
		case text[b.Pos] == '{':
			text = text[:b.Pos+1] + " " + line + "," + text[b.Pos+1:]
		case b.End > 0:
			text = text[:b.End] + "\n" + line + text[b.End:]
		default:
			r.fail(b, "%s cannot be changed where the [grid] is written with dots", key)
		}
	}
	return text
}

// isTOML reports whether a value on the command line is a TOML list or table.
func isTOML(value string) bool {
	return strings.HasPrefix(value, "{") || strings.HasPrefix(value, "[")
}

// quotedTexts are texts in quotation marks, with commas between them.
var quotedTexts = regexp.MustCompile(`^\s*("[^"\\]*"|'[^']*')(\s*,\s*("[^"\\]*"|'[^']*'))*\s*$`)

// isQuoted reports whether values on the command line are in quotation marks,
// as in a spec.
func isQuoted(value string) bool { return quotedTexts.MatchString(value) }

// tomlKey returns a name as a key of TOML, in quotation marks if it needs them.
func tomlKey(name string) string {
	if strings.ContainsFunc(name, isSpecial) {
		return strconv.Quote(name)
	}
	return name
}

// isSpecial reports whether a key with the letter needs quotation marks.
func isSpecial(letter rune) bool { return letter > unicode.MaxASCII || letter == '.' }

// A changed is a parameter whose values are changed.
type changed struct {
	*reader
	key     string            // as on the command line
	symbols map[string]string // names by symbols
	known   []string          // names that were found
}

// name returns the name of a parameter by it or its symbol.
func (c *changed) name(key string) string { return cmp.Or(c.symbols[key], key) }

// entry returns the entry of a table that gives the parameter its values, or
// nil.
func (c *changed) entry(table *document.Node) *document.Node {
	if table == nil {
		return nil
	}
	if _, i := find(c.experiment, c.key); i >= 0 {
		return c.settingOf(table, i)
	}
	for _, e := range table.Entries {
		name := c.name(e.Key)
		c.known = append(c.known, name)
		if name == c.name(c.key) {
			return e
		}
	}
	return nil
}

// unknown rejects a parameter that the spec does not name.
func (c *changed) unknown(root *document.Node) {
	at := root
	if grid := root.Entry("grid"); grid != nil {
		at = grid
	}
	names := slices.Compact(slices.Sorted(slices.Values(c.known)))
	fault := c.at(at, "the spec names no parameter %q\nhint: it names %s",
		c.key, strings.Join(names, ", "))
	c.refuse(fault.Suggest(c.key, c.known))
}

// words returns values of a parameter as TOML. The parameter of a program has
// the kind that the spec gives it.
func (r *reader) words(key, value string, given []*document.Node) string {
	kind := experiment.Null
	for _, n := range given {
		for _, v := range r.samples(n, true) {
			kind = v.Kind()
		}
	}
	p, _ := find(r.experiment, key)
	isText := kind == experiment.String || p != nil && p.Kind == experiment.String
	isOther := p == nil && kind != experiment.Null // a program's, and not a text
	list := strings.Split(value, ",")
	isRange := false
	for i, word := range list {
		_, _, isRange = interval(word)
		list[i] = tomlValue(word)
		if isText {
			list[i] = strconv.Quote(word)
		} else if isOther && !isRange && list[i][0] == '"' {
			list[i] = word // which the TOML parser may reject
		}
	}
	value = strings.Join(list, ", ")
	if len(list) > 1 || isRange && kind == experiment.String { // a text, no range
		value = "[" + value + "]"
	}
	return value
}

// tomlValue returns a word of a command line as TOML.
func tomlValue(word string) string {
	i, err := strconv.ParseInt(word, 10, 64)
	if err == nil {
		return strconv.FormatInt(i, 10)
	}
	if errors.Is(err, strconv.ErrRange) {
		return word // which the TOML parser rejects as too large
	}
	if f, err := strconv.ParseFloat(word, 64); err == nil && f-f == 0 {
		text := strconv.FormatFloat(f, 'g', -1, 64)
		if !strings.ContainsAny(text, ".e") {
			text += ".0"
		}
		return text
	}
	if word == "true" || word == "false" || isTOML(word) {
		return word
	}
	return strconv.Quote(word)
}
