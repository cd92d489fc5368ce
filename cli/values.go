package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"sweep/internal/batch"
)

// The functions in this file return parsers of flags' values, as pflag's Func
// takes them. A parser sets what its function was given.

// atLeast parses a whole number that is not below a minimum.
func atLeast(minimum int, to *int) func(text string) error {
	return func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil || n < minimum {
			return fmt.Errorf("want a whole number of at least %d", minimum)
		}
		*to = n
		return nil
	}
}

// duration parses a duration, which may be 0.
func duration(to *time.Duration) func(text string) error {
	return func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil || d < 0 {
			return errors.New("want a duration such as 90s, 50m or 1h30m")
		}
		*to = d
		return nil
	}
}

// shardFlag parses I/N, auto/N or auto.
func shardFlag(shard, shards *int64) func(text string) error {
	return func(text string) (err error) {
		*shard, *shards, err = parseShard(text)
		return err
	}
}

// parseShard returns the index of a shard and the number of shards.
func parseShard(text string) (shard, shards int64, err error) {
	index, count, divided := strings.Cut(text, "/")
	shards, countErr := strconv.ParseInt(count, 10, 64)
	if index == "auto" {
		if divided && (countErr != nil || shards < 1) {
			return 0, 0, errors.New("want auto or auto/N, for example auto/8")
		}
		return batch.Detect(os.Getenv, shards)
	}
	shard, indexErr := strconv.ParseInt(index, 10, 64)
	if countErr != nil || indexErr != nil || shard < 0 || shards < 1 {
		return 0, 0, errors.New("want I/N, for example 0/8, or auto/N in an array job")
	}
	if shard >= shards {
		return 0, 0, fmt.Errorf("there is no shard %d of %d: the last one is %d/%d",
			shard, shards, shards-1, shards)
	}
	return shard, shards, nil
}

// share parses a number N, or a percentage P%, and sets a function that
// returns how many of n are meant: N, which may be more than n, or P % of n,
// rounded up.
func share(to *func(n int64) int64) func(text string) error {
	wrong := errors.New("want a whole number of at least 1, or a percentage such as 5%")
	return func(text string) error {
		number, percent := strings.CutSuffix(text, "%")
		x, err := strconv.ParseFloat(number, 64)
		if err != nil {
			return wrong
		}
		if percent {
			if !(x > 0 && x <= 100) {
				return wrong
			}
			*to = func(n int64) int64 {
				part := math.Ceil(float64(n) * x / 100)
				return min(n, int64(part))
			}
			return nil
		}
		if !(x >= 1 && x == math.Trunc(x) && x < 1<<62) { // it fits an int64
			return wrong
		}
		*to = func(int64) int64 {
			return int64(x)
		}
		return nil
	}
}
