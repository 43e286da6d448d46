package handler

import (
	"cmp"
	_ "embed" // the schema
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
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
	made   map[string]*tree.Node // nodes to create, by the name that the model gave them
	counts map[string]int        // children of nodes of latest, with those that edits add and take
	plan   plan
	faults fault.List
}

// plan returns the result of an action on the newest version, without edits that would
// change nothing. The error lists everything that is wrong with it.
func (s *State) plan(t Task, a Action) (plan, error) {
	p := &planner{task: t, latest: s.Latest().Tree, made: make(map[string]*tree.Node), counts: make(map[string]int)}
	switch {
	case t.Operation == Read && a.Operation != Read:
		p.faultf("the request only reads, so that the operation is read and not %s", a.Operation)
	case a.Operation == Read && len(a.Edits) > 0:
		p.faultf("a read has no edits")
	case a.Operation == Read:
		p.faults.Want(strings.TrimSpace(a.Answer) != "", "the answer is empty")
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
	}
	if len(p.faults) > 0 || len(p.plan.edits) == 0 {
		return p.plan, errors.Join(p.faults...)
	}
	v, err := s.Preview(s.Latest().Number, p.plan.edits, "", "")
	if err == nil && len(tree.Diff(p.latest, v.Tree)) == 0 {
		p.plan.edits = nil
	}
	return p.plan, err
}

func (p *planner) faultf(format string, args ...any) {
	p.faults.Want(false, format, args...)
}

// name notes a node that the task is about.
func (p *planner) name(id string) {
	p.faults.Want(p.task.shown.inside[id], "node %q is none of those shown", id)
	p.plan.nodes = lists.AddNew(p.plan.nodes, id)
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
		p.faults.Want(len(e.Fields) > 0, "%s: there are no fields to set", at)
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
func (p *planner) there(at, id string) (n *tree.Node, ok bool) {
	switch {
	case id == "":
		p.faultf("%s: node is empty, want the id of a node that is shown", at)
	case !p.task.shown.inside[id]:
		p.faultf("%s: node %q is none of those shown", at, id)
	default:
		if n, ok = p.newest(at, "node", id); ok {
			p.name(id)
		}
	}
	return n, ok
}

// target returns the node below which something is to be placed.
func (p *planner) target(at, id string) (n *tree.Node, ok bool) {
	if !p.task.shown.inside[id] && !p.task.shown.above[id] {
		p.faultf("%s: parent %q is none of the nodes shown, nor one that they stand in", at, id)
		return nil, false
	}
	return p.newest(at, "parent", id)
}

// newest returns a node of the newest version.
func (p *planner) newest(at, what, id string) (n *tree.Node, ok bool) {
	n, ok = p.latest.Node(id)
	p.faults.Want(ok, "%s: %s %s is not in the newest version any more", at, what, id)
	return n, ok
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

// update sets fields of a node, if there are any.
func (p *planner) update(n *tree.Node, settings []ActionSetting) {
	e := tree.Edit{Op: tree.Update, ID: n.ID}
	for _, s := range settings {
		if f := p.field(n.Type, s); len(f.Values) > 0 {
			e.Set = append(e.Set, f)
		} else {
			e.Unset = append(e.Unset, f.Name)
		}
	}
	if len(settings) > 0 {
		p.plan.edits = append(p.plan.edits, e)
	}
}

// move moves a node. A node that only the earlier version has comes back in the
// named place, with everything below it.
func (p *planner) move(at string, e ActionEdit) {
	if path := p.gone(e.Node); path != nil {
		n := path[len(path)-1]
		if up, ok := p.target(at, cmp.Or(e.Parent, path[len(path)-2].ID)); ok {
			p.name(n.ID)
			p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: p.index(up, e.Position), Node: n})
			p.update(n, e.Fields)
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
	p.update(n, e.Fields)
}

// gone returns the path to a node that is shown but missing from the newest
// version; nil for any other. The root is never gone.
func (p *planner) gone(id string) []*tree.Node {
	if _, ok := p.latest.Node(id); ok || !p.task.shown.inside[id] {
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
	if t := p.latest.Schema().Type(typ); t != nil {
		if known := t.Field(s.Name); known != nil {
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

// create adds a node below one of the tree or below one that is created too.
func (p *planner) create(at string, e ActionEdit) {
	n := &tree.Node{Type: e.Type}
	if t := p.latest.Schema().Type(e.Type); t != nil {
		n.Type = t.Name
	} else {
		p.faultf("%s: there is no type %q; want one of %v", at, e.Type, p.latest.Schema().Names())
	}
	for _, s := range e.Fields {
		if f := p.field(n.Type, s); len(f.Values) > 0 {
			n.Fields = append(n.Fields, f)
		}
	}
	if e.Node != "" {
		_, taken := p.latest.Node(e.Node)
		if _, again := p.made[e.Node]; taken || again {
			p.faultf("%s: there is a node %q already; to create one leave node empty", at, e.Node)
			return
		}
		p.made[e.Node] = n
		// A node recreated from an earlier version is the same node.
		if old, ok := p.task.From.Tree.Node(e.Node); ok && p.task.shown.inside[e.Node] && old.Type == n.Type {
			n.ID = old.ID
		}
	}
	if up, ok := p.made[e.Parent]; ok && up != n {
		i := len(up.Children)
		if e.Position > 0 {
			i = min(i, e.Position-1)
		}
		up.Children = slices.Insert(up.Children, i, n)
		return
	}
	up, ok := p.target(at, e.Parent)
	if !ok {
		return
	}
	p.plan.nodes = lists.AddNew(p.plan.nodes, up.ID)
	p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: p.index(up, e.Position), Node: n})
}

// restore plans to put nodes of an earlier version back.
func (p *planner) restore(a Action, newest bool) {
	switch {
	case newest:
		p.faultf("the nodes shown are those of the newest version, so that there is nothing to restore")
		return
	case len(a.Edits) > 0:
		p.faultf("restore has no edits: nodes alone says what is put back as it was")
		return
	case len(a.Nodes) == 0:
		p.faultf("nodes is empty, want the ids of what is put back")
		return
	}
	for _, id := range a.Nodes {
		p.name(id)
	}
	if len(p.faults) > 0 {
		return
	}
	old, work := p.task.From.Tree, p.latest
	var labels []string
	for _, id := range p.plan.nodes {
		path := old.Path(id)
		if slices.ContainsFunc(path[:len(path)-1], func(up *tree.Node) bool { return slices.Contains(p.plan.nodes, up.ID) }) {
			continue // comes back with the node above
		}
		edits, err := putBack(work, old, path)
		if err == nil {
			work, err = work.Apply(edits...)
		}
		if err != nil {
			p.faults = append(p.faults, err)
			return
		}
		p.plan.edits = append(p.plan.edits, edits...)
		labels = append(labels, tree.Label(path))
	}
	p.plan.summary = fmt.Sprintf("Restored as in version %d: %s", p.task.From.Number, strings.Join(labels, "; "))
}

// putBack returns edits of now after which the last node of a path of old, and
// everything below it, is as it is in old: below its old parent, after the
// nearest of its preceding siblings that still exists.
func putBack(now, old *tree.Tree, path []*tree.Node) ([]tree.Edit, error) {
	n := path[len(path)-1]
	if len(path) == 1 {
		return tree.Diff(now, old), nil
	}
	up := path[len(path)-2]
	there, ok := now.Node(up.ID)
	if !ok {
		return nil, fmt.Errorf("%s cannot be put back alone: what it stood in, %s (%s), is gone too", n.ID, up.Name(), up.ID)
	}
	var edits []tree.Edit
	if _, ok := now.Node(n.ID); ok {
		edits = append(edits, tree.Edit{Op: tree.Delete, ID: n.ID})
	}
	others := slices.DeleteFunc(slices.Clone(there.Children), func(c *tree.Node) bool { return c.ID == n.ID }) // it is taken away first
	at := 0
	for _, before := range up.Children {
		if before.ID == n.ID {
			break
		}
		if i := slices.IndexFunc(others, func(c *tree.Node) bool { return c.ID == before.ID }); i >= 0 {
			at = i + 1
		}
	}
	return append(edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: at, Node: n}), nil
}
