package tree

import (
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/treetask"
)

// query is the rule for a [treetask.QueryTask]: the path to what is asked for,
// narrowed by the containers that are named, with the words of the request as
// a condition. What an answer takes from fields is left to the answer. After a
// problem the whole tree is asked for.
func query(task treetask.QueryTask) (string, []string) {
	if task.Query != "" {
		return "/" + task.Schema.Root, []string{"the whole tree"}
	}
	v := vocabOf(task.Schema, task.Today, nil)
	r := read(task.Request, task.Operation, v, task.Today)
	targets := r.kinds
	if task.Operation == treetask.Create {
		targets = r.parents()
	}
	if up := r.above(); up != nil && task.Operation != treetask.Create {
		targets = []*kind{up}
	}
	if len(targets) == 0 || len(targets) > 1 && !sameParents(targets) {
		targets = v.leaves()
	}
	if len(targets) == 0 || task.Operation == treetask.Restore && wholeBack(r.words) {
		return "/" + v.root.name, nil
	}
	steps := []string{}
	chain := []*kind{}
	for k := targets[0]; k != nil && k != v.root; {
		chain = append(chain, k)
		if len(k.up) == 0 {
			break
		}
		k = k.up[0]
	}
	slices.Reverse(chain)
	for i, k := range chain {
		name := k.name
		last := i == len(chain)-1
		if last && len(targets) > 1 {
			name = "*"
		}
		steps = append(steps, "/"+name+r.condition(k, last, task.Operation == treetask.Create))
	}
	return "/" + v.root.name + strings.Join(steps, ""), nil
}

// above returns the kind of containers that an edit is about, by its type or by
// a field that only it has; nil for none.
func (r *reading) above() *kind {
	if r.op == treetask.Read || r.op == treetask.Create || len(r.kinds) == 0 {
		return nil
	}
	if !r.kinds[0].leaf {
		return r.kinds[0]
	}
	for _, f := range r.asks {
		for _, k := range r.v.kinds {
			if !k.leaf && k != r.v.root && slices.Contains(k.fields, f) {
				return k
			}
		}
	}
	return nil
}

// sameParents reports whether kinds stand below the same kind.
func sameParents(kinds []*kind) bool {
	return !slices.ContainsFunc(kinds, func(k *kind) bool {
		return len(k.up) == 0 || len(kinds[0].up) == 0 || k.up[0] != kinds[0].up[0]
	})
}

// parents returns the kinds below which something may be created.
func (r *reading) parents() []*kind {
	made := r.kinds[0]
	for _, k := range r.kinds {
		if k.leaf {
			made = k
			break
		}
	}
	for i := range r.words {
		if k := r.kindAt(i); k != nil && !k.leaf && r.roles[i] == typed && (r.low(i-1) == "new" || r.low(i-1) == "a" || r.low(i-1) == "another" || r.low(i+1) == "called" || r.low(i+1) == "named") {
			made = k
		}
	}
	return made.up[:min(1, len(made.up))]
}

// condition writes the conditions of a step.
func (r *reading) condition(k *kind, last, place bool) string {
	position := ""
	var parts []string
	for _, s := range r.scopes {
		if s.kind != k || s.not || r.whole == treetask.Move && s.towards != place {
			continue
		}
		if s.from != 0 && slices.ContainsFunc(r.scopes, func(o scope) bool {
			return o.kind == k && o.at != s.at && (r.whole != treetask.Move || o.towards == s.towards)
		}) {
			continue
		}
		switch {
		case s.from != 0 && k.depth == 1 && position == "":
			position = fmt.Sprintf("[%d:%d]", s.from, s.to)
			if s.from == s.to {
				position = fmt.Sprintf("[%d]", s.from)
			}
		case s.from == 0 && !k.leaf:
			var or []string
			for _, v := range s.values {
				or = append(or, fmt.Sprintf("@%s = %s", s.field.name, quoted(v)))
			}
			parts = append(parts, "("+strings.Join(or, " or ")+")")
		}
	}
	if f := k.field(kindDate); f != nil && !k.leaf {
		var or []string
		for _, c := range r.ranges {
			if r.whole == treetask.Move {
				break
			}
			for _, v := range f.values {
				if d, ok := dateOf(v, r.v.today); ok && c.kind == kindDate {
					if day := float64(d.Unix() / 86400); c.lo <= day && day <= c.hi || c.span.weekday == int(d.Weekday())+1 && c.lo == c.hi {
						or = append(or, fmt.Sprintf("@%s = %s", f.name, quoted(v)))
					}
				}
			}
		}
		if len(or) > 0 {
			parts = append(parts, "("+strings.Join(or, " or ")+")")
		}
	}
	if spares := r.spareWords(); last && !place && len(spares) > 0 && r.single() {
		parts = append(parts, "node ~= "+quoted(r.phrase(spares)))
	}
	if len(parts) == 0 {
		return position
	}
	return position + "[" + strings.Join(parts, " and ") + "]"
}

// single reports whether a request looks for nodes by its words alone, so that
// the best of them are enough.
func (r *reading) single() bool {
	return r.rank == nil && r.place == [2]int{} && r.total == "" && (len(r.ranges) == 0 || r.whole == treetask.Move) && !r.plural &&
		!slices.ContainsFunc(r.scopes, func(s scope) bool { return s.kind.leaf })
}

// quoted writes a string of a query.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}
