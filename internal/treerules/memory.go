package treerules

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"recallbench/internal/llm"
	"recallbench/internal/semxpath"
	"recallbench/internal/tree"
)

// memory is the rule for an [llm.MemoryTask]: what the other rules do one
// after another, over the whole memory.
func (rules *Rules) memory(ctx context.Context, task llm.MemoryTask) (llm.Rewrite, []string, error) {
	if len(task.Versions) == 0 {
		return llm.Rewrite{}, nil, errors.New("the memory has no version")
	}
	latest := task.Versions[len(task.Versions)-1]
	res, notes := resolve(llm.ResolveTask{Request: task.Request, Versions: len(task.Versions)})
	from, err := rules.version(ctx, task.Versions, res)
	if err != nil {
		return llm.Rewrite{}, nil, err
	}
	out := llm.Rewrite{Operation: res.Operation, Version: from.Number, Nodes: []string{}}
	schema := from.Tree.Schema()
	q, why := query(llm.QueryTask{Request: res.Task, Operation: res.Operation, Today: task.Today, Schema: schema, Profile: string(semxpath.Paper)})
	notes = append(append(notes, "query "+q), why...)
	found, err := rules.find(ctx, q, from.Tree)
	if err != nil {
		return llm.Rewrite{}, nil, err
	}
	a, _ := rules.handle(ctx, llm.HandleTask{Request: res.Task, Operation: res.Operation, Today: task.Today, Schema: schema, Found: found})
	out.Operation, out.Nodes, out.Answer = a.Operation, a.Nodes, a.Answer
	if a.Operation == llm.Read {
		return out, notes, nil
	}
	out.Version = latest.Number
	next, err := rewrite(latest.Tree, from.Tree, a)
	if err != nil {
		// An edit that the tree refuses is none.
		out.Operation, out.Answer = llm.Read, "I could not do that: "+err.Error()+"."
		return out, append(notes, "refused: "+err.Error()), nil
	}
	var b strings.Builder
	if err := tree.WriteXML(&b, next.Root(), next.Schema(), tree.WriteOptions{IDs: true}); err != nil {
		return llm.Rewrite{}, nil, fmt.Errorf("write the memory: %w", err)
	}
	out.Content = b.String()
	return out, notes, nil
}

// find runs a query over a tree.
func (rules *Rules) find(ctx context.Context, q string, t *tree.Tree) ([]llm.Found, error) {
	parsed, err := semxpath.Parse(q)
	if err != nil {
		return nil, err
	}
	result, err := parsed.Run(ctx, t.Root(), semxpath.Options{Scorer: scorerOf{rules}, K: 40})
	if err != nil {
		return nil, err
	}
	var found []llm.Found
	for _, m := range result.Matches {
		found = append(found, llm.Found{Path: t.Path(m.Node.ID), Score: m.Weight})
	}
	return found, nil
}

// scorerOf scores with the rules' scorer, or by shared words without one.
type scorerOf struct{ rules *Rules }

// Score implements [semxpath.Scorer].
func (s scorerOf) Score(ctx context.Context, pairs []semxpath.Pair) ([]float64, error) {
	if s.rules.scorer != nil {
		return s.rules.scorer.Score(ctx, pairs)
	}
	out := make([]float64, len(pairs))
	for i, p := range pairs {
		out[i] = overlap(p.Text, p.Condition)
	}
	return out, nil
}

// version returns the version that a resolution speaks of.
func (rules *Rules) version(ctx context.Context, versions []*tree.Version, r llm.Resolution) (*tree.Version, error) {
	latest := versions[len(versions)-1]
	at := func(n int) *tree.Version {
		if n < 0 {
			n = len(versions) + 1 + n
		}
		return versions[max(1, min(n, len(versions)))-1]
	}
	switch r.Version {
	case "number":
		return at(r.Number), nil
	case "at", "before", "after":
		texts := make([]string, 0, len(versions)-1)
		for _, v := range versions[1:] {
			texts = append(texts, v.Summary+". "+v.Request)
		}
		if len(texts) == 0 {
			return latest, nil
		}
		scores, err := rules.relevance(ctx, texts, r.About)
		if err != nil {
			return nil, err
		}
		best, top := len(texts)-1, -1.0
		for i := range texts {
			if s := max(scores[i], overlap(texts[i], r.About)); s >= top {
				best, top = i, s
			}
		}
		n := best + 2
		switch r.Version {
		case "before":
			n--
			if base := versions[best+1].Base; base > 0 {
				n = base
			}
		case "after":
			n = min(n+1, len(versions))
		}
		return at(n), nil
	}
	return latest, nil
}

// rewrite returns a tree after the edits of an action. What is restored comes
// from an earlier tree.
func rewrite(latest, from *tree.Tree, a llm.Action) (*tree.Tree, error) {
	if a.Operation == llm.Restore {
		return putBack(latest, from, a.Nodes)
	}
	var edits []tree.Edit
	for _, e := range a.Edits {
		t := tree.Edit{ID: e.Node, Parent: e.Parent, At: e.Position - 1}
		var fields []tree.Field
		for _, s := range e.Fields {
			fields = append(fields, tree.Field{Name: s.Name, Values: []string{s.Value}})
		}
		switch e.Op {
		case llm.Create:
			t.Op, t.ID, t.Node = tree.Create, "", &tree.Draft{Type: e.Type, Fields: fields}
		case llm.Update:
			t.Op, t.Set, t.At = tree.Update, fields, 0
		case llm.Delete:
			t.Op, t.At = tree.Delete, 0
		case llm.Move:
			t.Op = tree.Move
		default:
			continue
		}
		edits = append(edits, t)
	}
	return latest.Apply(edits...)
}

// putBack returns the newest tree with nodes of an earlier one as they were.
func putBack(latest, from *tree.Tree, nodes []string) (*tree.Tree, error) {
	next := latest
	for _, id := range nodes {
		old, ok := from.Node(id)
		if !ok {
			continue
		}
		if id == from.Root().ID {
			return from, nil
		}
		up, _ := from.Parent(id)
		var edits []tree.Edit
		if _, there := next.Node(id); there {
			edits = append(edits, tree.Edit{Op: tree.Delete, ID: id})
		}
		at := 0
		for i, c := range up.Children {
			if c.ID == id {
				at = i
			}
		}
		if now, ok := next.Node(up.ID); ok {
			at = min(at, len(now.Children))
		}
		edits = append(edits, tree.Edit{Op: tree.Create, Parent: up.ID, At: at, Node: new(draftOf(old))})
		var err error
		if next, err = next.Apply(edits...); err != nil {
			return nil, err
		}
	}
	return next, nil
}

func draftOf(n *tree.Node) tree.Draft {
	d := tree.Draft{Type: n.Type, ID: n.ID, Fields: n.Fields, Text: n.Text}
	for _, c := range n.Children {
		d.Children = append(d.Children, draftOf(c))
	}
	return d
}
