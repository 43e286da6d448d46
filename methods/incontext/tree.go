package incontext

import (
	"cmp"
	"context"
	"embed"
	"fmt"
	"slices"
	"strings"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
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

func (m method) buildTree(s datasets.Sample) (*whole, error) {
	w := &whole{method: m, state: handler.NewState(s), dialogue: s.Dialogue}
	return w, w.refresh()
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
		size := 0
		for _, m := range messages {
			size += w.tokens.Count(m.Content)
		}
		switch {
		case size <= w.ContextLimit:
			return messages, first, nil
		case first == len(w.blocks)-1:
			return nil, 0, fmt.Errorf("context_limit is %d tokens, but the newest version and the conversation need %d", w.ContextLimit, size)
		}
	}
}

// Close implements [methods.Memory].
func (*whole) Close() error { return nil }
