package methodtest

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"recallbench/internal/door/llm"
	"recallbench/internal/engine/tree"
	"recallbench/methods/internal/handler"
)

// TreeModel deletes what a request about a structured memory names where it says
// "Delete" or "Cancel", creates something where it begins with "Add", and answers others
// with what was found. Like a model it reads the messages. Other calls are left to the
// model below.
func TreeModel(below llm.Generator) llm.Generator {
	return llm.GeneratorFunc(func(ctx context.Context, r llm.Request) (llm.Reply, error) {
		if len(r.Messages) < 2 {
			return below.Generate(ctx, r)
		}
		said := r.Messages[1].Content
		_, rest, _ := strings.Cut("\n"+said, "\nRequest: ")
		request, _, _ := strings.Cut(rest, "\n")
		op := operation(request)
		var value any
		switch r.Role {
		case "resolve":
			value = map[string]any{"operation": op, "version": "latest", "number": 0, "about": "", "task": request}
		case "translate":
			if what := about(request); what != "" {
				return llm.Reply{Text: fmt.Sprintf("//*[node ~= %q]", what), Model: "fake"}, ctx.Err()
			}
			return llm.Reply{Text: "//*", Model: "fake"}, ctx.Err()
		case "handle":
			value = act(op, said)
		case "memory":
			value = write(op, said)
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

// about returns what a request names, in lower case; empty for nothing.
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
	said, _, _ = strings.Cut(said, "\nRequest: ")
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

// meant returns the first of the nodes, but for those of a type, that is called what
// the request names, else the first.
func meant(said, not string, of []shown) (found shown, ok bool) {
	_, request, _ := strings.Cut(said, "\nRequest: ")
	request, _, _ = strings.Cut(request, "\n")
	what := about(request)
	for _, n := range of {
		if n.kind == not {
			continue
		}
		if strings.Contains(n.text, what) {
			return n, true
		}
		if !ok {
			found, ok = n, true
		}
	}
	return found, ok
}

// act returns an action on nodes that were found: a read where they do not allow
// the operation.
func act(op handler.Operation, said string) handler.Action {
	root, child := schema(said)
	all := nodes(said)
	a := handler.Action{Operation: handler.Read, Nodes: []string{}, Answer: "So it is.", Edits: []handler.ActionEdit{}}
	edit := handler.ActionEdit{Op: op, Fields: []handler.ActionSetting{}}
	switch op {
	case handler.Delete:
		n, _ := meant(said, root, all)
		edit.Node = n.id
	case handler.Create:
		for _, n := range all {
			if c := child[n.kind]; c != "" {
				edit.Parent, edit.Type = n.id, c
			}
		}
	default:
		if n, ok := meant(said, "", all); ok {
			a.Nodes, a.Answer = []string{n.id}, n.text
		}
	}
	if edit.Node+edit.Parent != "" {
		a.Operation, a.Edits = op, append(a.Edits, edit)
	}
	return a
}

// A rewrite is what in-context asks for.
type rewrite struct {
	Operation handler.Operation `json:"operation"`
	Version   int               `json:"version"`
	Nodes     []string          `json:"nodes"`
	Answer    string            `json:"answer"`
	Content   string            `json:"content"`
}

// write rewrites the newest of the versions.
func write(op handler.Operation, said string) rewrite {
	mark := strings.LastIndex(said, "<!-- version ")
	_, text, _ := strings.Cut(said[mark:], "-->\n")
	text, _, _ = strings.Cut(text, "\n\n")
	w := rewrite{Operation: handler.Read, Nodes: []string{}, Answer: "So it is."}
	if _, err := fmt.Sscanf(said[mark:], "<!-- version %d", &w.Version); err != nil {
		panic(err) // every memory has a version
	}
	t, err := tree.ParseXML("the newest version", strings.NewReader(text), tree.XMLOptions{})
	if err != nil {
		panic(err) // it was written by a method
	}
	var edit tree.Edit
	switch op { //nolint:exhaustive // the others are not meant by these requests
	case handler.Delete:
		n, ok := meant(said, t.Root().Type, nodes(text))
		if !ok {
			return w
		}
		edit = tree.Edit{Op: tree.Delete, ID: n.id}
	case handler.Create:
		for n := range t.All() {
			if of, _ := t.Schema().Type(n.Type); len(of.Children) > 0 {
				edit = tree.Edit{Op: tree.Create, Parent: n.ID, At: -1, Node: &tree.Draft{Type: of.Children[0]}}
			}
		}
	}
	if edit.ID+edit.Parent == "" {
		return w
	}
	next, err := t.Apply(edit)
	if err != nil {
		panic(err) // it can be done
	}
	if w.Content, err = tree.XML(next.Root(), next.Schema(), tree.WriteOptions{IDs: true}); err != nil {
		panic(err) // what was parsed can be written
	}
	w.Operation = op
	return w
}
