package analysis

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/inference"
	"sweep/internal/table"
	"sweep/internal/testutil"
	"sweep/results"
)

// crawl returns a summary: of RL and WL, which alone uses beta, for each k.
func crawl(ks ...int64) *results.Summary {
	s := &results.Summary{
		Spec: "crawl", Heading: "a toy", Runs: int64(20 * len(ks)), OK: int64(20 * len(ks)), Axes: []int{0},
		Experiment: &experiment.Experiment{
			Name: "toy", Version: 3, Title: "a toy",
			Params: []experiment.Param{
				{Name: "algorithm", Kind: experiment.String}, {Name: "beta", Kind: experiment.Float}, {Name: "k", Kind: experiment.Int, Unit: "pages"},
			},
			Metrics: []experiment.Metric{{Name: "downloaded", Unit: "pages"}, {Name: "slope"}, {Name: "age", Unit: "h"}},
		},
		Paper: &experiment.Table{
			Name: "table2", Title: "Results", Source: "paper, Table 2", Note: "3 runs of each type",
			Column: "algorithm", Headers: []string{"RL", "WL"},
			Rows: []experiment.TableRow{
				{Metric: "downloaded", Label: "downloaded", Mean: []float64{540636, 669673}, Std: []float64{9840, 9580}},
				{Metric: "age", Label: "age (in hours)", Mean: []float64{1.79, 0}, Std: []float64{0.04, 0.08}, Digits: 2},
			},
		},
	}
	if len(ks) > 1 {
		s.Axes = append(s.Axes, 2)
	}
	for _, k := range ks {
		for i, algorithm := range []string{"RL", "WL"} {
			x := float64(i) + float64(k)/1000
			c := &results.Cell{Values: []experiment.Value{experiment.StringValue(algorithm), {}, experiment.IntValue(k)}}
			if i == 1 {
				c.Values[1] = experiment.FloatValue(0.3)
			}
			for _, mean := range []float64{540000 + 12345*x, -1.5 - x/7, 1.7 + x/3} {
				std := math.Abs(mean / 50)
				c.Metrics = append(c.Metrics, inference.Statistics{N: 10, Mean: mean, Std: std, SEM: std / 3, CILow: mean - std, CIHigh: mean + std,
					Min: mean - 2*std, Median: mean, Max: mean + 2*std})
			}
			s.Cells = append(s.Cells, c)
		}
	}
	return s
}

func written(s *results.Summary, layout string, metrics []int, limit int, format string) string {
	var b strings.Builder
	testutil.NoError(testutil.Must(NewTable(s, layout, metrics, limit)).Write(&b, format))
	return b.String()
}

func wantText(t *testing.T, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPaperLayout(t *testing.T) {
	wantText(t, written(crawl(10, 20), Auto, nil, 0, table.Text), `Results (paper, Table 2), k = 10

                            RL                                         WL
                                          paper  paper                               paper  paper
                          mean      std    mean    std  ratio        mean      std    mean    std  ratio
downloaded [pages]    540123.4  10802.5  540636   9840  0.999    552468.4  11049.4  669673   9580  0.825
age (in hours)           1.703    0.034    1.79   0.04  0.952       2.037    0.041    0.00   0.08      –

Results (paper, Table 2), k = 20

                            RL                                         WL
                                          paper  paper                               paper  paper
                          mean      std    mean    std  ratio        mean      std    mean    std  ratio
downloaded [pages]    540246.9  10804.9  540636   9840  0.999    552591.9  11051.8  669673   9580  0.825
age (in hours)           1.707    0.034    1.79   0.04  0.953       2.040    0.041    0.00   0.08      –

mean and standard deviation (n−1) over n = 10 runs; paper: 3 runs of each type
`)
}

// With means over a parameter the paper's layout has both spreads.
func TestPaperLayoutOfMeans(t *testing.T) {
	s := crawl(10)
	s.Over = []int{2}
	for _, c := range s.Cells {
		c.Within = []float64{4000.25, 1, 0.0625}
	}
	wantText(t, written(s, Auto, nil, 0, table.Text), `Results (paper, Table 2)

                            RL                                                 WL
                                   std      std   paper  paper                        std      std   paper  paper
                          mean  within  between    mean    std  ratio        mean  within  between    mean    std  ratio
downloaded [pages]    540123.4  4000.2  10802.5  540636   9840  0.999    552468.4  4000.2  11049.4  669673   9580  0.825
age (in hours)           1.703   0.062    0.034    1.79   0.04  0.952       2.037   0.062    0.041    0.00   0.08      –

std within: of runs at one k; std between: of the means at each; mean over n = 10 means; paper: 3 runs of each type
`)
	if got := written(s, Auto, nil, 0, table.CSV); !strings.Contains(got, ",std_within,") || !strings.Contains(got, ",4000.25,") {
		t.Errorf("CSV of means:\n%s", got)
	}
}

func TestCellsLayout(t *testing.T) {
	s := crawl(10, 20)
	s.Runs, s.OK, s.Failed = 50, 45, 2 // in five nothing is defined
	s.Cells[0].Failed = 2
	s.Cells[0].Metrics[2] = inference.Statistics{Mean: math.NaN(), Std: math.NaN(), SEM: math.NaN(), CIHigh: math.NaN()}
	s.Cells[1].Metrics[1].N = 1
	s.Cells[3].Metrics[0].Std, s.Cells[3].Metrics[0].SEM = 0.03, 0.01 // is not shown as 0
	s.Stop = &grid.Stop{Metric: 2, Confidence: 0.95, HalfWidth: 0.15, Min: 5, Max: 10}
	s.Unsure = 1
	wantText(t, written(s, Cells, nil, 0, table.Text), `crawl: a toy

                 k                      downloaded                            age
algorithm  [pages]   n  failed             [pages]           slope            [h]
RL              10  10       2      540123 ± 10802  −1.501 ± 0.030              –
WL              10  10       0      552468 ± 11049          −1.644  2.037 ± 0.041
RL              20  10       0      540247 ± 10805  −1.503 ± 0.030  1.707 ± 0.034
WL              20  10       0  552591.900 ± 0.030  −1.646 ± 0.033  2.040 ± 0.041

mean and standard deviation (n−1) over n = 10 runs
cells got seeds until the 95 % interval of mean age was within ± 0.15 h, 5 to 10 each
warning: at least 3 more runs are needed: the sweep is not finished
warning: 2 of 50 runs failed and are left out
warning: 1 of 4 cells have all their seeds, and the 95 % interval of mean age is still wider than ± 0.15 h
warning: downloaded is undefined in 5 of 45 runs
warning: slope is undefined in 14 of 45 runs
warning: age is undefined in 15 of 45 runs
`)
}

// Where the column's decimals would change numbers much, they have their own.
func TestCellsOfUnequalSize(t *testing.T) {
	s := crawl(10, 20)
	for i, mean := range []float64{1.5, 2.4, 100000, 200000} {
		s.Cells[i].Metrics[0].Mean = mean
		s.Cells[i].Metrics[0].Std = 0
		s.Cells[i].Metrics[0].SEM = 0
	}
	s.Cells[1].Metrics[0].Std = 1.18
	s.Cells[1].Metrics[0].SEM = 0.37
	text := written(s, Cells, []int{0}, 0, table.Text)
	for _, want := range []string{" 1.500 ± 0.000\n", " 2.40 ± 1.18\n", " 100000 ± 0\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestLimitsLayoutOfSomeMetrics(t *testing.T) {
	s := crawl(10)
	s.Cells[0].Metrics[1].N = 7
	s.Cells[1].Metrics[2].N = 0
	s.Runs, s.OK = 20, 17
	wantText(t, written(s, Limits, []int{1}, 1, table.Text), `crawl: a toy

algorithm  n           slope
RL         7  −1.501 ± 0.030
… 1 more row; table --format csv shows all

mean and 95 % confidence limits by Student's t over n = 7 to 10 runs
warning: 3 of 20 runs are missing: the sweep is not finished
`)
	if got := written(s, Limits, []int{1}, 1, table.CSV); strings.Count(got, "\n") != 3 || strings.Contains(got, "downloaded") {
		t.Errorf("CSV of one metric:\n%s", got)
	}
}

// Records have the parameters that tell cells apart, and full precision.
func TestTableForPrograms(t *testing.T) {
	lines, err := csv.NewReader(strings.NewReader(written(crawl(10, 20), Auto, nil, 0, table.CSV))).ReadAll()
	if err != nil || len(lines) != 1+4*2 {
		t.Fatalf("CSV has %d lines, error %v; want a header and 4 cells of 2 rows", len(lines), err)
	}
	wantText(t, strings.Join(lines[0], " "), "algorithm k metric unit n n_failed mean std sem ci_low ci_high min median max label paper_mean paper_std ratio")
	wantText(t, strings.Join(lines[4][:7], " "), "WL 10 age h 10 0 2.0366666666666666")
	wantText(t, strings.Join(lines[4][14:], " "), "age (in hours) 0 0.08 ")
	var document struct {
		Layout string
		Paper  map[string]string
		Rows   []map[string]any
	}
	testutil.NoError(json.Unmarshal([]byte(written(crawl(10, 20), Auto, nil, 0, table.JSON)), &document))
	r, last := document.Rows[0], document.Rows[3]
	wantText(t, fmt.Sprint(len(document.Rows), document.Layout, document.Paper["note"], r["parameters"], r["paper_mean"],
		r["ratio"] == r["mean"].(float64)/540636, last["parameters"], last["ratio"]),
		"8paper3 runs of each typemap[algorithm:RL k:10] 540636 true map[algorithm:WL beta:0.3 k:10] <nil>")
}

func TestPaperLayoutThatDoesNotFit(t *testing.T) {
	for want, fault := range map[string]func(s *results.Summary){
		"beta varies, and only for some values of algorithm": func(s *results.Summary) { s.Axes = []int{0, 1} },
		"names no table": func(s *results.Summary) { s.Paper = nil },
		"algorithm is WL in some runs, which the table does not have": func(s *results.Summary) { s.Paper.Headers = []string{"RL", "WLRL"} },
		"the table has none of these metrics":                         func(s *results.Summary) { s.Paper.Rows = s.Paper.Rows[:0] },
	} {
		s := crawl(10)
		fault(s)
		var data *results.DataError
		if _, err := NewTable(s, Paper, nil, 0); !errors.As(err, &data) || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
		text := written(s, Auto, nil, 0, table.Text)
		if !strings.Contains(text, "±") || strings.Contains(text, "not shown: ") != (s.Paper != nil) {
			t.Errorf("Auto without the paper's table:\n%s", text)
		}
	}
}
