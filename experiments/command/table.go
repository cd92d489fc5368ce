package command

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sweep/experiment"
)

// A table reads a table of a spec. Its methods panic with a
// *experiment.SettingError.
type table struct {
	path     []string
	settings experiment.Settings
}

// fail reports a fault in the value of a key, or in the table if it is empty.
func (t *table) fail(key, hint, format string, args ...any) {
	fault := &experiment.SettingError{Path: t.path, Message: fmt.Sprintf(format, args...), Hint: hint}
	if key != "" {
		fault.Path, fault.Message = append(slices.Clone(t.path), key), key+": "+fault.Message
	}
	panic(fault)
}

// below returns the table that is the value of a key, empty if it is not
// there, which has no other keys than these.
func (t *table) below(key string, keys ...string) *table {
	own := &table{path: append(slices.Clone(t.path), key)}
	v := t.settings.Get(key)
	if settings, ok := v.(experiment.Settings); ok {
		own.settings = settings
	} else if v != nil {
		own.fail("", "", "want a table such as { unit = \"m\", meaning = \"length\" }")
	}
	own.only(keys...)
	return own
}

// only refuses other keys.
func (t *table) only(keys ...string) {
	for _, s := range t.settings {
		if !slices.Contains(keys, s.Key) {
			t.fail(s.Key, "", "unknown key, want one of %s", strings.Join(keys, ", "))
		}
	}
}

// get returns the value of a key, which may be missing.
func get[T any](t *table, key, accepted string) T {
	x := t.settings.Get(key)
	v, ok := x.(T)
	if x != nil && !ok {
		t.fail(key, "", "want %s", accepted)
	}
	return v
}

func (t *table) text(key string) string { return get[string](t, key, "a text") }

func (t *table) bool(key string) bool { return get[bool](t, key, "true or false") }

// texts reads a list of texts.
func (t *table) texts(key string) []string {
	var texts []string
	for _, e := range get[[]any](t, key, `a list such as ["a", "b"]`) {
		text, ok := e.(string)
		if !ok || text == "" || slices.Contains(texts, text) && key != "run" {
			t.fail(key, "", "holds %#v, want texts, each once", e)
		}
		texts = append(texts, text)
	}
	return texts
}

func (t *table) duration(key string) time.Duration {
	text := t.text(key)
	d, err := time.ParseDuration(text)
	if text != "" && (err != nil || d <= 0) {
		t.fail(key, "", "%q is no duration, want for example \"90s\"", text)
	}
	return d
}

// kind reads the kind of a parameter or metric.
func (t *table) kind(other experiment.Kind) experiment.Kind {
	switch kind := t.text("kind"); kind {
	case "":
	case "int":
		return experiment.Int
	case "float":
		return experiment.Float
	default:
		t.fail("kind", "", "%q is no kind, want \"int\" or \"float\"", kind)
	}
	return other
}

// value reads a value of a parameter.
func (t *table) value(key string) experiment.Value {
	switch v := t.settings.Get(key).(type) {
	case nil:
	case bool:
		return experiment.BoolValue(v)
	case int64:
		return experiment.IntValue(v)
	case string:
		return experiment.StringValue(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.fail(key, "", "want a finite number")
		}
		return experiment.FloatValue(v)
	default:
		t.fail(key, "", "want one value")
	}
	return experiment.Value{}
}

// run reads how the program is started.
func (t *table) run(shell bool) []string {
	v := t.settings.Get("run")
	text, one := v.(string)
	switch {
	case one && !shell:
		t.fail("run", "", "want a list such as [\"python3\", \"sim.py\"]: a text is for a shell (shell = true)")
	case one:
		return []string{text}
	case v != nil && shell:
		t.fail("run", "", "want a text for the shell")
	}
	list := t.texts("run")
	if len(list) == 0 {
		t.fail("", "", "want the program and its arguments, such as run = [\"python3\", \"sim.py\", \"{seed}\"]")
	}
	return list
}
