package incontext

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

//go:embed prompts
var files embed.FS

// memoryData is what the template "memory" is rendered with.
type memoryData struct {
	Request string
	Today   string
	Root    string // type of the root
	Memory  string // all versions as XML
	Newest  int
	Earlier []exchange
}

// An exchange is a task of a conversation and the reply to it.
type exchange struct{ Request, Reply string }

// A whole is the memory of a conversation with a tree: all versions in full,
// and the exchanges.
type whole struct {
	method
	state    *handler.State
	dialogue bool
	blocks   []methods.Evidence // of the versions, in order
	said     []exchange
}

// refresh writes the versions that are not yet written.
func (w *whole) refresh() error {
	versions := w.state.Versions()
	for _, v := range versions[len(w.blocks):] {
		xml, err := tree.XML(v.Tree.Root(), v.Tree.Schema(), tree.WriteOptions{IDs: true})
		if err != nil {
			return err
		}
		e := methods.Evidence{ID: fmt.Sprintf("version %d", v.Number)}
		for n := range v.Tree.All() {
			e.Sources = append(e.Sources, n.ID)
		}
		e.Text = fmt.Sprintf("<!-- version %d", v.Number)
		if v.Number > 1 {
			e.Text += fmt.Sprintf(", made from version %d by %q; %s", v.Base, comment(v.Request), comment(v.Summary))
		}
		e.Text += " -->\n" + xml
		w.blocks = append(w.blocks, e)
	}
	return nil
}

// comment makes a text safe for an XML comment.
func comment(s string) string { return strings.ReplaceAll(s, "--", "- -") }

// Answer implements [methods.Memory].
func (w *whole) Answer(ctx context.Context, r datasets.Request) (methods.Response, error) {
	end := meter.Stage(ctx, "write")
	messages, first, err := w.messages(r)
	end()
	if err != nil {
		return methods.Response{}, err
	}
	resp := methods.Response{Evidence: slices.Clone(w.blocks[first:])}
	if first > 0 {
		resp.Trace = append(resp.Trace, methods.Step{
			Name: "cut",
			Note: fmt.Sprintf("left out the oldest %d of %d versions to stay within %d tokens", first, len(w.blocks), w.ContextLimit),
		})
	}
	var next rewritten
	rewrite, err := handler.Ask(ctx, w.model, llm.Request{
		Role:     "memory",
		Messages: messages,
		Params:   llm.Params{Temperature: new(0.0)},
		Format:   &llm.Format{Name: "rewrite", Schema: rewriteSchema},
	}, func(a reply) (err error) {
		next, err = w.read(a)
		return err
	})
	if err != nil {
		return resp, fmt.Errorf("memory: %w", err)
	}
	resp.Text, resp.Nodes = strings.TrimSpace(rewrite.Answer), next.nodes
	note := fmt.Sprintf("%s of version %d", rewrite.Operation, rewrite.Version)
	if next.tree != nil {
		if resp.Tree, err = w.state.Replace(rewrite.Version, next.tree, r.Text, next.summary); err != nil {
			return resp, fmt.Errorf("memory: %w", err)
		}
		resp.Text = cmp.Or(resp.Text, resp.Tree.Summary+".")
		note += ": " + resp.Tree.Summary
	} else if rewrite.Operation != handler.Read {
		note += ", which changes nothing"
	}
	resp.Trace = append(resp.Trace, methods.Step{Name: "memory", Note: note})
	if w.dialogue {
		w.said = append(w.said, exchange{Request: r.Text, Reply: resp.Text})
		if err := w.refresh(); err != nil {
			return resp, err
		}
	}
	return resp, nil
}

// messages renders the prompt of a task, with the versions from first on: all
// that fit the context limit.
func (w *whole) messages(r datasets.Request) (messages []llm.Message, first int, err error) {
	for ; ; first++ {
		texts := lists.Map(w.blocks[first:], func(b methods.Evidence) string { return b.Text })
		messages, err = w.prompts.Render("memory", memoryData{
			Request: r.Text, Today: handler.Date(r.Time), Root: w.state.Latest().Tree.Root().Type,
			Memory: strings.Join(texts, "\n\n"), Newest: len(w.blocks), Earlier: w.said,
		})
		if err != nil || w.ContextLimit == 0 {
			return messages, first, err
		}
		switch size := w.size(messages); {
		case size <= w.ContextLimit:
			return messages, first, nil
		case first == len(w.blocks)-1:
			return nil, 0, fmt.Errorf("context_limit is %d tokens, but the newest version and the conversation need %d", w.ContextLimit, size)
		}
	}
}

// A reply is a model's reply to a task.
type reply struct {
	Operation handler.Operation `json:"operation"`
	Version   int               `json:"version"` // that was read, or that the edit starts from
	Nodes     []string          `json:"nodes"`   // as in a [handler.Action]
	Answer    string            `json:"answer"`  // to the user
	// Content is the XML of the whole memory after an edit; empty for a read.
	Content string `json:"content"`
}

// rewriteSchema is the JSON Schema of a [reply].
//
//go:embed prompts/memory.json
var rewriteSchema []byte

// rewritten is the result of a reply.
type rewritten struct {
	tree    *tree.Tree // nil for a read
	nodes   []string
	summary string
}

// read checks a reply. The error says what is wrong with it.
func (w *whole) read(a reply) (rewritten, error) {
	base, ok := w.state.At(a.Version)
	if !ok || a.Version < 1 {
		return rewritten{}, fmt.Errorf("there is no version %d; want 1 to %d", a.Version, w.state.Latest().Number)
	}
	if a.Operation == handler.Read {
		return w.named(a)
	}
	if strings.TrimSpace(a.Content) == "" {
		return rewritten{}, fmt.Errorf("the operation is %s and content is empty, want the whole memory as XML", a.Operation)
	}
	draft, err := tree.ParseDraft("content", strings.NewReader(unfenced(a.Content)), base.Tree.Schema())
	if err != nil {
		return rewritten{}, err
	}
	next := rewritten{}
	if next.tree, err = w.reconcile(draft); err != nil {
		return rewritten{}, err
	}
	newest := w.state.Latest().Tree
	edits := tree.Diff(newest, next.tree)
	if len(edits) == 0 {
		// What was asked for is so already, or the model has forgotten it: no
		// version, and what it names is all that there is.
		return w.named(a)
	}
	next.nodes = w.changed(edits)
	next.summary = tree.Summarise(newest, edits)
	return next, nil
}

// named checks a reply that changes nothing.
func (w *whole) named(a reply) (next rewritten, err error) {
	var faults fault.List
	faults.Want(strings.TrimSpace(a.Answer) != "", "the answer is empty")
	for _, id := range a.Nodes {
		faults.Want(w.node(id) != nil, "no version has a node %q", id)
		next.nodes = lists.AddNew(next.nodes, id)
	}
	return next, errors.Join(faults...)
}

// reconcile returns the tree of a draft. Nodes keep their ids from any version,
// so that a node that comes back is the same one.
func (w *whole) reconcile(draft *tree.Node) (*tree.Tree, error) {
	newest := w.state.Latest()
	if back := w.returning(draft, newest.Tree.Root().ID, make(map[string]bool)); len(back) > 0 {
		// The draft is compared with the newest version plus the nodes that come back,
		// which need not be in their final place.
		if v, err := w.state.Preview(newest.Number, back, "", ""); err == nil {
			return tree.Reconcile(v.Tree, draft)
		}
	}
	return w.state.Reconcile(newest.Number, draft)
}

// returning returns edits that create the nodes below one of the draft, whose id is
// parent, that the newest version does not have and an earlier one has.
func (w *whole) returning(d *tree.Node, parent string, seen map[string]bool) (edits []tree.Edit) {
	for _, c := range d.Children {
		if _, ok := w.state.Latest().Tree.Node(c.ID); !ok {
			old := w.node(c.ID)
			if old == nil || old.Type != c.Type || seen[c.ID] {
				continue
			}
			alone := &tree.Node{Type: old.Type, ID: old.ID, Fields: old.Fields, Text: old.Text}
			edits = append(edits, tree.Edit{Op: tree.Create, Parent: parent, At: -1, Node: alone})
		}
		seen[c.ID] = true
		edits = append(edits, w.returning(c, c.ID, seen)...)
	}
	return edits
}

// node returns a node of the newest version that has it; nil for none.
func (w *whole) node(id string) *tree.Node {
	for _, v := range slices.Backward(w.state.Versions()) {
		if n, ok := v.Tree.Node(id); ok {
			return n
		}
	}
	return nil
}

// changed returns the ids of the nodes that edits change, or below which they
// create new ones.
func (w *whole) changed(edits []tree.Edit) (ids []string) {
	for _, e := range edits {
		id := e.ID
		if e.Op == tree.Create {
			if id = e.Node.ID; w.node(id) == nil {
				id = e.Parent
			}
		}
		if w.node(id) != nil {
			ids = lists.AddNew(ids, id)
		}
	}
	return ids
}

// unfenced takes a code fence off a text.
func unfenced(s string) string {
	s = strings.TrimSpace(s)
	if rest, ok := strings.CutPrefix(s, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			s = strings.TrimSuffix(strings.TrimSpace(body), "```")
		}
	}
	return s
}
