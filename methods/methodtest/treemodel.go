package methodtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/tree"
	"recallbench/methods/internal/handler"
)

// TreeModel plays a model for tasks about a structured memory: it deletes what a task
// names after "Delete" or "Cancel", creates something if it begins with "Add", and
// otherwise answers with what was found. Like a model it reads the messages. Other calls
// are left to the wrapped model.
func TreeModel(below llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if len(r.Messages) < 2 {
			return below.Generate(ctx, r)
		}
		said := r.Messages[1].Content
		before, rest, _ := strings.Cut("\n"+said, "\nRequest: ")
		request, _, _ := strings.Cut(rest, "\n")
		op := operation(request)
		var value any
		switch r.Role {
		case "resolve":
			value = map[string]any{"operation": op, "version": "latest", "number": 0, "about": "", "task": request}
		case "translate":
			query := "//*"
			if what := about(request); what != "" {
				query = fmt.Sprintf("//*[node ~= %q]", what)
			}
			return llm.Reply{Text: query, Model: "fake"}, ctx.Err()
		case "handle":
			value = act(op, request, before)
		case "memory":
			value = rewrite(op, request, before)
		default:
			return below.Generate(ctx, r)
		}
		text, err := json.Marshal(value)
		return llm.Reply{Text: string(text), Model: "fake"}, errors.Join(err, ctx.Err())
	})
}

func operation(request string) handler.Operation {
	switch {
	case strings.Contains(request, "Delete "), strings.Contains(request, "Cancel "):
		return handler.Delete
	case strings.HasPrefix(request, "Add "):
		return handler.Create
	default:
		return handler.Read
	}
}

var named = regexp.MustCompile(`\b[Tt]he (.*?)(?: has\b|[.,?]|$)`)

// about returns what a task names, in lowercase; empty for nothing.
func about(request string) string {
	if m := named.FindStringSubmatch(request); m != nil {
		return strings.ToLower(m[1])
	}
	return ""
}

// A shown is a node as messages show it.
type shown struct{ kind, id, text string }

// asElement and asItem are how prompts show nodes.
var (
	asElement = regexp.MustCompile(`<([^\s<>/!]+) id="([^"]*)"`)
	asItem    = regexp.MustCompile(`(?m)^\[\d+\] (\S+) ([^\s:]+)(?::|$)`)
)

func nodes(said string) (all []shown) {
	form := asElement
	found := form.FindAllStringSubmatchIndex(said, -1)
	if len(found) == 0 {
		form = asItem
		found = form.FindAllStringSubmatchIndex(said, -1)
	}
	for i, at := range found {
		end := len(said)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		all = append(all, shown{said[at[2]:at[3]], said[at[4]:at[5]], strings.ToLower(said[at[0]:end])})
	}
	return all
}

// schema returns the type of the root, and a type of children for each that has some.
func schema(said string) (root string, child map[string]string) {
	_, text, ok := strings.Cut(said, "Schema:\n\n")
	if !ok {
		_, text, _ = strings.Cut(said, "fields:\n\n")
	}
	text, _, _ = strings.Cut(text, "\n\n")
	child = make(map[string]string)
	var above []string
	for line := range strings.SplitSeq(text, "\n") {
		name := strings.TrimLeft(line, " ")
		depth := (len(line) - len(name)) / 2
		name, _, _ = strings.Cut(strings.TrimSuffix(name, " (as above)"), ":")
		above = append(above[:min(depth, len(above))], name)
		if depth == 0 {
			root = name
		} else if parent := above[len(above)-2]; child[parent] == "" {
			child[parent] = name
		}
	}
	return root, child
}

// choose returns the node that a task is about: the first with the name in the task, else
// the first; for a deletion not the root; to create, the last that has a type of
// children.
func choose(op handler.Operation, request, root string, child map[string]string, all []shown) (best shown) {
	what := about(request)
	for _, n := range all {
		switch {
		case op == handler.Delete && n.kind == root, op == handler.Create && child[n.kind] == "":
		case op == handler.Create:
			best = n
		case strings.Contains(n.text, what):
			return n
		case best.id == "":
			best = n
		}
	}
	return best
}

// act returns an action on nodes that were found: a read if they do not allow
// the operation.
func act(op handler.Operation, request, said string) handler.Action {
	root, child := schema(said)
	a := handler.Action{Operation: handler.Read, Nodes: []string{}, Answer: "So it is.", Edits: []handler.ActionEdit{}}
	n := choose(op, request, root, child, nodes(said))
	edit := handler.ActionEdit{Op: op, Fields: []handler.ActionSetting{}}
	switch {
	case n.id == "":
		return a
	case op == handler.Read:
		a.Nodes, a.Answer = []string{n.id}, n.text
		return a
	case op == handler.Delete:
		edit.Node = n.id
	default:
		edit.Parent, edit.Type = n.id, child[n.kind]
	}
	a.Operation, a.Edits = op, append(a.Edits, edit)
	return a
}

// rewrite rewrites the newest of the versions, as in-context asks for.
func rewrite(op handler.Operation, request, said string) map[string]any {
	mark := strings.LastIndex(said, "<!-- version ")
	_, text, _ := strings.Cut(said[mark:], "-->\n")
	text, _, _ = strings.Cut(text, "\n\n")
	var number int
	_, err := fmt.Sscanf(said[mark:], "<!-- version %d", &number)
	reply := map[string]any{"operation": handler.Read, "version": number, "nodes": []string{}, "answer": "So it is.", "content": ""}
	now, parsed := tree.ParseXML("the newest version", strings.NewReader(text), tree.XMLOptions{})
	if err = errors.Join(err, parsed); err != nil {
		panic(err) // a method wrote it
	}
	action := act(op, request, "Schema:\n\n"+strings.TrimSpace(now.Schema().Text())+"\n\n"+text)
	if len(action.Edits) == 0 {
		return reply
	}
	asked := action.Edits[0]
	edit := tree.Edit{Op: tree.Delete, ID: asked.Node}
	if op == handler.Create {
		edit = tree.Edit{Op: tree.Create, Parent: asked.Parent, At: -1, Node: &tree.Node{Type: asked.Type}}
	}
	next, err := now.Apply(edit)
	if err != nil {
		panic(err) // it can be done
	}
	content, err := tree.XML(next.Root(), next.Schema(), tree.WriteOptions{IDs: true})
	if err != nil {
		panic(err) // what was parsed can be written
	}
	reply["operation"], reply["content"] = op, content
	return reply
}
