package grid

import (
	"fmt"
	"sort"

	"sweep/experiment"
	"sweep/grid/internal/document"
)

// A sideReader makes sides of cases.
type sideReader struct {
	*claimReader
	of, minus selection
	partners  []int64 // that minus chose; nil without minus
}

func (d *claimReader) sides(of selection, minus *selection) (*sideReader, error) {
	s := &sideReader{claimReader: d, of: of}
	if minus == nil {
		return s, nil
	}
	s.minus = minus.over(of)
	var err error
	s.partners, err = d.choose(s.minus)
	return s, err
}

func (s *sideReader) side(cell int64) (Side, error) {
	side := Side{Of: s.of.term(cell)}
	if s.partners == nil {
		return side, nil
	}
	partner, err := s.partner(cell, s.minus, s.partners)
	term := s.minus.term(partner)
	side.Minus = &term
	return side, err
}

// add adds a case for each measure.
func (d *claimReader) add(c Case) {
	where := c.Where
	for m, measure := range d.claim.Measures {
		c.Measure = m
		if len(d.claim.Measures) > 1 {
			c.Where = d.measureName(measure)
			if where != "" {
				c.Where += ", " + where
			}
		}
		d.claim.Cases = append(d.claim.Cases, c)
	}
}

// againstNumber makes the cases of a comparison with a number.
func (d *claimReader) againstNumber(of selection, minus *selection, number float64) error {
	cells, err := d.leftCells(of)
	if err != nil {
		return err
	}
	sides, err := d.sides(of, minus)
	if err != nil {
		return err
	}
	for _, cell := range cells {
		left, err := sides.side(cell)
		if err != nil {
			return err
		}
		d.add(Case{Where: d.where(cell), Left: left, Number: number})
	}
	return nil
}

// against makes the cases of a comparison with other cells.
func (d *claimReader) against(of selection, minus *selection, right selection) error {
	cells, err := d.leftCells(of)
	if err != nil {
		return err
	}
	lefts, err := d.sides(of, minus)
	if err != nil {
		return err
	}
	right = right.over(of)
	chosen, err := d.choose(right)
	if err != nil {
		return err
	}
	rights, err := d.sides(right, minus)
	if err != nil {
		return err
	}
	for _, cell := range cells {
		left, err := lefts.side(cell)
		if err != nil {
			return err
		}
		partner, err := d.partner(cell, right, chosen)
		if err != nil {
			return err
		}
		other, err := rights.side(partner)
		if err != nil {
			return err
		}
		if left.Of == other.Of {
			return d.at(right.pos, "a cell is compared with itself, the one with %s", d.describe(right))
		}
		d.add(Case{Where: d.where(cell), Left: left, Right: &other})
	}
	return nil
}

// trend makes the cases of a rise or fall along an axis: each cell against
// the one before.
func (d *claimReader) trend(rule *document.Node, of selection, minus *selection) error {
	axis, err := d.parameter(rule)
	if err != nil {
		return err
	}
	param := &d.model.experiment.Params[axis]
	if param.Kind != experiment.Int && param.Kind != experiment.Float {
		return d.at(rule.Pos, "%s is %q, whose values have no order, want a parameter that is a number", rule.Key, param.Name)
	}
	if d.claim.Rule.Relation = Above; rule.Key == "falls" {
		d.claim.Rule.Relation = Below
	}
	lines, err := d.lines(of)
	if err != nil {
		return err
	}
	d.agree = append(d.agree, axis)
	sides, err := d.sides(of, minus)
	if err != nil {
		return err
	}
	for _, cells := range lines {
		at := func(k int) experiment.Value { return d.cells.values[cells[k]][axis] }
		sort.SliceStable(cells, func(i, j int) bool { return at(i).Float() < at(j).Float() })
		for k := 1; k < len(cells); k++ {
			if at(k) == at(k-1) {
				return d.ambiguous(of, cells[k-1], cells[k])
			}
			left, err := sides.side(cells[k])
			if err != nil {
				return err
			}
			right, err := sides.side(cells[k-1])
			if err != nil {
				return err
			}
			d.add(Case{Where: fmt.Sprintf("%s after %s", d.where(cells[k]), at(k-1)), Left: left, Right: &right})
		}
	}
	if d.claim.Cases == nil {
		return d.at(rule.Pos, "%s along %s, which has one value only", rule.Key, param.Name)
	}
	return nil
}

// lines returns the chosen cells, those together that agree in the
// parameters of agree.
func (d *claimReader) lines(of selection) ([][]int64, error) {
	cells, err := d.choose(of)
	if err != nil {
		return nil, err
	}
	var lines [][]int64
	at := map[string]int{}
	for _, c := range cells {
		key := d.key(c)
		k, ok := at[key]
		if !ok {
			k = len(lines)
			at[key] = k
			lines = append(lines, nil)
		}
		lines[k] = append(lines[k], c)
	}
	return lines, nil
}
