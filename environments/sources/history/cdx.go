package history

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The columns of a CDX file without a header, by their number: those of
// answers of archives' servers, and of files with 9 and 11 columns.
// https://archive.org/web/researcher/cdx_file_format.php
var cdxColumns = map[int]string{
	7:  "N b a m s k S",
	9:  "N b a m s k r V g",
	11: "N b a m s k r M S V g",
}

// cdxNames are the letters of columns that are read.
var cdxNames = map[string]string{"N": "url_id", "b": "time", "k": "digest", "s": "status"}

// readCDX reads the index of a web archive: a capture on each line, its fields
// separated by blanks. A first line that begins with CDX names the columns by
// letters. Lines of CDXJ have a key, a time and a JSON object. A capture that
// is no document, but a redirection or an error, has no digest.
func readCDX(text io.Reader, columns func([]string) error, row func(record) error) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxLine)
	var letters []string
	said := false
	number := 1
	for ; lines.Scan(); number++ {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 || strings.HasPrefix(fields[0], "!") { // !meta of CDXJ
			continue
		}
		if fields[0] == "CDX" {
			letters = fields[1:]
			continue
		}
		capture, err := cdxCapture(lines.Text(), fields, letters)
		if err == nil && !said {
			err = columns([]string{"url_id", "time", "digest"})
			said = true
		}
		if err == nil {
			err = row(func(column string) any {
				if value := capture[column]; value != "" {
					return value
				}
				return nil
			})
		}
		if err != nil {
			return fmt.Errorf("%d: %w", number, err)
		}
	}
	return endOf(lines, number)
}

// cdxCapture returns the url_id, time and digest of a line.
func cdxCapture(line string, fields, letters []string) (map[string]string, error) {
	capture := map[string]string{}
	if len(fields) > 2 && strings.HasPrefix(fields[2], "{") {
		capture["url_id"] = fields[0]
		capture["time"] = fields[1]
		object := struct {
			Digest string
			Status any // a text in most files, a number in some
		}{}
		err := json.Unmarshal([]byte(line[strings.Index(line, "{"):]), &object)
		if err != nil {
			return nil, fmt.Errorf("not a line of CDXJ: %w", err)
		}
		capture["digest"] = object.Digest
		if object.Status != nil {
			capture["status"] = fmt.Sprint(object.Status)
		}
	} else {
		if letters == nil {
			letters = strings.Fields(cdxColumns[len(fields)])
		}
		if len(letters) != len(fields) {
			return nil, fmt.Errorf("there are %d fields, want those of the line CDX, "+
				"or without one 7, 9 or 11", len(fields))
		}
		for k, letter := range letters {
			capture[cdxNames[letter]] = fields[k]
		}
	}
	if capture["url_id"] == "" || capture["time"] == "" {
		return nil, errors.New("there is no URL or no time, want among others the columns N and b")
	}
	if !isArchived(capture["time"]) {
		return nil, fmt.Errorf("time is %q, want 14 digits: YYYYMMDDhhmmss", capture["time"])
	}
	status := capture["status"]
	if capture["digest"] == "-" || status != "" && status != "-" && status[0] != '2' {
		capture["digest"] = ""
	}
	return capture, nil
}
