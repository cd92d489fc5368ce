package slurm

import (
	"regexp"
	"strconv"
	"time"
)

// sbatch's ways to write a time limit: minutes, minutes:seconds,
// hours:minutes:seconds, days-hours, days-hours:minutes and
// days-hours:minutes:seconds.
var times = regexp.MustCompile(`^(?:(\d{1,4})-)?(\d{1,7})(?::(\d\d?))?(?::(\d\d?))?$`)

// ParseTime returns the time limit that text tells sbatch; 0 is none. It is
// false if sbatch would not take it.
func ParseTime(text string) (limit time.Duration, ok bool) {
	m := times.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	units := [3]time.Duration{time.Hour, time.Minute, time.Second}
	if m[1] == "" && m[4] == "" { // no hours
		units = [3]time.Duration{time.Minute, time.Second}
	}
	limit = 24 * time.Hour * number(m[1])
	for i, unit := range units {
		limit += unit * number(m[2+i])
	}
	return limit, true
}

// number returns the value of digits, 0 if there are none.
func number(digits string) time.Duration {
	n, _ := strconv.Atoi(digits) // a few digits or none
	return time.Duration(n)
}

// warning returns how many seconds before a time limit, or one that is not
// known if it is 0, a task is told of its end: two minutes, as Slurm may be a
// minute early and kills half a minute after the limit, but at most a quarter
// of the time, so that there is time for runs too.
func warning(limit time.Duration) int {
	const usual = 2 * time.Minute
	if limit > 0 {
		return int(min(usual, limit/4) / time.Second)
	}
	return int(usual / time.Second)
}
