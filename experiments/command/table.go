package command

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"sweep/experiment"
)

// A table reads a table of a spec, and keeps the first fault.
type table struct {
	path     []string
	settings experiment.Settings
	err      error
}

// fail notes a fault in the value of a key, or in the table if it is empty.
func (t *table) fail(key, format string, args ...any) {
	path := slices.Clone(t.path)
	if key != "" {
		path = append(path, key)
		format = strings.ReplaceAll(key, "%", "%%") + ": " + format
	}
	t.failAt(path, format, args...)
}

func (t *table) failAt(path []string, format string, args ...any) {
	if t.err == nil {
		t.err = &experiment.SettingError{Path: path, Message: fmt.Sprintf(format, args...)}
	}
}

// hint adds a hint to the fault.
func (t *table) hint(format string, args ...any) {
	if fault, ok := t.err.(*experiment.SettingError); ok && fault.Hint == "" {
		fault.Hint = fmt.Sprintf(format, args...)
	}
}

// take takes the fault of another table.
func (t *table) take(other *table) {
	if t.err == nil {
		t.err = other.err
	}
}

// only refuses other keys.
func (t *table) only(keys ...string) {
	for _, s := range t.settings {
		if !slices.Contains(keys, s.Key) {
			t.fail(s.Key, "unknown key, want one of %s", strings.Join(keys, ", "))
		}
	}
}

// table returns a value that must be a table.
func (t *table) table(v any, path []string) experiment.Settings {
	s, ok := v.(experiment.Settings)
	if !ok {
		t.failAt(path, "want a table such as { unit = \"m\", meaning = \"length\" }")
	}
	return s
}

func (t *table) text(key string) string {
	v := t.settings.Get(key)
	text, ok := v.(string)
	if v != nil && (!ok || text == "") {
		t.fail(key, "want a text")
	}
	return text
}

func (t *table) bool(key string) bool {
	v := t.settings.Get(key)
	b, ok := v.(bool)
	if v != nil && !ok {
		t.fail(key, "want true or false")
	}
	return b
}

// texts reads a list of texts.
func (t *table) texts(key string) []string {
	v := t.settings.Get(key)
	list, ok := v.([]any)
	if v != nil && !ok {
		t.fail(key, "want a list such as [\"a\", \"b\"]")
	}
	var texts []string
	for _, e := range list {
		text, ok := e.(string)
		if !ok || text == "" || slices.Contains(texts, text) && key != "run" {
			t.fail(key, "holds %#v, want texts, each once", e)
		}
		texts = append(texts, text)
	}
	return texts
}

func (t *table) duration(key string) time.Duration {
	text := t.text(key)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.fail(key, "%q is no duration, want for example \"90s\"", text)
	}
	return d
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
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			return experiment.FloatValue(v)
		}
		t.fail(key, "want a finite number")
	default:
		t.fail(key, "want one value")
	}
	return experiment.Value{}
}

// run reads how the program is started.
func (t *table) run(shell bool) []string {
	v := t.settings.Get("run")
	text, one := v.(string)
	switch {
	case v == nil:
		t.fail("", "want the program and its arguments, such as run = [\"python3\", \"sim.py\", \"{seed}\"]")
	case one && !shell:
		t.fail("run", "want a list such as [\"python3\", \"sim.py\"]: a text is for a shell (shell = true)")
	case one:
		return []string{text}
	case shell:
		t.fail("run", "want a text for the shell")
	}
	list := t.texts("run")
	if v != nil && len(list) == 0 {
		t.fail("run", "want the program and its arguments")
	}
	return list
}
