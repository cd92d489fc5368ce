package history

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// layouts are the accepted layouts of times: RFC 3339 and its variants in other
// programs, HTTP dates, and those of web archives. A time without a zone is in
// UTC.
var layouts = []string{
	time.RFC3339,
	time.DateOnly,
	time.DateTime,
	"2006-01-02 15:04:05 UTC",
	"2006-01-02 15:04",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05Z07",
	"2006-01-02 15:04:05Z07:00",
	"Mon, 02 Jan 2006 15:04:05 GMT",
	archived,
}

// archived is the layout of the times of web archives.
const archived = "20060102150405"

// isArchived returns whether a text has as many digits as a time of web
// archives, and nothing else.
func isArchived(text string) bool {
	return len(text) == len(archived) && strings.Trim(text, "0123456789") == ""
}

// ParseTime reads a time: RFC 3339, a date, Unix seconds or another integer.
// Fourteen digits are a time of web archives, and nothing else. Parts of a
// second are cut off.
func ParseTime(text string) (int64, error) {
	seconds, _, err := parseTime(text)
	return seconds, err
}

// parseTime reads a time as ParseTime does, and the nanoseconds that are cut
// off.
func parseTime(text string) (seconds int64, nanos uint32, err error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && n > -maxTime && n < maxTime && !isArchived(text) {
		return n, 0, nil
	}
	for _, layout := range layouts {
		if t, err := time.Parse(layout, text); err == nil {
			return t.Unix(), uint32(t.Nanosecond()), nil
		}
	}
	if isArchived(text) {
		return 0, 0, fmt.Errorf("time is %q, want a date and a time that exist: "+
			"14 digits are YYYYMMDDhhmmss, as in web archives", text)
	}
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && math.Abs(x) < 1<<53 {
		whole := math.Floor(x)
		return int64(whole), uint32((x - whole) * 1e9), nil
	}
	return 0, 0, fmt.Errorf("time is %q, want RFC 3339 (2026-11-01T06:00:00Z), a date, "+
		"Unix seconds or an integer", text)
}

// ParseTimes reads the two times of a window. An empty text stands for the time
// of the log that is given in its place.
func ParseTimes(from, to string, first, end int64) (start, stop int64, err error) {
	if from != "" {
		first, err = ParseTime(from)
		if err != nil {
			return 0, 0, fmt.Errorf("from: %w", err)
		}
	}
	if to != "" {
		end, err = ParseTime(to)
		if err != nil {
			return 0, 0, fmt.Errorf("to: %w", err)
		}
	}
	return first, end, nil
}

// ParseLength reads the length of a slot. It is in seconds, or in the units of
// times that are plain integers.
func ParseLength(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		n, err = strconv.ParseInt(days, 10, 32)
		n *= 24 * 3600
	} else if err != nil {
		var d time.Duration
		d, err = time.ParseDuration(text)
		n = int64(d / time.Second)
		if d%time.Second != 0 {
			n = 0
		}
	}
	if err != nil || n < 1 {
		return 0, fmt.Errorf("slot_length is %q, want a time of whole seconds like 6h, 30m or 1d, "+
			"or an integer", text)
	}
	return n, nil
}
