package grid

import (
	"fmt"
	"math"
	"strings"

	"sweep/experiment"
	"sweep/internal/design"
)

// An object is a JSON object.
type object = map[string]any

// Schema returns a JSON Schema (draft 7) of the specs that may ask for any of
// the experiments, to be written as JSON: for editors, which then complete and
// check specs as they are typed. It has no references. What it accepts Parse
// may still refuse: it knows nothing of how values stand to each other.
func Schema(experiments []*experiment.Experiment) map[string]any {
	var names []any
	var rules []any
	properties := object{
		"name":    object{"type": "string", "pattern": `^[A-Za-z0-9]([A-Za-z0-9._-]{0,98}[A-Za-z0-9_-])?$`, "description": "name of the sweep; default: the file's"},
		"seeds":   seedsSchema(),
		"stop":    stopSchema(nil),
		sampleKey: closed([]any{"design", "points"}, object{"design": object{"enum": design.Names()}, "points": integer(1), "seed": integer(0)}),
		"grid":    true,
		"paper":   object{"type": "object"},
		"claim":   listOf(claimSchema()),
		inputsKey: listOf(closed([]any{"file", "holds"}, object{"file": text(1), "holds": text(1)})),
	}
	for _, e := range experiments {
		names = append(names, e.Name)
		then := object{"grid": gridSchema(e), "stop": stopSchema(e.Metrics), "paper": paperSchema(e)}
		required := []any{}
		if e.Declare != nil {
			then = object{"grid": anyGridSchema(), parametersKey: object{"type": "object"}, e.Name: object{"type": "object"}}
			required = append(required, e.Name)
			properties[e.Name], properties[parametersKey] = true, true
		}
		rules = append(rules, object{
			"if":   object{"properties": object{"experiment": object{"const": e.Name}}},
			"then": object{"properties": then, "required": required},
		})
	}
	properties["experiment"] = object{"enum": names, "description": "what is swept over"}
	schema := closed([]any{"experiment"}, properties)
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "a sweep"
	schema["allOf"] = rules
	return schema
}

// closed is a table with these keys only.
func closed(required []any, properties object) object {
	return object{"type": "object", "required": required, "properties": properties, "additionalProperties": false}
}

func listOf(item any) object { return object{"type": "array", "items": item} }

func anyOf(options ...any) object { return object{"anyOf": options} }

func text(least int) object { return object{"type": "string", "minLength": least} }

func integer(least int64) object { return object{"type": "integer", "minimum": least} }

// intervals are integers such as "1..30".
func intervals(sign string) object {
	return object{"type": "string", "pattern": `^` + sign + `[0-9]{1,18}\.\.` + sign + `[0-9]{1,18}$`}
}

func seedsSchema() object {
	s := anyOf(integer(1), intervals(""),
		object{"type": "array", "items": integer(0), "minItems": 1, "uniqueItems": true},
		closed([]any{"from", "count"}, object{"from": integer(0), "count": integer(1)}),
		closed([]any{"from", "to"}, object{"from": integer(0), "to": integer(0)}))
	s["description"] = "seeds of every cell: " + seedForms
	return s
}

func stopSchema(metrics []experiment.Metric) object {
	metric := text(1)
	if metrics != nil {
		var names []any
		for _, m := range metrics {
			names = append(names, m.Name)
		}
		metric = object{"enum": names}
	}
	return closed([]any{"metric", "half_width"}, object{
		"metric":     metric,
		"half_width": anyOf(object{"type": "number", "exclusiveMinimum": 0}, object{"type": "string", "pattern": `^\s*[0-9.]+\s*%$`}),
		"confidence": object{"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
		"min":        integer(2),
		"max":        integer(2),
	})
}

func paperSchema(e *experiment.Experiment) object {
	if len(e.Tables) == 0 {
		return closed([]any{}, object{})
	}
	var names []any
	for _, t := range e.Tables {
		names = append(names, t.Name)
	}
	return closed([]any{}, object{"table": object{"enum": names}})
}

func claimSchema() object {
	names := anyOf(text(1), listOf(text(1)))
	return closed([]any{"text", "source"}, object{
		"text": text(1), "source": text(1), "expect": text(1), "untested": text(1),
		"calibrated": object{"type": "boolean"}, "each": names, "some": names, "over": names,
	})
}

// gridSchema is that of one block, or of several.
func gridSchema(e *experiment.Experiment) object {
	axes, values := object{}, object{}
	spelled := symbols(e)
	for i := range e.Params {
		p := &e.Params[i]
		axes[p.Name], values[p.Name] = axisSchema(p), valueSchema(p)
		if spelled[p.Symbol] == p.Name {
			axes[p.Symbol], values[p.Symbol] = axes[p.Name], values[p.Name]
		}
	}
	return blocksSchema(axes, values, false)
}

// anyGridSchema is that of an experiment that declares itself.
func anyGridSchema() object { return blocksSchema(object{}, object{}, true) }

func blocksSchema(axes, values object, more any) object {
	point := object{"type": "object", "properties": values, "additionalProperties": more}
	excluded := object{"type": "object", "properties": values, "additionalProperties": more, "minProperties": 1}
	axes[whereKey] = object{"type": "string", "minLength": 1, "description": "keep only points that meet this, for example beta * gamma < 1"}
	axes[zipKey] = listOf(object{"type": "array", "items": text(1), "minItems": 2, "uniqueItems": true})
	axes[excludeKey], axes[includeKey] = listOf(excluded), listOf(point)
	block := object{"type": "object", "properties": axes, "additionalProperties": more}
	return anyOf(block, object{"type": "array", "items": block, "minItems": 1, "maxItems": mostBlocks})
}

// valueSchema is that of one value of a parameter.
func valueSchema(p *experiment.Param) object {
	s := object{}
	switch p.Kind {
	case experiment.Bool:
		s["type"] = "boolean"
	case experiment.Int, experiment.Float:
		s["type"] = map[experiment.Kind]string{experiment.Int: "integer", experiment.Float: "number"}[p.Kind]
		low, high := "minimum", "maximum"
		if p.MinOpen {
			low = "exclusiveMinimum"
		}
		if p.MaxOpen {
			high = "exclusiveMaximum"
		}
		s[low], s[high] = p.Min, p.Max
	case experiment.String:
		s["type"] = "string"
		if p.Input == nil && p.Choices != nil {
			s["enum"] = p.Choices
		}
	}
	return s
}

// axisSchema is that of a parameter in a block: one value, several, or a
// range.
func axisSchema(p *experiment.Param) object {
	value := valueSchema(p)
	options := []any{value, object{"type": "array", "items": value, "minItems": 1, "uniqueItems": true}}
	if p.Kind == experiment.Int || p.Kind == experiment.Float {
		step := object{"type": "number", "minimum": -math.MaxFloat64, "maximum": math.MaxFloat64}
		if p.Kind == experiment.Int {
			step["type"] = "integer"
		}
		options = append(options, rangeSchema(value, object{"scale": object{"enum": []any{"linear", "log"}}}), // sampled, or whole
			rangeSchema(value, object{"step": step}),
			rangeSchema(value, object{"factor": object{"type": "number", "exclusiveMinimum": 0, "maximum": math.MaxFloat64}}),
			rangeSchema(value, object{"count": integer(1), "scale": object{"enum": []any{"linear", "log"}}}))
	}
	if p.Kind == experiment.Int {
		options = append(options, intervals("-?"))
	}
	s := anyOf(options...)
	s["description"] = description(p)
	if !p.Default.IsNull() {
		s["default"] = p.Default
	}
	return s
}

// rangeSchema is that of a range with these keys, the first of which it
// needs, beside its ends.
func rangeSchema(end object, keys object) object {
	required := []any{"from", "to"}
	for _, key := range []string{"step", "factor", "count"} {
		if keys[key] != nil {
			required = append(required, key)
		}
	}
	keys["from"], keys["to"] = end, end
	return closed(required, keys)
}

// description tells what a parameter means.
func description(p *experiment.Param) string {
	words := p.Meaning
	if p.Symbol != "" {
		words = p.Symbol + ": " + words
	}
	if p.Unit != "" {
		words += ", in " + p.Unit
	}
	words += fmt.Sprintf("; %s, default %s", p.Accepts(), p.Default)
	if p.UsedBy != nil {
		words += "; of " + strings.Join(p.UsedBy, ", ")
	}
	return words + " (" + p.Source + ")"
}
