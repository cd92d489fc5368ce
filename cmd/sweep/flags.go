package main

import (
	"errors"
	"fmt"
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
