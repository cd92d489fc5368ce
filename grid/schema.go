package grid

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/text"

	"sweep/experiment"
)

// schemaText writes the schema of a list of experiments.
//
//go:embed schema.tmpl
var schemaText string

var schemaFunctions = template.FuncMap{
	"is":          func(p *experiment.Param, kind string) bool { return p.Kind.String() == kind },
	"isNull":      experiment.Value.IsNull,
	"description": description,
	"columnsOf":   columnsOf,
	"spelled":     spelled,
	"nameForm":    func() string { return experiment.FileNameForm },
	"maxBlocks":   func() int { return maxBlocks },
	"maxFigures":  func() int { return maxFigures },
	"kinds":       experiment.Kinds,
	"mostFloat":   func() float64 { return math.MaxFloat64 },
	"tables":      tables,
	"json": func(v any) (string, error) {
		text, err := json.Marshal(v)
		return string(text), err
	},
}

// Schema returns a JSON Schema (draft 7) of specs for any of the experiments.
// Written as JSON, it lets editors complete and check specs as they are
// typed. It has no references. Parse may reject specs that it accepts,
// because it does not know how values depend on each other.
func Schema(experiments []*experiment.Experiment) (schema map[string]any) {
	all := template.Must(template.New("schema").Funcs(schemaFunctions).Parse(schemaText))
	var text bytes.Buffer
	err := all.Execute(&text, experiments)
	if err == nil {
		err = json.Unmarshal(text.Bytes(), &schema)
	}
	if err != nil {
		panic("grid: " + err.Error()) // embedded: it is valid
	}
	return schema
}

// tables returns the schemas of the tables from which an experiment declares
// itself.
func tables(e *experiment.Experiment) (schemas map[string]any, err error) {
	anyTable := map[string]any{"type": "object"}
	schemas = map[string]any{e.Name: anyTable, parametersKey: anyTable}
	if e.Schema != nil {
		err = json.Unmarshal(e.Schema, &schemas)
	}
	return schemas, err
}

// spelled returns the parameters by name and by symbol.
func spelled(e *experiment.Experiment) map[string]*experiment.Param {
	all := map[string]*experiment.Param{}
	for i := range e.Params {
		for _, name := range []string{e.Params[i].Name, e.Params[i].Symbol} {
			if p, _ := find(e, name); p == &e.Params[i] {
				all[name] = p
			}
		}
	}
	return all
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
