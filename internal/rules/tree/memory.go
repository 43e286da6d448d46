package tree

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// memory is the rule for an [treetask.MemoryTask]: what the other rules do one
// after another, over the whole memory.
func (rules *Rules) memory(ctx context.Context, task treetask.MemoryTask) (treetask.Rewrite, []string, error) {
	if len(task.Versions) == 0 {
		return treetask.Rewrite{}, nil, errors.New("the memory has no version")
	}
	latest := task.Versions[len(task.Versions)-1]
	res, notes := resolve(treetask.ResolveTask{Request: task.Request, Versions: len(task.Versions)})
	from, change, err := rules.version(ctx, task.Versions, res)
	if err != nil {
		return treetask.Rewrite{}, nil, err
	}
	out := treetask.Rewrite{Operation: res.Operation, Version: from.Number, Nodes: []string{}}
	schema := from.Tree.Schema()
	if back, nodes, ok := undo(task.Versions, from, change, res); ok {
		out.Nodes, out.Answer, out.Version = nodes, "It is as it was in version "+strconv.Itoa(from.Number)+".", latest.Number
		if change != nil {
			out.Answer = "Undone: " + change.Summary + "."
		}
		out.Content, err = tree.XML(back.Root(), back.Schema(), tree.WriteOptions{IDs: true})
		return out, append(notes, "undone as a whole"), err
	}
	q, why := query(treetask.QueryTask{Request: res.Task, Operation: res.Operation, Today: task.Today, Schema: schema, Profile: string(semxpath.Paper)})
	notes = append(append(notes, "query "+q), why...)
	found, err := rules.find(ctx, q, from.Tree)
	if err != nil {
		return treetask.Rewrite{}, nil, err
	}
	found = withChange(found, from, change)
	a, _ := rules.handle(ctx, treetask.HandleTask{Request: res.Task, Operation: res.Operation, Today: task.Today, Schema: schema, Found: found, Change: spokenOf(task.Versions, change, res)})
	out.Operation, out.Nodes, out.Answer = a.Operation, a.Nodes, a.Answer
	if a.Operation == treetask.Read {
		return out, notes, nil
	}
	out.Version = latest.Number
	next, err := rewrite(latest.Tree, from.Tree, a)
	if err != nil {
		// An edit that the tree refuses is none.
		out.Operation, out.Answer = treetask.Read, "I could not do that: "+err.Error()+"."
		return out, append(notes, "refused: "+err.Error()), nil //nolint:nilerr // a refusal is an answer, not a failure
	}
	if out.Content, err = tree.XML(next.Root(), next.Schema(), tree.WriteOptions{IDs: true}); err != nil {
		return treetask.Rewrite{}, nil, fmt.Errorf("write the memory: %w", err)
	}
	return out, notes, nil
}

// find runs a query over a tree.
func (rules *Rules) find(ctx context.Context, q string, t *tree.Tree) ([]treetask.Found, error) {
	parsed, err := semxpath.Parse(q)
	if err != nil {
		return nil, err
	}
	result, err := parsed.Run(ctx, t.Root(), semxpath.Options{Scorer: scorerOf{rules}, K: 40})
	if err != nil {
		return nil, err
	}
	var found []treetask.Found
	for _, m := range result.Matches {
		found = append(found, treetask.Found{Path: t.Path(m.Node.ID), Score: m.Weight})
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

// rewrite returns a tree after the edits of an action. What is restored comes
// from an earlier tree.
func rewrite(latest, from *tree.Tree, a treetask.Action) (*tree.Tree, error) {
	if a.Operation == treetask.Restore {
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
		case treetask.Create:
			t.Op, t.ID, t.Node = tree.Create, "", &tree.Draft{Type: e.Type, Fields: fields}
		case treetask.Update:
			t.Op, t.Set, t.At = tree.Update, fields, 0
		case treetask.Delete:
			t.Op, t.At = tree.Delete, 0
		case treetask.Move:
			t.Op = tree.Move
		default:
			continue
		}
		edits = append(edits, t)
	}
	return latest.Apply(edits...)
}
