package report_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	htmltext "html"
	htmltemplate "html/template"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"sweep/experiment"
	"sweep/grid"
	"sweep/internal/testutil"
	"sweep/plots"
	"sweep/report"
	"sweep/results"
	"sweep/runner"
)

const hostile = `</script><img src=x onerror="alert('1')"> & <b>`

// experiments has one with names that are to break a page.
var experiments = []*experiment.Experiment{
	{
		Name: "toy", Version: 1, Title: "a title " + hostile, Source: "a source " + hostile,
		Params: []experiment.Param{
			{Name: "algorithm", Kind: experiment.String, Default: experiment.StringValue("plain"), Choices: []string{"plain", hostile}, Meaning: "m", Source: "s"},
			{Name: "x", Kind: experiment.Float, Default: experiment.FloatValue(1), Min: 0, Max: 1e6, Meaning: "a meaning " + hostile, Source: "s"},
			{Name: "fault", Kind: experiment.Bool, Default: experiment.BoolValue(false), Meaning: "m", Source: "s"},
		},
		Metrics: []experiment.Metric{{Name: "y", Kind: experiment.Float, Unit: "<m>", Meaning: "m"}, {Name: "a_long_name", Kind: experiment.Float, Meaning: "m"}},
		Tables: []experiment.Table{{Name: "printed", Title: "Printed " + hostile, Source: "Paper, Table 1", Column: "algorithm", Headers: []string{"plain"},
			Rows: []experiment.TableRow{{Metric: "y", Label: "Y", Mean: []float64{1}, Std: []float64{0.1}, Digits: 1}}}},
		Figures: []experiment.Figure{{Name: "figure1", Title: "y against x", Source: "Paper, Figure 1", Kind: experiment.Lines, X: []string{"x"}, Y: []string{"y"}}},
		Run: func(_ context.Context, p experiment.Point, out *experiment.Result) error {
			if p.Value("fault").Bool() && p.Seed == 2 {
				return errors.New("a fault " + hostile)
			}
			noise := float64(p.Seed*7919%13) / 1000
			out.Metrics = []float64{p.Value("x").Float() + noise, noise}
			return nil
		},
	},
}

// sweep opens a directory for a spec, carries it out if that is wanted, and
// returns what a page says of it.
func sweep(t *testing.T, carryOut bool, spec string) *report.Sweep {
	parsed := testutil.Must(grid.Parse("toy.toml", []byte("experiment = \"toy\"\n"+spec), experiments))
	dir := t.TempDir()
	store := testutil.Must(results.Open(dir, parsed, nil))
	if carryOut {
		testutil.Must(runner.Sweep(t.Context(), store, runner.Options{Workers: 2, Observe: func(runner.Event) {}}))
		testutil.NoError(store.Export(t.Context()))
	}
	testutil.NoError(store.Close())
	return read(dir)
}

func read(dir string) *report.Sweep {
	return testutil.Must(report.Read(testutil.Must(results.OpenReader(dir, experiments))))
}

func html(sweeps ...*report.Sweep) string {
	var b strings.Builder
	testutil.NoError(report.HTML(&b, "test", false, sweeps, nil))
	return b.String()
}

// lacks fails for each text that is wanted and not in another.
func lacks(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("%q is missing in\n%.2000s", w, text)
		}
	}
}

func found(text, expression string) (list []string) {
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(text, -1) {
		list = append(list, m[len(m)-1])
	}
	return list
}

const claims = `
seeds = 5
[grid]
algorithm = ["plain", "</script><img src=x onerror=\"alert('1')\"> & <b>"]
x = [1, 2, 4]
fault = [true, false]
[[claim]]
text = "y falls <b>not</b>"
source = "Paper, Figure 1"
expect = "y > 0.9"
each = ["algorithm", "x", "fault"]
[[claim]]
text = "y is small"
source = "ours"
expect = "y < 1.5"
each = ["algorithm", "x", "fault"]
calibrated = true
`

// Whatever names, values and errors are, the page shows them as text, and it
// loads nothing. Markdown has the claims and their figures.
func TestPageIsSelfContainedAndEscaped(t *testing.T) {
	s := sweep(t, true, claims)
	text := html(s, read(s.Dir))
	if alien := found(text, `.{0,100}(?:<img|<b>|://|@import|url\().{0,100}`); alien != nil {
		t.Errorf("the page contains %q", alien)
	}
	lacks(t, text,
		"a title &lt;/script&gt;&lt;img", "a fault &lt;/script&gt;", "a meaning &lt;/script&gt;", "a_<wbr>long_<wbr>name",
		`<span class="badge holds">holds</span>`, `<span class="badge fails">fails</span>`, "1 fails, calibrated",
		"6 of 60 runs failed and are left out", "[[claim]]", "Digest of the runs")
	scripts, faults := strings.Count(text, "<script"), strings.Count(text, "a fault")
	if scripts != 1 || faults != 2*6 {
		t.Errorf("%d scripts, want one; %d failed runs are listed, want 6 for each sweep", scripts, faults)
	}

	// Places are there once, and links lead to them.
	ids := found(text, `\sid="([^"]*)"`)
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			t.Errorf("the id %s is there twice", id)
		}
	}
	links := append(found(text, `href="#([^"]*)"`), strings.Fields(strings.Join(found(text, `aria-labelledby="([^"]*)"`), " "))...)
	if len(links) < 20 {
		t.Errorf("only %d links", len(links))
	}
	for _, link := range links {
		if !slices.Contains(ids, link) {
			t.Errorf("nothing has the id %s", link)
		}
	}
	svgs, named := strings.Count(text, "<svg "), len(found(text, `<title id="s\d-figure\d-\d-title">[^<]+</title>\s*<desc id="s\d-figure\d-\d-desc">[^<]+</desc>`))
	if svgs < 4 || svgs != named {
		t.Errorf("%d of %d figures have titles and descriptions", named, svgs)
	}
	// The same as Markdown.
	var b strings.Builder
	var figures []string
	testutil.NoError(report.Markdown(&b, "Report", "sweep report", []*report.Sweep{s}, nil, func(_ *report.Sweep, p *plots.Page) (string, error) {
		figures = append(figures, p.Name)
		return "figures/" + p.Name + ".svg", nil
	}))
	lacks(t, b.String(),
		"| source | predictions hold | predictions fail | predictions undecided | calibrated hold | calibrated fail | calibrated undecided | untested |",
		"| all | 1 |  |  |  | 1 |  |  |", `a title \</script>\<img`, `| holds | y falls \<b>not\</b> | Paper, Figure 1 |`, "| fails, calibrated | y is small | ours |",
		"[figure1](figures/figure1.svg) |", "](figures/figure1.svg)\n")
	if len(figures) != 1 || figures[0] != "figure1" {
		t.Errorf("figures %q, want the paper's", figures)
	}
}

// The templates escape a value in each kind of place as the standard library
// does, whose code they are.
func TestEscapingOfEveryKindOfPlace(t *testing.T) {
	const places = `<title>{{.}}</title><p>{{.}}</p><textarea>{{.}}</textarea><!-- {{.}} -->
<p class="{{.}}" id={{.}} title='{{.}}' data-x="{{.}}" {{.}}>
<a href="{{.}}">1</a> <a href="#{{.}}">2</a> <a href="/?q={{.}}">3</a> <img srcset="{{.}}">
<p style="color: {{.}}; background: url('{{.}}')" onclick="f({{.}}, '{{.}}')">
<style>p { color: {{.}}; content: "{{.}}" }</style>
<script>f({{.}}, "{{.}}", /{{.}}/, {{"{"}} a: {{.}} })</script>`
	standard := htmltemplate.Must(htmltemplate.New("").Parse(places))
	ours := template.Must(template.New("").Parse(places))
	for _, value := range []any{
		hostile, "javascript:alert(1)", "//evil.example/", "a b", "' onclick='f()", "\"><b>", "</style>", "expression(f())", "`${f()}`", "-->", "\\u003c",
		"\u2028", 7, 1.5, true, nil, []string{"<a>", "'b'"}, map[string]string{"</script>": "<!--"},
		template.HTML("<b>bold</b>"), template.CSS("red"), template.JS("x + 1"), template.URL("mailto:a@b"),
	} {
		var want, got strings.Builder
		testutil.NoError(standard.Execute(&want, value))
		testutil.NoError(ours.Execute(&got, value))
		if got.String() != want.String() {
			t.Errorf("%q is\n%s\nwant\n%s", value, got.String(), want.String())
		}
	}
}

// The number beside a claim is that of the case which decides.
func TestClaimShowsTheCaseThatDecides(t *testing.T) {
	for claim, want := range map[string]string{
		"expect = 'y > 0.9'\neach = 'x'": "x = 1 decides, of 3 cases", // near the lower limit
		"expect = 'y < 1.5'\neach = 'x'": "x = 4 decides, of 3 cases", // farthest outside
		"expect = 'y > 3'\nsome = 'x'":   "x = 4 decides, of 3 cases", // one is enough
	} {
		spec := "seeds = 5\n[grid]\nx = [1, 2, 4]\n[[claim]]\ntext = 'c'\nsource = 'test'\n"
		c := sweep(t, true, spec+claim).Claims[0]
		if c.Where != want || !regexp.MustCompile(`^[14]\.\d+ \([14]\.\d+ to [14]\.\d+\)$`).MatchString(c.Number) {
			t.Errorf("%s: %q, %q, want %q", claim, c.Where, c.Number, want)
		}
	}
}

// A page stays small however many cells and figures there are, and says what
// it leaves out.
func TestPageIsBounded(t *testing.T) {
	cells := testutil.IfThorough(6000, 3000)
	s := sweep(t, true, fmt.Sprintf("seeds = 1\n[grid]\nx = { from = 1, to = %d, step = 1 }\n", cells))
	text := html(s)
	rows, leftOut := strings.Count(text, "<tr>"), found(text, `\d+ more cells are not shown`)
	if len(text) > 2_000_000 || rows < 1000 || rows > 5000 || leftOut == nil {
		t.Errorf("%d bytes, %d rows, said of others: %q", len(text), rows, leftOut)
	}
	testutil.NeedsThorough(t, "figures of 16 sweeps take a second")
	text = html(slices.Repeat([]*report.Sweep{sweep(t, true, "seeds = 2\n[grid]\nx = { from = 1, to = 300, step = 1 }\n")}, 16)...)
	if len(text) > 2_000_000 {
		t.Errorf("%d bytes", len(text))
	}
	lacks(t, text, "There was no room for it here", "--figure ") // figures that are left out
}

// A sweep without a run has a page.
func TestPageBeforeTheFirstRun(t *testing.T) {
	lacks(t, html(sweep(t, false, claims)), "0 <small>of 60</small>", "undecided")
}

func TestOnlyTheLoopbackInterfaceIsServed(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:0": true, "[::1]:8080": true, "127.0.0.2:1": true,
		"0.0.0.0:0": false, ":8080": false, "[::]:0": false, "192.168.1.2:80": false, "localhost:0": false, "127.0.0.1": false, "127.0.0.1:99999": false,
	} {
		if err := report.Loopback(address); (err == nil) != want {
			t.Errorf("Loopback(%q) = %v", address, err)
		}
	}
}

// ask returns the status and the body of an answer.
func ask(t *testing.T, method, url, host string) (int, string) {
	request := testutil.Must(http.NewRequestWithContext(t.Context(), method, url, nil))
	request.Host = host // of the address if it is empty
	response := testutil.Must(http.DefaultClient.Do(request))
	defer response.Body.Close()
	return response.StatusCode, string(testutil.Must(io.ReadAll(response.Body)))
}

func TestServer(t *testing.T) {
	written := -1 // at first what cannot be written is told to the browser
	s := testutil.Must(report.Serve("127.0.0.1:0", func(w io.Writer) error {
		if written++; written == 0 {
			return os.ErrPermission
		}
		time.Sleep(500 * time.Millisecond) // for which it stays for 10 s
		_, err := fmt.Fprintf(w, "page %d", written)
		return err
	}))
	s.Tell(runner.Progress{Runs: 10, Todo: 10, Done: 4, Failed: 1, Elapsed: time.Second})
	for _, c := range []struct {
		method, path, host string
		status             int
		body               string
	}{
		{"GET", "", "", 503, "permission denied\n"},
		{"GET", "", "", 200, "page 1"},
		{"GET", "", "", 200, "page 1"}, // it is too new to be written again
		{"HEAD", "", "", 200, ""},
		{"POST", "", "", 405, ""},
		{"DELETE", "state", "", 405, ""},
		{"GET", "", "evil.example", 421, ""},
		{"GET", "", "localhost:1", 421, ""},
		{"GET", "runs.jsonl", "", 404, ""},
		{"GET", "../", "", 404, ""},      // without the token
		{"GET", "../state", "", 404, ""}, // without the token
		{"GET", "../" + strings.Repeat("A", 26) + "/state", "", 404, ""},
	} {
		status, body := ask(t, c.method, s.URL+c.path, c.host)
		if status != c.status || c.body != "" && body != c.body {
			t.Errorf("%s /%s of %q: %d %q, want %d %q", c.method, c.path, c.host, status, body, c.status, c.body)
		}
	}
	var state struct {
		Todo, Done, Failed int
		Text               string
		Over               bool
	}
	look := func() {
		_, body := ask(t, "GET", s.URL+"state", "")
		testutil.NoError(json.Unmarshal([]byte(body), &state))
	}
	if look(); state.Done != 4 || state.Failed != 1 || state.Todo != 10 || state.Over || !strings.HasPrefix(state.Text, "4 of 10 runs, 1 failed") {
		t.Errorf("state %+v", state)
	}

	// Whoever watches sees the end, with a last page.
	ended := make(chan error)
	go func() { ended <- s.Close() }()
	for !state.Over {
		look()
	}
	time.Sleep(2 * time.Second) // the machine is busy
	if _, body := ask(t, "GET", s.URL, ""); body != "page 2" {
		t.Errorf("the last page is %q", body)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if _, err := http.Get(s.URL); err == nil {
		t.Error("the server still answers")
	}
}

// Who asks for ever does not keep the server alive, and who reads slowly does
// not keep others from the page.
func TestServerEndsWhoeverAsks(t *testing.T) {
	testutil.NeedsThorough(t, "megabytes are served for seconds")
	defer report.LastPage(100 * time.Millisecond)()
	page := bytes.Repeat([]byte("large "), 1<<21) // more than a socket holds
	s := testutil.Must(report.Serve("127.0.0.1:0", func(w io.Writer) error {
		_, err := w.Write(page)
		return err
	}))
	slow := testutil.Must(http.Get(s.URL))
	defer slow.Body.Close() // it is never read
	if status, body := ask(t, "GET", s.URL, ""); status != 200 || len(body) != len(page) {
		t.Errorf("beside a slow reader: %d, %d bytes", status, len(body))
	}
	ended := make(chan error)
	go func() { ended <- s.Close() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return
		default:
			answer, err := http.Get(s.URL + "state")
			if err == nil {
				answer.Body.Close()
			}
			time.Sleep(time.Millisecond)
		}
	}
}

// The policy of a page names its script, and no other may be executed.
func TestScriptOfThePage(t *testing.T) {
	text := html(sweep(t, false, claims))
	_, rest, _ := strings.Cut(text, "<script>")
	script, _, found := strings.Cut(rest, "</script>")
	if !found {
		t.Fatal("there is no script")
	}
	sum := sha256.Sum256([]byte(script))
	name := "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	policy := htmltext.UnescapeString(text[:strings.Index(text, "<style>")])
	if !strings.Contains(policy, "script-src "+name+";") {
		t.Errorf("the policy does not name %s", name)
	}
}
