package cli

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
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

// shardFlag parses I/N, I,I,…/N, auto/N or auto.
func shardFlag(indexes *[]int64, count *int64) func(text string) error {
	return func(text string) (err error) {
		*indexes, *count, err = parseShards(text)
		return err
	}
}

// parseShards returns the indexes of shards and the number of all shards.
func parseShards(text string) (indexes []int64, count int64, err error) {
	list, number, divided := strings.Cut(text, "/")
	count, countErr := strconv.ParseInt(number, 10, 64)
	if list == "auto" {
		if divided && (countErr != nil || count < 1) {
			return nil, 0, errors.New("want auto or auto/N, for example auto/8")
		}
		index, count, err := batch.Detect(os.Getenv, count)
		return []int64{index}, count, err
	}
	for text := range strings.SplitSeq(list, ",") {
		index, indexErr := strconv.ParseInt(text, 10, 64)
		if countErr != nil || indexErr != nil || index < 0 || count < 1 {
			return nil, 0, errors.New(
				"want I/N, for example 0/8, or I,I/N, for example 0,4/8, or auto/N in an array job")
		}
		if index >= count {
			return nil, 0, fmt.Errorf("there is no shard %d of %d: the last one is %d/%d",
				index, count, count-1, count)
		}
		if slices.Contains(indexes, index) {
			return nil, 0, fmt.Errorf("shard %d is named twice", index)
		}
		indexes = append(indexes, index)
	}
	return indexes, count, nil
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
