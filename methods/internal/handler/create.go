package handler

import (
	"slices"

	"recallbench/internal/calc/lists"
	"recallbench/internal/engine/tree"
)

// A draft is a node to create. Others may be created below it later on.
type draft struct {
	tree.Draft
	children []*draft
}

// placed is a draft and the edit that it belongs to.
type placed struct {
	*draft
	edit int
}

// create adds a node below one of the tree or below one that is created too.
func (p *planner) create(at string, e ActionEdit) {
	d := &draft{Draft: tree.Draft{Type: e.Type}}
	t, ok := p.latest.Schema().Type(e.Type)
	if ok {
		d.Type = t.Name
	} else {
		p.faultf("%s: there is no type %q; want one of %v", at, e.Type, p.latest.Schema().Names())
	}
	for _, s := range e.Fields {
		if f := p.field(d.Type, s); len(f.Values) > 0 {
			d.Fields = append(d.Fields, f)
		}
	}
	if e.Node != "" {
		_, taken := p.latest.Node(e.Node)
		if _, again := p.made[e.Node]; taken || again {
			p.faultf("%s: there is a node %q already; to create one leave node empty", at, e.Node)
			return
		}
		p.made[e.Node] = d
		// A node recreated from an earlier version is the same node.
		if old, ok := p.task.From.Tree.Node(e.Node); ok && p.task.Shown.inside[e.Node] && old.Type == d.Type {
			d.ID = old.ID
		}
	}
	if up, ok := p.made[e.Parent]; ok && up != d {
		i := len(up.children)
		if e.Position > 0 {
			i = min(i, e.Position-1)
		}
		up.children = slices.Insert(up.children, i, d)
		return
	}
	up, ok := p.target(at, e.Parent)
	if !ok {
		return
	}
	p.plan.nodes = lists.AddNew(p.plan.nodes, up.ID)
	p.drafts = append(p.drafts, placed{d, len(p.plan.edits)})
	p.plan.edits = append(p.plan.edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: p.index(up, e.Position)})
}

// place puts the finished drafts into their edits.
func (p *planner) place() {
	for _, d := range p.drafts {
		p.plan.edits[d.edit].Node = new(d.whole())
	}
}

// whole returns the draft with the drafts below it.
func (d *draft) whole() tree.Draft {
	out := d.Draft
	for _, c := range d.children {
		out.Children = append(out.Children, c.whole())
	}
	return out
}
