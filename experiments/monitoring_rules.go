package experiments

import (
	"errors"
	"fmt"
	"slices"

	"sweep/environments/sources/history"
	"sweep/experiment"
)

// recordedParams are the parameters of recorded changes.
var recordedParams = []string{"history", "from", "to", "slot_length", "pages", "links"}

// usersOwn is the source of what belongs to a record.
const usersOwn = "the user's own"

// rules declares what the parameters must satisfy together. Rules on a history
// accept one that was not read.
func (h *histories) rules() []experiment.Rule {
	type config = monitoringConfig
	require := experiment.Rules(h.params)
	recorded := func(check func(*config) error, names ...string) experiment.Rule {
		return require(h.ifRecorded(check), withRecorded(names)...)
	}
	capacity := (*config).CheckCapacity
	unrecorded := append(recordedParams[1:], "nodes")
	return slices.Concat(lawRules(), []experiment.Rule{
		warning(require((*config).checkStarving,
			"N", "nodes", "capacity", experiment.Algorithm)),
		warning(recorded((*config).checkStarving, "N", "capacity", experiment.Algorithm)),
		warning(require((*config).checkUnrecorded, unrecorded...)),
		warning(require(h.checkHosts, "host_limit", "nodes")),
		warning(recorded(h.checkHosts, "host_limit")),
		require(capacity, "capacity", "nodes"),
		require(h.checkLength, "slot_length", "history"),
		warning(require(h.checkLog, "history")),
		recorded(nil, recordedParams[1:]...),
		recorded(capacity, "capacity"),
		warning(recorded(h.checkCosts, "capacity")),
		require((*config).checkWarmup, "warmup", "slots"),
		recorded((*config).checkWarmup, "warmup"),
	})
}

// warning returns the rule with Warns set.
func warning(r experiment.Rule) experiment.Rule {
	r.Warns = true
	return r
}

// ifRecorded returns the check that a history can be replayed and that check,
// if not nil, accepts the configuration. It accepts all without a history.
func (h *histories) ifRecorded(check func(*monitoringConfig) error) func(*monitoringConfig) error {
	return func(c *monitoringConfig) error {
		err := c.replay(h)
		if errors.Is(err, errUnread) { // or there is none
			return nil
		}
		if err != nil || check == nil {
			return err
		}
		return check(c)
	}
}

// withRecorded returns the names, and those of recordedParams that are not
// among them.
func withRecorded(names []string) []string {
	for _, name := range recordedParams {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// checkStarving returns an error if CGLA cannot poll some nodes as rarely as it
// must.
func (c *monitoringConfig) checkStarving() error {
	if c.algorithm != "CGLA" {
		return nil
	}
	return c.CheckLeastRate()
}

func (c *monitoringConfig) checkWarmup() error {
	c.resolve()
	return c.CheckWarmup()
}

// checkUnrecorded returns an error if parameters of a history are set without
// one.
func (c *monitoringConfig) checkUnrecorded() error {
	if c.nodes != (nodesKey{}) {
		return errors.New("this has no effect without a history")
	}
	return nil
}

// checkLength returns an error if the length of a history's slots is malformed.
func (h *histories) checkLength(c *monitoringConfig) error {
	if _, read := h.logs.get(c.nodes.history); !read {
		return nil
	}
	_, err := history.ParseLength(c.nodes.window.SlotLength)
	return err
}

// checkLog returns what may be wrong with how a history was read.
func (h *histories) checkLog(c *monitoringConfig) error {
	log, read := h.logs.get(c.nodes.history)
	if !read {
		return nil
	}
	return log.Doubt()
}

// checkHosts returns an error if hosts are limited and no page has one.
func (h *histories) checkHosts(c *monitoringConfig) error {
	world, _ := h.get(c.nodes)
	if c.HostLimit > 0 && (world == nil || world.Host == nil) {
		return errors.New("this has no effect: no page has a host")
	}
	return nil
}

// checkCosts returns an error if polls of pages cost more than the capacity.
func (h *histories) checkCosts(c *monitoringConfig) error {
	world, _ := h.get(c.nodes)
	capacity := c.World.Capacity
	tooDear := 0
	for _, cost := range world.Cost {
		if cost > float64(capacity) {
			tooDear++
		}
	}
	if tooDear > 0 {
		return fmt.Errorf("pages cost more than capacity %d, and are never polled: %d of %d",
			capacity, tooDear, len(world.Cost))
	}
	return nil
}
