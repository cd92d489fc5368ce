package grid

import (
	"cmp"
	"errors"
	"fmt"

	"sweep/experiment"
	"sweep/internal/document"
)

// parametersKey is the key of a spec that describes the parameters of an
// experiment that declares itself (experiment.Experiment.Declare).
const parametersKey = "parameters"

// declare returns the declaration that an experiment makes of the spec.
func (r *reader) declare(
	e *experiment.Experiment, root, table, params *document.Node, blocks []*Block,
) *experiment.Experiment {
	if e.Declare == nil {
		return e
	}
	for _, n := range []*document.Node{table, params} {
		if n != nil {
			r.want(n.Kind == document.Table, n, "a table such as ["+n.Key+"]")
		}
	}
	declared, err := e.Declare(&experiment.Request{
		File:       r.file,
		Table:      shown(table),
		Parameters: shown(params),
		Grid:       r.gridParams(blocks, params),
		Read:       r.readInput,
	})
	if err == nil {
		err = checkDeclared(e, declared)
	}
	if err == nil {
		return declared
	}
	if unread, is := errors.AsType[*Error](err); is {
		r.refuse(unread) // by readInput
	}
	r.refuse(r.declared(err, cmp.Or(table, root)))
	return nil
}

// checkDeclared returns what is wrong with the declaration that an experiment
// makes. Its runs are those of the experiment which the spec asks for.
func checkDeclared(asked, declared *experiment.Experiment) error {
	if declared == nil {
		return fmt.Errorf("experiment %q has made no declaration", asked.Name)
	}
	if declared.Name != asked.Name || declared.Version != asked.Version {
		return fmt.Errorf("experiment %q, version %d, declares itself as %q, version %d: "+
			"want the same name and version",
			asked.Name, asked.Version, declared.Name, declared.Version)
	}
	return declared.Validate()
}

// declared returns an error of an experiment as one of the spec: at its place
// or, if it is a fault without one, at a node.
func (r *reader) declared(err error, at *document.Node) *Error {
	fault, is := errors.AsType[*experiment.Fault](err)
	if !is {
		fault = &experiment.Fault{Message: err.Error()}
	}
	if fault.At != nil {
		at = &document.Node{Pos: fault.At.Pos}
	}
	return r.at(at, "%s\nhint: %s", fault.Message, fault.Hint)
}

// readInput is the Read of an experiment.Request.
func (r *reader) readInput(
	at *experiment.Setting, name string, input *experiment.Input,
) (v experiment.Value, err error) {
	defer document.Catch[*Error](&err)
	n := &document.Node{Pos: at.Pos}
	return r.input(at.Key, input, n, name), nil
}

// shown returns a node as an experiment sees it; nil for nil.
func shown(n *document.Node) *experiment.Setting {
	if n == nil {
		return nil
	}
	made := &experiment.Setting{
		Key:   n.Key,
		Pos:   n.Pos,
		Found: found(n),
		Value: n.Value,
	}
	switch n.Kind {
	case document.Array:
		made.List = shownList(n.Elements)
	case document.Table:
		made.Table = shownList(n.Entries)
	}
	return made
}

// shownList returns nodes as an experiment sees them; never nil.
func shownList(nodes []*document.Node) []*experiment.Setting {
	made := make([]*experiment.Setting, len(nodes))
	for i, n := range nodes {
		made[i] = shown(n)
	}
	return made
}
