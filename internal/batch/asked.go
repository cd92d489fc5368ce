package batch

import (
	"regexp"
	"strings"
)

// The resources that a job asks an engine for.
const (
	Processors = "processors"
	Memory     = "memory"
	GPUs       = "GPUs"
	Time       = "time"
)

// askedFor matches the options by which users ask an engine for a resource
// themselves, joined by spaces.
var askedFor = map[string]map[string]*regexp.Regexp{
	"slurm": {
		Processors: regexp.MustCompile(`(^| )(-c|--cpus-per-task)`),
		Memory:     regexp.MustCompile(`(^| )--mem`),
		GPUs:       regexp.MustCompile(`(^| )(-G|--gres|--gpus)`),
		Time:       regexp.MustCompile(`(^| )(-t|--time)( |=|\d)`),
	},
	"htcondor": {
		Processors: regexp.MustCompile(`(?i)\brequest_cpus\b`),
		Memory:     regexp.MustCompile(`(?i)\brequest_memory\b`),
		GPUs:       regexp.MustCompile(`(?i)\brequest_gpus\b`),
	},
	"sge": {
		Processors: regexp.MustCompile(`(^| )-pe `),
		Memory:     regexp.MustCompile(`\b(mem_free|h_vmem|s_vmem|virtual_free)=`),
		GPUs:       regexp.MustCompile(`gpu|cuda`),
		Time:       regexp.MustCompile(`\b[hs]_rt=`),
	},
	"pbs": {
		Processors: regexp.MustCompile(`\b(select|ncpus)=`),
		Memory:     regexp.MustCompile(`\b(select|mem)=`),
		GPUs:       regexp.MustCompile(`\b(select|ngpus)=`),
		Time:       regexp.MustCompile(`\bwalltime=`),
	},
	"lsf": {
		Processors: regexp.MustCompile(`(^| )-n `),
		Memory:     regexp.MustCompile(`(^| )-M |\bmem=`),
		GPUs:       regexp.MustCompile(`(^| )-gpu `),
		Time:       regexp.MustCompile(`(^| )-W `),
	},
}

// Asks reports whether the job's options ask for a resource, which is then
// left to them.
func (j *Job) Asks(resource string) bool {
	form := askedFor[j.Engine][resource]
	return form != nil && form.MatchString(strings.Join(j.Options, " "))
}
