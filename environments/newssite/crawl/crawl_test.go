package crawl

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"sweep/environments/newssite"
	"sweep/internal/testutil"
)

// row is a row of a log, as JSON and Parquet have it.
type row struct {
	URL   string   `json:"url" parquet:"url"`
	Time  int64    `json:"time" parquet:"time"`
	Text  string   `json:"text" parquet:"text"`
	Links []string `json:"links" parquet:"links,list"`
}

// rows are of four pages; a second is a day in the window from 1000 to 1010.
var rows = []row{
	{"http://h/a", 900, "old", nil}, // before the window, and replaced in it at once
	{"http://h/a", 901, "a", []string{"/%C3%BC"}},
	{"http://h/", 1000, "home", []string{"http://h/a", "ü", "http://h/late", "http://elsewhere/"}},
	{"http://h/ü", 1000, "cats and dogs", []string{"/", "a#top", "/a", "ü", "mailto:x"}},
	{"http://h/ü", 1002, "cats and dogs", []string{"/", "a#top", "/a", "ü", "mailto:x"}}, // unchanged
	{"http://h/ü", 1004, "cats", nil},
	{"http://h/ü", 1004, "cats, cats", nil}, // the last of a moment
	{"http://h/late", 1020, "after the window", nil},
}

var window = Window{From: "1000", To: "1010", Days: 10, Downloads: 1}

func write(t *testing.T, name, text string) string {
	path := filepath.Join(t.TempDir(), name)
	testutil.NoError(os.WriteFile(path, []byte(text), 0o666))
	return path
}

// describe writes a site as text: of each version its days, date and links.
func describe(s *newssite.Site) string {
	days := func(ms int64) float64 { return float64(ms) / float64(newssite.Day) }
	text := fmt.Sprintln("start", s.Start)
	for u := range int32(s.URLs()) {
		for _, v := range s.History(u) {
			text += fmt.Sprintln(u, "from", days(v.From), "dated", days(v.Date), s.LinksOf(&v))
		}
	}
	return strings.ReplaceAll(text, fmt.Sprint(days(newssite.Undated)), "never")
}

func TestLogs(t *testing.T) {
	var lines strings.Builder
	for _, r := range rows {
		testutil.NoError(json.NewEncoder(&lines).Encode(r))
	}
	table := filepath.Join(t.TempDir(), "log.parquet")
	testutil.NoError(parquet.WriteFile(table, rows))
	var sites []*newssite.Site
	for _, path := range []string{write(t, "log.jsonl", lines.String()), table} {
		log := testutil.Must(Read(path))
		site, said, err := log.Site(window)
		testutil.NoError(err)
		// a was there first; b and the home page came together, b has more links to it
		const want = `start [0 2 1]
0 from -99 dated -99 [2]
1 from 0 dated 0 [0 2]
2 from 0 dated 0 [1 0]
2 from 4 dated 4 []
`
		if got := describe(site); got != want {
			t.Errorf("%s\n%swant\n%s", path, got, want)
		}
		if want := "3 URLs, 4 versions, 5 links, "; !strings.HasPrefix(said, want) || !strings.Contains(said, "\nlinks left out: 2 to other sites, 0 to files that are no pages, 1 to pages after the window, 0 lost\nstart list: http://h/a http://h/ü http://h/") {
			t.Errorf("said %q", said)
		}
		for _, v := range site.States {
			if len(v) != topics || slices.ContainsFunc(v, func(x float64) bool { return !(math.Abs(x) <= 1) }) {
				t.Errorf("state %v", v)
			}
		}
		sites = append(sites, site)
	}
	if !reflect.DeepEqual(sites[0], sites[1]) {
		t.Error("the formats differ")
	}
	for _, w := range []Window{{From: "1010", To: "1000", Days: 1}, {From: "-5", Days: 1}, {To: "1e12", Days: 1}, {From: "soon", Days: 1}, {From: "100", To: "200", Days: 1}} {
		log, _ := Read(table)
		if _, _, err := log.Site(w); err == nil {
			t.Errorf("%+v is accepted", w)
		}
	}
}

// A word that most pages have tells nothing of a page, and others do.
func TestStatesOfWords(t *testing.T) {
	l := newLog()
	for i, theme := range strings.Fields(strings.Repeat("cat dog cow pig hen ewe ", 3)) {
		testutil.NoError(l.add(fmt.Sprint("page", i), 0, 0, "the the "+theme+" "+theme+"s", nil))
	}
	testutil.NoError(l.add("of", 0, 0, "", nil))
	testutil.NoError(l.add("ofthe", 0, 0, "the", nil))
	site, _, err := l.Site(Window{Days: 1, Downloads: 1})
	testutil.NoError(err)
	state := func(u int32) []float64 { return site.States[site.History(u)[0].State] }
	if none, the := state(18), state(19); !slices.Equal(none, the) || slices.Equal(state(0), state(1)) || !slices.Equal(state(0), state(6)) {
		t.Errorf("states %v and %v", none, the)
	}
}

func TestHostileLogs(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ": there are no rows"},
		{`{"url":"a","time":1}`, ":1: the columns are time, url, want among others text"},
		{`{"url":"a","time":"noon","text":""}`, `:1: time is "noon", want`},
		{`{"url":"a","time":-1,"text":""}`, ":1: time is -1 s after 1970, want"},
		{`{"url":"a","time":99999999999,"text":""}`, ":1: time is 99999999999 s after"},
		{`{"url":"a","time":1,"text":""}` + "\n" + `{"url":"b","time":0,"text":""}`, ":2: time is 0 s after 1970, want"},
		{`{"url":"a","time":1,"text":["x"]}`, ":1: text is a list, want"},
		{`{"url":"","time":1,"text":""}`, `:1: the URL is "", want`},
		{`{"url":"a\u0007","time":1,"text":""}`, `:1: the URL is "a\a", want`},
		{`{"url":"a b","time":1,"text":""}`, `:1: the URL is "a b", want`},
		{"{\"url\":\"a\xff\",\"time\":1,\"text\":\"\"}", `:1: the URL is "a\ufffd", want`},
		{`{"url":"` + strings.Repeat("a", maxURLLength+1) + `","time":1,"text":""}`, `:1: the URL is "aaa`},
		{`{"url":"a","time":1,"text":"` + strings.Repeat("a ", 1<<20) + `"}`, ":1: a line has more than 1048576 bytes"},
		{"{}\n[]", ":1: the columns are , want among others url"},
		{"[]", ":1: not a JSON object"},
	} {
		path := write(t, "log.jsonl", c.text)
		if _, err := Read(path); err == nil || !strings.HasPrefix(err.Error(), path+c.want) {
			t.Errorf("%.80s: %v, want %s", c.text, err, c.want)
		}
	}
}

// A repository is made by a test. It is as nobody has configured git.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	for _, name := range []string{"GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"} { // set where a hook runs the tests
		testutil.NoError(os.Unsetenv(name))
	}
	r := repository{t, t.TempDir()}
	r.run("0", "init", "-q")
	return r
}

func (r repository) run(time string, args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", r.dir, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_COMMITTER_DATE=@"+time+" +0000", "GIT_AUTHOR_DATE=@0 +0000", "GIT_CONFIG_GLOBAL="+os.DevNull)
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r repository) put(name, text string) {
	path := filepath.Join(r.dir, name)
	testutil.NoError(os.MkdirAll(filepath.Dir(path), 0o777))
	testutil.NoError(os.WriteFile(path, []byte(text), 0o666))
}

func (r repository) commit(time string) {
	r.t.Helper()
	r.run(time, "add", "-A")
	r.run(time, "commit", "-m", "m")
}

// The history of four commits, two of one moment by clocks that differ.
func TestHistory(t *testing.T) {
	r := newRepository(t)
	dir := r.dir
	run := r.run
	put := r.put
	commit := r.commit
	put("site/_index.md", "[one](docs/One.md#x) [two](/en/docs/two/ \"title\") [self](/) <a href='http://h/docs/two'>away</a>")
	put("site/docs/One.md", "`two <two.html>`_ and :doc:`two`\n\n[r]: ../index.html\n[unknown](three.md)")
	put("other.md", "not of the site")
	put("site/image.svg", "nor this")
	if err := os.Symlink("_index.md", filepath.Join(dir, "site", "link.md")); err != nil {
		t.Skip(err)
	}
	commit("1000")
	put("site/docs/two/README.html", `<a href="../">up</a> {{< ref "one" >}}`)
	commit("1003")
	run("1003", "mv", "site/docs/One.md", "site/docs/one.rst") // the same page
	put("other.md", "changed")
	commit("1002")
	run("1005", "rm", "-q", "-r", "site/docs/two")
	// The last commit is signed by a program that the repository names, which is not
	// to be run again.
	gpg := write(t, "gpg", "#!/bin/sh\ncat > /dev/null\ntouch \"$0.ran\"\necho '[GNUPG:] SIG_CREATED ' >&2\necho '-----BEGIN PGP SIGNATURE-----'\n")
	ran := gpg + ".ran"
	testutil.NoError(os.Chmod(gpg, 0o777))
	for _, set := range [][]string{{"gpg.program", gpg}, {"log.showSignature", "true"}, {"diff.external", gpg}} {
		run("0", append([]string{"config"}, set...)...)
	}
	run("1005", "commit", "-S", "-m", "m")
	testutil.NoError(os.Remove(ran))
	// Nor is its configuration to change what is read, or the environment.
	run("0", "config", "log.showRoot", "false")
	t.Setenv("GIT_DIR", t.TempDir())
	for lists, want := range map[int]string{0: `start [0 1 2]
0 from 0 dated 0 [1 2]
1 from 0 dated 0 [2 0]
2 from 0 dated 0 [0 1]
2 from 5 dated never []
`, 2: `start [0 1 2 3]
0 from 0 dated 0 [2 3 1]
1 from 0 dated never [0 2]
1 from 3 dated never [0 3 2]
1 from 5 dated never [0 2]
2 from 0 dated 0 [1 3 0]
3 from 0 dated 0 [1 0 2]
3 from 5 dated never [1]
`} { // with lists page 1 is the index of docs; two, of the start list, is there from the beginning
		log := testutil.Must(History(dir, Sources{Below: "site/", Lists: lists}))
		site, said, err := log.Site(window)
		testutil.NoError(err)
		if got := describe(site); got != want {
			t.Errorf("%s%s\nwant\n%s", got, said, want)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program was run that the repository names")
	}
	for _, c := range []struct{ dir, below, want string }{
		{dir, "nothing", "there are no Markdown, HTML or reStructuredText files below"},
		{dir, "../..", ""}, // means all of the repository
		{t.TempDir(), "", "git log in "},
	} {
		if _, err := History(c.dir, Sources{Below: c.below}); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %q: %v, want %s", c.dir, c.below, err, c.want)
		}
	}
}

// What is a page of a repository, and where the links on its pages lead.
func TestLinksOfSources(t *testing.T) {
	r := newRepository(t)
	for name, text := range map[string]string{
		"doc/index.rst": `
.. toctree::
   :maxdepth: 2

   one
   Two things <sub/two>
   self
   http://h/away
   old/*

no entry
`,
		"doc/one.rst":            "See :ref:`Place`, :ref:`text <b  c>`, :ref:`python:tut`, :ref:`none`.\n~~~\n",
		"doc/sub/two.rst":        ".. _place:\n.. _`b c`:\n\n:doc:`/one`, :doc:`x <../index>`, :pep:`7`, :pep:`text <8#a>`, :pep:`x`\n",
		"doc/pep-0008.rst":       ".. _elsewhere: http://h/\n.. _near: one.html\n.. _chain: near_\n",
		"doc/md.md":              "# M\n(mark)=\n```go\n[x](int)\n```\n{doc}`one` {ref}`mark` {pep}`8`\n\n```{toctree}\none\n```\n[lost]: gone 'title'\n[0]: no link\n",
		"blog/_posts/post.md":    "[a]({{ site.baseurl }}/doc/one.html) [b]({% link doc/md.md %}) <a href=\"{{ '/doc/index' | relative_url }}\">c</a> [d]({{ page.x }}/y)",
		"blog/hugo.md":           "[a]({{< relref \"../doc/one\" >}}) <a href='{{% ref path=\"/doc/md\" %}}'> [i](/i.png) [m](mailto:x) [g](gone)",
		"deep/en/a.md":           "[b](/b) [gone](gone) [gone](gone) [here](#here)",
		"deep/en/b.md":           "b",
		"deep/en/partials/p.md":  "p",
		"layouts/l.html":         "no page",
		"x/partials/p.html":      "no page",
		"_includes/i.md":         "no page",
		"x/_part.md":             "no page",
		".github/x.md":           "no page",
		"node_modules/m/read.md": "no page",
		"old/o.md":               "excluded",
		"doc/old/o.md":           "excluded",
		"doc/draft-1.md":         "excluded",
		"deep/fr/c.md":           "excluded",
	} {
		r.put(name, text)
	}
	r.commit("0")
	log := testutil.Must(History(r.dir, Sources{Exclude: []string{"old", "draft-*", "/deep/fr/"}}))
	site, said, err := log.Site(Window{Days: 1, Downloads: 1})
	testutil.NoError(err)
	got := ""
	for u, page := range log.urls {
		got += page + ":"
		for _, target := range site.LinksOf(&site.History(int32(u))[0]) {
			got += " " + log.urls[target]
		}
		got += "\n"
	}
	const want = `/blog/posts/post: /doc/one /doc/md /doc
/blog/hugo: /doc/one /doc/md
/deep/en/a: /deep/en/b
/deep/en/b:
/deep/en/partials/p:
/doc: /doc/one /doc/sub/two
/doc/md: /doc/one /doc/pep-0008
/doc/one: /doc/sub/two
/doc/pep-0008: /doc/one
/doc/sub/two: /doc/one /doc /doc/pep-0008
`
	if got != want {
		t.Errorf("%swant\n%s", got, want)
	}
	const left = `
links left out: 5 to other sites, 1 to files that are no pages, 0 to pages after the window, 7 lost
lost most often: "gone" (4), ":pep:x" (1), ":ref:none" (1), "{{ page.x }}/y" (1)
`
	if !strings.Contains(said, left) {
		t.Errorf("said %q, want %q", said, left)
	}
	_, err = History(r.dir, Sources{Exclude: []string{"old", "dratf"}})
	if err == nil || !strings.Contains(err.Error(), `the pattern "dratf" to exclude matches no`) {
		t.Error(err)
	}
	for _, pattern := range []string{"", "/", "a["} {
		if CheckPattern(pattern) == nil {
			t.Errorf("the pattern %q is accepted", pattern)
		}
	}
}

// Lost links are shown as what they are, whatever they contain.
func TestHostileLinks(t *testing.T) {
	l := newLeftOut()
	for _, link := range []string{"\x1b[2J", "\u202e\xff", strings.Repeat("ü", 200), "b", "a", "c"} {
		l.add(nowhere, link)
	}
	l.add(nowhere, "c")
	const want = `"c" (2), "\x1b[2J" (1), "a" (1), "b" (1), "ü`
	if got := l.String(); !strings.Contains(got, want) || strings.Contains(got, "\u202e") || len(got) > 400 {
		t.Errorf("%q, want %q", got, want)
	}
}

// Any text has links, and they lead somewhere or nowhere.
func FuzzLinks(f *testing.F) {
	f.Add("[a](b) <a href='{{< ref \"c\" >}}'> :ref:`x <y>` {pep}`8`", true)
	f.Add(".. toctree::\n\n  a <b>\n.. _x:\n```{toctree}\nc\n", false)
	f.Add("[a](//%zz) [b](:) [c](/../..) [d](..)\n~~~\n````\n```", true)
	l := newLog()
	testutil.NoError(l.add("/", 0, 0, "", nil))
	testutil.NoError(l.add("/a/b", 0, 0, "", nil))
	f.Fuzz(func(t *testing.T, text string, markdown bool) {
		for _, link := range linksOf(text, markdown) {
			n, where := l.followSource("/a/b", link)
			if int(n) >= len(l.urls) || where < aPage || where > nowhere || where != aPage && n != 0 {
				t.Errorf("%q leads to page %d, place %d", link, n, where)
			}
		}
		if withoutListings(text) == "" && !strings.Contains(text, "```") && !strings.Contains(text, "~~~") && text != "" {
			t.Error("a text without listings is gone")
		}
	})
}
