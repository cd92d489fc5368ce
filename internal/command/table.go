package command

import (
	"slices"
	"strings"
	"time"

	"sweep/experiment"
	"sweep/internal/document"
)

// The keys of [command], of what it says about a metric and about a column of
// the series, and of what [parameters] says about a parameter.
var (
	commandKeys = []string{
		"run", "shell", "watch", "version", "metrics", "series", "axis",
		"timeout", "keep", "state", "env", "file", "extra",
		"persistent", "restart_after", "restart_above",
	}
	metricKeys = []string{"unit", "meaning", "kind", "pattern"}
	columnKeys = []string{"unit", "meaning", "kind"}
	paramKeys  = []string{
		"unit", "meaning", "source", "symbol", "kind", "min", "max", "default",
	}
)

// specKeys are keys of a spec that stand above all its tables.
var specKeys = []string{"name", "title", "description", "seeds"}

// A table reads a table of a spec, which may be missing. Its methods panic
// with an *experiment.Fault.
type table struct{ *experiment.Setting }

// fail reports a fault in the value of a key, or in the table if it is empty.
func (t table) fail(key, hint, format string, args ...any) {
	fault := t.Errorf(format, args...)
	fault.Hint = hint
	if key != "" {
		fault.Message = key + ": " + fault.Message
		if at := t.Entry(key); at != nil {
			fault.At = at
		}
	}
	panic(fault)
}

// must reports an error in the table, if there is one.
func (t table) must(err error) {
	if err != nil {
		t.fail("", "", "%v", err)
	}
}

// below returns the table that is the value of a key and may have these keys.
func (t table) below(key string, keys []string) table {
	own := table{t.Entry(key)}
	own.only(`want a table such as { unit = "m", meaning = "length" }`, keys)
	return own
}

// only refuses other keys than these, and what is no table.
func (t table) only(form string, keys []string) {
	if t.Setting == nil {
		return
	}
	if t.Table == nil {
		t.fail("", "", "%s", form)
	}
	for _, e := range t.Table {
		if !slices.Contains(keys, e.Key) {
			hint := document.DidYouMean(e.Key, keys)
			if t.Key == Name && slices.Contains(specKeys, e.Key) {
				hint = e.Key + " belongs above all tables"
			}
			t.fail(e.Key, hint, "unknown key, want one of %s", strings.Join(keys, ", "))
		}
	}
}

// get returns the value of a key, which may be missing.
func get[T any](t table, key, accepted string) (v T) {
	e := t.Entry(key)
	if e == nil {
		return v
	}
	v, ok := e.Value.(T)
	if !ok {
		t.fail(key, "", "found %s, want %s", e.Found, accepted)
	}
	return v
}

func (t table) text(key string) string { return get[string](t, key, "a text") }

// textOr reads a text, in whose place another may stand.
func (t table) textOr(key, other string) string {
	if text := t.text(key); text != "" {
		return text
	}
	return other
}

func (t table) bool(key string) bool { return get[bool](t, key, "true or false") }

// texts reads a list of texts, which are not empty. Those of run may repeat.
func (t table) texts(key string) []string {
	list := t.Entry(key)
	if list == nil {
		return nil
	}
	if list.List == nil {
		t.fail(key, "", `want a list such as ["a", "b"]`)
	}
	mayRepeat := key == "run"
	want := "texts, each once"
	if mayRepeat {
		want = "texts"
	}
	var texts []string
	for _, e := range list.List {
		text, ok := e.Value.(string)
		if !ok || text == "" || !mayRepeat && slices.Contains(texts, text) {
			t.fail(key, "", "holds %#v, want %s", e.Value, want)
		}
		texts = append(texts, text)
	}
	return texts
}

// env reads the variables of the program's environment, sorted, as NAME=text.
func (t table) env() (list []string) {
	env := t.Entry("env")
	if env == nil {
		return nil
	}
	const form = `want a table of texts such as { OMP_NUM_THREADS = "1" }`
	if env.Table == nil {
		t.fail("env", "", "found %s, %s", env.Found, form)
	}
	for _, e := range env.Table {
		at := table{e}
		text, isText := e.Value.(string)
		switch {
		case !isText:
			at.fail("", "", "env: %s is %s, %s", e.Key, e.Found, form)
		case e.Key == "" || strings.ContainsAny(e.Key, "=\x00") || strings.Contains(text, "\x00"):
			at.fail("", "", "env: %q cannot be a variable: "+
				"want a name without =, and a text without NUL", e.Key)
		case strings.HasPrefix(e.Key, prefix) || e.Key == "PWD":
			at.fail("", "", "env: %s is set by sweep, want another name", e.Key)
		}
		list = append(list, e.Key+"="+text)
	}
	slices.Sort(list)
	return list
}

// duration reads a duration above 0; it is 0 if there is none.
func (t table) duration(key string) time.Duration {
	text := get[string](t, key, `a text such as "90s"`)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		t.fail(key, "", `%q is no duration, want for example "90s"`, text)
	}
	return d
}

// kind reads the kind of a parameter or metric; unset is what it is without a
// word.
func (t table) kind(unset experiment.Kind) experiment.Kind {
	name := t.text("kind")
	switch name {
	case "":
		return unset
	case "int":
		return experiment.Int
	case "float":
		return experiment.Float
	}
	near := document.DidYouMean(name, []string{"int", "float"})
	t.fail("kind", near, `%q is no kind, want "int" or "float"`, name)
	return unset
}

// value reads a value of a parameter; it is null if there is none.
func (t table) value(key string) experiment.Value {
	e := t.Entry(key)
	if e == nil {
		return experiment.Value{}
	}
	v := experiment.ValueOf(e.Value)
	if v.IsNull() {
		t.fail(key, "", "want one finite value")
	}
	return v
}

// bound reads a bound of a parameter's values, or returns what stands for
// none.
func (t table) bound(key string, none float64) float64 {
	v := t.value(key)
	if v.IsNull() {
		return none
	}
	return v.Float()
}

// refuseQuoted refuses a shell's text with a parameter within quotation marks.
func (t table) refuseQuoted(text string) {
	found := quotedPlaceholder(text)
	if found != "" {
		t.fail("run", "write "+found+" alone: it becomes one quoted word",
			"%s stands within quotation marks, which its value could end", found)
	}
}

// run reads how the program is started: one text for a shell, or the program
// and its arguments.
func (t table) run(shell bool) []string {
	e := t.Entry("run")
	if e != nil {
		text, isText := e.Value.(string)
		if isText && !shell {
			t.fail("run", "",
				`want a list such as ["python3", "sim.py"]: a text is for a shell (shell = true)`)
		}
		if isText {
			t.refuseQuoted(text)
			return []string{text}
		}
		if shell {
			t.fail("run", "", "want a text for the shell")
		}
	}
	list := t.texts("run")
	if len(list) == 0 {
		t.fail("", "",
			`want the program and its arguments, such as run = ["python3", "sim.py", "{seed}"]`)
	}
	return list
}
