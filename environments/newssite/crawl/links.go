package crawl

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// target matches the target of a link, in which a template may have
// expressions.
const target = "((?:\\{\\{[^{}]*\\}\\}|[^)\\s<>\"'`])+)"

// shortcode matches what Hugo has before a target.
const shortcode = "(?:\\{\\{[<%]\\s*(?:rel)?ref\\s+(?:path=)?[\"`]?)"

// link matches links in Markdown, HTML and reStructuredText; one of the groups
// has the target.
var link = regexp.MustCompile(`\]\(\s*<?` + shortcode + `?` + target + `|` +
	`(?m:^\s*\[[^\]\n]+\]:[ \t]*<?` + target + `>?[ \t]*(?:["'(].*)?$)|` +
	`(?i:\bhref\s*=\s*["']?)` + shortcode + `?` + target + `|` +
	"<([^<>\\s]*[^<>\\s_])>`_|" +
	"(?m:^\\s*\\.\\. _[^:\\n]+:[ \\t]+([^\\s`]*[^\\s`_])[ \\t]*$)|" +
	shortcode + target)

// role matches the roles of Sphinx whose text, or the part of it in <>, names a
// page.
var role = regexp.MustCompile("[:{](doc|pep|ref)[:}]`!?(?:[^`<]*<)?([^`<>]+)")

var tag = regexp.MustCompile(`<[^<>]*>`)

// label matches the places that the role ref names, in reStructuredText and in
// Markdown.
var label = regexp.MustCompile("(?m)^[ \\t]*\\.\\. _`?([^`\\n]+?)`?:[ \\t]*$|" +
	`^\(([^()\n]+)\)=[ \t]*$`)

// Expressions of templates that stand for the root of the site, and for a path
// from there.
var (
	siteRoot = regexp.MustCompile(`\{\{-?\s*(?:site\.(?:base)?url|\.Site\.BaseURL)\b[^{}]*\}\}`)
	fromRoot = regexp.MustCompile(`\{\{-?\s*["']/?([^"'{}]+)["']\s*\|\s*` +
		`(?:relative_url|absolute_url|relURL|absURL|relLangURL)\b[^{}]*\}\}|` +
		`\{%-?\s*link\s+/?(\S+?)\s*-?%\}`)
)

// linksOf returns the targets of the links in a source: URLs and paths, and for
// two roles that name no path ":pep:8" or ":ref:label".
func linksOf(text string, markdown bool) (links []string) {
	tables := contents(text)
	if markdown {
		text = withoutListings(text)
	}
	text = siteRoot.ReplaceAllString(text, "")
	text = fromRoot.ReplaceAllString(text, "/$1$2")
	for _, groups := range link.FindAllStringSubmatch(text, -1) {
		links = append(links, strings.Join(groups[1:], ""))
	}
	for _, groups := range role.FindAllStringSubmatch(text, -1) {
		to := strings.TrimSpace(groups[2])
		if groups[1] != "doc" {
			to = ":" + groups[1] + ":" + to
		}
		links = append(links, to)
	}
	return append(links, tables...)
}

// listing matches a line that begins or ends a listing in Markdown. The groups
// are its marks, and what it is a listing of.
var listing = regexp.MustCompile("^\\s*(```+|~~~+)([^`\\n]*)")

// withoutListings returns a text in Markdown without its listings of programs,
// in which brackets are no links. Directives of Sphinx remain.
func withoutListings(text string) string {
	var kept strings.Builder
	var marks string // of the listing that the line is in
	var drop bool
	for line := range strings.Lines(text) {
		match := listing.FindStringSubmatch(line)
		switch {
		case match != nil && marks == "":
			marks = match[1]
			drop = !strings.HasPrefix(strings.TrimSpace(match[2]), "{")
		case match != nil && strings.HasPrefix(match[1], marks):
			marks = ""
		case marks == "" || !drop:
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// toctree matches the line that begins a list of pages in Sphinx; the group is
// empty in reStructuredText.
var toctree = regexp.MustCompile("^\\s*(?:\\.\\. toctree::|(```+|:::+)\\{toctree\\})")

// titled matches an entry of such a list that has a title of its own.
var titled = regexp.MustCompile(`<([^<>]+)>$`)

// contents returns the entries of the lists of pages in a source: those of the
// directive toctree. Patterns that stand for several pages are left out.
func contents(text string) (entries []string) {
	inside := false
	marks := ""
	indent := 0
	for line := range strings.Lines(text) {
		entry := strings.TrimSpace(line)
		depth := len(line) - len(strings.TrimLeft(line, " \t"))
		begins := toctree.FindStringSubmatch(line)
		switch {
		case begins != nil:
			inside = true
			marks = begins[1]
			indent = depth
		case !inside || entry == "":
		case marks == "" && depth <= indent, marks != "" && strings.HasPrefix(entry, marks):
			inside = false
		case entry == "self" || strings.HasPrefix(entry, ":") || strings.Contains(entry, "*"):
		default:
			if match := titled.FindStringSubmatch(entry); match != nil {
				entry = match[1]
			}
			entries = append(entries, entry)
		}
	}
	return entries
}

// labelsOf returns the labels in a source, as plainLabel writes them.
func labelsOf(text string) (labels []string) {
	for _, groups := range label.FindAllStringSubmatch(text, -1) {
		labels = append(labels, plainLabel(groups[1]+groups[2]))
	}
	return labels
}

// plainLabel returns a label as Sphinx compares it: in lower case, with one
// space between words.
func plainLabel(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// A place is where a link leads.
type place int

const (
	aPage     place = iota
	otherSite       // or what is no page of any, such as a mail address
	aFile           // a file of the site that is no page
	nowhere         // no page of that name was seen
)

// linkedFile matches a path that a link has, with the ending of a source or
// without; the first group is the name of the page.
var linkedFile = regexp.MustCompile(
	`(?i)^(.*?)(?:/(?:_?index|readme))?(?:\.(?:md|mdx|markdown|html?|rst))?$`)

// followSource returns the page that a link in a source leads to.
func (l *Log) followSource(page, link string) (int32, place) {
	if text, ok := strings.CutPrefix(link, ":ref:"); ok {
		if n, ok := l.numbers[l.labels[plainLabel(text)]]; ok {
			return n, aPage
		}
		if strings.Contains(text, ":") { // a label of another site, such as python:tut
			return 0, otherSite
		}
		return 0, nowhere
	}
	if text, ok := strings.CutPrefix(link, ":pep:"); ok {
		return l.followProposal(page, text)
	}
	at, err := url.Parse(link)
	switch {
	case err != nil:
		return 0, nowhere
	case at.Scheme != "" || at.Host != "":
		return 0, otherSite
	case at.Path == "":
		return l.numbers[page], aPage
	}
	for _, name := range namesOf(page, at.Path) {
		file := linkedFile.FindStringSubmatch(name)
		if file == nil { // there is a line break in it
			continue
		}
		if n, ok := l.numbers[pageName(file[1])]; ok {
			return n, aPage
		}
	}
	return 0, missing(at.Path)
}

// namesOf returns the names that a path on a page may stand for, the likeliest
// one first.
func namesOf(page, to string) []string {
	if !strings.HasPrefix(to, "/") {
		return []string{path.Join(path.Dir(page), to), path.Join(page, to)}
	}
	names := []string{path.Clean(to)}
	for parts := strings.Split(names[0], "/")[1:]; len(parts) > 1; {
		parts = parts[1:]
		names = append(names, "/"+strings.Join(parts, "/"))
	}
	for dir := path.Dir(page); dir != "/"; dir = path.Dir(dir) {
		names = append(names, path.Join(dir, to))
	}
	return names
}

// followProposal returns the page of a Python Enhancement Proposal, if it is
// one of this site.
func (l *Log) followProposal(page, text string) (int32, place) {
	number, _, _ := strings.Cut(text, "#")
	proposal, err := strconv.Atoi(number)
	if err != nil {
		return 0, nowhere
	}
	for dir := page; dir != "/"; {
		dir = path.Dir(dir)
		if n, ok := l.numbers[path.Join(dir, fmt.Sprintf("pep-%04d", proposal))]; ok {
			return n, aPage
		}
	}
	return 0, otherSite
}

// ending matches the ending of a file.
var ending = regexp.MustCompile(`(?i)\.[a-z][a-z0-9]{0,4}$`)

// missing returns the place of a path that no page has.
func missing(path string) place {
	if ending.MatchString(path) && !sourceFile.MatchString("/"+path) {
		return aFile
	}
	return nowhere
}
