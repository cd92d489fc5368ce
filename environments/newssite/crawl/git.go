package crawl

import (
	"bufio"
	"bytes"
	"cmp"
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

// largestFile bounds what is read of a source, in bytes; the rest is ignored.
const largestFile = 1 << 20

// sourceFile matches what pages are made of; the first group is a page's name.
var sourceFile = regexp.MustCompile(`(?i)^(.*?)(?:/(?:_?index|readme))?\.(?:md|mdx|markdown|html?|rst)$`)

// link matches links in Markdown, HTML and reStructuredText; one group has the
// target.
var link = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)|(?m:^\s*\[[^\]\n]+\]:\s*<?(\S+))|(?i:\bhref\s*=\s*["']?([^"'\s>]+))|` +
	"<([^<>\\s]+)>`_|:doc:`(?:[^`<]*<)?([^`>]+)|" + `\{\{[<%]\s*(?:rel)?ref\s+"([^"]+)"`)

var tag = regexp.MustCompile(`<[^<>]*>`)

// A source is what a page has of its own after a commit, and the pages in the
// directory of which it is the index, in the order in which they came.
type source struct {
	name   string
	time   int64  // of the commit, Unix seconds
	blob   string // its content; empty: there is none, or it was deleted
	plain  string
	links  []string
	within []string
}

// History reads the history of a site's sources: the Markdown, HTML and
// reStructuredText files below a directory of a git repository ("" is all of it),
// as they were after each commit of the main line, by the program git. A page is
// named as its file from there, without ending, index and README, in small
// letters; its date is the commit's. What was deleted is a page without text,
// links and date. Links are looked for beside the page, below it, and, if they
// begin with /, from the root, without the first directory, the first two, and
// so on, as sites are often built below some; to other hosts they lead elsewhere.
//
// What a site's templates add is not there. lists, if not 0, puts some of it in:
// each directory has an index page, made if there is no source of it, which also
// links to so many of the pages and directories in it, those that came last; and
// each page also links to the index of its directory.
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
	l := newLog()
	l.follow = l.followSource
	pages := map[string]*source{}
	see := func(p *source, when int64) error {
		links, date := p.links, int64(undated)
		if lists > 0 {
			links = slices.Concat([]string{path.Dir(p.name)}, links, p.within[max(0, len(p.within)-lists):])
		}
		if p.blob != "" {
			date = p.time
		}
		return l.add(p.name, when, date, p.plain, links)
	}
	var put func(now *source, gone bool) error
	put = func(now *source, gone bool) (err error) {
		if old := pages[now.name]; old != nil {
			now.within = old.within
		}
		pages[now.name] = now
		if parent := path.Dir(now.name); lists > 0 && parent != now.name {
			if pages[parent] == nil {
				err = put(&source{name: parent, time: now.time}, false)
			}
			index := pages[parent]
			if at := slices.Index(index.within, now.name); gone == (at >= 0) {
				if gone {
					index.within = slices.Delete(index.within, at, at+1)
				} else {
					index.within = append(index.within, now.name)
				}
				err = cmp.Or(err, see(index, now.time))
			}
		}
		return cmp.Or(err, see(now, now.time))
	}
	return l, git(repository, &blobs, func(out *bufio.Reader) error {
		for i, c := range changes {
			changes[i] = nil // of a page only the latest source is kept
			err := c.read(out)
			if err = cmp.Or(err, put(c, c.blob == "")); err != nil {
				return fmt.Errorf("%s %s: %w", c.name, c.blob, err)
			}
		}
		return nil
	}, "cat-file", "--batch")
}

// readChanges reads which sources each commit changed.
func readChanges(repository, below string) (changes []*source, err error) {
	err = git(repository, nil, func(out *bufio.Reader) error {
		fields := bufio.NewScanner(out) // up to 64 KiB each
		fields.Split(func(data []byte, _ bool) (int, []byte, error) {
			before, _, found := bytes.Cut(data, []byte{0})
			if !found {
				return 0, nil, nil
			}
			return len(before) + 1, before, nil
		})
		var now int64
		for fields.Scan() {
			field := strings.TrimPrefix(fields.Text(), "\n")
			if parts := strings.Fields(field); strings.HasPrefix(field, ":") && len(parts) == 5 && fields.Scan() {
				match := sourceFile.FindStringSubmatch("/" + strings.TrimPrefix(strings.TrimPrefix(fields.Text(), below), "/"))
				if match == nil || strings.HasPrefix(parts[1], "12") { // a symbolic link
					continue
				}
				c := &source{name: cmp.Or(strings.ToLower(match[1]), "/"), time: now, blob: parts[3]}
				if parts[4] == "D" {
					c.blob = ""
				}
				changes = append(changes, c)
			} else if field != "" {
				t, err := strconv.ParseInt(field, 10, 64)
				if err != nil {
					return fmt.Errorf("time of a commit: %w", err)
				}
				now = max(now, t) // clocks of committers differ
			}
		}
		return fields.Err()
	}, "log", "--no-ext-diff", "--no-textconv", "--first-parent", "-m", "--reverse", "--raw",
		"--no-abbrev", "--no-renames", "-z", "--format=%ct", "HEAD", "--", cmp.Or(below, "."))
	if err == nil && len(changes) == 0 {
		err = fmt.Errorf("%s: there are no Markdown, HTML or reStructuredText files below %q", repository, below)
	}
	return changes, err
}

// read reads what git cat-file --batch says of the blob, if there is one.
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
	data := make([]byte, min(size, largestFile))
	if _, err := io.ReadFull(out, data); err != nil {
		return err
	}
	s.plain = tag.ReplaceAllString(link.ReplaceAllString(string(data), " "), " ")
	for _, groups := range link.FindAllStringSubmatch(string(data), -1) {
		s.links = append(s.links, strings.Join(groups[1:], ""))
	}
	_, err = io.CopyN(io.Discard, out, size-int64(len(data))+1) // a line's end follows
	return err
}

// git runs the program git on a repository, and read on what it writes. The
// repository is a stranger's, so that no program that its configuration names is
// run: for signatures, differences, changed files, or objects that are elsewhere.
func git(repository string, in io.Reader, read func(*bufio.Reader) error, args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", repository, "--literal-pathspecs",
		"-c", "log.showSignature=false", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_NO_LAZY_FETCH=1")
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &said
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return err
	}
	err = read(bufio.NewReaderSize(out, 1<<16))
	_ = out.Close() // ends git, if read did not read all
	if ended := cmd.Wait(); ended != nil && (err == nil || errors.Is(err, io.EOF)) {
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
		if n, ok := l.numbers[cmp.Or(strings.ToLower(name), "/")]; ok {
			return n, true
		}
	}
	return 0, false
}
