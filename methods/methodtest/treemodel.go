package methodtest

import (
	"context"
	"encoding/json"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/tree"
	"recallbench/internal/engine/treetask"
)

// treeModel answers the tasks of structured memories without looking at what is asked
// for. But requests which begin with "Delete" delete the last node, and those that
// begin with "Add" create one. Other tasks are left to the model below.
func treeModel(below llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		var value any
		switch task := r.Task.(type) {
		case treetask.ResolveTask:
			value = treetask.Resolution{Operation: operation(task.Request), Version: "latest", Task: task.Request}
		case treetask.QueryTask:
			return llm.Reply{Text: "//*", Model: "fake"}, ctx.Err()
		case treetask.HandleTask:
			var nodes []*tree.Node
			for _, f := range task.Found {
				nodes = append(nodes, f.Node())
			}
			value = act(operation(task.Request), nodes, task.Schema)
		case treetask.MemoryTask:
			value = write(task)
		case llm.ScoreTask:
			value = llm.Scores{Scores: make([]float64, len(task.Texts))}
		default:
			return below.Generate(ctx, r)
		}
		text, err := json.Marshal(value)
		if err != nil {
			return llm.Reply{}, err
		}
		return llm.Reply{Text: string(text), Model: "fake"}, ctx.Err()
	})
}

func operation(request string) treetask.Operation {
	switch word, _, _ := strings.Cut(request, " "); word {
	case "Delete":
		return treetask.Delete
	case "Add":
		return treetask.Create
	default:
		return treetask.Read
	}
}

// act returns an action on nodes that were found: a read where they do not allow
// the operation.
func act(op treetask.Operation, found []*tree.Node, schema *tree.Schema) treetask.Action {
	a := treetask.Action{Operation: op, Nodes: []string{}, Answer: "So it is.", Edits: []treetask.ActionEdit{}}
	edit := treetask.ActionEdit{Op: op, Fields: []treetask.ActionSetting{}}
	for _, n := range found {
		t, _ := schema.Type(n.Type)
		switch {
		case op == treetask.Delete && n.Type != schema.Root:
			edit.Node = n.ID
		case op == treetask.Create && len(t.Children) > 0:
			edit.Parent, edit.Type = n.ID, t.Children[0]
		}
		if op == treetask.Read {
			a.Nodes = append(a.Nodes, n.ID)
		}
	}
	if edit.Node+edit.Parent != "" {
		a.Edits = append(a.Edits, edit)
	} else {
		a.Operation = treetask.Read
	}
	return a
}

// write rewrites the newest of the versions.
func write(task treetask.MemoryTask) treetask.Rewrite {
	newest := task.Versions[len(task.Versions)-1]
	t := newest.Tree
	var nodes []*tree.Node
	for n := range t.All() {
		nodes = append(nodes, n)
	}
	a := act(operation(task.Request), nodes, t.Schema())
	w := treetask.Rewrite{Operation: a.Operation, Version: newest.Number, Nodes: a.Nodes, Answer: a.Answer}
	if len(a.Edits) == 0 {
		return w
	}
	edit := tree.Edit{Op: tree.Delete, ID: a.Edits[0].Node}
	if a.Operation == treetask.Create {
		edit = tree.Edit{Op: tree.Create, Parent: a.Edits[0].Parent, At: -1, Node: &tree.Draft{Type: a.Edits[0].Type}}
	}
	next, err := t.Apply(edit)
	if err != nil {
		panic(err) // act knows what can be done
	}
	w.Content, err = tree.XML(next.Root(), next.Schema(), tree.WriteOptions{IDs: true})
	if err != nil {
		panic(err) // what was parsed can be written
	}
	return w
}
