package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// A choice is the value of a flag that accepts a few words.
type choice struct {
	value string
	known []string
}

// choiceFlag defines a flag that accepts the known words; the first is the
// default.
func choiceFlag(cmd *cobra.Command, name, usage string, known ...string) *choice {
	c := &choice{value: known[0], known: known}
	cmd.Flags().Var(c, name, usage+": "+strings.Join(known, ", "))
	err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // the flag was defined above
	}
	return c
}

// String, Set and Type implement pflag.Value.
func (c *choice) String() string { return c.value }

func (c *choice) Set(word string) error {
	if !slices.Contains(c.known, word) {
		return fmt.Errorf("want one of %s", strings.Join(c.known, ", "))
	}
	c.value = word
	return nil
}

func (c *choice) Type() string { return "FORMAT" }

// atLeastOne is the value of a flag that counts something there must be.
type atLeastOne int

// String, Set and Type implement pflag.Value.
func (n *atLeastOne) String() string { return strconv.Itoa(int(*n)) }

func (n *atLeastOne) Set(text string) error {
	i, err := strconv.Atoi(text)
	if err != nil || i < 1 {
		return errors.New("want a whole number of at least 1")
	}
	*n = atLeastOne(i)
	return nil
}

func (n *atLeastOne) Type() string { return "N" }

// whole is the value of a flag that counts something there may be none of.
type whole int

// String, Set and Type implement pflag.Value.
func (n *whole) String() string { return strconv.Itoa(int(*n)) }

func (n *whole) Set(text string) error {
	i, err := strconv.Atoi(text)
	if err != nil || i < 0 {
		return errors.New("want a whole number of at least 0")
	}
	*n = whole(i)
	return nil
}

func (n *whole) Type() string { return "N" }

// duration is the value of a flag that says for how long.
type duration time.Duration

// String, Set and Type implement pflag.Value.
func (d *duration) String() string { return time.Duration(*d).String() }

func (d *duration) Set(text string) error {
	parsed, err := time.ParseDuration(text)
	if err != nil || parsed < 0 {
		return errors.New("want a duration such as 90s, 50m or 1h30m")
	}
	*d = duration(parsed)
	return nil
}

func (d *duration) Type() string { return "D" }

// A share is the value of a flag that says how many of something there
// are: so many, or so many in a hundred. The zero share is none.
type share struct {
	count   int64   // 0: percent applies
	percent float64 // in (0, 100]
}

// String, Set and Type implement pflag.Value.
func (s *share) String() string {
	if s.count > 0 {
		return strconv.FormatInt(s.count, 10)
	}
	return strconv.FormatFloat(s.percent, 'g', -1, 64) + "%"
}

func (s *share) Set(text string) error {
	if percent, ok := strings.CutSuffix(text, "%"); ok {
		p, err := strconv.ParseFloat(percent, 64)
		if err != nil || !(p > 0 && p <= 100) {
			return errors.New("want a percentage above 0 % and up to 100%")
		}
		*s = share{percent: p}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 {
		return errors.New("want a whole number of at least 1, or a percentage such as 5%")
	}
	*s = share{count: n}
	return nil
}

func (s *share) Type() string { return "SHARE" }

// of returns how many of n that are, rounded up; a count stays what it is.
func (s *share) of(n int64) int64 {
	if s.count > 0 {
		return s.count
	}
	return min(n, int64(math.Ceil(float64(n)*s.percent/100)))
}

// completeDirs completes arguments that are directories in the shell.
func completeDirs(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}
