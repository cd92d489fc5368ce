package slurm

import (
	"fmt"
	"strings"
)

// An Option is an option of sbatch: one word, or a name and its value.
type Option []string

// Directive returns the option as the text of an #SBATCH line.
func (o Option) Directive() string {
	words := make([]string, len(o))
	for i, word := range o {
		words[i] = directive(word)
	}
	return strings.Join(words, " ")
}

// ParseOptions divides words of a command line into options of sbatch. It
// refuses what cannot be one, and those that the scripts set themselves;
// the others are sbatch's to judge.
func ParseOptions(words []string) ([]Option, error) {
	var options []Option
	for i := 0; i < len(words); i++ {
		word := words[i]
		if len(word) < 2 || word[0] != '-' || word == "--" {
			return nil, fmt.Errorf("%q is no option of sbatch: write --name=value", word)
		}
		if err := refuseReserved(word); err != nil {
			return nil, err
		}
		option := Option{word}
		if i+1 < len(words) && !strings.HasPrefix(words[i+1], "-") {
			i++
			option = append(option, words[i])
		}
		for _, word := range option {
			if strings.Contains(word, "\n") {
				return nil, fmt.Errorf("%q has a line break, which an #SBATCH line cannot have", word)
			}
		}
		options = append(options, option)
	}
	return options, nil
}

// reserved are the options on which the scripts depend, and why they are
// not for others to set.
var reserved = []struct{ long, short, why string }{
	{"--array", "-a", "its tasks are the shards: give --shards, before the --"},
	{"--cpus-per-task", "-c", "give it before the --"},
	{"--time", "-t", "give it before the --"},
	{"--ntasks", "-n", "a task of the array is one process"},
	{"--dependency", "-d", "the merge depends on the array"},
	{"--output", "-o", "the logs are in the directory log"},
	{"--open-mode", "", "a task that goes on appends to its log"},
	{"--signal", "", "the program must be told in time"},
	{"--requeue", "", "tasks that are out of time go on in the queue"},
	{"--no-requeue", "", "tasks that are out of time go on in the queue"},
	{"--parsable", "", "submit.sh reads what sbatch prints"},
	{"--wait", "-W", "submit.sh submits two jobs"},
	{"--wrap", "", "array.sh and merge.sh are what is to be run"},
}

// refuseReserved judges the first word of an option. sbatch takes the
// beginning of a long name for the name.
func refuseReserved(word string) error {
	name, _, _ := strings.Cut(word, "=")
	for _, r := range reserved {
		long := strings.HasPrefix(name, "--") && strings.HasPrefix(r.long, name)
		short := r.short != "" && strings.HasPrefix(word, r.short)
		if long || short {
			return fmt.Errorf("the scripts set %s themselves: %s", r.long, r.why)
		}
	}
	return nil
}
