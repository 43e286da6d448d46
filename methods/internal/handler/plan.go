package handler

import (
	"cmp"
	_ "embed" // the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/engine/tree"
)

// actionSchema is the JSON Schema of an [Action].
//
//go:embed action.json
var actionSchema []byte

// A plan is the result of an action.
type plan struct {
	edits   []tree.Edit
	nodes   []string
	summary string // empty leaves it to the versions
}

// A planner turns an action into a plan and collects what is wrong with it.
type planner struct {
	task   Task
	latest *tree.Tree
	made   map[string]*draft // by the name that the model gave them
	counts map[string]int    // children of nodes of latest, with those that edits add and take
	plan   plan
	drafts []placed
	faults []error
}

// plan returns the result of an action on the newest version. The error lists
// everything that is wrong with it.
func (s *State) plan(t Task, a Action) (plan, error) {
	p := &planner{task: t, latest: s.Latest().Tree, made: make(map[string]*draft), counts: make(map[string]int)}
	switch {
	case t.Operation == Read && a.Operation != Read:
		p.faultf("the request only reads, so that the operation is read and not %s", a.Operation)
	case a.Operation == Read && len(a.Edits) > 0:
		p.faultf("a read has no edits")
	case a.Operation == Read:
		if strings.TrimSpace(a.Answer) == "" {
			p.faultf("the answer is empty")
		}
		for _, id := range a.Nodes {
			p.name(id)
		}
	case a.Operation == Restore:
		p.restore(a, t.From.Number == s.Latest().Number)
	case len(a.Edits) == 0:
		p.faultf("the operation %s has no edits; where nothing is to be changed it is read", a.Operation)
	default:
		for i, e := range a.Edits {
			p.edit(i, e)
		}
		p.place()
	}
	return p.plan, errors.Join(p.faults...)
}

func (p *planner) faultf(format string, args ...any) {
	p.faults = append(p.faults, fmt.Errorf(format, args...))
}

// name notes a node that the task is about.
func (p *planner) name(id string) {
	switch {
	case !p.task.Shown.inside[id]:
		p.faultf("node %q is none of those shown", id)
	case !slices.Contains(p.plan.nodes, id):
		p.plan.nodes = append(p.plan.nodes, id)
	}
}

// edit adds the edit at index i of an action.
func (p *planner) edit(i int, e ActionEdit) {
	at := fmt.Sprintf("edits[%d]", i)
	if e.Position < 0 {
		p.faultf("%s: position is %d, want 1 for the first place or 0 for the last", at, e.Position)
		return
	}
	switch e.Op {
	case Create:
		p.create(at, e)
	case Update:
		if len(e.Fields) == 0 {
			p.faultf("%s: there are no fields to set", at)
		}
		if n, ok := p.there(at, e.Node); ok {
			p.update(n, e.Fields)
		}
	case Delete:
		if n, ok := p.there(at, e.Node); ok {
			if up, ok := p.latest.Parent(n.ID); ok {
				p.counts[up.ID]--
			}
			p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Delete, ID: n.ID})
		}
	case Move:
		p.move(at, e)
	default:
		p.faultf("%s: the op is %s; want create, update, delete or move", at, e.Op)
	}
}

// there returns the node that an edit changes, and notes it.
func (p *planner) there(at, id string) (*tree.Node, bool) {
	n, ok := p.latest.Node(id)
	switch {
	case id == "":
		p.faultf("%s: node is empty, want the id of a node that is shown", at)
		return nil, false
	case !p.task.Shown.inside[id]:
		p.faultf("%s: node %q is none of those shown", at, id)
		return nil, false
	case !ok:
		p.faultf("%s: node %s is not in the newest version any more", at, id)
		return nil, false
	}
	p.name(id)
	return n, true
}

// target returns the node of the newest version below which something is to be
// placed.
func (p *planner) target(at, id string) (*tree.Node, bool) {
	n, ok := p.latest.Node(id)
	switch {
	case !p.task.Shown.inside[id] && !p.task.Shown.above[id]:
		p.faultf("%s: parent %q is none of the nodes shown, nor one that they stand in", at, id)
		return nil, false
	case !ok:
		p.faultf("%s: parent %s is not in the newest version any more", at, id)
		return nil, false
	}
	return n, true
}

// index turns a position into an index among the children of a node, and counts
// the node that arrives there.
func (p *planner) index(parent *tree.Node, position int) int {
	n := len(parent.Children) + p.counts[parent.ID]
	p.counts[parent.ID]++
	if position == 0 || position > n {
		return -1
	}
	return position - 1
}

func (p *planner) update(n *tree.Node, settings []ActionSetting) {
	e := tree.Edit{Op: tree.Update, ID: n.ID}
	for _, s := range settings {
		if f := p.field(n.Type, s); len(f.Values) > 0 {
			e.Set = append(e.Set, f)
		} else {
			e.Unset = append(e.Unset, f.Name)
		}
	}
	p.plan.edits = append(p.plan.edits, e)
}

// move moves a node. A node that only the earlier version has comes back in the
// named place, with everything below it.
func (p *planner) move(at string, e ActionEdit) {
	if path := p.gone(e.Node); path != nil {
		n := path[len(path)-1]
		if up, ok := p.target(at, cmp.Or(e.Parent, path[len(path)-2].ID)); ok {
			p.name(n.ID)
			p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: p.index(up, e.Position), Node: new(tree.DraftOf(n))})
			if len(e.Fields) > 0 {
				p.update(n, e.Fields)
			}
		}
		return
	}
	n, ok := p.there(at, e.Node)
	if !ok {
		return
	}
	up, ok := p.latest.Parent(n.ID)
	if !ok {
		p.faultf("%s: node %s is the root, which cannot be moved", at, n.ID)
		return
	}
	p.counts[up.ID]--
	if e.Parent != "" {
		if up, ok = p.target(at, e.Parent); !ok {
			return
		}
	}
	p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Move, ID: n.ID, Parent: up.ID, At: p.index(up, e.Position)})
	if len(e.Fields) > 0 {
		p.update(n, e.Fields)
	}
}

// gone returns the path to a node that is shown but missing from the newest
// version; nil for any other. The root is never gone.
func (p *planner) gone(id string) []*tree.Node {
	if _, ok := p.latest.Node(id); ok || !p.task.Shown.inside[id] {
		return nil
	}
	return p.task.From.Tree.Path(id)
}

// field turns a setting into a field of the schema. A field without values is
// to be removed. What the schema does not know is left to the tree, whose error
// says what exists.
func (p *planner) field(typ string, s ActionSetting) tree.Field {
	f := tree.Field{Name: s.Name}
	list := false
	if t, ok := p.latest.Schema().Type(typ); ok {
		if known, ok := t.Field(s.Name); ok {
			f.Name, list = known.Name, known.List
		}
	}
	values := []string{s.Value}
	if list {
		values = strings.Split(s.Value, ";")
	}
	for _, v := range values {
		if v = strings.TrimSpace(v); v != "" {
			f.Values = append(f.Values, v)
		}
	}
	return f
}
