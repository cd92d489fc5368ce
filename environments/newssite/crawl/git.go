package crawl

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
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

// link matches links in Markdown, HTML and reStructuredText; one of the groups
// has the target.
var link = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)|` +
	`(?m:^\s*\[[^\]\n]+\]:\s*<?(\S+))|` +
	`(?i:\bhref\s*=\s*["']?([^"'\s>]+))|` +
	"<([^<>\\s]+)>`_|" +
	":doc:`(?:[^`<]*<)?([^`>]+)|" +
	`\{\{[<%]\s*(?:rel)?ref\s+"([^"]+)"`)

var tag = regexp.MustCompile(`<[^<>]*>`)

// A source is what a commit made of a page. An index page also has the pages of
// its directory, in the order in which they were added.
type source struct {
	name   string
	time   int64  // of the commit, Unix seconds
	blob   string // its content; empty: there is none, or it was deleted
	plain  string
	links  []string
	within []string
}

// History reads the history of a site's sources with the program git: the
// Markdown, HTML and reStructuredText files below a directory of a repository
// ("" is all of it), as they were after each commit of the main line.
//
// The name of a page is the path of its file below that directory, in lower
// case, without the ending, index and README. Its date is the date of the
// commit. A page that was deleted stays as a page without text, links and date.
// A link is resolved beside the page, then below it. If it begins with /, it is
// resolved from the root, then without its first directory, its first two, and
// so on, since sites are often built below a directory. Links to other hosts
// are left out.
//
// Sources lack what the templates of a site add. With lists above 0, some of
// that is added: each directory has an index page, which is made if it has no
// source. The index also links to the newest pages and directories in it, as
// many as lists says, and each page also links to the index of its directory.
func History(repository, below string, lists int) (*Log, error) {
	below = strings.Trim(path.Clean("/"+below), "/")
	changes, err := readChanges(repository, below)
	if err != nil {
		return nil, err
	}
	var blobs bytes.Buffer
	for _, c := range changes {
		if c.blob != "" {
			blobs.WriteString(c.blob + "\n")
		}
	}
	i := &importer{log: newLog(), lists: lists, pages: map[string]*source{}}
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
	lists int                // see History
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
	return i.see(now, now.time)
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
func readChanges(repository, below string) ([]*source, error) {
	var changes []*source
	root := below
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
				file := strings.TrimPrefix(strings.TrimPrefix(fields.Text(), below), "/")
				if c := changeOf(raw, file, now); c != nil {
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
	if len(changes) == 0 {
		return nil, fmt.Errorf("%s: there are no Markdown, HTML or reStructuredText files below %q",
			repository, below)
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

// changeOf returns the change of a file from the modes, blobs and status that
// git tells; nil if the file is not a source.
func changeOf(raw []string, file string, now int64) *source {
	match := sourceFile.FindStringSubmatch("/" + file)
	symbolicLink := strings.HasPrefix(raw[1], "12")
	if match == nil || symbolicLink {
		return nil
	}
	c := &source{name: pageName(match[1]), time: now, blob: raw[3]}
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
	return strings.ToLower(file)
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
	s.plain = link.ReplaceAllString(string(data), " ")
	s.plain = tag.ReplaceAllString(s.plain, " ")
	for _, groups := range link.FindAllStringSubmatch(string(data), -1) {
		s.links = append(s.links, strings.Join(groups[1:], ""))
	}
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

// followSource returns the page that a link in a source leads to.
func (l *Log) followSource(page, link string) (int32, bool) {
	at, err := url.Parse(link)
	if err != nil || at.Scheme != "" || at.Host != "" || at.Path == "" {
		return 0, false
	}
	names := []string{path.Join(path.Dir(page), at.Path), path.Join(page, at.Path)}
	if strings.HasPrefix(at.Path, "/") {
		names = []string{path.Clean(at.Path)}
		for parts := strings.Split(names[0], "/")[1:]; len(parts) > 1; {
			parts = parts[1:]
			names = append(names, "/"+strings.Join(parts, "/"))
		}
	}
	for _, name := range names {
		if match := sourceFile.FindStringSubmatch(name); match != nil {
			name = match[1]
		}
		if n, ok := l.numbers[pageName(name)]; ok {
			return n, true
		}
	}
	return 0, false
}
