package grid

import (
	"fmt"
	"slices"
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// mostClaimCells bounds the plans that claims can be made about: their
// cells are listed.
const mostClaimCells = 1 << 12

// ClaimCells are the cells of a plan, for claims to choose from.
type claimCells struct {
	values [][]experiment.Value
}

func (r *reader) claimCells(pos document.Pos, p *Plan) (*claimCells, error) {
	if p.Cells() > mostClaimCells {
		return nil, r.at(pos, "claims about a sweep of %d cells, want at most %d", p.Cells(), mostClaimCells)
	}
	c := &claimCells{values: make([][]experiment.Value, p.Cells())}
	for i := range c.values {
		c.values[i] = make([]experiment.Value, len(r.model.experiment.Params))
		p.Cell(int64(i), c.values[i])
	}
	return c, nil
}

// A selection chooses cells by the values of parameters, and rows of the
// series by a window on its axis.
type selection struct {
	pos  document.Pos
	want map[int][]experiment.Value // by parameter: one of these

	// A cell that does not use a parameter of mild fits, whatever is wanted.
	mild map[int]bool

	window    bool
	after, to float64
}

// selection reads a table of parameters with one value or several.
func (d *claimReader) selection(n *document.Node) (selection, error) {
	s := selection{pos: n.Pos, want: map[int][]experiment.Value{}}
	if n.Kind != document.Table {
		return s, d.at(n.Pos, "%s is %s, want a table of parameters", n.Key, found(n))
	}
	e := d.model.experiment
	axis := e.Series.Axis.Name
	for _, entry := range n.Entries {
		p, i := e.Param(entry.Key)
		switch {
		case p == nil && entry.Key == axis && axis != "":
			if err := d.window(&s, entry); err != nil {
				return s, err
			}
			continue
		case p == nil && axis != "":
			return s, d.unknown(entry, axis)
		case p == nil:
			return s, d.unknown(entry)
		}
		nodes := []*document.Node{entry}
		if entry.Kind == document.Array {
			nodes = entry.Elements
		}
		if len(nodes) == 0 {
			return s, d.at(entry.Pos, "%s has no values, want at least one", p.Name)
		}
		for _, v := range nodes {
			value, err := d.value(p, v)
			if err != nil {
				return s, err
			}
			s.want[i] = append(s.want[i], value)
		}
	}
	return s, nil
}

// window reads { after, to } on the axis of the series.
func (d *claimReader) window(s *selection, n *document.Node) error {
	if d.claim.Measures == nil || d.claim.Measures[0].Take == "" {
		return d.at(n.KeyPos, "%s chooses rows of a series, but the claim is not about a series", n.Key)
	}
	if n.Kind != document.Table {
		return d.at(n.Pos, "%s is %s, want a window such as { after = 0, to = 100 }", n.Key, found(n))
	}
	if err := d.only(n, "after", "to"); err != nil {
		return err
	}
	all := everything(0)
	s.window, s.after, s.to = true, all.After, all.To
	for _, e := range n.Entries {
		x, err := d.number(e)
		if err != nil {
			return err
		}
		if e.Key == "after" {
			s.after = x
		} else {
			s.to = x
		}
	}
	if !(s.after < s.to) {
		return d.at(n.Pos, "the window ends at %v and begins after %v", s.to, s.after)
	}
	return nil
}

// over returns the selection s with what base says where s says nothing.
func (s selection) over(base selection) selection {
	o := selection{pos: s.pos, want: map[int][]experiment.Value{}, mild: map[int]bool{}, window: s.window, after: s.after, to: s.to}
	for i, v := range base.want {
		o.want[i], o.mild[i] = v, true
	}
	for i, v := range s.want {
		o.want[i], o.mild[i] = v, false
	}
	if !s.window {
		o.window, o.after, o.to = base.window, base.after, base.to
	}
	return o
}

// fits reports whether a cell is selected.
func (s selection) fits(values []experiment.Value) bool {
	for i, want := range s.want {
		if !(values[i].IsNull() && s.mild[i]) && !slices.Contains(want, values[i]) {
			return false
		}
	}
	return true
}

func (s selection) term(cell int64) Term {
	t := everything(cell)
	if s.window {
		t.After, t.To = s.after, s.to
	}
	return t
}

// choose returns the cells that a selection fits, at least one.
func (d *claimReader) choose(s selection) ([]int64, error) {
	var cells []int64
	for c, values := range d.cells.values {
		if s.fits(values) {
			cells = append(cells, int64(c))
		}
	}
	if len(cells) == 0 {
		fault := d.at(s.pos, "no cell of the sweep has %s", d.describe(s))
		if s.mild != nil {
			return nil, fault.hint("what of says holds here too, unless it is said again")
		}
		return nil, fault
	}
	return cells, nil
}

// describe says what a selection wants.
func (d *claimReader) describe(s selection) string {
	var parts []string
	for i := range d.model.experiment.Params {
		if want, ok := s.want[i]; ok {
			var values []string
			for _, v := range want {
				values = append(values, v.String())
			}
			parts = append(parts, d.model.experiment.Params[i].Name+" = "+strings.Join(values, " or "))
		}
	}
	return strings.Join(parts, ", ")
}

// leftCells returns the cells that of selects, of which no two may agree in
// all parameters of agree.
func (d *claimReader) leftCells(of selection) ([]int64, error) {
	cells, err := d.choose(of)
	if err != nil {
		return nil, err
	}
	first := map[string]int64{}
	for _, c := range cells {
		key := d.key(c)
		if other, twice := first[key]; twice {
			return nil, d.ambiguous(of, other, c)
		}
		first[key] = c
	}
	return cells, nil
}

func (d *claimReader) key(cell int64) string {
	var values []experiment.Value
	for _, i := range d.agree {
		values = append(values, d.cells.values[cell][i])
	}
	return pointKey(values)
}

// ambiguous is the fault of a selection that fits two cells where one is
// wanted.
func (d *claimReader) ambiguous(s selection, a, b int64) error {
	for i := range d.model.experiment.Params {
		if v, w := d.cells.values[a][i], d.cells.values[b][i]; v != w {
			name := d.model.experiment.Params[i].Name
			return d.at(s.pos, "several cells fit, for example with %s = %s and with %s = %s", name, v, name, w).
				hint("give %s a value, or add it to every", name)
		}
	}
	panic("grid: two cells of a plan are equal")
}

// partner returns the one of the cells that s chose that agrees with cell
// in the parameters of agree which s does not fix itself and the partner
// uses.
func (d *claimReader) partner(cell int64, s selection, chosen []int64) (int64, error) {
	partner := int64(-1)
	for _, c := range chosen {
		if !d.agrees(d.cells.values[cell], d.cells.values[c], s) {
			continue
		}
		if partner >= 0 {
			return 0, d.ambiguous(s, partner, c)
		}
		partner = c
	}
	if partner < 0 {
		return 0, d.at(s.pos, "no cell with %s to compare with where %s", d.describe(s), d.where(cell))
	}
	return partner, nil
}

func (d *claimReader) agrees(a, b []experiment.Value, s selection) bool {
	for _, i := range d.agree {
		if _, fixed := s.want[i]; fixed && !s.mild[i] {
			continue
		}
		if !b[i].IsNull() && a[i] != b[i] {
			return false
		}
	}
	return true
}

// where describes a case by the values of the parameters of agree.
func (d *claimReader) where(cell int64) string {
	var parts []string
	for _, i := range d.agree {
		if v := d.cells.values[cell][i]; !v.IsNull() {
			parts = append(parts, fmt.Sprintf("%s = %s", d.model.experiment.Params[i].Name, v))
		}
	}
	return strings.Join(parts, ", ")
}

func pointKey(values []experiment.Value) string {
	var key []byte
	for _, v := range values {
		key = appendKey(key, v)
	}
	return string(key)
}

func contains(list []string, word string) bool { return slices.Contains(list, word) }
