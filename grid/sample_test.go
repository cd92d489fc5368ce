package grid

import (
	"maps"
	"strings"
	"testing"
)

func TestSample(t *testing.T) {
	for name, points := range map[string]int{"lhs": 8, "sobol": 8, "saltelli": 8 * 4, "saltelli2": 8 * 6, "morris": 8 * 3} {
		text := "[sample]\ndesign = '" + name + "'\npoints = 8\nseed = 3\n[grid]\nalgorithm = ['WL', 'CGLA']\nx = { from = -5, to = 5 }\ny = { from = 0.01, to = 100, scale = 'log' }\n"
		plan := parse(t, text).Plan()
		d := plan.Design
		if int(plan.Cells()) > 2*points || int(plan.Cells()) < points-5 || len(d.Rows) != points || len(d.Params) != 2 {
			t.Errorf("%s: %d cells, %d rows of %d parameters", name, plan.Cells(), len(d.Rows), len(d.Params))
		}
		below := 0
		for _, row := range d.Rows {
			if x, y := row[0].Float(), row[1].Float(); x < -5 || x > 5 || y < 0.01 || y > 100 {
				t.Errorf("%s: a point at %v", name, row)
			} else if y < 1 {
				below++
			}
		}
		if below < points/4 || below > 3*points/4 {
			t.Errorf("%s: %d of %d points are in the lower half of a logarithmic range", name, below, points)
		}
	}
	// Whole numbers, one range only, and repeated points are no fault.
	plan := parse(t, "[sample]\ndesign = 'saltelli'\npoints = 50\n[grid]\nalgorithm = 'CGLA'\nN = { from = 1, to = 4 }").Plan()
	if plan.Cells() != 4 {
		t.Errorf("%d cells of 4 whole numbers", plan.Cells())
	}
}

// A cell stands where the design has its values, in the first such row; one that
// is not sampled stands nowhere.
func TestPlaces(t *testing.T) {
	plan := parse(t, "[sample]\ndesign = 'saltelli2'\npoints = 8\n[[grid]]\nalgorithm = ['WL', 'RL']\nbeta = { from = 0.1, to = 0.9 }\nx = { from = 1, to = 9 }\n[[grid]]\nx = 2").Plan()
	places := plan.Places()
	points := map[string]int{}
	nowhere := 0
	for c, place := range places {
		cell := plan.Point(int64(c))
		if place.Row < 0 {
			nowhere++
			continue
		}
		points[place.Point]++
		for k, i := range plan.Design.Params {
			if v := cell.Values[i]; !v.IsNull() && v != plan.Design.Rows[place.Row][k] {
				t.Errorf("%s is said to be in row %d, %v", plan.Describe(cell), place.Row, plan.Design.Rows[place.Row])
			}
		}
		for row := range place.Row {
			if same := plan.Design.Rows[row]; same[1] == cell.Value("x") && (cell.Value("beta").IsNull() || same[0] == cell.Value("beta")) {
				t.Errorf("%s is in row %d, too, before %d", plan.Describe(cell), row, place.Row)
			}
		}
		if place.Block != place.Row/6 {
			t.Errorf("row %d is in block %d", place.Row, place.Block)
		}
	}
	// RL does not use beta: its points A and AB beta are one, as are B and AB x. In
	// two dimensions BA beta is AB x, and BA x is AB beta.
	want := map[string]int{"A": 16, "B": 16, "AB beta": 8, "AB x": 8}
	if nowhere != 1 || !maps.Equal(points, want) {
		t.Errorf("%d cells are not sampled, the others are %v, want %v", nowhere, points, want)
	}
}

func TestWarnsOfUnevenSequences(t *testing.T) {
	for text, want := range map[string]string{
		"design = 'sobol'\npoints = 100":    "points is 100: only 64, 128 and other powers of two cover ranges evenly in sobol",
		"design = 'saltelli2'\npoints = 3":  "points is 3: only 2, 4 and other powers of two cover ranges evenly in saltelli2",
		"design = 'saltelli'\npoints = 128": "",
		"design = 'lhs'\npoints = 100":      "",
		"design = 'morris'\npoints = 10":    "",
	} {
		var got string
		for _, warning := range parse(t, "[sample]\n"+text+"\n[grid]\nx = { from = 0, to = 1 }").Warnings {
			got += warning.Error()
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: warnings %q, want %q", text, got, want)
		}
	}
}

func TestWhere(t *testing.T) {
	for where, holds := range map[string]func(x, y float64, wl bool) bool{
		"x * y < 4":                        func(x, y float64, _ bool) bool { return x*y < 4 },
		"x = y or not x > 1":               func(x, y float64, _ bool) bool { return x == y || x <= 1 },
		"x + 1 <= y and rewired":           func(x, y float64, _ bool) bool { return x+1 <= y },
		"rhythm != 'daily' and 1 < x <= 2": func(x, y float64, _ bool) bool { return 1 < x && x <= 2 },
		"beta > 0.3 and x > 2":             func(x, y float64, wl bool) bool { return !wl || x > 2 }, // RL does not use beta
		"-x / 2 >= -1 and rewired = true":  func(x, y float64, _ bool) bool { return x <= 2 },
		"algorithm = 'WL' or x != 1":       func(x, y float64, wl bool) bool { return wl || x != 1 },
	} {
		plan := parse(t, "[grid]\nalgorithm = ['WL', 'RL']\nbeta = 0.5\nrewired = true\nx = [1, 2, 3]\ny = [1, 2, 3]\nwhere = \""+where+"\"").Plan()
		want := int64(0)
		for i := range 18 {
			if holds(float64(i/3%3+1), float64(i%3+1), i < 9) {
				want++
			}
		}
		if plan.Cells() != want {
			t.Errorf("%s: %d cells, want %d", where, plan.Cells(), want)
		}
		for i := range plan.Cells() {
			if p := plan.Point(i); !holds(p.Value("x").Float(), p.Value("y").Float(), p.Value("algorithm").Text() == "WL") {
				t.Errorf("%s: kept %s", where, plan.Describe(p))
			}
		}
	}
}

func TestFaultsOfSamples(t *testing.T) {
	const grid = "[grid]\nx = { from = 0, to = 1 }\n"
	const sample = "[sample]\ndesign = 'sobol'\npoints = 4\n"
	refuses(t, map[string]string{
		"sample = 3":                           "2:10: sample is the integer 3, want a table",
		"[sample]\npoints = 3":                 "2:2: the sample has no design, want a design, one of lhs, sobol, saltelli, saltelli2, morris",
		"[sample]\ndesign = 'lsh'\npoints = 3": `3:10: unknown design "lsh"`,
		"[sample]\ndesign = 'lhs'":             "2:2: the sample has no points",
		sample + "seed = -1":                   "5:8: seed is the integer -1",
		sample:                                 "2:2: nothing is sampled",
		grid:                                   "3:5: the range of x has none of step, factor, count, want one",
		sample + "[grid]\nx = { to = 1 }":      `6:5: the range of x has no "from"`,
		sample + "[grid]\nx = { from = 1, to = 1 }":                                       "6:5: x is sampled from 1 to 1, want a larger",
		sample + "[grid]\nx = { from = 0, to = 1, scale = 'log' }":                        "6:5: x is sampled from 0 to 1, want two positive",
		sample + "[grid]\nx = { from = 0, to = 2e9 }":                                     "6:22: x is 2e+09, want a number in",
		sample + grid + "y = [1, 2, 3, 4]\nzip = [['x', 'y']]":                            "8:9: zip names \"x\", which is sampled",
		sample + "[[grid]]\nx = { from = 0, to = 1 }\n[[grid]]\ny = { from = 1, to = 2 }": "8:1: y is sampled, but an earlier [[grid]]",
		"[grid]\nx = [1, 2]\nwhere = 3":                                                   "4:9: where is the integer 3",
		"[grid]\nx = [1, 2]\nwhere = 'x <'":                                               "4:13: where: found the end",
		"[grid]\nx = [1, 2]\nwhere = 'xx < 1'":                                            `4:10: where: foraging has no parameter "xx"`,
		"[grid]\nx = [1, 2]\nwhere = 'x < 2 margin 1'":                                    "4:10: where: a margin is for claims",
		"[grid]\nx = [1, 2]\nwhere = 'x'":                                                 "4:10: where: want comparisons, joined by and, or, not",
		"[grid]\nx = [1, 2]\nwhere = 'x + 1'":                                             "4:10: where: want comparisons",
		"[grid]\nx = [1, 2]\nwhere = \"x = 'a'\"":                                         "4:10: where: want two numbers around =",
		"[grid]\nx = [1, 2]\nwhere = 'rewired + 1 > 0'":                                   "4:10: where: found no number, want numbers around +",
		"[grid]\nx = [1, 2]\nwhere = 'max(x) > 0'":                                        "4:10: where: want names of parameters, numbers",
		"[grid]\nx = [1, 2]\nwhere = 'x > 0'":                                             "4:9: where drops nothing",
		"[grid]\nx = [1, 2]\nwhere = 'x > 2'":                                             "2:2: no points are left",
		"[grid]\nx = [1, 0]\nwhere = '0 / x < 1'":                                         "4:10: where: want two numbers around < (0/0 is not a number)",
	})
}
