// Package handler carries out tasks about structured memories from the nodes
// that were retrieved for them. It shows the nodes to a model, reads the reply,
// checks it against what was shown and turns it into edits. The methods that
// retrieve nodes share it, so that they differ only in what they retrieve.
package handler

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"recallbench/datasets"
	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/door/prompt"
	"recallbench/internal/door/token"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
)

// ContextTokens is the largest number of tokens of retrieved nodes that the model is
// shown: the lowest ranked are left out and, if the best alone is larger, its lowest
// levels.
const ContextTokens = 6000

// Options are the handler's part of a method's options.
type Options struct {
	// MaxTokens is the largest number of tokens of a reply; 0 leaves it to the
	// server.
	MaxTokens int `yaml:"max_tokens"`
}

// Defaults are replies of up to 4096 tokens.
func Defaults() Options { return Options{MaxTokens: 4096} }

// Validate reports values out of range.
func (o Options) Validate() error {
	if o.MaxTokens < 0 {
		return fmt.Errorf("max_tokens is %d, want at least 1, or 0 for the server's limit", o.MaxTokens)
	}
	return nil
}

// Params are those of the calls: greedy.
func (o Options) Params() llm.Params {
	return llm.Params{Temperature: new(0.0), MaxTokens: o.MaxTokens}
}

// A Handler asks one model.
type Handler struct {
	model   llm.Generator
	prompts *prompt.Set
	tokens  token.Counter
	options Options
}

// New returns the handler of a method: the model and the prompts of env. The
// templates that tasks will name are rendered once, so that a user's own prompt
// fails before a run.
func New(env methods.Env, o Options, templates ...string) (*Handler, error) {
	if env.LLM == nil {
		return nil, errors.New("the model entry has no language model, which tasks about trees need")
	}
	for _, name := range templates {
		if _, err := env.Prompts.Render(name, data{Today: "today", Earlier: 1, Newest: 2, LeftOut: 1, Cut: true, Change: "change"}); err != nil {
			return nil, err
		}
	}
	return &Handler{env.LLM, env.Prompts, env.Tokens, o}, nil
}

// A Task is a user's task with the nodes that were retrieved for it.
type Task struct {
	Template string // of the prompt
	// Operation is what the task does; empty if the model has to find out.
	Operation Operation
	Request   string        // as the model gets it
	Original  string        // in the user's words, for the version; empty if it equals Request
	Today     time.Time     // the zero time when unknown
	From      *tree.Version // in which the nodes were found
	Found     []Found       // best first
	Format    Format        // in which they are shown
	Change    string        // effect of the change that the task mentions; empty for none

	shown shown
}

// data is what templates are rendered with.
type data struct {
	Request string
	Today   string // such as "Monday, 11 May 2026"; empty if unknown
	Schema  string
	Nodes   string // the retrieved nodes; empty if there are none
	Earlier int    // the version of the nodes, if it is not the newest
	Newest  int    // the number of versions
	LeftOut int    // retrieved nodes that are not shown
	Cut     bool   // the lowest levels of the first node are not shown
	Change  string // effect of the change that the task mentions; empty for none
}

// Do shows the model what was found and makes the edits of its reply. A reply that names
// nodes that were not shown, or whose edits the tree rejects, is asked for once more
// with the error. A second failure is a *fault.Error of kind fault.Schema and leaves the
// memory unchanged: the response then has what was shown.
func (h *Handler) Do(ctx context.Context, s *State, t Task) (resp methods.Response, err error) {
	defer meter.Stage(ctx, "handle")()
	newest := s.Latest().Number
	if t.shown, err = show(t.Found, t.From, newest, t.Format, h.tokens, ContextTokens); err != nil {
		return resp, err
	}
	resp.Evidence = t.shown.evidence
	if note := t.shown.bounded(ContextTokens); note != "" {
		resp.Trace = append(resp.Trace, methods.Step{Name: "cut", Note: note})
	}
	d := data{
		Request: t.Request, Today: Date(t.Today), Schema: strings.TrimSpace(t.From.Tree.Schema().Text()),
		Nodes: t.shown.text(), Newest: newest, LeftOut: t.shown.leftOut, Cut: t.shown.cut, Change: t.Change,
	}
	if t.From.Number != newest {
		d.Earlier = t.From.Number
	}
	messages, err := h.prompts.Render(t.Template, d)
	if err != nil {
		return resp, err
	}
	var p plan
	action, err := Ask(ctx, h.model, llm.Request{
		Role:     "handle",
		Messages: messages,
		Params:   h.options.Params(),
		Format:   &llm.Format{Name: "action", Schema: actionSchema},
	}, func(a Action) (err error) {
		p, err = s.plan(t, a)
		return err
	})
	if err != nil {
		return resp, fmt.Errorf("handle: %w", err)
	}
	resp.Text, resp.Nodes = strings.TrimSpace(action.Answer), p.nodes
	note := string(action.Operation)
	switch {
	case len(p.edits) > 0:
		if resp.Tree, err = s.Edit(p.edits, cmp.Or(t.Original, t.Request), p.summary); err != nil {
			return resp, fmt.Errorf("handle: %w", err)
		}
		note += ": " + resp.Tree.Summary
		resp.Text = cmp.Or(resp.Text, resp.Tree.Summary+".")
	case action.Operation != Read:
		note += ", which changes nothing"
		resp.Text = cmp.Or(resp.Text, "It is so already.")
	}
	resp.Trace = append(resp.Trace, methods.Step{Name: "handle", Note: note})
	return resp, nil
}

// Date writes a day for a prompt; the zero time is empty.
func Date(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("Monday, 2 January 2006")
}

// A State is the structured memory of a conversation. In a dialogue edits make
// new versions. Each independent task sees the original memory, and its edits
// only show what they would make: nothing changes, so tasks may run
// concurrently.
type State struct {
	*tree.History
	dialogue bool
}

// NewState returns the memory of a conversation, whose tree is its first version.
func NewState(s datasets.Sample) *State {
	return &State{tree.NewHistory(s.Tree), s.Dialogue}
}

// Over returns the state of a dialogue that continues from versions.
func (s *State) Over(versions *tree.History) *State { return &State{versions, true} }

// Edit makes edits on the newest version and returns the version that they
// make. Rejected ones change nothing.
func (s *State) Edit(edits []tree.Edit, request, summary string) (*tree.Version, error) {
	base := s.Latest().Number
	if s.dialogue {
		return s.Commit(base, edits, request, summary)
	}
	return s.Preview(base, edits, request, summary)
}

// Replace makes a tree of its own the newest version, made from base.
func (s *State) Replace(base int, next *tree.Tree, request, summary string) (*tree.Version, error) {
	if s.dialogue {
		return s.Put(base, next, request, summary)
	}
	return &tree.Version{Number: s.Latest().Number + 1, Base: base, Request: request, Summary: summary, Tree: next}, nil
}

// An Operation is what a task does to a structured memory.
type Operation string

// The operations.
const (
	Read    Operation = "read"
	Create  Operation = "create"
	Update  Operation = "update"
	Delete  Operation = "delete"
	Move    Operation = "move"
	Restore Operation = "restore" // an earlier version becomes the newest again
)

// Operations lists the operations.
func Operations() []Operation { return []Operation{Read, Create, Update, Delete, Move, Restore} }

// A Found is a node that was retrieved for a task.
type Found struct {
	Path  []*tree.Node // from the root to the node
	Score float64
}

// Node returns the node itself.
func (f Found) Node() *tree.Node { return f.Path[len(f.Path)-1] }

// An Action is a model's reply to a task.
//
// The operation restore has no edits: the nodes, found in an earlier version,
// are restored to their old place with everything below them.
type Action struct {
	Operation Operation `json:"operation"`
	// Nodes are the ids that a read is about, that are updated, deleted or
	// moved, or below which something is created.
	Nodes  []string     `json:"nodes"`
	Answer string       `json:"answer"` // to the user
	Edits  []ActionEdit `json:"edits"`  // none for a read
}

// An ActionEdit is one edit of an [Action].
type ActionEdit struct {
	Op Operation `json:"op"` // create, update, delete or move
	// Node is the id to update, delete or move. To create, it is empty or a name that
	// later edits use as Parent to create something below it.
	Node   string `json:"node"`
	Parent string `json:"parent"` // id to create or move below; empty otherwise
	// Position is the place among the parent's children, from 1; 0 is the end.
	Position int             `json:"position"`
	Type     string          `json:"type"`   // of the node to create
	Fields   []ActionSetting `json:"fields"` // to set
}

// An ActionSetting is a field with its new value.
type ActionSetting struct {
	Name string `json:"name"`
	// Value is the field's new value. Values of a list are separated by "; ", and an
	// empty one removes the field.
	Value string `json:"value"`
}

// maxQuoted is the largest part of a reply that a repair prompt quotes, in bytes.
const maxQuoted = 16 << 10

// Ask is [llm.JSON] for replies that are checked by more than a schema. A reply
// that check rejects is asked for once more, with check's error; a second
// failure is a *fault.Error of kind fault.Schema.
func Ask[T any](ctx context.Context, g llm.Generator, r llm.Request, check func(T) error) (T, error) {
	for again := false; ; again = true {
		value, reply, err := llm.JSON[T](ctx, g, r)
		if err != nil {
			return value, err
		}
		wrong := check(value)
		if wrong == nil {
			return value, nil
		}
		problem := strings.Join(strings.FieldsFunc(wrong.Error(), func(r rune) bool { return r == '\n' }), "; ")
		if again {
			return value, fault.New(fault.Schema, "the second reply cannot be carried out either: %s", bounded(problem, 1000))
		}
		r.Messages = append(slices.Clone(r.Messages),
			llm.Message{Role: llm.Assistant, Content: bounded(strings.TrimSpace(reply.Text), maxQuoted)},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("That reply cannot be carried out: %s.\n\nReply again in the same form.", bounded(problem, 2000))},
		)
	}
}

// bounded cuts a text that is longer than n bytes.
func bounded(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + " ..."
}

// shown is what a model sees of the nodes that were retrieved.
type shown struct {
	evidence []methods.Evidence // a block for each node that is shown, best first
	leftOut  int                // retrieved nodes that did not fit
	cut      bool               // the lowest levels of the best node did not fit
	inside   map[string]bool    // nodes that are shown
	above    map[string]bool    // nodes on the way to them
}

// text joins the blocks for a prompt; it is empty if nothing was found.
func (s shown) text() string {
	texts := make([]string, len(s.evidence))
	for i, e := range s.evidence {
		texts[i] = fmt.Sprintf("[%d] %s", i+1, e.Text)
	}
	return strings.Join(texts, "\n\n")
}

// bounded says what the token limit has left out; empty if nothing.
func (s shown) bounded(limit int) string {
	var parts []string
	if s.leftOut > 0 {
		parts = append(parts, fmt.Sprintf("left out the lowest ranked %d of %d nodes", s.leftOut, s.leftOut+len(s.evidence)))
	}
	if s.cut {
		parts = append(parts, "left out the lowest levels of the best")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s to stay within %d tokens", strings.Join(parts, " and "), limit)
}

// A Format says how a node is shown, and which of those below it.
type Format int

// The formats.
const (
	// Subtrees shows each node as XML with ids, with everything below it, under
	// the names and ids of the nodes that lead to it.
	Subtrees Format = iota
	// Items shows each node's own fields and nothing of its position.
	Items
)

// show selects what a model sees of nodes that were found in a version, best
// first: as many as have at most limit tokens together; 0 means no limit. The best
// is always shown, without its lowest levels if it is too large. A node inside
// one that is shown before it is only named.
func show(found []Found, from *tree.Version, newest int, f Format, tokens token.Counter, limit int) (shown, error) {
	s := shown{inside: make(map[string]bool), above: make(map[string]bool)}
	suffix := ""
	if from.Number != newest {
		suffix = fmt.Sprintf(" in version %d", from.Number)
	}
	room := limit
	for i, hit := range found {
		e, err := s.block(hit, from.Tree, f, 0)
		if err != nil {
			return s, err
		}
		if limit > 0 {
			size := tokens.Count(e.Text)
			for depth := hit.Node().Depth() - 2; i == 0 && size > room && depth > 0; depth-- {
				if e, err = s.block(hit, from.Tree, f, depth); err != nil {
					return s, err
				}
				size, s.cut = tokens.Count(e.Text), true
			}
			if size > room && i > 0 {
				s.leftOut = len(found) - i
				break
			}
			room -= size
		}
		for _, id := range e.Sources {
			s.inside[id] = true
		}
		for _, up := range hit.Path[:len(hit.Path)-1] {
			s.above[up.ID] = true
		}
		e.ID += suffix
		s.evidence = append(s.evidence, e)
	}
	return s, nil
}

// block writes a node with depth levels below it; 0 is all.
func (s shown) block(hit Found, t *tree.Tree, f Format, depth int) (methods.Evidence, error) {
	n := hit.Node()
	e := methods.Evidence{ID: n.ID, Sources: []string{n.ID}, Score: hit.Score}
	if f == Items {
		e.Text = Item(n)
		return e, nil
	}
	up := hit.Path[:len(hit.Path)-1]
	if len(up) > 1 {
		up = up[1:] // the root is the same for all
	}
	if len(up) > 0 {
		e.Text = "in " + strings.Join(lists.Map(up, named), " > ") + "\n"
	}
	if s.inside[n.ID] {
		e.Text += named(n) + ", shown above"
		return e, nil
	}
	xml, err := tree.XML(n, t.Schema(), tree.WriteOptions{IDs: true, Depth: depth})
	e.Text, e.Sources = e.Text+xml, ids(n, cmp.Or(depth, -1))
	return e, err
}

func named(n *tree.Node) string { return fmt.Sprintf("%s (%s)", n.Name(), n.ID) }

// ids returns the ids of a node and of those some levels below it; below 0 is all.
func ids(n *tree.Node, levels int) []string {
	list := []string{n.ID}
	if levels != 0 {
		for _, c := range n.Children {
			list = append(list, ids(c, levels-1)...)
		}
	}
	return list
}

// Item writes a node's own fields, without its position.
func Item(n *tree.Node) string {
	text := n.Type + " " + n.ID
	if len(n.Fields) > 0 {
		text += ": " + strings.Join(lists.Map(n.Fields, func(f tree.Field) string { return f.Name + " = " + f.Value() }), "; ")
	}
	if n.Text != "" {
		text += "; " + n.Text
	}
	return text
}
