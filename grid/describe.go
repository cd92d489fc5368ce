package grid

import "math/big"

// A Block tells what one [grid] block comes to, for people and as JSON.
// Cells = Combinations − Nulled − Excluded − Repeated + Included.
type Block struct {
	Line int    `json:"line"` // where the block begins
	Axes []Axis `json:"axes"` // in the order of the document

	// Combinations is the product of the axes' lengths, zipped axes
	// counted once. Nulled of these are equal to an earlier one, because
	// the algorithm does not use the parameters in which they differ.
	// Both may be beyond int64.
	Combinations *big.Int `json:"combinations"`
	Nulled       *big.Int `json:"nulled"`

	Excluded int64 `json:"excluded"` // points dropped by exclude
	Included int64 `json:"included"` // points listed by include
	Repeated int64 `json:"repeated"` // points, included ones too, that the sweep already had
	Cells    int64 `json:"cells"`    // points that the block adds to the sweep
}

// An Axis is one parameter that a block walks through.
type Axis struct {
	Name   string `json:"name"`
	Values string `json:"values"` // for example "0.5, 0.6, 0.7, 0.8, 0.9"; long axes are cut
	Len    int64  `json:"len"`
	Zip    int    `json:"zip,omitempty"` // axes of one block with equal Zip > 0 are walked together
}

type counts struct{ distinct, excluded, repeated, included int64 }

func describe(b *block, c counts) Block {
	d := Block{
		Line:         b.pos.Line,
		Axes:         []Axis{},
		Combinations: big.NewInt(1),
		Excluded:     c.excluded,
		Repeated:     c.repeated,
		Included:     c.included,
		Cells:        c.distinct - c.excluded - c.repeated + c.included,
	}
	zips := map[int]int{} // number of a zip by group
	for g := range b.groups {
		d.Combinations.Mul(d.Combinations, big.NewInt(b.groups[g].n))
		if len(b.groups[g].axes) > 1 {
			zips[g] = len(zips) + 1
		}
	}
	d.Nulled = new(big.Int).Sub(d.Combinations, big.NewInt(c.distinct))
	for _, i := range b.named {
		if p := b.place[i]; p.group >= 0 {
			values := b.axis(i).values
			d.Axes = append(d.Axes, Axis{
				Name:   b.model.experiment.Params[i].Name,
				Values: outline(values),
				Len:    values.Len(),
				Zip:    zips[p.group],
			})
		}
	}
	return d
}
