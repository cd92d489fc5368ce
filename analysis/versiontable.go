package analysis

import (
	"fmt"
	"slices"
	"strings"

	"sweep/internal/inference"
	"sweep/internal/table"
)

// layOut says how the effects are printed, each with its cell's values of some
// parameters.
func (v *Versions) layOut(axes []int) {
	v.family.title = ", new − old"
	v.family.columns = contrastColumns{
		left:     "new",
		right:    "old",
		estimate: "diff.",
		key:      "difference",
	}
	v.family.lead = func(c *Contrast) []table.Cell {
		e := v.readers[after].Plan.Experiment()
		return AxisCells(e, axes, v.cells[after][c.sets[0][0]])
	}
	v.family.last = func(c *Contrast) []table.Cell {
		isChanged := c.changed(v.level)
		mark := ""
		if isChanged {
			mark = "changed"
		}
		return []table.Cell{
			{Name: "", Left: true, In: table.People, Value: mark},
			table.ForPrograms("changed", isChanged),
		}
	}
}

// ChangedVerdicts returns on how many claims the verdict is another one.
func (v *Versions) ChangedVerdicts() (n int) {
	for _, c := range v.Claims {
		if c.Old != c.New {
			n++
		}
	}
	return n
}

// Tables returns what was found as tables: first what it comes to, then the
// claims whose verdict changed, then the effects. CSV has the effects only.
func (v *Versions) Tables(format string) []*table.Table {
	var tables []*table.Table
	var warnings []string
	tests := 0
	notes := slices.Clone(v.notes)
	if v.family.metrics != nil {
		var without []string
		tables, warnings, tests, without = v.family.tables(format)
		if without != nil {
			notes = append(notes, leftOut(without))
		}
	}
	if !slices.Contains(table.People, format) {
		return tables
	}
	list := append([]*table.Table{v.summary()}, v.claimsTable()...)
	list = append(list, tables...)
	last := &table.Table{Warnings: append(slices.Clone(v.warnings), warnings...)}
	if tables != nil {
		last.Notes = append(last.Notes, "n pairs of runs with the same parameters and seed; "+
			"the mean of new − old, with its 95 % limits one by one",
			fmt.Sprintf("changed: limits at a level at which those of %s hold together exclude 0; "+
				"p: of no difference, adjusted after Holm", table.Count(int64(tests), "effect")))
	}
	last.Notes = append(last.Notes, notes...)
	return append(list, last)
}

// summary says in a few lines what was found.
func (v *Versions) summary() *table.Table {
	t := &table.Table{
		Title: fmt.Sprintf("%s (new) against %s (old)", v.Dirs[after], v.Dirs[before]),
		Notes: []string{v.Outcome()},
	}
	if v.equal != nil {
		t.Notes = append(t.Notes, "equal in all pairs of runs: "+strings.Join(v.equal, ", "))
	}
	return t
}

// Outcome says in one line how many effects and verdicts changed.
func (v *Versions) Outcome() string {
	text := fmt.Sprintf("%d of %s changed", v.Changed, table.Count(int64(v.Effects), "effect"))
	if v.Claims != nil {
		text += fmt.Sprintf(", %d of %s on claims", v.ChangedVerdicts(),
			table.Count(int64(len(v.Claims)), "verdict"))
	}
	return text
}

// claimsTable returns a table of the claims whose verdict changed, if there are
// any.
func (v *Versions) claimsTable() []*table.Table {
	if v.ChangedVerdicts() == 0 {
		return nil
	}
	t := &table.Table{Title: "verdicts that changed"}
	for _, c := range v.Claims {
		if c.Old != c.New {
			t.Add([]table.Cell{
				table.Left("old", c.Old),
				table.Left("new", c.New),
				table.Left("claim", c.Text),
			})
		}
	}
	return []*table.Table{t}
}

// JSON returns what was found for table.WriteJSON.
func (v *Versions) JSON() any {
	effects := &table.Table{}
	for _, t := range v.Tables(table.JSON) {
		effects.Columns = t.Columns
		effects.Rows = append(effects.Rows, t.Rows...)
	}
	claims := []map[string]any{}
	for _, c := range v.Claims {
		claims = append(claims, map[string]any{
			"claim":   c.Text,
			"old":     c.Old,
			"new":     c.New,
			"changed": c.Old != c.New,
		})
	}
	return map[string]any{
		"old":               v.Dirs[before],
		"new":               v.Dirs[after],
		"old_model_version": v.readers[before].Plan.Experiment().Version,
		"new_model_version": v.readers[after].Plan.Experiment().Version,
		"effects":           v.Effects,
		"changed_effects":   v.Changed,
		"changed_verdicts":  v.ChangedVerdicts(),
		"level":             inference.Confidence,
		"family_level":      v.level,
		"equal":             notNil(v.equal),
		"claims":            claims,
		"rows":              effects,
		"notes":             notNil(v.notes),
		"warnings":          notNil(v.warnings),
	}
}
