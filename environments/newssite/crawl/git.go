package crawl

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sweep/environments/newssite/text"
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

// History reads the history of a site's sources: the Markdown, HTML and
// reStructuredText files below a directory of a git repository ("" is all of it),
// as they were after each commit of the main line, by the program git. A page is
// named as its file from there, without ending, index and README, in small
// letters; its date is the commit's. What was deleted is a page without text,
// links and date. A link with a scheme leads elsewhere; others are looked for
// beside the page, below it, and, if they begin with /, from the root, without
// the first directory, the first two, and so on, as sites are often built below
// some.
//
// What a site's templates add is not there. lists, if not 0, puts some of it in:
// each directory has an index page, made if there is no source of it, which also
// links to so many of the pages and directories in it, those that came last; and
// each page also links to the index of its directory.
func History(repository, below string, lists int) (*Log, error) {
	below = strings.Trim(path.Clean("/"+below), "/")
	l := &Log{numbers: map[string]int32{}, words: text.Vocabulary{}}
	l.follow = l.followSource
	var changes []sighting
	var names, blobs []string
	err := git(repository, nil, func(out *bufio.Reader) error {
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
			change, isChange := strings.CutPrefix(field, ":")
			if isChange && fields.Scan() {
				name := "/" + strings.TrimPrefix(strings.TrimPrefix(fields.Text(), below), "/")
				parts, match := strings.Fields(change), sourceFile.FindStringSubmatch(name)
				if len(parts) != 5 || match == nil || strings.HasPrefix(parts[1], "12") { // a symbolic link
					continue
				}
				s := sighting{time: now, date: now}
				blob := parts[3]
				if parts[4] == "D" {
					s.date, blob = undated, ""
				}
				changes, names, blobs = append(changes, s), append(names, cmp.Or(strings.ToLower(match[1]), "/")), append(blobs, blob)
				if len(changes) > mostSeen {
					return fmt.Errorf("there are more than %d versions", mostSeen)
				}
			} else if field != "" {
				t, err := strconv.ParseInt(field, 10, 64)
				if err != nil {
					return fmt.Errorf("time of a commit: %w", err)
				}
				now = max(now, t) // clocks of committers differ
			}
		}
		return fields.Err()
	}, "log", "--first-parent", "-m", "--reverse", "--raw", "--no-abbrev", "--no-renames", "--no-show-signature", "-z", "--format=%ct", "HEAD", "--", cmp.Or(below, "."))
	if err == nil && len(changes) == 0 {
		err = fmt.Errorf("%s: there are no Markdown, HTML or reStructuredText files below %q", repository, below)
	}
	if err != nil {
		return nil, err
	}
	wanted := strings.NewReader(strings.Join(slices.DeleteFunc(slices.Clone(blobs), func(b string) bool { return b == "" }), "\n") + "\n")
	t := tree{l, lists, map[string]*node{}}
	return l, git(repository, wanted, func(out *bufio.Reader) error {
		for i, s := range changes {
			now := node{date: s.date}
			if blobs[i] != "" {
				source, err := nextBlob(out)
				if err != nil {
					return fmt.Errorf("%s %s: %w", names[i], blobs[i], err)
				}
				for _, groups := range link.FindAllStringSubmatch(source, -1) {
					now.links = append(now.links, strings.Join(groups[1:], ""))
				}
				now.plain = tag.ReplaceAllString(link.ReplaceAllString(source, " "), " ")
			}
			if err := t.put(names[i], s.time, now, blobs[i] == ""); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
		return nil
	}, "cat-file", "--batch")
}

// nextBlob reads what git cat-file --batch says of a blob.
func nextBlob(out *bufio.Reader) (string, error) {
	head, err := out.ReadString('\n')
	if err != nil {
		return "", err
	}
	fields := strings.Fields(head) // name, type, size
	if len(fields) != 3 || fields[1] != "blob" {
		return "", fmt.Errorf("git says %q", head)
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return "", err
	}
	source := make([]byte, min(size, largestFile))
	if _, err := io.ReadFull(out, source); err != nil {
		return "", err
	}
	_, err = io.CopyN(io.Discard, out, size-int64(len(source))+1) // a line's end follows
	return string(source), err
}

// git runs the program git on a repository, and read on what it writes.
func git(repository string, in io.Reader, read func(*bufio.Reader) error, args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", repository, "--literal-pathspecs"}, args...)...)
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
	find := func(name string) (int32, bool) {
		if match := sourceFile.FindStringSubmatch(name); match != nil {
			name = match[1]
		}
		n, ok := l.numbers[path.Clean("/"+strings.ToLower(name))]
		return n, ok
	}
	if !strings.HasPrefix(at.Path, "/") {
		n, ok := find(path.Join(path.Dir(page), at.Path))
		if !ok {
			n, ok = find(path.Join(page, at.Path))
		}
		return n, ok
	}
	for rest := at.Path; ; {
		if n, ok := find(rest); ok {
			return n, ok
		}
		cut := strings.Index(rest[1:], "/")
		if cut < 0 {
			return 0, false
		}
		rest = rest[1+cut:]
	}
}

// tree is a site's pages as they are after a commit, by name.
type tree struct {
	log   *Log
	lists int
	nodes map[string]*node
}

// node is a page: what its source has, if it has one, and the pages in the
// directory of which it is the index, in the order in which they came.
type node struct {
	date   int64
	plain  string
	links  []string
	within []string
}

// put changes a page, and the list that it comes to or goes from.
func (t *tree) put(name string, when int64, now node, gone bool) error {
	n := t.nodes[name]
	if n == nil {
		n = &node{}
		t.nodes[name] = n
	}
	n.date, n.plain, n.links = now.date, now.plain, now.links
	if parent := path.Dir(name); t.lists > 0 && parent != name {
		index := t.nodes[parent]
		if index == nil {
			if err := t.put(parent, when, node{date: undated}, false); err != nil {
				return err
			}
			index = t.nodes[parent]
		}
		at := slices.Index(index.within, name)
		switch {
		case gone && at >= 0:
			index.within = slices.Delete(index.within, at, at+1)
		case !gone && at < 0:
			index.within = append(index.within, name)
		}
		if gone == (at >= 0) {
			if err := t.see(parent, when); err != nil {
				return err
			}
		}
	}
	return t.see(name, when)
}

// see adds a page as it is to the log.
func (t *tree) see(name string, when int64) error {
	n := t.nodes[name]
	links := n.links
	if t.lists > 0 {
		links = slices.Concat([]string{path.Dir(name)}, links, n.within[max(0, len(n.within)-t.lists):])
	}
	return t.log.add(name, when, n.date, n.plain, links)
}
