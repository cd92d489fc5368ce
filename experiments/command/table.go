package command

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"sweep/experiment"
	"sweep/internal/document"
	"sweep/internal/suggest"
)

// A table reads a table of a spec, which may be missing. Its methods panic with
// a *document.Fault.
type table struct{ *experiment.Setting }

// fail reports a fault in the value of a key, or in the table if it is empty.
func (t table) fail(key, hint, format string, args ...any) {
	fault := t.Errorf(format, args...)
	fault.Hint = hint
	if key != "" {
		fault.At, fault.Message = cmp.Or(t.Entry(key), t.Setting), key+": "+fault.Message
	}
	panic(fault)
}

// must reports an error in the table, if there is one.
func (t table) must(err error) {
	if err != nil {
		t.fail("", "", "%v", err)
	}
}

// below returns the table that is the value of a key, which has no other keys
// than these.
func (t table) below(key string, keys ...string) table {
	own := table{t.Entry(key)}
	own.only("want a table such as { unit = \"m\", meaning = \"length\" }", keys...)
	return own
}

// only refuses what is no table, and other keys.
func (t table) only(form string, keys ...string) {
	if t.Setting == nil {
		return
	}
	if t.Kind != document.Table {
		t.fail("", "", "%s", form)
	}
	for _, e := range t.Entries {
		if !slices.Contains(keys, e.Key) {
			t.fail(e.Key, suggest.Hint(e.Key, keys), "unknown key, want one of %s", strings.Join(keys, ", "))
		}
	}
}

// get returns the value of a key, which may be missing.
func get[T any](t table, key, accepted string) (v T) {
	if e := t.Entry(key); e != nil {
		var ok bool
		if v, ok = e.Value.(T); !ok {
			t.fail(key, "", "found %s, want %s", e.Found(), accepted)
		}
	}
	return v
}

func (t table) text(key string) string { return get[string](t, key, "a text") }

func (t table) bool(key string) bool { return get[bool](t, key, "true or false") }

// texts reads a list of texts.
func (t table) texts(key string) []string {
	list := t.Entry(key)
	if list == nil {
		return nil
	}
	if list.Kind != document.Array {
		t.fail(key, "", `want a list such as ["a", "b"]`)
	}
	var texts []string
	want := "texts, each once"
	if key == "run" {
		want = "texts"
	}
	for _, e := range list.Elements {
		text, ok := e.Value.(string)
		if !ok || text == "" || slices.Contains(texts, text) && key != "run" {
			t.fail(key, "", "holds %#v, want %s", e.Value, want)
		}
		texts = append(texts, text)
	}
	return texts
}

func (t table) duration(key string) time.Duration {
	text := get[string](t, key, `a text such as "90s"`)
	d, err := time.ParseDuration(text)
	if text != "" && (err != nil || d <= 0) {
		t.fail(key, "", "%q is no duration, want for example \"90s\"", text)
	}
	return d
}

// kind reads the kind of a parameter or metric.
func (t table) kind(other experiment.Kind) experiment.Kind {
	name := t.text("kind")
	kind, ok := map[string]experiment.Kind{"": other, "int": experiment.Int, "float": experiment.Float}[name]
	if !ok {
		t.fail("kind", suggest.Hint(name, []string{"int", "float"}), "%q is no kind, want \"int\" or \"float\"", name)
	}
	return kind
}

// value reads a value of a parameter.
func (t table) value(key string) (v experiment.Value) {
	if e := t.Entry(key); e != nil {
		if v = experiment.ValueOf(e.Value); v.IsNull() {
			t.fail(key, "", "want one finite value")
		}
	}
	return v
}

// run reads how the program is started.
func (t table) run(shell bool) []string {
	e := t.Entry("run")
	text, one := cmp.Or(e, new(document.Node)).Value.(string)
	switch {
	case one && !shell:
		t.fail("run", "", "want a list such as [\"python3\", \"sim.py\"]: a text is for a shell (shell = true)")
	case one:
		return []string{text}
	case e != nil && shell:
		t.fail("run", "", "want a text for the shell")
	}
	list := t.texts("run")
	if len(list) == 0 {
		t.fail("", "", "want the program and its arguments, such as run = [\"python3\", \"sim.py\", \"{seed}\"]")
	}
	return list
}
