package grid

import (
	"strings"

	"sweep/experiment"
	"sweep/grid/internal/document"
	"sweep/grid/internal/sequence"
)

// A pattern is one exclude: parameters and the values they must have.
type pattern struct {
	pos     document.Pos
	entries []*document.Node
	must    constraints
}

// An inclusion is one include's canonical point.
type inclusion struct {
	node   *document.Node
	values []experiment.Value
}

// constraints demand that parameters have certain values.
type constraints map[int]constraint

// A constraint demands one value, or any value of a sequence if that is
// not nil.
type constraint struct {
	one experiment.Value
	any sequence.Sequence
}

// excludes reads the exclude key.
func (r *reader) excludes(b *block, n *document.Node) error {
	list, err := r.points(excludeKey, n)
	if err != nil {
		return err
	}
	for _, e := range list {
		if len(e.Entries) == 0 {
			return r.at(e.Pos, "an exclude without parameters drops every point, want at least one parameter")
		}
		p := pattern{pos: e.Pos, entries: e.Entries, must: constraints{}}
		for _, entry := range e.Entries {
			param, i := r.model.experiment.Param(entry.Key)
			if param == nil {
				return r.unknown(entry)
			}
			v, err := r.value(param, entry)
			if err != nil {
				return err
			}
			p.must[i] = constraint{one: v}
		}
		b.excludes = append(b.excludes, p)
	}
	return nil
}

// includes reads the include key.
func (r *reader) includes(b *block, n *document.Node) error {
	list, err := r.points(includeKey, n)
	if err != nil {
		return err
	}
	for _, e := range list {
		values := append([]experiment.Value(nil), b.base...)
		for _, entry := range e.Entries {
			param, i := r.model.experiment.Param(entry.Key)
			if param == nil {
				return r.unknown(entry)
			}
			if values[i], err = r.value(param, entry); err != nil {
				return err
			}
		}
		v := r.model.variant(values)
		for _, entry := range e.Entries {
			if p, i := r.model.experiment.Param(entry.Key); !v.uses[i] {
				if v.replaced && r.model.replaces(p) {
					return r.at(entry.KeyPos, "this point includes %s, but %s takes its place", p.Name, r.model.experiment.Params[r.model.replacer].Name)
				}
				return r.at(entry.KeyPos, "this point includes %s, but its algorithm %s does not use it", p.Name, v.algorithm).
					hint("%s is used by %s", p.Name, strings.Join(p.UsedBy, ", "))
			}
		}
		r.model.canonical(values)
		b.includes = append(b.includes, inclusion{e, values})
	}
	return nil
}

// points reads a list of tables.
func (r *reader) points(key string, n *document.Node) ([]*document.Node, error) {
	if n == nil {
		return nil, nil
	}
	form := key + " = [{ alpha = 0.1 }]"
	if n.Kind != document.Array {
		return nil, r.at(n.Pos, "%s is %s, want a list of tables", key, found(n)).hint("for example: %s", form)
	}
	for _, e := range n.Elements {
		if e.Kind != document.Table {
			return nil, r.at(e.Pos, "%s holds %s, want tables", key, found(e)).hint("for example: %s", form)
		}
	}
	return n.Elements, nil
}
