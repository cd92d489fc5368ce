package grid

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"sweep/experiment"
)

// An object is a JSON object.
type object = map[string]any

// schemaText is what is the same for all experiments.
//
//go:embed schema.json
var schemaText []byte

// Schema returns a JSON Schema (draft 7) of the specs that may ask for any of
// the experiments, to be written as JSON: for editors, which then complete and
// check specs as they are typed. It has no references. What it accepts Parse
// may still refuse: it knows nothing of how values stand to each other.
func Schema(experiments []*experiment.Experiment) map[string]any {
	names, rules := []any{}, []any{}
	schema := object{}
	if err := json.Unmarshal(schemaText, &schema); err != nil {
		panic("grid: " + err.Error()) // embedded: it is valid
	}
	properties := schema["properties"].(object)
	for _, e := range experiments {
		names = append(names, e.Name)
		metrics, tables := []any{}, []any{}
		for _, m := range e.Metrics {
			metrics = append(metrics, m.Name)
		}
		for _, t := range e.Tables {
			tables = append(tables, t.Name)
		}
		then := object{"grid": gridSchema(e, false), "stop": choice("metric", metrics), "paper": choice("table", tables)}
		required := []any{}
		if e.Declare != nil {
			then = object{"grid": gridSchema(e, true), parametersKey: object{"type": "object"}, e.Name: object{"type": "object"}}
			required = append(required, e.Name)
			properties[e.Name], properties[parametersKey] = true, true
		}
		rules = append(rules, object{
			"if":   object{"properties": object{"experiment": object{"const": e.Name}}},
			"then": object{"properties": then, "required": required},
		})
	}
	properties["experiment"].(object)["enum"] = names
	schema["allOf"] = rules
	return schema
}

// choice is a table in which a key has one of some values, or does not exist.
func choice(key string, values []any) object {
	if len(values) == 0 {
		return object{"properties": object{key: false}}
	}
	return object{"properties": object{key: object{"enum": values}}}
}

// gridSchema is that of one block, or of several, of an experiment, or of one
// that declares itself.
func gridSchema(e *experiment.Experiment, more bool) object {
	axes, values := object{}, object{}
	spelled := symbols(e)
	for i := range e.Params {
		p := &e.Params[i]
		axes[p.Name], values[p.Name] = axisSchema(p), valueSchema(p)
		if spelled[p.Symbol] == p.Name {
			axes[p.Symbol], values[p.Symbol] = axes[p.Name], values[p.Name]
		}
	}
	text := object{"type": "string", "minLength": 1}
	point := object{"type": "object", "properties": values, "additionalProperties": more}
	axes[whereKey] = object{"type": "string", "minLength": 1, "description": "keep only points that meet this, for example beta * gamma < 1"}
	axes[zipKey] = listOf(object{"type": "array", "items": text, "minItems": 2, "uniqueItems": true})
	axes[excludeKey], axes[includeKey] = listOf(object{"allOf": []object{point, {"minProperties": 1}}}), listOf(point)
	block := object{"type": "object", "properties": axes, "additionalProperties": more}
	return anyOf(block, object{"type": "array", "items": block, "minItems": 1, "maxItems": mostBlocks})
}

func listOf(item any) object { return object{"type": "array", "items": item} }

func anyOf(options ...any) object { return object{"anyOf": options} }

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
			rangeSchema(value, object{"count": object{"type": "integer", "minimum": 1}, "scale": object{"enum": []any{"linear", "log"}}}))
	}
	if p.Kind == experiment.Int {
		options = append(options, object{"type": "string", "pattern": `^-?[0-9]{1,18}\.\.-?[0-9]{1,18}$`})
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
	return object{"type": "object", "required": required, "properties": keys, "additionalProperties": false}
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
