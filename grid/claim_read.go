package grid

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/internal/suggest"
)

// The keys of a [[claim]]; the second half says what it compares and how.
var (
	claimKeys = []string{"says", "source", "untested", "table", "metric", "series", "take", "statistic",
		"of", "minus", "above", "below", "near", "rises", "falls", "times", "by", "within", "every", "some"}
	claimRules = []string{"above", "below", "near", "rises", "falls"}
)

// mostClaims bounds the work that the claims of a spec make.
const mostClaims = 1000

// ParseUntested reads a TOML text that has no sweep, only claims that
// nothing tests. Every fault is reported as an *Error.
func ParseUntested(file string, source []byte) ([]Claim, error) {
	r := &reader{file: file}
	root, err := r.document(source)
	if err != nil {
		return nil, err
	}
	if err := r.only(root, claimKey); err != nil {
		return nil, err
	}
	var list []Claim
	tables, err := r.claimTables(root.Entry(claimKey))
	if err != nil {
		return nil, err
	}
	for _, t := range tables {
		c, err := r.words(t)
		if err != nil {
			return nil, err
		}
		if c.Untested == "" {
			return nil, r.at(t.Pos, "the claim has no sweep that tests it, want untested: why not")
		}
		list = append(list, c)
	}
	return list, nil
}

const claimKey = "claim"

// claims reads the claims about a plan.
func (r *reader) claims(n *document.Node, p *Plan) ([]Claim, error) {
	tables, err := r.claimTables(n)
	if err != nil || len(tables) == 0 {
		return nil, err
	}
	cells, err := r.claimCells(tables[0].Pos, p)
	if err != nil {
		return nil, err
	}
	var list []Claim
	for _, t := range tables {
		c, err := r.words(t)
		switch {
		case err != nil:
			return nil, err
		case c.Untested != "":
			list = append(list, c)
		case t.Entry("table") != nil:
			rows, err := r.tableClaims(c, t, cells)
			if err != nil {
				return nil, err
			}
			list = append(list, rows...)
		default:
			d := &claimReader{reader: r, table: t, cells: cells, claim: c}
			if err := d.read(); err != nil {
				return nil, err
			}
			list = append(list, d.claim)
		}
	}
	return list, nil
}

func (r *reader) claimTables(n *document.Node) ([]*document.Node, error) {
	if n == nil {
		return nil, nil
	}
	if n.Kind != document.Array {
		return nil, r.at(n.Pos, "claim is %s, want tables such as [[claim]]", found(n))
	}
	if len(n.Elements) > mostClaims {
		return nil, r.at(n.Elements[mostClaims].Pos, "%d claims, want at most %d", len(n.Elements), mostClaims)
	}
	for _, t := range n.Elements {
		if t.Kind != document.Table {
			return nil, r.at(t.Pos, "claim holds %s, want tables such as [[claim]]", found(t))
		}
		if err := r.only(t, claimKeys...); err != nil {
			return nil, err
		}
	}
	return n.Elements, nil
}

// words reads what every claim has.
func (r *reader) words(t *document.Node) (Claim, error) {
	c := Claim{Line: t.Pos.Line, Statistic: StatisticMean}
	for _, text := range []struct {
		key string
		to  *string
	}{{"says", &c.Says}, {"source", &c.Source}, {"untested", &c.Untested}} {
		n := t.Entry(text.key)
		if n == nil {
			continue
		}
		var ok bool
		if *text.to, ok = n.Value.(string); !ok || strings.TrimSpace(*text.to) == "" {
			return c, r.at(n.Pos, "%s is %s, want a text", text.key, found(n))
		}
	}
	if c.Says == "" {
		return c, r.at(t.Pos, "the claim has no key \"says\": the claim in words")
	}
	if c.Source == "" {
		return c, r.at(t.Pos, "the claim has no key \"source\": who made it, where")
	}
	if c.Untested != "" {
		for _, e := range t.Entries {
			if e.Key != "says" && e.Key != "source" && e.Key != "untested" {
				return c, r.at(e.KeyPos, "an untested claim has a key %q, want says, source, untested alone", e.Key)
			}
		}
	}
	return c, nil
}

// tableClaims makes a claim of each row of a paper's table: that the means
// are those of the paper. The cases are the columns, in every cell of the
// named axes.
func (r *reader) tableClaims(c Claim, t *document.Node, cells *claimCells) ([]Claim, error) {
	for _, e := range t.Entries {
		if !contains([]string{"says", "source", "table", "within", "every", "of"}, e.Key) {
			return nil, r.at(e.KeyPos, "a claim about a table has a key %q, want says, source, table, within, of, every", e.Key)
		}
	}
	name, err := r.tableName(t.Entry("table"))
	if err != nil {
		return nil, err
	}
	table := r.model.experiment.Table(name)
	column, at := r.model.experiment.Param(table.Column)
	d := &claimReader{reader: r, table: t, cells: cells, claim: c}
	d.claim.Rule = Rule{Relation: Near, Times: 1}
	if err := d.within(); err != nil {
		return nil, err
	}
	if err := d.quantifier(); err != nil {
		return nil, err
	}
	of := selection{pos: t.Pos, want: map[int][]experiment.Value{}}
	if n := t.Entry("of"); n != nil {
		if of, err = d.selection(n); err != nil {
			return nil, err
		}
		if c := n.Entry(table.Column); c != nil {
			return nil, r.at(c.KeyPos, "%s heads the columns of the table, each of which is checked", table.Column)
		}
	}
	for _, h := range table.Headers {
		v, err := column.Parse(h)
		if err != nil {
			return nil, r.at(t.Pos, "table %s: %v", name, err)
		}
		of.want[at] = append(of.want[at], v)
	}
	d.agree = append(d.agree, at)
	left, err := d.leftCells(of)
	if err != nil {
		return nil, err
	}
	var list []Claim
	for _, row := range table.Rows {
		claim := d.claim
		claim.Says += ": " + row.Label
		claim.Asks = fmt.Sprintf("%s near the paper's, %s%s", row.Metric, d.tolerance(), d.scope())
		claim.Measures = []Measure{{Index: r.model.experiment.Metric(row.Metric)}}
		for _, cell := range left {
			for h, v := range of.want[at] {
				if cells.values[cell][at] == v {
					claim.Cases = append(claim.Cases, Case{
						Where: d.where(cell), Left: Side{Of: everything(cell)}, Number: row.Mean[h], Std: row.Std[h],
					})
				}
			}
		}
		list = append(list, claim)
	}
	return list, nil
}

// everything is a cell with all of its series.
func everything(cell int64) Term { return Term{Cell: cell, After: math.Inf(-1), To: math.Inf(1)} }

// A claimReader reads one claim.
type claimReader struct {
	*reader
	table *document.Node
	cells *claimCells
	claim Claim

	agree []int // parameters in which both sides of a case agree
}

func (d *claimReader) read() error {
	for _, step := range []func() error{d.measures, d.statistic, d.quantifier, d.rule} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// measures reads metric, or series and take.
func (d *claimReader) measures() error {
	e := d.model.experiment
	metric, series, take := d.table.Entry("metric"), d.table.Entry("series"), d.table.Entry("take")
	switch {
	case metric == nil && series == nil:
		return d.at(d.table.Pos, "the claim has none of metric, series, table, untested, want one")
	case metric != nil && series != nil:
		return d.at(series.KeyPos, "the claim has both metric and series, want one")
	case metric != nil && take != nil:
		return d.at(take.KeyPos, "take needs a series, but the claim is about a metric")
	}
	n, what, known := metric, "metric", e.Metrics
	m := Measure{}
	if series != nil {
		n, what, known = series, "series", e.Series.Columns
		m.Take = TakeMean
	}
	if take != nil {
		word, err := d.word(take, string(TakeMean), string(TakeMin), string(TakeMax), string(TakeStd))
		if err != nil {
			return err
		}
		m.Take = Take(word)
	}
	nodes := []*document.Node{n}
	if n.Kind == document.Array {
		nodes = n.Elements
	}
	if len(nodes) == 0 {
		return d.at(n.Pos, "%s is an empty list, want at least one name", what)
	}
	var names []string
	for _, k := range known {
		names = append(names, k.Name)
	}
	for _, n := range nodes {
		name, err := d.word(named(n, what), names...)
		if err != nil {
			return err
		}
		for i := range names {
			if names[i] == name {
				m.Index = i
			}
		}
		d.claim.Measures = append(d.claim.Measures, m)
	}
	return nil
}

// named gives an element of a list a name for messages.
func named(n *document.Node, key string) *document.Node {
	with := *n
	with.Key = key
	return &with
}

// word reads one of several words.
func (r *reader) word(n *document.Node, known ...string) (string, error) {
	list := strings.Join(known, ", ")
	if list == "" {
		list = "nothing: " + r.model.experiment.Name + " has none"
	} else {
		list = "one of " + list
	}
	word, ok := n.Value.(string)
	if !ok {
		return "", r.at(n.Pos, "%s is %s, want %s", n.Key, found(n), list)
	}
	if !contains(known, word) {
		return "", r.at(n.Pos, "%s is %q, want %s", n.Key, word, list).meant(suggest.Nearest(word, known))
	}
	return word, nil
}

func (d *claimReader) statistic() error {
	n := d.table.Entry("statistic")
	if n == nil {
		return nil
	}
	word, err := d.word(n, string(StatisticMean), string(StatisticVariation))
	d.claim.Statistic = Statistic(word)
	return err
}

// quantifier reads every or some: a parameter or a list of parameters.
func (d *claimReader) quantifier() error {
	n := d.table.Entry("every")
	if some := d.table.Entry("some"); some != nil {
		if n != nil {
			return d.at(some.KeyPos, "the claim has both every and some, want one")
		}
		n, d.claim.Some = some, true
	}
	if n == nil {
		return nil
	}
	nodes := []*document.Node{n}
	if n.Kind == document.Array {
		nodes = n.Elements
	}
	for _, e := range nodes {
		i, err := d.parameter(named(e, n.Key))
		if err != nil {
			return err
		}
		d.agree = append(d.agree, i)
	}
	return nil
}

// parameter reads the name of a parameter.
func (d *claimReader) parameter(n *document.Node) (int, error) {
	name, err := d.word(n, d.model.names()...)
	if err != nil {
		return 0, err
	}
	_, i := d.model.experiment.Param(name)
	return i, nil
}

// rule reads the rule and what it compares.
func (d *claimReader) rule() error {
	var rule *document.Node
	for _, key := range claimRules {
		n := d.table.Entry(key)
		switch {
		case n == nil:
		case rule != nil:
			return d.at(n.KeyPos, "the claim has both %s and %s, want one of %s", rule.Key, key, strings.Join(claimRules, ", "))
		default:
			rule = n
		}
	}
	if rule == nil {
		return d.at(d.table.Pos, "the claim has no rule, want one of %s", strings.Join(claimRules, ", "))
	}
	d.claim.Rule = Rule{Relation: Relation(rule.Key), Times: 1}
	of := selection{pos: d.table.Pos, want: map[int][]experiment.Value{}}
	if n := d.table.Entry("of"); n != nil {
		var err error
		if of, err = d.selection(n); err != nil {
			return err
		}
	}
	var minus *selection
	if n := d.table.Entry("minus"); n != nil {
		s, err := d.selection(n)
		if err != nil {
			return err
		}
		minus = &s
	}
	if err := d.amounts(rule); err != nil {
		return err
	}
	var right *selection
	if rule.Kind == document.Table {
		s, err := d.selection(rule)
		if err != nil {
			return err
		}
		right = &s
	}
	d.claim.Asks = d.asks(rule, of, minus, right)
	switch {
	case rule.Key == "rises" || rule.Key == "falls":
		return d.trend(rule, of, minus)
	case right != nil:
		return d.against(of, minus, *right)
	}
	number, err := d.number(rule)
	if err != nil {
		return d.at(rule.Pos, "%s is %s, want a number, or a cell such as { %s = … }", rule.Key, found(rule), d.model.names()[0])
	}
	return d.againstNumber(of, minus, number)
}

// amounts reads times, by and within, and refuses them where they mean
// nothing.
func (d *claimReader) amounts(rule *document.Node) error {
	trend := rule.Key == "rises" || rule.Key == "falls"
	cell := rule.Kind == document.Table
	variation := d.claim.Statistic == StatisticVariation
	if variation && (cell || trend || d.table.Entry("minus") != nil) {
		return d.at(d.table.Entry("statistic").KeyPos, "the variation can be compared with a number only")
	}
	if n := d.table.Entry("times"); n != nil {
		x, err := d.number(n)
		if err != nil {
			return err
		}
		if !cell || x <= 0 || d.table.Entry("minus") != nil || d.table.Entry("by") != nil {
			return d.at(n.KeyPos, "times needs a positive number and a cell to multiply, without minus and by")
		}
		d.claim.Rule.Times = x
	}
	if n := d.table.Entry("by"); n != nil {
		x, err := d.number(n)
		if err != nil {
			return err
		}
		if rule.Key == "near" || x < 0 {
			return d.at(n.KeyPos, "by needs a number of at least 0 and one of above, below, rises, falls")
		}
		d.claim.Rule.By = x
	}
	if rule.Key == "near" {
		return d.within()
	}
	if n := d.table.Entry("within"); n != nil {
		return d.at(n.KeyPos, "within needs near, but the claim has %s", rule.Key)
	}
	return nil
}

// within reads a tolerance: a number, or a percentage such as "10%".
func (d *claimReader) within() error {
	const want = `a number of at least 0, or a percentage such as "10%"`
	n := d.table.Entry("within")
	if n == nil {
		return d.at(d.table.Pos, "the claim has no key \"within\", want %s", want)
	}
	x, err := d.number(n)
	if text, ok := n.Value.(string); ok {
		var percent string
		percent, d.claim.Rule.Relative = strings.CutSuffix(text, "%")
		if x, err = strconv.ParseFloat(strings.TrimSpace(percent), 64); !d.claim.Rule.Relative {
			x = -1
		}
		x /= 100
	}
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return d.at(n.Pos, "within is %s, want %s", found(n), want)
	}
	if d.claim.Rule.Relative && d.table.Entry("minus") != nil {
		return d.at(n.Pos, "within is a percentage, want a number where minus is")
	}
	if times := d.table.Entry("times"); times != nil && !d.claim.Rule.Relative {
		return d.at(n.Pos, "within is %s, want a percentage where times is", found(n))
	}
	d.claim.Rule.Within = x
	return nil
}
