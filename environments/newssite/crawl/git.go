package crawl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxFile is the number of bytes that are read of a source; the rest is
// ignored.
const maxFile = 1 << 20

// sourceFile matches the files that are sources of pages; the first group is
// the name of the page.
var sourceFile = regexp.MustCompile(
	`(?i)^(.*?)(?:/(?:_?index|readme))?\.(?:md|mdx|markdown|html?|rst)$`)

var markdownFile = regexp.MustCompile(`(?i)\.(?:md|mdx|markdown)$`)

// A source is what a commit made of a page. An index page also has the pages of
// its directory, in the order in which they were added.
type source struct {
	name     string
	time     int64  // of the commit, Unix seconds
	blob     string // its content; empty: there is none, or it was deleted
	markdown bool
	plain    string
	links    []string
	labels   []string // that the role ref may name
	within   []string
}

// Sources says which files of a repository are pages of its site.
type Sources struct {
	Below   string   // the directory that is the root; "" is all of the repository
	Exclude []string // patterns of files that are no pages

	// Lists is the number of newest pages and directories to which the index of
	// a directory links; 0: only those that its source names.
	Lists int
}

// History reads the history of a site's sources with the program git: the
// Markdown, HTML and reStructuredText files of a repository, as they were after
// each commit of the main line.
//
// Layouts and parts of pages are no pages: files whose name begins with _,
// except _index, those in directories such as _layouts, _includes and .github,
// and HTML files in directories such as layouts and partials. Nor are files
// whose path below the root, or the path of one of whose directories, matches a
// pattern of s.Exclude as path.Match says; a pattern without / also matches
// directories and files at any depth. A pattern that matches nothing is an
// error.
//
// The name of a page is the path of its file below the root, in lower case,
// without the ending, index, README, and _ at the beginning of a directory,
// which Jekyll drops. Its date is the date of the commit. A page that was
// deleted stays as a page without text, links and date.
//
// A link is resolved beside the page, then below it. If it begins with /, it is
// resolved from the root, then without its first directory, its first two, and
// so on, since sites are often built below a directory; then below the
// directories of the page. The role ref leads to the page that had the label
// last, and pep to the page of that number, if there is one.
//
// Sources lack what the templates of a site add. With s.Lists above 0, some of
// that is added: each directory has an index page, which is made if it has no
// source. The index also links to the newest pages and directories in it, and
// each page also links to the index of its directory.
func History(repository string, s Sources) (*Log, error) {
	s.Below = strings.Trim(path.Clean("/"+s.Below), "/")
	changes, err := readChanges(repository, s)
	if err != nil {
		return nil, err
	}
	var blobs bytes.Buffer
	for _, c := range changes {
		if c.blob != "" {
			blobs.WriteString(c.blob + "\n")
		}
	}
	i := &importer{log: newLog(), lists: s.Lists, pages: map[string]*source{}}
	i.log.follow = i.log.followSource
	err = git(repository, &blobs, func(out *bufio.Reader) error {
		for k, c := range changes {
			changes[k] = nil // only the latest source of a page is kept
			err := c.read(out)
			if err == nil {
				err = i.put(c, c.blob == "")
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", c.name, c.blob, err)
			}
		}
		return nil
	}, "cat-file", "--batch")
	return i.log, err
}

// An importer makes a log from sources.
type importer struct {
	log   *Log
	lists int                // see Sources
	pages map[string]*source // the latest source of each page, by name
}

// put enters the source of a page, which may be gone.
func (i *importer) put(now *source, gone bool) error {
	if old := i.pages[now.name]; old != nil {
		now.within = old.within
	}
	i.pages[now.name] = now
	if i.lists > 0 {
		if err := i.list(now, gone); err != nil {
			return err
		}
	}
	if err := i.see(now, now.time); err != nil {
		return err
	}
	return i.log.addLabels(now.name, now.labels)
}

// list adds a page to the index of its directory, or removes it if it is gone.
// A directory without an index gets one.
func (i *importer) list(page *source, gone bool) error {
	parent := path.Dir(page.name)
	if parent == page.name {
		return nil
	}
	if i.pages[parent] == nil {
		made := &source{name: parent, time: page.time}
		if err := i.put(made, false); err != nil {
			return err
		}
	}
	index := i.pages[parent]
	at := slices.Index(index.within, page.name)
	listed := at >= 0
	if listed != gone {
		return nil // there is nothing to change
	}
	if gone {
		index.within = slices.Delete(index.within, at, at+1)
	} else {
		index.within = append(index.within, page.name)
	}
	return i.see(index, page.time)
}

// see adds a page to the log as it is at some time.
func (i *importer) see(p *source, when int64) error {
	links := p.links
	if i.lists > 0 {
		newest := p.within[max(0, len(p.within)-i.lists):]
		links = slices.Concat([]string{path.Dir(p.name)}, links, newest)
	}
	date := int64(undated)
	if p.blob != "" {
		date = p.time
	}
	return i.log.add(p.name, when, date, p.plain, links)
}

// readChanges returns the changes of sources, commit by commit.
func readChanges(repository string, s Sources) ([]*source, error) {
	var changes []*source
	excluded := make([]bool, len(s.Exclude)) // whether a pattern has matched
	root := s.Below
	if root == "" {
		root = "."
	}
	log := []string{"log", "--no-ext-diff", "--no-textconv", "--first-parent", "-m", "--reverse",
		"--raw", "--no-abbrev", "--no-renames", "-z", "--format=%ct", "HEAD", "--", root}
	err := git(repository, nil, func(out *bufio.Reader) error {
		fields := bufio.NewScanner(out) // up to 64 KiB each
		fields.Split(untilZero)
		var now int64
		for fields.Scan() {
			field := strings.TrimPrefix(fields.Text(), "\n")
			raw := strings.Fields(field)
			if strings.HasPrefix(field, ":") && len(raw) == 5 && fields.Scan() {
				file := strings.TrimPrefix(strings.TrimPrefix(fields.Text(), s.Below), "/")
				c := changeOf(raw, file, now)
				if c != nil && !s.excludes(file, excluded) {
					changes = append(changes, c)
				}
				continue
			}
			if field == "" {
				continue
			}
			t, err := strconv.ParseInt(field, 10, 64)
			if err != nil {
				return fmt.Errorf("time of a commit: %w", err)
			}
			now = max(now, t) // clocks of committers differ
		}
		return fields.Err()
	}, log...)
	if err != nil {
		return nil, err
	}
	if i := slices.Index(excluded, false); i >= 0 {
		return nil, fmt.Errorf("%s: the pattern %q to exclude matches no Markdown, HTML or "+
			"reStructuredText file below %q", repository, s.Exclude[i], s.Below)
	}
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s: there are no Markdown, HTML or reStructuredText files below %q",
			repository, s.Below)
	}
	return changes, nil
}

// untilZero splits the output of git at zero bytes.
func untilZero(data []byte, _ bool) (advance int, field []byte, err error) {
	before, _, found := bytes.Cut(data, []byte{0})
	if !found {
		return 0, nil, nil
	}
	return len(before) + 1, before, nil
}

// CheckPattern returns an error if a pattern to exclude files is malformed.
func CheckPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || strings.Trim(pattern, "/") == "" {
		return fmt.Errorf("the pattern is %q, want one such as drafts, */old or note-*.md", pattern)
	}
	return nil
}

// excludes reports whether a pattern of s.Exclude matches a file or one of its
// directories, and notes which patterns do.
func (s Sources) excludes(file string, matched []bool) (excluded bool) {
	parts := strings.Split(file, "/")
	for i, pattern := range s.Exclude {
		pattern = strings.TrimSuffix(pattern, "/")
		anywhere := !strings.Contains(pattern, "/")
		pattern = strings.TrimPrefix(pattern, "/")
		for k, name := range parts {
			if !anywhere {
				name = strings.Join(parts[:k+1], "/")
			}
			if ok, _ := path.Match(pattern, name); ok { // CheckPattern sees errors
				matched[i] = true
				excluded = true
			}
		}
	}
	return excluded
}

// partFile matches the files of layouts and of parts of pages, and hidden ones.
// Directories of pages may be called layouts, too, but then their pages are
// seldom in HTML.
var partFile = regexp.MustCompile(`(?i)/(?:_layouts|_partials|_includes|_templates|_themes?|` +
	`_shortcodes|archetypes|node_modules|\.[^/]*)/|/_[^/]*$|` +
	`/(?:layouts|partials|shortcodes)/.*\.html?$`)

var indexFile = regexp.MustCompile(`(?i)/_index\.[^/]*$`)

// changeOf returns the change of a file from the modes, blobs and status that
// git tells; nil if the file is not a source.
func changeOf(raw []string, file string, now int64) *source {
	match := sourceFile.FindStringSubmatch("/" + file)
	symbolicLink := strings.HasPrefix(raw[1], "12")
	part := partFile.MatchString("/"+file) && !indexFile.MatchString("/"+file)
	if match == nil || symbolicLink || part {
		return nil
	}
	c := &source{
		name:     pageName(match[1]),
		time:     now,
		blob:     raw[3],
		markdown: markdownFile.MatchString(file),
	}
	if raw[4] == "D" {
		c.blob = ""
	}
	return c
}

// pageName returns the name of a page from that of its file, without the
// ending.
func pageName(file string) string {
	if file == "" {
		return "/"
	}
	return strings.ToLower(strings.ReplaceAll(file, "/_", "/"))
}

// read reads the content of the source, if there is any, from the output of
// git cat-file --batch.
func (s *source) read(out *bufio.Reader) error {
	if s.blob == "" {
		return nil
	}
	head, err := out.ReadString('\n')
	if err != nil {
		return err
	}
	var size int64
	if _, err := fmt.Sscanf(head, "%s blob %d\n", new(string), &size); err != nil {
		return fmt.Errorf("git says %q", head)
	}
	data := make([]byte, min(size, maxFile))
	if _, err := io.ReadFull(out, data); err != nil {
		return err
	}
	text := string(data)
	s.plain = link.ReplaceAllString(text, " ")
	s.plain = role.ReplaceAllString(s.plain, " ")
	s.plain = tag.ReplaceAllString(s.plain, " ")
	s.links = linksOf(text, s.markdown)
	s.labels = labelsOf(text)
	_, err = io.CopyN(io.Discard, out, size-int64(len(data))+1) // the end of the line, too
	return err
}

// git runs the program git on a repository, and calls read with its output. The
// repository may be a stranger's: no program that its configuration names is
// run, be it for signatures, differences, changed files or objects that are
// elsewhere, and no file that it names is read. What is read depends neither on
// its configuration nor on variables of the environment, which a hook of git
// has set to another repository.
func git(repository string, in io.Reader, read func(*bufio.Reader) error, args ...string) error {
	safe := []string{"-C", repository, "--literal-pathspecs",
		"-c", "log.showSignature=false", "-c", "core.fsmonitor=false",
		"-c", "log.showRoot=true", "-c", "diff.orderFile=" + os.DevNull,
		"-c", "core.attributesFile=" + os.DevNull}
	cmd := exec.Command("git", slices.Concat(safe, args)...)
	cmd.Env = slices.DeleteFunc(os.Environ(), func(variable string) bool {
		return strings.HasPrefix(variable, "GIT_")
	})
	cmd.Env = append(cmd.Env, "GIT_NO_LAZY_FETCH=1")
	var said bytes.Buffer
	cmd.Stdin = in
	cmd.Stderr = &said
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	err = read(bufio.NewReaderSize(out, 1<<16))
	_ = out.Close() // ends git, if read did not read all
	ended := cmd.Wait()
	if ended != nil && (err == nil || errors.Is(err, io.EOF)) {
		err = fmt.Errorf("git %s in %s: %s", args[0], repository, bytes.TrimSpace(said.Bytes()))
	}
	return err
}
