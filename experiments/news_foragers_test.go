package experiments

import (
	"testing"

	"sweep/experiment"
)

// newsRunOf runs the news foragers with some other values, and returns the
// metrics by name and the rows of the series.
func newsRunOf(changed values) (map[string]float64, [][]float64) {
	e := NewsForagers(nil)
	r := result(with(defaults(e, "WLRL", 1), changed))
	metrics := map[string]float64{}
	for i, m := range e.Metrics {
		metrics[m.Name] = r.Metrics[i]
	}
	var rows [][]float64
	width := 1 + len(e.Series.Columns)
	for ; len(r.Series) >= width; r.Series = r.Series[width:] {
		rows = append(rows, r.Series[:width])
	}
	return metrics, rows
}

// Every number of the community is where its name says: counts of windows add
// up to those of the run, foragers are those that began, came and went.
func TestTheCommunityAddsUp(t *testing.T) {
	m, rows := newsRunOf(values{"days": experiment.FloatValue(2), "max_score": experiment.FloatValue(120)})
	columns := NewsForagers(nil).Series.Columns
	for i, c := range columns[:4] {
		sum := 0.0
		for _, row := range rows {
			sum += row[1+i]
		}
		if whole := m[c.Name]; sum > whole || sum < 0.95*whole {
			t.Errorf("%s: windows have %v of %v", c.Name, sum, whole)
		}
	}
	if m["foragers"] != 2+m["multiplications"]-m["deletions"] || m["multiplications"] == 0 {
		t.Errorf("%v foragers after %v multiplications and %v deletions of 2", m["foragers"], m["multiplications"], m["deletions"])
	}
	if m["lived_days"] < 2 || m["lived_days"] > 2.01 {
		t.Errorf("a community of two days lived %v", m["lived_days"])
	}
	for _, share := range []string{"exclusive", "exclusive_downloads", "own_walks"} {
		if !(m[share] > 0 && m[share] < 1) {
			t.Errorf("%s is %v", share, m[share])
		}
	}
	if last := rows[len(rows)-1]; last[0] != 47.5 { // of 38.4 windows of 75 minutes
		t.Errorf("last window ends after %v h", last[0])
	}
}

// Where sending costs too much all die, and nothing happens any more.
func TestTheCommunityDiesOut(t *testing.T) {
	m, rows := newsRunOf(values{"score_minus": experiment.FloatValue(0.3)})
	if m["foragers"] != 0 || m["lived_days"] > 7 || m["least_value"] > 0 {
		t.Errorf("%v foragers after %v days, least value %v", m["foragers"], m["lived_days"], m["least_value"])
	}
	if len(rows) != 268 { // as many as if it lived
		t.Errorf("%d windows, want 268", len(rows))
	}
	for i, row := range rows {
		if row[0] != 1.25*float64(i+1) || row[0] > 24*m["lived_days"] && row[1]+row[7] != 0 {
			t.Errorf("window %d of a community that lived %v days: %v", i, m["lived_days"], row)
		}
	}
}
