package semanticxpath

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"recallbench/internal/calc/lists"
	"recallbench/internal/door/fault"
	"recallbench/internal/door/llm"
	"recallbench/internal/door/meter"
	"recallbench/internal/engine/semxpath"
	"recallbench/internal/engine/tree"
	"recallbench/methods"
	"recallbench/methods/internal/handler"
)

// find returns what a task is about in a version, best first. A move searches
// for two things: what is moved, and the node below which it goes.
func (a *answer) find(ctx context.Context, res resolution, v *tree.Version) ([]handler.Found, error) {
	found, err := a.search(ctx, res.Task, res.Operation, v)
	if err != nil || res.Operation != handler.Move {
		return found, err
	}
	places, err := a.search(ctx, res.Task, handler.Create, v)
	for _, p := range places {
		if !slices.ContainsFunc(found, func(f handler.Found) bool { return f.Node().ID == p.Node().ID }) {
			found = append(found, p)
		}
	}
	return found, err
}

// search translates a task and runs its query.
func (a *answer) search(ctx context.Context, request string, op handler.Operation, v *tree.Version) ([]handler.Found, error) {
	q, err := a.translate(ctx, request, op, v.Tree.Schema())
	if err != nil {
		return nil, err
	}
	defer meter.Stage(ctx, "execute")()
	root := v.Tree.Root()
	result, err := a.memory.run(ctx, q, root, maxTraced)
	if err != nil {
		return nil, fmt.Errorf("execute %s: %w", q, err)
	}
	found := lists.Map(result.Matches, func(m semxpath.Match) handler.Found {
		return handler.Found{Path: tree.PathAt(root, m.At), Score: m.Weight}
	})
	a.matched(found, v, result)
	return found, nil
}

// run runs a query and explains its steps, showing at most that many nodes of each.
func (m *memory) run(ctx context.Context, q *semxpath.Query, root *tree.Node, explain int) (semxpath.Result, error) {
	return q.Run(ctx, root, semxpath.Options{Scorer: m.scorer, Text: semxpath.FieldText, K: m.k, Explain: explain})
}

// maxShown is how many nodes of a step are shown for a query that a person runs.
const maxShown = 200

// Query implements [methods.Querier].
func (m *memory) Query(ctx context.Context, query string, v *tree.Version) (semxpath.Result, error) {
	q, err := semxpath.Parse(query)
	if err != nil {
		return semxpath.Result{}, err
	}
	return m.run(ctx, q, v.Tree.Root(), maxShown)
}

// matched adds what a query selected to the trace.
func (a *answer) matched(found []handler.Found, v *tree.Version, result semxpath.Result) {
	lines := lists.Map(found[:min(len(found), maxTraced)], func(f handler.Found) string {
		return fmt.Sprintf("%.4f %s %s", f.Score, f.Node().ID, tree.Label(f.Path))
	})
	note := fmt.Sprintf("%d matches in version %d", len(found), v.Number)
	if len(found) == 1 {
		note = fmt.Sprintf("1 match in version %d", v.Number)
	}
	a.trace(methods.Step{Name: "matches", Note: note, Data: map[string]any{"matches": lines, "steps": result.Steps}})
}

// handle has the model answer or edit from what was retrieved.
func (a *answer) handle(ctx context.Context, res resolution, at place, found []handler.Found) error {
	task := handler.Task{
		Template: string(res.Operation), Operation: res.Operation, Request: res.Task, Original: a.request.Text,
		Today: a.request.Time, From: at.version, Found: found,
	}
	if at.change != nil {
		task.Change = at.change.Summary
	}
	before := a.response.Trace
	var err error
	a.response, err = a.handler.Do(ctx, a.state, task)
	a.response.Trace = append(before, a.response.Trace...)
	return err
}

// maxChanged is the largest number of nodes of a change that are shown.
const maxChanged = 8

// withChange adds the nodes of the change that a task mentions if the query has
// not found them: "when was the one that I cancelled?" says too little.
func (a *answer) withChange(found []handler.Found, at place) []handler.Found {
	if at.change == nil || at.version == at.change {
		return found
	}
	var more []handler.Found
	for _, id := range touched(tree.Diff(at.version.Tree, at.change.Tree)) {
		path := at.version.Tree.Path(id)
		if len(path) < 2 || slices.ContainsFunc(found, func(f handler.Found) bool { return f.Node().ID == id }) {
			continue
		}
		more = append(more, handler.Found{Path: path})
	}
	if len(more) == 0 || len(more) > maxChanged {
		return found
	}
	a.trace(methods.Step{Name: "changed", Note: fmt.Sprintf("with what version %d changed: %d nodes more", at.change.Number, len(more))})
	return append(more, found...)
}

// translateData is what the template "translate" is rendered with.
type translateData struct {
	Request   string
	Operation handler.Operation
	Today     string
	Schema    string
}

// translate asks for the query of a task. One that does not parse, or that names
// what the schema does not have, is asked for again with the error. After the last
// attempt it is a *fault.Error of kind fault.Schema.
func (a *answer) translate(ctx context.Context, request string, op handler.Operation, schema *tree.Schema) (*semxpath.Query, error) {
	defer meter.Stage(ctx, "translate")()
	messages, err := a.prompts.Render("translate", translateData{
		Request: request, Operation: op, Today: handler.Date(a.request.Time),
		Schema: strings.TrimSpace(schema.Text()),
	})
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		reply, err := a.model.Generate(ctx, llm.Request{Role: "translate", Messages: messages, Params: a.Ask.Params()})
		if err != nil {
			return nil, fmt.Errorf("translate: %w", err)
		}
		q, text, err := read(reply.Text, schema)
		if err == nil {
			note := q.String()
			if attempt > 1 {
				note += fmt.Sprintf("; at attempt %d", attempt)
			}
			a.trace(methods.Step{Name: "query", Note: note, Data: map[string]any{"query": q.String(), "attempts": attempt}})
			return q, nil
		}
		a.trace(methods.Step{Name: "query", Note: fmt.Sprintf("attempt %d is no query: %v", attempt, err)})
		if attempt >= attempts {
			return nil, fmt.Errorf("translate: %w", fault.New(fault.Schema, "no query in %d attempts: %s", attempt, strings.Join(strings.Fields(err.Error()), " ")))
		}
		messages = append(messages,
			llm.Message{Role: llm.Assistant, Content: text},
			llm.Message{Role: llm.User, Content: fmt.Sprintf("That query cannot be run:\n\n%v\n\nReply with one query that can, and nothing else.", err)})
	}
}

// maxQuery is the longest reply that is searched for a query, in bytes.
const maxQuery = 4 << 10

// read returns the query in a reply: the reply itself, else one in a code
// block, between back quotes or on a line of its own. The error is that of the
// text that looks most like a query, which is returned too.
func read(reply string, schema *tree.Schema) (q *semxpath.Query, text string, err error) {
	reply = strings.TrimSpace(strings.ToValidUTF8(reply, "\ufffd"))
	if len(reply) > maxQuery {
		reply = strings.ToValidUTF8(reply[:maxQuery], "")
	}
	if reply == "" {
		return nil, "", errors.New("the reply is empty; want a query such as /" + schema.Root)
	}
	for i, c := range semxpath.Candidates(reply) {
		q, wrong := semxpath.Parse(c)
		if wrong == nil {
			if wrong = semxpath.Check(q, schema); wrong == nil {
				return q, c, nil
			}
		}
		if i == 0 || strings.HasPrefix(c, "/") && !strings.HasPrefix(text, "/") {
			text, err = c, wrong
		}
	}
	return nil, text, err
}
